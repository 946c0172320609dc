/* What libfabric is asked for: this program has a function of libfabric's in its place, which the shim calls. */
#include "tributary_fabric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/fabric.h>
#include <rdma/fi_errno.h>

#define CHECK(condition)                                                                                           \
    do {                                                                                                           \
        if (!(condition)) {                                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                \
            exit(1);                                                                                               \
        }                                                                                                          \
    } while (0)

#define ADDRESS "10.0.0.1"

static char asked_node[64];
static uint64_t asked_flags;

__attribute__((visibility("default"))) int fi_getinfo(uint32_t version, const char *node, const char *service,
                                                      uint64_t flags, const struct fi_info *hints,
                                                      struct fi_info **info) {
    (void) version, (void) service, (void) hints, (void) info;
    snprintf(asked_node, sizeof asked_node, "%s", node == NULL ? "none" : node);
    asked_flags = flags;
    return -FI_ENODATA;
}

static void find(const char *provider, const char *node) {
    struct tf_info *list = NULL;
    CHECK(tf_find(provider, node, &list) == TF_NO_DATA && list == NULL);
}

int main(void) {
    const char *with_ip[] = {"tcp;ofi_rxm", "verbs;ofi_rxm"};
    const char *without_ip[] = {"shm", "cxi", "efa", "psm3", "opx"};
    for (size_t i = 0; i < sizeof with_ip / sizeof with_ip[0]; i++) {
        find(with_ip[i], ADDRESS);
        CHECK(strcmp(asked_node, ADDRESS) == 0 && asked_flags == FI_SOURCE);
        find(with_ip[i], NULL);
        CHECK(strcmp(asked_node, "none") == 0 && asked_flags == 0);
    }
    /* They take it for an address of another kind, and find nothing. */
    for (size_t i = 0; i < sizeof without_ip / sizeof without_ip[0]; i++) {
        find(without_ip[i], ADDRESS);
        CHECK(strcmp(asked_node, "none") == 0 && asked_flags == 0);
    }
    puts("finding: all well");
    return 0;
}

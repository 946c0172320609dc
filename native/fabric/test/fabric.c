/* fabric PROVIDER [ADDRESS]: two endpoints of one process write and read each other's memory; tcp, shm or verbs. */
#include "tributary_fabric.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEADLINE_S 300
#define MEMORY_BYTES (1 << 20)
#define LARGE_BYTES (64 << 20) /* more than sockets hold */
#define AGAIN (-11)
#define TEXT 256

#define CHECK(condition)                                                                                           \
    do {                                                                                                           \
        if (!(condition)) {                                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                \
            exit(1);                                                                                               \
        }                                                                                                          \
    } while (0)

static int64_t ok(int64_t result, const char *call, int line) {
    char text[TEXT];
    if (result < 0) {
        tf_error_text(result, text, sizeof text);
        fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, line, call, text);
        exit(1);
    }
    return result;
}
#define OK(call) ok(call, #call, __LINE__)

struct side {
    struct tf_endpoint *endpoint;
    struct tf_region *region;
    char *memory;
};

static struct side here, there;
static int64_t last_error, last_context;
static int64_t last_data = -1;
static int done;

static void poll_side(struct side *side) {
    int64_t events[4 * TF_EVENT_WORDS];
    int64_t count = OK(tf_poll(side->endpoint, events, 4));
    for (int64_t i = 0; i < count; i++) {
        int64_t *event = events + TF_EVENT_WORDS * i;
        if (event[0] == TF_ARRIVED) {
            CHECK(side == &there);
            last_data = event[1];
        } else {
            CHECK(side == &here);
            last_error = event[0];
            last_context = event[1];
            done++;
        }
    }
}

static void poll_both(void) {
    poll_side(&here);
    poll_side(&there);
}

/** Tries to begin until it does, which a connection takes, and polls until it has ended. */
#define COMPLETE(call)                                                                                             \
    do {                                                                                                           \
        int before = done;                                                                                         \
        int64_t begun;                                                                                             \
        while ((begun = (call)) == AGAIN) {                                                                        \
            poll_both();                                                                                           \
        }                                                                                                          \
        OK(begun);                                                                                                 \
        while (done == before) {                                                                                   \
            poll_both();                                                                                           \
        }                                                                                                          \
    } while (0)

static void open_side(struct tf_domain *domain, struct side *side, int64_t key) {
    OK(tf_endpoint_open(domain, &side->endpoint));
    side->memory = calloc(1, MEMORY_BYTES);
    CHECK(side->memory != NULL);
    OK(tf_region_open(side->endpoint, side->memory, MEMORY_BYTES, key, &side->region));
}

static void close_side(struct side *side) {
    OK(tf_region_close(side->region));
    tf_endpoint_close(side->endpoint);
    free(side->memory);
}

static struct tf_remote *remote(struct tf_region *region, int64_t key_difference) {
    char address[TEXT];
    struct tf_remote *result;
    OK(tf_address(there.endpoint, address, sizeof address));
    int64_t peer = OK(tf_peer(here.endpoint, address));
    OK(tf_remote_open(here.endpoint, peer, tf_region_number(region, TF_BASE),
                      tf_region_number(region, TF_KEY) + key_difference, &result));
    return result;
}

static void test_operations(struct tf_remote *to) {
    struct tf_region *region = here.region;
    for (int bytes = 1; bytes <= MEMORY_BYTES / 2; bytes *= 7) {
        memset(here.memory, bytes % 127 + 1, (size_t) bytes);
        COMPLETE(tf_write_delivered(to, bytes, region, here.memory, tf_size((uint32_t) bytes, (uint32_t) bytes)));
        CHECK(last_error == 0 && last_context == bytes);
        CHECK(memcmp(there.memory + bytes, here.memory, (size_t) bytes) == 0);
        COMPLETE(tf_read(to, bytes, region, here.memory + MEMORY_BYTES / 2, tf_size((uint32_t) bytes, 7)));
        CHECK(last_error == 0 && last_context == 7);
        CHECK(memcmp(here.memory + MEMORY_BYTES / 2, here.memory, (size_t) bytes) == 0);
    }
    memset(here.memory, 77, 2);
    COMPLETE(tf_write_ahead(to, 5, region, here.memory, tf_size(1, 8)));
    COMPLETE(tf_write_delivered(to, 9, region, here.memory, tf_size(1, 9)));
    CHECK(there.memory[5] == 77 && there.memory[9] == 77);
    here.memory[0] = 99;
    tf_data(to, 0xfedcba98);
    COMPLETE(tf_write_data(to, 0, region, here.memory, tf_size(1, UINT32_MAX)));
    CHECK(last_context == 0xffffffff);
    while (last_data < 0) {
        poll_both();
    }
    CHECK(last_data == 0xfedcba98 && there.memory[0] == 99);
    char word[8] = "injected";
    int64_t begun;
    while ((begun = tf_inject(to, 8, word, sizeof word)) == AGAIN) {
        poll_both();
    }
    OK(begun);
    last_data = -1;
    while ((begun = tf_inject_data(to, 16, word, sizeof word, 5)) == AGAIN) {
        poll_both();
    }
    OK(begun);
    while (last_data < 0 || memcmp(there.memory + 8, word, sizeof word) != 0) {
        poll_both();
    }
    CHECK(last_data == 5 && memcmp(there.memory + 16, word, sizeof word) == 0);
}

/** Memory that nobody has registered; adapters of verbs refuse. */
static void test_own_memory(struct tf_remote *to, int is_verbs) {
    struct tf_region *any = NULL;
    char own[3000];
    int64_t status = tf_region_local(here.endpoint, &any);
    CHECK(is_verbs ? status == TF_NO_SYSTEM_CALL : status == 0);
    if (is_verbs) {
        return;
    }
    memset(own, 55, sizeof own);
    COMPLETE(tf_write_delivered(to, 1, any, own, tf_size(sizeof own, 1)));
    CHECK(last_error == 0 && memcmp(there.memory + 1, own, sizeof own) == 0);
    memset(own, 0, sizeof own);
    COMPLETE(tf_read(to, 1, any, own, tf_size(sizeof own, 2)));
    CHECK(last_error == 0 && memcmp(there.memory + 1, own, sizeof own) == 0);
    OK(tf_region_close(any));
}

/** Memory that is registered for operations of its own endpoint. */
static void test_local_region(struct tf_remote *to) {
    enum { BYTES = 100000 };
    struct tf_region *region;
    char *own = malloc(BYTES);
    CHECK(own != NULL);
    OK(tf_region_open_local(here.endpoint, own, BYTES, 19, &region));
    memset(own, 33, BYTES);
    COMPLETE(tf_write_delivered(to, 1, region, own, tf_size(BYTES, 1)));
    CHECK(last_error == 0 && memcmp(there.memory + 1, own, BYTES) == 0);
    there.memory[BYTES] = 34;
    COMPLETE(tf_read(to, 2, region, own, tf_size(BYTES - 1, 2)));
    CHECK(last_error == 0 && own[0] == 33 && own[BYTES - 2] == 34);
    OK(tf_region_close(region));
    free(own);
}

/** Provider shm reads the other process's memory itself and looks at no key, but that memory has to be there. */
static void test_failure(struct tf_region *region, int64_t wrong_key, int64_t offset) {
    struct tf_remote *wrong = remote(region, wrong_key);
    char text[TEXT];
    COMPLETE(tf_read(wrong, offset, here.region, here.memory, tf_size(8, 77)));
    CHECK(last_error < 0 && last_context == (offset == 0 ? 77 : -1)); /* shm does not say which it was */
    CHECK(tf_error_text(last_error, text, sizeof text) > 0);
    printf("a read that cannot be: %s", text);
    tf_failure(here.endpoint, text, sizeof text);
    printf(" (%s)\n", text);
    tf_remote_close(wrong);
}

/** Others cannot use memory that is registered for its own endpoint, though they know its key. */
static void test_others(void) {
    struct tf_region *region;
    char *memory = calloc(1, MEMORY_BYTES);
    CHECK(memory != NULL);
    OK(tf_region_open_local(there.endpoint, memory, MEMORY_BYTES, 20, &region));
    test_failure(region, 0, 0);
    OK(tf_region_close(region));
    free(memory);
}

/** The connection has ended with a failure. */
static void go_on(struct tf_remote *to) {
    do {
        COMPLETE(tf_read(to, 0, here.region, here.memory, tf_size(8, 3)));
    } while (last_error != 0);
}

static void test_waiting(int descriptor_expected) {
    int64_t descriptor = tf_descriptor(here.endpoint);
    CHECK(descriptor_expected ? descriptor >= 0 : descriptor == -38);
    poll_both();
    CHECK(tf_may_sleep(here.endpoint) == descriptor_expected);
}

/** An endpoint closes in the middle of an answer, of which nothing more comes to its memory. */
static void test_close_while_reading(const struct tf_info *list) {
    struct tf_domain *domain;
    struct tf_region *region, *any;
    char *from = malloc(LARGE_BYTES);
    char *to = calloc(1, LARGE_BYTES);
    CHECK(from != NULL && to != NULL);
    memset(from, 1, LARGE_BYTES);
    OK(tf_region_open(there.endpoint, from, LARGE_BYTES, 21, &region));
    OK(tf_domain_open(list, &domain));
    open_side(domain, &here, 22);
    OK(tf_region_local(here.endpoint, &any));
    struct tf_remote *large = remote(region, 0);
    COMPLETE(tf_read(large, 0, any, to, tf_size(8, 1)));
    CHECK(last_error == 0);
    while (tf_read(large, 8, any, to + 8, tf_size(LARGE_BYTES - 8, 2)) == AGAIN) {
        poll_both();
    }
    while (to[8] == 0) {
        poll_both();
    }
    for (int i = 0; i < 100; i++) {
        poll_side(&here);
    }
    char *end = memchr(to, 0, LARGE_BYTES);
    CHECK(end != NULL);
    tf_remote_close(large);
    OK(tf_region_close(any));
    close_side(&here);
    tf_domain_close(domain);
    end = memchr(to, 0, LARGE_BYTES);
    for (int i = 0; i < 1000; i++) {
        poll_side(&there);
    }
    CHECK(end != NULL && end == memchr(to, 0, LARGE_BYTES));
    OK(tf_region_close(region));
    free(from);
    free(to);
}

static void on_signal(int signal) {
    (void) signal;
}

int main(int count, char **values) {
    alarm(DEADLINE_S);
    int is_shm = count > 1 && strcmp(values[1], "shm") == 0;
    int is_verbs = count > 1 && strcmp(values[1], "verbs") == 0;
    struct sigaction own = {.sa_handler = on_signal}, now;
    sigaction(SIGSEGV, &own, NULL);
    struct tf_info *list;
    struct tf_domain *domain;
    OK(tf_cache_no_regions());
    CHECK(tf_find("none of them", NULL, &list) < 0);
    char provider[TEXT];
    snprintf(provider, sizeof provider, is_shm ? "%s" : "%s;ofi_rxm", count > 1 ? values[1] : "tcp");
    OK(tf_find(provider, is_shm ? NULL : count > 2 ? values[2] : "127.0.0.1", &list));
    OK(tf_domain_open(list, &domain));
    open_side(domain, &here, 17);
    open_side(domain, &there, 18);
    sigaction(SIGSEGV, NULL, &now);
    CHECK(now.sa_handler == on_signal);
    signal(SIGSEGV, SIG_DFL);
    struct tf_remote *to = remote(there.region, 0);
    test_operations(to);
    test_local_region(to);
    test_own_memory(to, is_verbs);
    test_waiting(!is_shm);
    if (is_verbs) {
        test_others(); /* no connection comes after this; EndpointTest has a wrong key */
    } else if (is_shm) {
        test_failure(there.region, 0, INT64_C(1) << 50);
    } else {
        test_others();
        go_on(to);
        test_failure(there.region, 1, 0);
    }
    tf_remote_close(to);
    close_side(&here);
    if (!is_verbs && !is_shm) {
        test_close_while_reading(list);
    }
    tf_free(list);
    close_side(&there);
    tf_domain_close(domain);
    puts("fabric: all well");
    return 0;
}

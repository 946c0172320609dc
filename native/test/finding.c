/* Which provider a rank opens, of those that a libfabric offers which the test plays. */
#include "linked.h"

#include "link/adapter.h"

struct tf_info {
    const char *provider;
    const char *domain;
    int64_t data_bytes;
    int64_t message_bytes;
    bool has_address; /* that of HOST */
    struct tf_info *next;
};

#define HOST "10.0.0.1"
#define PSM3 "psm3"
#define VERBS "verbs;ofi_rxm"
#define MOST (1LL << 30)

static struct tf_info *offered;
static int64_t find_fails;
static int lists;

static int64_t find(const char *provider, const char *node, struct tf_info **list) {
    struct tf_info *first = offered;
    (void) provider;
    while (first != NULL && node != NULL && !first->has_address) {
        first = first->next;
    }
    if (find_fails != 0 || first == NULL) {
        return find_fails != 0 ? find_fails : TF_NO_DATA;
    }
    lists++;
    *list = first;
    return 0;
}

static struct tf_info *next(const struct tf_info *info) {
    return info->next;
}

static int64_t number(const struct tf_info *info, int64_t which) {
    return which == TF_DATA_BYTES ? info->data_bytes : which == TF_MESSAGE_BYTES ? info->message_bytes : 1;
}

static int64_t text_of(const struct tf_info *info, int64_t which, char *text, int64_t size) {
    return snprintf(text, (size_t) size, "%s", which == TF_PROVIDER ? info->provider : info->domain);
}

static void free_list(struct tf_info *list) {
    lists -= list != NULL;
}

static int64_t explain(int64_t error, char *text, int64_t size) {
    return snprintf(text, (size_t) size, "error %d", (int) error);
}

static const struct trib_shim shim = {.tf_find = find, .tf_next = next, .tf_info_number = number,
    .tf_info_text = text_of, .tf_free = free_list, .tf_error_text = explain};

/** The entry that is found; problem is empty then. */
static const struct tf_info *found(const char *provider, bool anywhere, const char *problem) {
    char said[256] = "";
    struct tf_info *list;
    const struct tf_info *info = trib_adapter_find(&shim, provider, HOST, anywhere, &list, said, sizeof said);
    if (strcmp(said, problem) != 0) {
        fprintf(stderr, "%s\n", said);
    }
    CHECK(strcmp(said, problem) == 0 && (info == NULL) == (list == NULL) && lists == (info == NULL ? 0 : 1));
    shim.tf_free(list);
    return info;
}

/** What others use must be of the same form. */
static void should_take_the_entry_with_data_when_an_adapter_has_several(void) {
    struct tf_info other = {PSM3, "eth1", 4, MOST, true, NULL};
    struct tf_info with = {PSM3, "eth0", 4, MOST, true, &other};
    struct tf_info poor = {PSM3, "eth0", 4, 4096, true, &with};
    struct tf_info without = {PSM3, "eth0", 0, MOST, true, &poor};
    struct tf_info another = {VERBS, "mlx5_0", 8, MOST, true, &without};
    offered = &another;
    CHECK(found(PSM3, false, "") == &with);
    poor.next = &other;
    CHECK(found(PSM3, false, "") == &without);
}

static void should_look_elsewhere_when_the_job_leaves_the_choice(void) {
    struct tf_info here = {VERBS, "mlx5_1", 4, MOST, true, NULL};
    struct tf_info first = {VERBS, "mlx5_0", 4, MOST, false, &here};
    offered = &first;
    CHECK(found(VERBS, true, "") == &here);
    CHECK(found(VERBS, false, "") == &here);
    here.has_address = false;
    CHECK(found(VERBS, true, "") == &first);
    CHECK(found(VERBS, false, "it is not on the interface of " HOST ": set server.bind-address or server.interface to"
                " one that it is on") == NULL);
}

static void should_say_why_when_there_is_none(void) {
    offered = NULL;
    CHECK(found(VERBS, true, "libfabric has none here") == NULL);
    find_fails = -22;
    CHECK(found(VERBS, true, "looking for it: error -22") == NULL);
    find_fails = 0;
}

void finding(void) {
    should_take_the_entry_with_data_when_an_adapter_has_several();
    should_look_elsewhere_when_the_job_leaves_the_choice();
    should_say_why_when_there_is_none();
}

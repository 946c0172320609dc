/* How members come to one result of what each of them has tried; see org.tributary.client.segment.CommonResult. */
#include "group.h"

#define MAX_TEXT (TRIB_FAILURE_BYTES - TRIB_FAILURE_TEXT_OFFSET)
#define NOBODY INT64_MAX

static void put_number(uint8_t *to, int64_t value, int bytes) {
    for (int i = bytes - 1; i >= 0; i--, value >>= 8) {
        to[i] = (uint8_t) value;
    }
}

static int64_t get_number(const uint8_t *from, int bytes) {
    int64_t value = from[0] >= 0x80 ? -1 : 0;
    for (int i = 0; i < bytes; i++) {
        value = (int64_t) ((uint64_t) value << 8 | from[i]);
    }
    return value;
}

/** Of a lack of space the text is the mount. */
static void describe(const trib_error *failure, const struct trib_place *place,
                     uint8_t description[TRIB_FAILURE_BYTES]) {
    bool space = failure->status == TRIB_NO_SPACE;
    size_t text = strnlen(failure->message, MAX_TEXT);
    put_number(description + TRIB_FAILURE_STATUS_OFFSET, failure->status, 4);
    put_number(description + TRIB_FAILURE_RANK_OFFSET, place->rank, 4);
    put_number(description + TRIB_FAILURE_NODE_OFFSET, place->node, 4);
    put_number(description + TRIB_FAILURE_NEED_OFFSET, space ? failure->length : 0, 8);
    put_number(description + TRIB_FAILURE_FREE_OFFSET, space ? failure->limit : 0, 8);
    put_number(description + TRIB_FAILURE_LENGTH_OFFSET, (int64_t) text, 4);
    memcpy(description + TRIB_FAILURE_TEXT_OFFSET, failure->message, text);
}

static int fail_as_described(const char *what, const uint8_t description[TRIB_FAILURE_BYTES]) {
    int status = (int) get_number(description + TRIB_FAILURE_STATUS_OFFSET, 4);
    int rank = (int) get_number(description + TRIB_FAILURE_RANK_OFFSET, 4);
    int node = (int) get_number(description + TRIB_FAILURE_NODE_OFFSET, 4);
    int64_t need = get_number(description + TRIB_FAILURE_NEED_OFFSET, 8);
    int64_t left = get_number(description + TRIB_FAILURE_FREE_OFFSET, 8);
    int64_t length = get_number(description + TRIB_FAILURE_LENGTH_OFFSET, 4);
    const char *text = (const char *) description + TRIB_FAILURE_TEXT_OFFSET;
    int shown = length < 0 || length > MAX_TEXT ? 0 : (int) length;
    if (status == TRIB_NO_SPACE) {
        trib_fail_at(TRIB_NO_SPACE, "not enough shared memory", rank, 0, 0, need, left);
        return trib_fail_prefix("node %d needs %lld bytes, and %.*s has %lld free; free some or enlarge it: ", node,
                                (long long) need, shown, text, (long long) left);
    }
    return trib_fail(status < TRIB_OK && status >= TRIB_SYSTEM ? status : TRIB_REFUSED,
                     "no member has %s, for rank %d (node %d) failed: %.*s", what, rank, node, shown, text);
}

int trib_agree(trib_group *group, const char *what, int status, void (*undo)(void *context), void *context) {
    if (status == TRIB_ABORTED) {
        return status;
    }
    trib_error failure = *trib_last_error();
    int64_t first = status == TRIB_OK ? NOBODY : group->members.self;
    int agreed = trib_allreduce(group, TRIB_MIN, TRIB_INT64, &first, &first, 1);
    if (agreed != TRIB_OK || first == NOBODY) {
        return agreed;
    }
    undo(context);
    uint8_t description[TRIB_FAILURE_BYTES] = {0};
    if (group->members.self == first) {
        describe(&failure, &group->job->place, description);
    }
    agreed = trib_broadcast(group, (int) first, description, sizeof description);
    return agreed == TRIB_OK ? fail_as_described(what, description) : agreed;
}

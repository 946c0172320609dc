/* Requests whose answers are on their way, and what servers complain of. */
#include "links.h"

#include "wire/error.h"

static bool more_replies(struct trib_link *link) {
    int capacity = link->reply_capacity == 0 ? 64 : 2 * link->reply_capacity;
    struct trib_reply **replies = realloc(link->replies, (size_t) capacity * sizeof *replies);
    link->replies = replies == NULL ? link->replies : replies;
    int *slots = realloc(link->free_slots, (size_t) capacity * sizeof *slots);
    link->free_slots = slots == NULL ? link->free_slots : slots;
    if (replies == NULL || slots == NULL) {
        return false;
    }
    link->reply_capacity = capacity;
    return true;
}

bool trib_handle_begun(struct trib_links *links, trib_handle *handle) {
    bool odd = links->phase & 1;
    __atomic_store_n(&handle->pending, handle->pending + 1, __ATOMIC_RELAXED);
    links->operations[odd]++;
    return odd;
}

void trib_handle_ended(struct trib_links *links, trib_handle *handle, bool odd, trib_error *failure) {
    if (handle->failure == NULL) {
        __atomic_store_n(&handle->failure, failure, __ATOMIC_RELAXED);
    } else {
        free(failure);
    }
    /* A reader of 0 without the lock finds the failure and the data: partner is the acquire in trib_is_idle. */
    __atomic_store_n(&handle->pending, handle->pending - 1, __ATOMIC_RELEASE);
    links->operations[odd]--;
}

struct trib_reply *trib_link_expect(struct trib_link *link, trib_handle *handle) {
    struct trib_reply *reply;
    if (link->free_count > 0) {
        reply = link->replies[link->free_slots[--link->free_count]];
    } else {
        if (link->replies_made == link->reply_capacity && !more_replies(link)) {
            trib_fail(TRIB_NO_MEMORY, "no memory for another request");
            return NULL;
        }
        reply = calloc(1, sizeof *reply);
        if (reply == NULL) {
            trib_fail(TRIB_NO_MEMORY, "no memory for another request");
            return NULL;
        }
        reply->slot = link->replies_made;
        link->replies[link->replies_made++] = reply;
    }
    reply->done = false;
    reply->dropped = false;
    reply->abandoned = false;
    reply->handle = handle;
    reply->failure = NULL;
    reply->value = 0;
    reply->expected = 0;
    reply->piece_count = 0;
    reply->piece = 0;
    reply->piece_done = 0;
    reply->facts = NULL;
    if (handle != NULL) {
        reply->odd = trib_handle_begun(link->job->links, handle);
    }
    return reply;
}

void trib_link_give_back(struct trib_link *link, struct trib_reply *reply) {
    reply->done = true; /* answers to it would be answers to nothing */
    link->free_slots[link->free_count++] = reply->slot;
}

bool trib_reply_add_piece(struct trib_reply *reply, void *at, int64_t bytes) {
    if (reply->piece_count == reply->piece_capacity) {
        int capacity = reply->piece_capacity == 0 ? 64 : 2 * reply->piece_capacity;
        struct trib_piece *pieces = realloc(reply->pieces, (size_t) capacity * sizeof *pieces);
        if (pieces == NULL) {
            return false;
        }
        reply->pieces = pieces;
        reply->piece_capacity = capacity;
    }
    reply->pieces[reply->piece_count++] = (struct trib_piece) {.at = at, .bytes = bytes};
    reply->expected += bytes;
    return true;
}

void trib_reply_to_range(struct trib_reply *reply, void *at, int64_t bytes) {
    trib_region_begin(&reply->region, at, bytes);
    reply->expected = bytes;
}

void trib_link_complete(struct trib_link *link, struct trib_reply *reply, int64_t value,
                        trib_error *failure) {
    if (trib_unlikely(trib_links_drop(link->job))) {
        reply->dropped = true; /* its handle may be gone; a thread that is still there hears why */
        free(failure);
        return;
    }
    if (trib_unlikely(reply->abandoned)) {
        free(failure);
        trib_link_give_back(link, reply);
        return;
    }
    reply->value = value;
    reply->failure = failure;
    reply->done = true;
    if (reply->handle != NULL) {
        trib_handle_ended(link->job->links, reply->handle, reply->odd, failure);
        reply->failure = NULL;
        trib_link_give_back(link, reply);
    }
}

struct trib_reply *trib_link_waiting(struct trib_link *link, int64_t request) {
    if (request < 0 || request >= link->replies_made || link->replies[request]->done
        || link->replies[request]->dropped) {
        trib_link_broke(link, "node %d answered request %lld, which was not made", link->node, (long long) request);
        return NULL;
    }
    return link->replies[request];
}

bool trib_link_is_data_due(const struct trib_link *link) {
    for (int i = 0; i < link->replies_made; i++) {
        const struct trib_reply *reply = link->replies[i];
        if (!reply->done && !reply->dropped && reply->expected > 0) {
            return true;
        }
    }
    return false;
}

/* ---- errors of servers ---- */

static trib_error *address_error(const char *problem, struct wire_error *error) {
    trib_fail_at(TRIB_INVALID_ADDRESS, problem, wire_error_rank(error), wire_error_segmentId(error),
                 wire_error_targetOffset(error), wire_error_lengthInBytes(error), wire_error_bound(error));
    return trib_error_copy();
}

static trib_error *mutex_error(const char *problem, struct wire_error *error) {
    int64_t holder = wire_error_bound(error);
    trib_fail_at(TRIB_MUTEX_STATE, problem, wire_error_rank(error), wire_error_segmentId(error),
                 wire_error_targetOffset(error), wire_error_lengthInBytes(error), holder);
    return trib_error_copy();
}

static trib_error *no_space_error(struct wire_error *error, int node, int text, const char *detail) {
    int64_t need = wire_error_lengthInBytes(error);
    int64_t left = wire_error_bound(error);
    trib_fail_at(TRIB_NO_SPACE, "", node, wire_error_segmentId(error), 0, need, left);
    trib_error *copy = trib_error_copy();
    if (copy != NULL) {
        snprintf(copy->message, sizeof copy->message, "%.*s", text, detail);
    }
    return copy;
}

/** The error for a server's message; on a route that server may be another one than that of the connection. */
static trib_error *to_error(struct trib_link *link, struct wire_error *error, int text, const char *detail) {
    enum wire_errorCode code = wire_errorCode_NULL_VALUE;
    int named = trib_topology_node_of(&link->job->place.topology, wire_error_rank(error));
    int node = named < 0 ? link->node : named;
    wire_error_code(error, &code);
    switch (code) {
        case wire_errorCode_SEGMENT_UNKNOWN:
            return address_error("segment does not exist (freed?)", error);
        case wire_errorCode_OUT_OF_BOUNDS:
            return address_error("outside the segment", error);
        case wire_errorCode_MISALIGNED:
            return address_error("not aligned", error);
        case wire_errorCode_RANK_UNKNOWN:
            return address_error("rank has no part on that node", error);
        case wire_errorCode_NOT_HELD:
            return mutex_error("mutex is not held by this rank but by the one in limit", error);
        case wire_errorCode_ALREADY_HELD:
            return mutex_error("mutex is held by this rank already", error);
        case wire_errorCode_NO_SPACE:
            return no_space_error(error, node, text, detail);
        case wire_errorCode_NODE_LOST:
            trib_fail(TRIB_ABORTED, "%.*s", text, detail);
            return trib_error_copy();
        default:
            trib_fail_at(TRIB_REFUSED, detail, wire_error_rank(error), wire_error_segmentId(error),
                         wire_error_targetOffset(error), wire_error_lengthInBytes(error), wire_error_bound(error));
            trib_fail_prefix("node %d refused a request, code %d, %.*s: ", node, (int) code, text, detail);
            return trib_error_copy();
    }
}

int trib_link_take_error(struct trib_link *link, char *block, uint64_t block_length, uint64_t version,
                         int64_t available) {
    struct wire_error decoder;
    struct wire_error *error = wire_error_wrap_for_decode(&decoder, block, 0, block_length, version, block_length);
    const char *block_end = block + block_length;
    uint16_t text = 0;
    if (available >= (int64_t) sizeof text) {
        memcpy(&text, block_end, sizeof text);
        available -= (int64_t) sizeof text;
    }
    char detail[256];
    snprintf(detail, sizeof detail, "%.*s", (int) (text < available ? text : available), block_end + sizeof text);
    trib_error *failure = to_error(link, error, (int) strlen(detail), detail);
    int64_t request = wire_error_requestId(error);
    if (failure == NULL) {
        return trib_link_broke(link, "no memory for an error of node %d: %s", link->node, detail);
    }
    if (request >= 0) {
        struct trib_reply *reply = trib_link_waiting(link, request);
        if (reply == NULL) {
            free(failure);
            return TRIB_ABORTED;
        }
        trib_link_complete(link, reply, 0, failure);
    } else if (link->one_way_failure == NULL) {
        link->one_way_failure = failure;
        trib_link_enter(link, TRIB_UNSETTLED);
    } else {
        free(failure);
    }
    return TRIB_OK;
}

/* Handles, fences, flags and notifications. */
#include "check.h"
#include "remote.h"

#include "wire/signalOp.h"

/* ---- handles ---- */

int trib_handle_init(trib *job, int kind, trib_handle *handle) {
    *handle = (trib_handle) {.job = job, .kind = kind};
    return kind == TRIB_PLAIN || kind == TRIB_AGGREGATE ? TRIB_OK
        : trib_fail(TRIB_INVALID_ARGUMENT, "no kind of handle %d", kind);
}

static int check_initialized(const trib_handle *handle) {
    return handle->job != NULL ? TRIB_OK : trib_fail(TRIB_INVALID_ARGUMENT, "the handle was not initialized");
}

/** Raises the first failure, once. Call with the lock held. */
static int take_failure(trib_handle *handle) {
    trib_error *failure = handle->failure;
    __atomic_store_n(&handle->failure, NULL, __ATOMIC_RELEASE); /* partner: the acquire in trib_is_idle */
    return failure == NULL ? TRIB_OK : trib_error_raise(failure);
}

bool trib_is_idle(const trib_handle *handle) {
    /* Partner: the release in complete() of link.c, before which the failure is set. */
    return __atomic_load_n(&handle->pending, __ATOMIC_ACQUIRE) == 0
        && __atomic_load_n(&handle->failure, __ATOMIC_ACQUIRE) == NULL;
}

int trib_test(trib_handle *handle, bool *complete) {
    int status = check_initialized(handle);
    if (status != TRIB_OK) {
        return status;
    }
    trib *job = handle->job;
    TRIB_CALL(job);
    trib_links_lock(&job->links);
    status = trib_links_flush(job);
    if (status == TRIB_OK && handle->pending > 0) {
        status = trib_links_poll(job);
    }
    *complete = handle->pending == 0;
    if (status == TRIB_OK) {
        status = take_failure(handle);
    }
    trib_links_unlock(&job->links);
    status = status == TRIB_OK && !*complete ? trib_check(job) : status;
    return status == TRIB_ABORTED && !*complete ? trib_links_give_up(job, status) : status;
}

int trib_wait(trib_handle *handle) {
    int status = check_initialized(handle);
    if (status != TRIB_OK) {
        return status;
    }
    trib *job = handle->job;
    TRIB_CALL(job);
    trib_links_lock(&job->links);
    status = trib_links_flush(job);
    struct trib_awaited what = {.handle = handle, .phase = job->links.phase};
    bool done = handle->pending == 0;
    if (done && status == TRIB_OK) {
        status = take_failure(handle);
    }
    trib_links_unlock(&job->links);
    if (status != TRIB_OK && !done) {
        return trib_links_give_up(job, status);
    }
    if (done) {
        return status;
    }
    status = trib_await(job, &what);
    trib_links_lock(&job->links);
    int failure = take_failure(handle);
    trib_links_unlock(&job->links);
    return failure == TRIB_OK ? status : failure;
}

int trib_wait_handles(trib_handle *handles, size_t count) {
    trib_error *first = NULL;
    int status = TRIB_OK;
    for (size_t i = 0; i < count; i++) {
        int failed = trib_wait(&handles[i]);
        if (failed != TRIB_OK && status == TRIB_OK) {
            status = failed;
            first = trib_error_copy();
        }
    }
    return first == NULL ? status : trib_error_raise(first);
}

int trib_wait_all(trib *job) {
    TRIB_CALL(job);
    trib_links_lock(&job->links);
    struct trib_awaited what = {.phase = job->links.phase};
    int status = trib_links_flush(job);
    trib_links_unlock(&job->links);
    return status == TRIB_OK ? trib_await(job, &what) : status;
}

/* ---- fences ---- */

static int await_executed(struct trib_link *link, int64_t count) {
    struct trib_awaited what = {.counter = &link->executed, .until = count, .link = link};
    return trib_await(link->job, &what);
}

/** What has gone wrong on the way to a node, and with what took the route earlier. Call with the lock held. */
static int failure_on(const struct trib_way *way) {
    int status = way->straight == NULL ? TRIB_OK : trib_link_one_way_failure(way->straight);
    return status == TRIB_OK ? trib_link_one_way_failure(way->route) : status;
}

int trib_fence(trib *job, int rank) {
    int status = trib_check_rank(job, rank);
    if (status != TRIB_OK) {
        return status;
    }
    if (trib_node_is_local(&job->node, rank)) {
        __atomic_thread_fence(__ATOMIC_SEQ_CST); /* done by this processor; only its order is left */
        return TRIB_OK;
    }
    TRIB_CALL(job);
    trib_links_lock(&job->links);
    struct trib_way *way = trib_links_way(job, trib_topology_node_of(&job->place.topology, rank));
    if (way == NULL) {
        trib_links_unlock(&job->links);
        return TRIB_OK; /* nothing was ever sent there */
    }
    struct trib_link *link = trib_way_link(way);
    int64_t count = link->fenced_up_to;
    status = trib_link_fence(link, count);
    if (status == TRIB_OK && link->executed < count) {
        trib_links_unlock(&job->links);
        status = await_executed(link, count);
        trib_links_lock(&job->links);
    }
    if (status == TRIB_OK) {
        status = failure_on(way);
    }
    trib_links_unlock(&job->links);
    return status;
}

static int64_t count_of(const struct trib_link *link, bool everything) {
    return everything ? link->issued : link->fenced_up_to;
}

/** Asks every server of which something is to be heard, before any is waited for. Call with the lock held. */
static int ask_all(struct trib_links *links, bool everything) {
    int status = TRIB_OK;
    struct trib_link *next;
    for (struct trib_link *link = links->sets[TRIB_UNSETTLED]; link != NULL && status == TRIB_OK; link = next) {
        /* A link on which another thread sends is asked when its turn comes; so is what follows one that is full. */
        status = link->is_sending ? TRIB_OK : trib_link_fence(link, count_of(link, everything));
        next = link->places[TRIB_UNSETTLED].in ? link->places[TRIB_UNSETTLED].next : NULL;
    }
    return status;
}

/** Waits until what was sent on a link has been executed. Call with the lock held; it is given away meanwhile. */
static int settle(trib *job, struct trib_link *link, bool everything) {
    int64_t until = count_of(link, everything);
    int status = trib_link_fence(link, until);
    if (status == TRIB_OK && link->executed < until) {
        trib_links_unlock(&job->links);
        status = await_executed(link, until);
        trib_links_lock(&job->links);
    }
    return status;
}

/** Waits for each server once, whatever other threads send meanwhile; those that have nothing to tell are not met. */
static int settle_all(trib *job, bool everything) {
    struct trib_links *links = &job->links;
    int64_t fence = ++links->fences;
    struct trib_link *link = links->sets[TRIB_UNSETTLED];
    struct trib_link *next;
    for (; link != NULL; link = next) {
        if (link->fenced_by < fence) {
            int status = settle(job, link, everything);
            if (status != TRIB_OK) {
                return status;
            }
            link->fenced_by = link->fenced_by < fence ? fence : link->fenced_by;
        }
        /* What has come to the front meanwhile was sent later. Another thread may have taken this one out. */
        next = link->places[TRIB_UNSETTLED].in ? link->places[TRIB_UNSETTLED].next : links->sets[TRIB_UNSETTLED];
        if (link->executed == link->issued && link->one_way_failure == NULL) {
            trib_link_leave(link, TRIB_UNSETTLED);
        }
    }
    return TRIB_OK;
}

int trib_fence_links(trib *job, bool everything) {
    TRIB_CALL(job);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    trib_links_lock(&job->links);
    int status = ask_all(&job->links, everything);
    if (status == TRIB_OK) {
        status = settle_all(job, everything);
    }
    /* At the end, because a straight connection that is closed leaves what went wrong on it to the route. */
    struct trib_link *link = job->links.sets[TRIB_UNSETTLED];
    while (link != NULL && status == TRIB_OK) {
        status = trib_link_one_way_failure(link);
        link = link->places[TRIB_UNSETTLED].next;
    }
    trib_links_unlock(&job->links);
    return status;
}

int trib_fence_all(trib *job) {
    return trib_fence_links(job, false);
}

int trib_barrier(trib *job) {
    TRIB_CALL(job);
    int fenced = trib_fence_all(job);
    if (fenced == TRIB_ABORTED) {
        return fenced;
    }
    /* Others wait in the barrier whatever this rank has to complain of. */
    trib_error *complaint = fenced == TRIB_OK ? NULL : trib_error_copy();
    int status = trib_group_barrier(job->world);
    return complaint == NULL ? status : trib_error_raise(complaint);
}

/* ---- flags ---- */

/** Partner of the release store: the acquire in trib_await_flag. */
void trib_set_flag_on_node(const trib_memory *memory, int rank, const struct trib_part *part, size_t offset,
                           int64_t value) {
    __atomic_store_n((int64_t *) (void *) (part->base + offset), value, __ATOMIC_RELEASE);
    trib_node_ring(&memory->job->node, rank - memory->job->node.first_rank);
}

int trib_put_flag(trib_memory *memory, int rank, size_t offset, const void *source, size_t bytes, size_t flag_offset,
                  int64_t flag_value) {
    const struct trib_part *part;
    int status = trib_check_word(memory, rank, flag_offset, sizeof flag_value, &part);
    if (status == TRIB_OK) {
        status = trib_check_range(memory, rank, offset, bytes, &part);
    }
    if (status != TRIB_OK) {
        return status;
    }
    if (part == NULL) {
        return trib_remote_put_flag(memory, rank, (int64_t) offset, source, (int64_t) bytes, (int64_t) flag_offset,
                                    flag_value);
    }
    if (bytes > 0) {
        memmove(part->base + offset, source, bytes);
    }
    trib_set_flag_on_node(memory, rank, part, flag_offset, flag_value);
    return TRIB_OK;
}

int trib_set_flag(trib_memory *memory, int rank, size_t flag_offset, int64_t value) {
    const struct trib_part *part;
    int status = trib_check_word(memory, rank, flag_offset, sizeof value, &part);
    if (status != TRIB_OK) {
        return status;
    }
    if (part == NULL) {
        return trib_remote_signal(memory, rank, (int64_t) flag_offset, wire_signalOp_SET, value);
    }
    trib_set_flag_on_node(memory, rank, part, flag_offset, value);
    return TRIB_OK;
}

int trib_add_flag(trib_memory *memory, int rank, size_t flag_offset, int64_t delta) {
    const struct trib_part *part;
    int status = trib_check_word(memory, rank, flag_offset, sizeof delta, &part);
    if (status != TRIB_OK) {
        return status;
    }
    if (part == NULL) {
        return trib_remote_signal(memory, rank, (int64_t) flag_offset, wire_signalOp_ADD, delta);
    }
    __atomic_fetch_add((int64_t *) (void *) (part->base + flag_offset), delta, __ATOMIC_SEQ_CST);
    trib_node_ring(&memory->job->node, rank - memory->job->node.first_rank);
    return TRIB_OK;
}

static int await_flag(trib_memory *memory, size_t flag_offset, int64_t value, bool exactly, int from) {
    const struct trib_part *part;
    trib *job = memory->job;
    TRIB_CALL(job);
    int status = trib_check_word(memory, job->place.rank, flag_offset, sizeof value, &part);
    if (status == TRIB_OK && from >= 0) {
        status = trib_check_rank(job, from);
    }
    if (status == TRIB_OK) {
        status = trib_links_flush_all(job);
    }
    if (status != TRIB_OK) {
        return status;
    }
    return trib_node_await_word(job, (const int64_t *) (const void *) (part->base + flag_offset), value, exactly,
                                from);
}

int trib_await_flag(trib_memory *memory, size_t flag_offset, int64_t value, int from) {
    return await_flag(memory, flag_offset, value, true, from);
}

int trib_await_flag_at_least(trib_memory *memory, size_t flag_offset, int64_t value, int from) {
    return await_flag(memory, flag_offset, value, false, from);
}

/* ---- notifications ---- */

int trib_notify(trib *job, int rank) {
    int status = trib_check_rank(job, rank);
    if (status != TRIB_OK) {
        return status;
    }
    if (trib_node_is_local(&job->node, rank)) {
        if (trib_node_notify(job, rank)) {
            return TRIB_OK;
        }
        status = trib_node_check_notifications(job, rank);
        return status != TRIB_OK ? status
            : trib_fail(TRIB_REFUSED, "too many ranks notify rank %d; raise notify.max-sources", rank);
    }
    struct trib_link *link;
    TRIB_CALL(job);
    status = trib_remote_begin(job, trib_topology_node_of(&job->place.topology, rank), &link);
    if (status != TRIB_OK) {
        return status;
    }
    status = trib_send_notify(link, rank);
    trib_link_issued(link, false, true);
    return trib_remote_end(link, status, true);
}

struct notification {
    trib *job;
    int source;
    int64_t count;
    int64_t seen; /* when the wait began */
};

static bool has_come(void *context) {
    const struct notification *awaited = context;
    return trib_node_notifications(awaited->job, awaited->source, awaited->seen) >= awaited->count;
}

int trib_wait_notify(trib *job, int rank) {
    TRIB_CALL(job);
    int status = trib_check_rank(job, rank);
    if (status == TRIB_OK) {
        status = trib_links_flush_all(job);
    }
    if (status != TRIB_OK) {
        return status;
    }
    struct notification awaited = {.job = job, .source = rank};
    pthread_mutex_lock(&job->lock);
    awaited.seen = trib_map_get(&job->notifications_seen, rank, 0);
    awaited.count = trib_map_get(&job->notifications_awaited, rank, 0) + 1;
    bool noted = trib_map_put(&job->notifications_awaited, rank, awaited.count)
        && trib_map_put(&job->notifications_seen, rank, awaited.seen);
    pthread_mutex_unlock(&job->lock);
    if (!noted) {
        return trib_fail(TRIB_NO_MEMORY, "no memory to count the notifications of rank %d", rank);
    }
    status = trib_node_await(job, has_come, &awaited, rank);
    if (status == TRIB_OK) {
        pthread_mutex_lock(&job->lock);
        if (trib_map_get(&job->notifications_seen, rank, 0) < awaited.count) {
            trib_map_put(&job->notifications_seen, rank, awaited.count); /* its place is there */
        }
        pthread_mutex_unlock(&job->lock);
    }
    return status;
}

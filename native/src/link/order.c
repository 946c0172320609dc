/* Handles and fences: when operations are complete. */
#include "links.h"

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
    /* Partner: the release in trib_link_complete, before which the failure is set. */
    return __atomic_load_n(&handle->pending, __ATOMIC_ACQUIRE) == 0
        && __atomic_load_n(&handle->failure, __ATOMIC_ACQUIRE) == NULL;
}

int trib_test(trib_handle *handle, bool *complete) {
    TRIB_TRY(check_initialized(handle));
    trib *job = handle->job;
    TRIB_CALL(job);
    trib_links_lock(job->links);
    int status = trib_links_flush(job);
    if (status == TRIB_OK && handle->pending > 0) {
        status = trib_links_poll(job);
    }
    *complete = handle->pending == 0;
    if (status == TRIB_OK) {
        status = take_failure(handle);
    }
    trib_links_unlock(job->links);
    status = status == TRIB_OK && !*complete ? trib_check(job) : status;
    return status == TRIB_ABORTED && !*complete ? trib_links_give_up(job, status) : status;
}

int trib_wait(trib_handle *handle) {
    TRIB_TRY(check_initialized(handle));
    trib *job = handle->job;
    TRIB_CALL(job);
    trib_links_lock(job->links);
    int status = trib_links_flush(job);
    struct trib_awaited what = {.handle = handle, .phase = job->links->phase,
                                .wait = {.kind = TRIB_WAIT_OPERATIONS, .peer = -1}};
    bool done = handle->pending == 0;
    if (done && status == TRIB_OK) {
        status = take_failure(handle);
    }
    trib_links_unlock(job->links);
    if (status != TRIB_OK && !done) {
        return trib_links_give_up(job, status);
    }
    if (done) {
        return status;
    }
    status = trib_await(job, &what);
    trib_links_lock(job->links);
    int failure = take_failure(handle);
    trib_links_unlock(job->links);
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
    trib_links_lock(job->links);
    struct trib_awaited what = {.phase = job->links->phase, .wait = {.kind = TRIB_WAIT_OPERATIONS, .peer = -1}};
    int status = trib_links_flush(job);
    trib_links_unlock(job->links);
    return status == TRIB_OK ? trib_await(job, &what) : trib_links_give_up(job, status);
}

/* ---- fences ---- */

/** The failure of one-way requests to a node: on the direct connection, or earlier on the route. Needs the lock. */
static int failure_on(const struct trib_path *path) {
    int status = path->direct == NULL ? TRIB_OK : trib_link_one_way_failure(path->direct);
    return status == TRIB_OK ? trib_link_one_way_failure(path->route) : status;
}

int trib_fence(trib *job, int rank) {
    TRIB_TRY(trib_check_rank(job, rank));
    if (trib_node_is_local(&job->node, rank)) {
        __atomic_thread_fence(__ATOMIC_SEQ_CST); /* done by this processor; only its order is left */
        return TRIB_OK;
    }
    TRIB_CALL(job);
    int node = trib_topology_node_of(&job->place.topology, rank);
    trib_links_lock(job->links);
    int settled = trib_links_settle_adapter(job, node);
    struct trib_path *path = trib_links_path(job, node);
    if (path == NULL) {
        trib_links_unlock(job->links);
        return TRIB_OK; /* nothing was ever sent there */
    }
    struct trib_link *link = trib_path_link(path);
    bool waits = link->executed < link->fenced_up_to;
    TRIB_TRACED(job, waits, TRIB_OPERATION_FENCE, .peer = rank)
    if (waits) {
        trib_traced_time(&traced);
    }
    int status = settled == TRIB_OK ? trib_link_settle(link, link->fenced_up_to) : settled;
    if (waits) {
        traced.ended_ns = trib_latency_ended(job, TRIB_LATENCY_FENCE, traced.began_ns);
    }
    if (status == TRIB_OK) {
        status = failure_on(path);
    }
    trib_links_unlock(job->links);
    return status;
}

int trib_adapter_fence(trib *job, int rank) {
    if (trib_likely(!trib_links_have_adapter(job->links)) || trib_node_is_local(&job->node, rank)) {
        return TRIB_OK;
    }
    TRIB_CALL(job);
    int node = trib_topology_node_of(&job->place.topology, rank);
    trib_links_lock(job->links);
    int status = trib_links_settle_adapter(job, node);
    const struct trib_path *path = trib_links_path(job, node);
    if (status == TRIB_OK && path != NULL) {
        status = failure_on(path);
    }
    trib_links_unlock(job->links);
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

/** Waits for each server once, whatever other threads send meanwhile; those that have nothing to tell are not met. */
static int settle_all(struct trib_links *links, bool everything) {
    int64_t fence = ++links->fences;
    struct trib_link *link = links->sets[TRIB_UNSETTLED];
    struct trib_link *next;
    for (; link != NULL; link = next) {
        int64_t *fenced_by = &link->fenced_by[everything];
        if (*fenced_by < fence) {
            TRIB_TRY(trib_link_settle(link, count_of(link, everything)));
            *fenced_by = *fenced_by < fence ? fence : *fenced_by;
        }
        /* A link that has come to the front meanwhile sent later. Another thread may have taken this one out. */
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
    trib_links_lock(job->links);
    bool waits = job->links->sets[TRIB_UNSETTLED] != NULL;
    TRIB_TRACED(job, waits, TRIB_OPERATION_FENCE, .peer = -1)
    if (waits) {
        trib_traced_time(&traced);
    }
    int status = trib_links_settle_adapter(job, -1);
    if (status == TRIB_OK) {
        status = ask_all(job->links, everything);
    }
    if (status == TRIB_OK) {
        status = settle_all(job->links, everything);
    }
    if (waits) {
        traced.ended_ns = trib_latency_ended(job, TRIB_LATENCY_FENCE, traced.began_ns);
    }
    /* At the end, because a direct connection that is closed leaves what went wrong on it to the route. */
    struct trib_link *link = job->links->sets[TRIB_UNSETTLED];
    while (link != NULL && status == TRIB_OK) {
        status = trib_link_one_way_failure(link);
        link = link->places[TRIB_UNSETTLED].next;
    }
    trib_links_unlock(job->links);
    return status;
}

int trib_fence_all(trib *job) {
    return trib_fence_links(job, false);
}

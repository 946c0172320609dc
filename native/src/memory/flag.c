/* Flags and notifications. */
#include "check.h"
#include "remote.h"

#include "wire/signalOp.h"

/* ---- flags ---- */

/** Partner of the release store: the acquire in trib_await_flag. */
void trib_set_flag_on_node(const trib_memory *memory, int rank, const struct trib_part *part, size_t offset,
                           int64_t value) {
    __atomic_store_n((int64_t *) (void *) (part->base + offset), value, __ATOMIC_RELEASE);
    trib_node_ring(&memory->job->node, trib_node_index(&memory->job->node, rank));
}

int trib_put_flag(trib_memory *memory, int rank, size_t offset, const void *source, size_t bytes, size_t flag_offset,
                  int64_t flag_value) {
    const struct trib_part *part;
    TRIB_TRY(trib_check_word(memory, rank, flag_offset, sizeof flag_value, &part));
    TRIB_TRY(trib_check_range(memory, rank, offset, bytes, &part));
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
    TRIB_TRY(trib_check_word(memory, rank, flag_offset, sizeof value, &part));
    if (part == NULL) {
        return trib_remote_signal(memory, rank, (int64_t) flag_offset, wire_signalOp_SET, value);
    }
    trib_set_flag_on_node(memory, rank, part, flag_offset, value);
    return TRIB_OK;
}

int trib_add_flag(trib_memory *memory, int rank, size_t flag_offset, int64_t delta) {
    const struct trib_part *part;
    TRIB_TRY(trib_check_word(memory, rank, flag_offset, sizeof delta, &part));
    if (part == NULL) {
        return trib_remote_signal(memory, rank, (int64_t) flag_offset, wire_signalOp_ADD, delta);
    }
    __atomic_fetch_add((int64_t *) (void *) (part->base + flag_offset), delta, __ATOMIC_SEQ_CST);
    trib_node_ring(&memory->job->node, trib_node_index(&memory->job->node, rank));
    return TRIB_OK;
}

static int await_flag(trib_memory *memory, size_t flag_offset, int64_t value, bool exactly, int from) {
    const struct trib_part *part;
    trib *job = memory->job;
    TRIB_CALL(job);
    TRIB_TRY(trib_check_word(memory, job->place.rank, flag_offset, sizeof value, &part));
    TRIB_TRY(from >= 0 ? trib_check_rank(job, from) : TRIB_OK);
    TRIB_TRY(trib_links_flush_all(job));
    struct trib_cause wait = {.kind = TRIB_WAIT_FLAG, .peer = from, .segment = memory->id,
                             .number = (int64_t) flag_offset};
    return trib_await_word(job, (const int64_t *) (const void *) (part->base + flag_offset), value, exactly, &wait);
}

int trib_await_flag(trib_memory *memory, size_t flag_offset, int64_t value, int from) {
    return await_flag(memory, flag_offset, value, true, from);
}

int trib_await_flag_at_least(trib_memory *memory, size_t flag_offset, int64_t value, int from) {
    return await_flag(memory, flag_offset, value, false, from);
}

/* ---- notifications ---- */

int trib_notify(trib *job, int rank) {
    TRIB_CALL(job);
    TRIB_TRY(trib_check_rank(job, rank));
    if (trib_node_is_local(&job->node, rank)) {
        if (trib_node_notify(job, rank)) {
            return TRIB_OK;
        }
        TRIB_TRY(trib_node_check_notifications(job, rank));
        return trib_fail(TRIB_REFUSED, "too many ranks notify rank %d; raise notify.max-sources", rank);
    }
    struct trib_link *link;
    TRIB_TRACED(job, true, TRIB_OPERATION_SIGNAL, .one_way = true, .peer = rank)
    TRIB_TRY(trib_request_begin(job, trib_node_of(job, rank), 0, false, &link));
    int status = trib_send_notify(link, rank);
    trib_link_issued(link, false, true);
    return trib_request_end(link, status, true);
}

/** What a thread waits for. */
struct trib_notification {
    trib *job;
    int source;
    int64_t count; /* less when a thread that was before this one has given up; atomic */
    int64_t seen; /* when the wait began */
    struct trib_notification *next;
};

static bool has_come(void *context) {
    const struct trib_notification *awaited = context;
    return trib_node_notifications(awaited->job, awaited->source, awaited->seen)
        >= __atomic_load_n(&awaited->count, __ATOMIC_RELAXED);
}

/** Draws the number of a notification, behind those that others wait for; false when memory is short. */
static bool begin_wait(struct trib_notification *awaited) {
    trib *job = awaited->job;
    pthread_mutex_lock(&job->lock);
    awaited->seen = trib_map_get(&job->notifications_seen, awaited->source, 0);
    awaited->count = trib_map_get(&job->notifications_awaited, awaited->source, 0) + 1;
    bool noted = trib_map_put(&job->notifications_seen, awaited->source, awaited->seen)
        && trib_map_put(&job->notifications_awaited, awaited->source, awaited->count);
    if (noted) {
        awaited->next = job->notifications_waited;
        job->notifications_waited = awaited;
    }
    pthread_mutex_unlock(&job->lock);
    return noted;
}

/** Of a wait that has failed, the notification is for the thread behind, or for a later one. */
static void give_up(struct trib_notification *awaited) {
    trib *job = awaited->job;
    for (struct trib_notification *other = job->notifications_waited; other != NULL; other = other->next) {
        if (other->source == awaited->source && other->count > awaited->count) {
            __atomic_store_n(&other->count, other->count - 1, __ATOMIC_RELAXED);
        }
    }
    int64_t drawn = trib_map_get(&job->notifications_awaited, awaited->source, 0);
    trib_map_put(&job->notifications_awaited, awaited->source, drawn - 1); /* its place is there */
}

static void end_wait(struct trib_notification *awaited, bool has_come) {
    trib *job = awaited->job;
    pthread_mutex_lock(&job->lock);
    struct trib_notification **at = &job->notifications_waited;
    while (*at != awaited) {
        at = &(*at)->next;
    }
    *at = awaited->next;
    if (!has_come) {
        give_up(awaited);
    } else if (trib_map_get(&job->notifications_seen, awaited->source, 0) < awaited->count) {
        trib_map_put(&job->notifications_seen, awaited->source, awaited->count); /* its place is there */
    }
    pthread_mutex_unlock(&job->lock);
}

int trib_wait_notify(trib *job, int rank) {
    TRIB_CALL(job);
    TRIB_TRY(trib_check_rank(job, rank));
    TRIB_TRY(trib_links_flush_all(job));
    struct trib_notification awaited = {.job = job, .source = rank};
    if (!begin_wait(&awaited)) {
        return trib_fail(TRIB_NO_MEMORY, "no memory to count the notifications of rank %d", rank);
    }
    struct trib_cause wait = {.kind = TRIB_WAIT_NOTIFICATION, .peer = rank,
                              .number = __atomic_load_n(&awaited.count, __ATOMIC_RELAXED)};
    int status = trib_await_condition(job, has_come, &awaited, &wait);
    end_wait(&awaited, status == TRIB_OK);
    return status;
}

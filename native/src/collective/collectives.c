#include "algorithms.h"

/** Where all share one node, all members work on a long vector side by side, as if each were a node. */
static struct trib_team *team_for(struct trib_collectives *collectives, int64_t bytes) {
    return collectives->nodes.hierarchy.nodes == 1 && bytes >= TRIB_COLLECTIVE_LONG_VECTOR_BYTES ? &collectives->members
        : &collectives->nodes;
}

static int check_root(const trib_group *group, int root) {
    TRIB_TRY(trib_group_check(group));
    return root >= 0 && root < group->members.size ? TRIB_OK
        : trib_fail(TRIB_INVALID_ARGUMENT, "root %d: a group of %d has members 0 to %d", root, group->members.size,
                    group->members.size - 1);
}

/** So many elements or bytes for each of so many members; fails when they cannot be counted. */
static int count_bytes(size_t elements, size_t element_bytes, int members, int64_t *bytes) {
    int64_t each;
    if (elements > INT64_MAX || __builtin_mul_overflow((int64_t) elements, (int64_t) element_bytes, &each)
        || __builtin_mul_overflow(each, (int64_t) members, bytes)) {
        return trib_fail(TRIB_INVALID_ARGUMENT, "%zu elements of %zu bytes for %d members are more than can be counted",
                         elements, element_bytes, members);
    }
    return TRIB_OK;
}

/* ---- what they are steps of ---- */

void trib_group_during(trib_group *group, int purpose, int64_t subject) {
    trib_signature_during(&group->collectives->call, purpose, subject);
}

int trib_group_give_up(trib_group *group, int purpose, int status) {
    struct trib_collectives *collectives = group->collectives;
    trib_group_during(group, purpose, 0);
    trib_signature_set(&collectives->call, TRIB_CALL_BARRIER, TRIB_CALL_NONE, TRIB_CALL_NONE, -1, 0);
    trib_transfers_begin(&collectives->transfers, 0);
    trib_signature_give_up(&collectives->call);
    trib_group_during(group, TRIB_PURPOSE_ITSELF, 0);
    return status;
}

/* ---- the collectives ---- */

/* The operations of a trace are in the same order. */
_Static_assert(TRIB_CALL_ALL_TO_ALL - TRIB_CALL_BARRIER == TRIB_OPERATION_ALL_TO_ALL - TRIB_OPERATION_BARRIER, "order");

/** Whether a call is timed to be recorded: each of several nodes, otherwise a large one, and some of the others. */
static bool is_recorded(const struct trib_collectives *collectives, int64_t bytes) {
    const struct trib_group *group = collectives->transfers.group;
    return trib_unlikely(group->job->trace.memory != NULL)
        && (collectives->nodes.hierarchy.nodes > 1 || bytes >= TRIB_TRACE_TIMED_COLLECTIVE_BYTES / group->members.size
            || trib_trace_is_due(&collectives->recorded[collectives->operation]));
}

/** Before anything of a call waits; the root, or -1; bytes of the vector, or of one block. */
static void begin_time(struct trib_collectives *collectives, int kind, int root, int64_t bytes) {
    collectives->root = root;
    collectives->operation = kind - TRIB_CALL_BARRIER + TRIB_OPERATION_BARRIER;
    collectives->waits = (struct trib_waits) {0};
    collectives->trace_began_ns = is_recorded(collectives, bytes) ? trib_now_ns() : 0;
    collectives->timed = kind == TRIB_CALL_BARRIER ? &collectives->barriers : &collectives->others;
    collectives->latency_began_ns = trib_latency_begin(collectives->timed);
}

/**
 * Of several nodes each call is recorded; of one node long ones are, and short ones sampled. One that was not timed
 * shows by the looks at the clock in its waits how long it was at least.
 */
static void record(struct trib_collectives *collectives) {
    const struct trib_group *group = collectives->transfers.group;
    const struct trib_signature *call = &collectives->call;
    struct trib_trace_sample *sample = &collectives->recorded[collectives->operation];
    const struct trib_waits *waits = &collectives->waits;
    int64_t began_ns = collectives->trace_began_ns == 0 ? waits->since_ns : collectives->trace_began_ns;
    if (collectives->trace_began_ns == 0 && waits->seen_ns - waits->since_ns < TRIB_TRACE_LEAST_SEEN_NS) {
        trib_trace_count(sample, call->bytes);
        return;
    }
    int root = collectives->root;
    struct trib_traced traced = {.job = group->job, .operation = collectives->operation,
                                 .peer = root < 0 ? -1 : trib_members_rank(&group->members, root),
                                 .bytes = call->bytes, .segment = group->inboxes->id, .number = call->number,
                                 .began_ns = began_ns};
    if (collectives->nodes.hierarchy.nodes > 1) {
        trib_traced_each(&traced);
    } else {
        trib_traced_sampled(&traced, sample);
    }
}

static void end_time(struct trib_collectives *collectives) {
    const trib *job = collectives->transfers.group->job;
    bool is_barrier = collectives->timed == &collectives->barriers;
    trib_latency_sampled(job, is_barrier ? TRIB_LATENCY_BARRIER : TRIB_LATENCY_COLLECTIVE, collectives->timed,
                         collectives->latency_began_ns);
    if (trib_unlikely(job->trace.memory != NULL)) {
        record(collectives);
    }
}

/** Begins a call without an operation and a type. */
static struct trib_collectives *begin(trib_group *group, int kind, int root, int64_t bytes, int64_t longest_stream) {
    begin_time(group->collectives, kind, root, bytes);
    trib_freed_called(group);
    trib_signature_set(&group->collectives->call, kind, TRIB_CALL_NONE, TRIB_CALL_NONE, root, bytes);
    trib_transfers_begin(&group->collectives->transfers, longest_stream);
    return group->collectives;
}

static struct trib_collectives *begin_reduction(trib_group *group, int kind, const struct trib_reduction *reduction,
                                                int root, int64_t bytes, int64_t longest_stream) {
    begin_time(group->collectives, kind, root, bytes);
    trib_freed_called(group);
    trib_signature_set(&group->collectives->call, kind, reduction->op, reduction->type, root, bytes);
    trib_transfers_begin(&group->collectives->transfers, longest_stream);
    return group->collectives;
}

/** The others are not to wait for a member that has failed; when the job has, they know better why. */
static int end(struct trib_collectives *collectives, int status) {
    if (trib_unlikely(status != TRIB_OK && status != TRIB_ABORTED)) {
        trib_signature_give_up(&collectives->call);
    }
    if (status == TRIB_OK) {
        end_time(collectives);
    }
    return status == TRIB_OK ? trib_freed_give_back(collectives->transfers.group) : status;
}

int trib_group_barrier(trib_group *group) {
    TRIB_CALL(group->job);
    TRIB_TRY(trib_group_check(group));
    struct trib_collectives *collectives = begin(group, TRIB_CALL_BARRIER, -1, 0, 0);
    return end(collectives, trib_team_barrier(&collectives->nodes));
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

int trib_broadcast(trib_group *group, int root, void *buffer, size_t bytes) {
    TRIB_CALL(group->job);
    int64_t total = 0;
    struct trib_tree tree;
    TRIB_TRY(check_root(group, root));
    TRIB_TRY(count_bytes(bytes, 1, 1, &total));
    struct trib_collectives *collectives = begin(group, TRIB_CALL_BROADCAST, root, total, total);
    trib_tree_of_group(&collectives->nodes, root, &tree);
    int status = trib_tree_arrive(&collectives->nodes, &tree);
    if (status == TRIB_OK) {
        status = trib_tree_broadcast(&collectives->nodes, &tree, buffer, total);
    }
    return end(collectives, status);
}

int trib_reduce(trib_group *group, int root, int op, int type, const void *send, void *receive, size_t elements) {
    TRIB_CALL(group->job);
    int64_t total = 0;
    struct trib_tree tree;
    struct trib_reduction reduction;
    TRIB_TRY(check_root(group, root));
    TRIB_TRY(trib_reduction_set(&reduction, op, type));
    TRIB_TRY(count_bytes(elements, trib_type_bytes(type), 1, &total));
    struct trib_collectives *collectives = begin_reduction(group, TRIB_CALL_REDUCE, &reduction, root, total, total);
    trib_tree_of_group(&collectives->nodes, root, &tree);
    int status = trib_tree_reduce(&collectives->nodes, &tree, &reduction, send, receive, total);
    if (status == TRIB_OK) {
        status = trib_tree_depart(&collectives->nodes, &tree);
    }
    return end(collectives, status);
}

int trib_allreduce(trib_group *group, int op, int type, const void *send, void *receive, size_t elements) {
    TRIB_CALL(group->job);
    int64_t total = 0;
    struct trib_reduction reduction;
    TRIB_TRY(trib_group_check(group));
    TRIB_TRY(trib_reduction_set(&reduction, op, type));
    TRIB_TRY(count_bytes(elements, trib_type_bytes(type), 1, &total));
    struct trib_collectives *collectives = begin_reduction(group, TRIB_CALL_ALLREDUCE, &reduction, -1, total, total);
    return end(collectives,
               trib_team_allreduce(team_for(collectives, total), &reduction, send, receive, total));
}

int trib_reduce_scatter(trib_group *group, int op, int type, const void *send, void *receive,
                        size_t block_elements) {
    TRIB_CALL(group->job);
    int64_t total = 0;
    struct trib_reduction reduction;
    TRIB_TRY(trib_group_check(group));
    TRIB_TRY(trib_reduction_set(&reduction, op, type));
    TRIB_TRY(count_bytes(block_elements, trib_type_bytes(type), group->members.size, &total));
    int64_t block = total / group->members.size;
    struct trib_collectives *collectives = begin_reduction(group, TRIB_CALL_REDUCE_SCATTER, &reduction, -1, block,
                                                           total);
    return end(collectives,
               trib_team_reduce_scatter(team_for(collectives, total), &reduction, send, receive, block,
                                        &collectives->vector, &collectives->reordered));
}

int trib_allgather(trib_group *group, const void *send, void *receive, size_t block_bytes) {
    TRIB_CALL(group->job);
    int64_t total = 0;
    TRIB_TRY(trib_group_check(group));
    TRIB_TRY(count_bytes(block_bytes, 1, group->members.size, &total));
    struct trib_collectives *collectives = begin(group, TRIB_CALL_ALLGATHER, -1, (int64_t) block_bytes, total);
    return end(collectives,
               trib_team_allgather(team_for(collectives, total), send, receive, (int64_t) block_bytes,
                                   &collectives->vector));
}

int trib_alltoall(trib_group *group, const void *send, void *receive, size_t block_bytes) {
    TRIB_CALL(group->job);
    int64_t total = 0;
    TRIB_TRY(trib_group_check(group));
    TRIB_TRY(count_bytes(block_bytes, 1, group->members.size, &total));
    int rounds = trib_log2(group->members.size);
    struct trib_collectives *collectives = group->collectives;
    int64_t block = (int64_t) block_bytes;
    begin_time(collectives, TRIB_CALL_ALL_TO_ALL, -1, block);
    trib_freed_called(group);
    trib_signature_set(&collectives->call, TRIB_CALL_ALL_TO_ALL, TRIB_CALL_NONE, TRIB_CALL_NONE, -1, block);
    return end(collectives, block * (rounds < 1 ? 1 : rounds) <= TRIB_COLLECTIVE_SMALL_BLOCK_BYTES
                   ? trib_alltoall_by_relay(collectives, send, receive, block)
                   : trib_alltoall_direct(collectives, send, receive, block));
}

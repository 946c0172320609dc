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

/** Before anything of a call waits. */
static void begin_time(struct trib_collectives *collectives, bool is_barrier) {
    collectives->timed = is_barrier ? &collectives->barriers : &collectives->others;
    collectives->begin_ns = trib_latency_begin(collectives->timed);
}

static void end_time(struct trib_collectives *collectives) {
    bool is_barrier = collectives->timed == &collectives->barriers;
    trib_latency_sampled(collectives->transfers.group->job,
                         is_barrier ? TRIB_LATENCY_BARRIER : TRIB_LATENCY_COLLECTIVE, collectives->timed,
                         collectives->begin_ns);
}

/** Begins a call without an operation and a type. */
static struct trib_collectives *begin(trib_group *group, int kind, int root, int64_t bytes, int64_t longest_stream) {
    begin_time(group->collectives, kind == TRIB_CALL_BARRIER);
    trib_freed_called(group);
    trib_signature_set(&group->collectives->call, kind, TRIB_CALL_NONE, TRIB_CALL_NONE, root, bytes);
    trib_transfers_begin(&group->collectives->transfers, longest_stream);
    return group->collectives;
}

static struct trib_collectives *begin_reduction(trib_group *group, int kind, const struct trib_reduction *reduction,
                                                int root, int64_t bytes, int64_t longest_stream) {
    begin_time(group->collectives, false);
    trib_freed_called(group);
    trib_signature_set(&group->collectives->call, kind, reduction->op, reduction->type, root, bytes);
    trib_transfers_begin(&group->collectives->transfers, longest_stream);
    return group->collectives;
}

/** The rest of the function is a collective that is recorded; end completes what is known of it. */
#define TRACED(what) TRIB_TRACED(group->job, true, TRIB_OPERATION_##what, .peer = -1)

/** The others are not to wait for a member that has failed; when the job has, they know better why. */
static int end(struct trib_collectives *collectives, struct trib_traced *traced, int status) {
    traced->number = collectives->call.number;
    traced->bytes = collectives->call.bytes;
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
    TRACED(BARRIER)
    TRIB_TRY(trib_group_check(group));
    struct trib_collectives *collectives = begin(group, TRIB_CALL_BARRIER, -1, 0, 0);
    return end(collectives, &traced, trib_team_barrier(&collectives->nodes));
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
    TRACED(BROADCAST)
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
    return end(collectives, &traced, status);
}

int trib_reduce(trib_group *group, int root, int op, int type, const void *send, void *receive, size_t elements) {
    TRIB_CALL(group->job);
    TRACED(REDUCE)
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
    return end(collectives, &traced, status);
}

int trib_allreduce(trib_group *group, int op, int type, const void *send, void *receive, size_t elements) {
    TRIB_CALL(group->job);
    TRACED(ALLREDUCE)
    int64_t total = 0;
    struct trib_reduction reduction;
    TRIB_TRY(trib_group_check(group));
    TRIB_TRY(trib_reduction_set(&reduction, op, type));
    TRIB_TRY(count_bytes(elements, trib_type_bytes(type), 1, &total));
    struct trib_collectives *collectives = begin_reduction(group, TRIB_CALL_ALLREDUCE, &reduction, -1, total, total);
    return end(collectives, &traced,
               trib_team_allreduce(team_for(collectives, total), &reduction, send, receive, total));
}

int trib_reduce_scatter(trib_group *group, int op, int type, const void *send, void *receive,
                        size_t block_elements) {
    TRIB_CALL(group->job);
    TRACED(REDUCE_SCATTER)
    int64_t total = 0;
    struct trib_reduction reduction;
    TRIB_TRY(trib_group_check(group));
    TRIB_TRY(trib_reduction_set(&reduction, op, type));
    TRIB_TRY(count_bytes(block_elements, trib_type_bytes(type), group->members.size, &total));
    int64_t block = total / group->members.size;
    struct trib_collectives *collectives = begin_reduction(group, TRIB_CALL_REDUCE_SCATTER, &reduction, -1, block,
                                                           total);
    return end(collectives, &traced,
               trib_team_reduce_scatter(team_for(collectives, total), &reduction, send, receive, block,
                                        &collectives->vector, &collectives->reordered));
}

int trib_allgather(trib_group *group, const void *send, void *receive, size_t block_bytes) {
    TRIB_CALL(group->job);
    TRACED(ALLGATHER)
    int64_t total = 0;
    TRIB_TRY(trib_group_check(group));
    TRIB_TRY(count_bytes(block_bytes, 1, group->members.size, &total));
    struct trib_collectives *collectives = begin(group, TRIB_CALL_ALLGATHER, -1, (int64_t) block_bytes, total);
    return end(collectives, &traced,
               trib_team_allgather(team_for(collectives, total), send, receive, (int64_t) block_bytes,
                                   &collectives->vector));
}

int trib_alltoall(trib_group *group, const void *send, void *receive, size_t block_bytes) {
    TRIB_CALL(group->job);
    TRACED(ALL_TO_ALL)
    int64_t total = 0;
    TRIB_TRY(trib_group_check(group));
    TRIB_TRY(count_bytes(block_bytes, 1, group->members.size, &total));
    int rounds = trib_log2(group->members.size);
    struct trib_collectives *collectives = group->collectives;
    int64_t block = (int64_t) block_bytes;
    begin_time(collectives, false);
    trib_freed_called(group);
    trib_signature_set(&collectives->call, TRIB_CALL_ALL_TO_ALL, TRIB_CALL_NONE, TRIB_CALL_NONE, -1, block);
    return end(collectives, &traced, block * (rounds < 1 ? 1 : rounds) <= TRIB_COLLECTIVE_SMALL_BLOCK_BYTES
                   ? trib_alltoall_by_relay(collectives, send, receive, block)
                   : trib_alltoall_direct(collectives, send, receive, block));
}

#include "collective.h"

static int open_team(struct trib_team *team, trib_group *group, struct trib_collectives *collectives, bool flat) {
    int status = trib_hierarchy_set(&team->hierarchy, group, flat);
    if (status != TRIB_OK) {
        return status;
    }
    team->transfers = &collectives->transfers;
    team->self = group->members.self;
    team->node = team->hierarchy.node_of[team->self];
    team->leader = trib_leader_of(&team->hierarchy, team->node) == team->self;
    team->staging = collectives->staging.bytes;
    return TRIB_OK;
}

int trib_collectives_open(trib_group *group, const struct trib_inbox_layout *layout) {
    struct trib_collectives *collectives = calloc(1, sizeof *collectives);
    if (collectives == NULL) {
        return trib_fail(TRIB_NO_MEMORY, "no memory for the collectives of a group");
    }
    group->collectives = collectives;
    collectives->transfers = (struct trib_transfers) {.group = group, .layout = *layout,
        .own = trib_memory_local(group->inboxes)};
    if (trib_scratch_at_least(&collectives->staging, layout->chunk_bytes) == NULL) {
        return TRIB_NO_MEMORY;
    }
    int status = open_team(&collectives->nodes, group, collectives, false);
    return status == TRIB_OK ? open_team(&collectives->members, group, collectives, true) : status;
}

void trib_collectives_free(struct trib_collectives *collectives) {
    if (collectives != NULL) {
        trib_hierarchy_free(&collectives->nodes.hierarchy);
        trib_hierarchy_free(&collectives->members.hierarchy);
        free(collectives->staging.bytes);
        free(collectives->vector.bytes);
        free(collectives->reordered.bytes);
        free(collectives);
    }
}

/** Where all share one node, all members work on a long vector side by side, as if each were a node. */
static struct trib_team *team_for(struct trib_collectives *collectives, int64_t bytes) {
    return collectives->nodes.hierarchy.nodes == 1 && bytes >= TRIB_LONG_VECTOR_BYTES ? &collectives->members
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

int trib_group_barrier(trib_group *group) {
    TRIB_CALL(group->job);
    TRIB_TRY(trib_group_check(group));
    trib_transfers_begin(&group->collectives->transfers, 0);
    return trib_team_barrier(&group->collectives->nodes);
}

int trib_broadcast(trib_group *group, int root, void *buffer, size_t bytes) {
    TRIB_CALL(group->job);
    int64_t total = 0;
    struct trib_tree tree;
    TRIB_TRY(check_root(group, root));
    TRIB_TRY(count_bytes(bytes, 1, 1, &total));
    struct trib_team *team = &group->collectives->nodes;
    trib_transfers_begin(&group->collectives->transfers, total);
    trib_tree_of_group(team, root, &tree);
    TRIB_TRY(trib_tree_arrive(team, &tree));
    return trib_tree_broadcast(team, &tree, buffer, total);
}

int trib_reduce(trib_group *group, int root, int op, int type, const void *send, void *receive, size_t elements) {
    TRIB_CALL(group->job);
    int64_t total = 0;
    struct trib_tree tree;
    struct trib_reduction reduction;
    TRIB_TRY(check_root(group, root));
    TRIB_TRY(trib_reduction_set(&reduction, op, type));
    TRIB_TRY(count_bytes(elements, trib_type_bytes(type), 1, &total));
    struct trib_team *team = &group->collectives->nodes;
    trib_transfers_begin(&group->collectives->transfers, total);
    trib_tree_of_group(team, root, &tree);
    TRIB_TRY(trib_tree_reduce(team, &tree, &reduction, send, receive, total));
    return trib_tree_depart(team, &tree);
}

int trib_allreduce(trib_group *group, int op, int type, const void *send, void *receive, size_t elements) {
    TRIB_CALL(group->job);
    int64_t total = 0;
    struct trib_reduction reduction;
    TRIB_TRY(trib_group_check(group));
    TRIB_TRY(trib_reduction_set(&reduction, op, type));
    TRIB_TRY(count_bytes(elements, trib_type_bytes(type), 1, &total));
    trib_transfers_begin(&group->collectives->transfers, total);
    return trib_team_allreduce(team_for(group->collectives, total), &reduction, send, receive, total);
}

int trib_reduce_scatter(trib_group *group, int op, int type, const void *send, void *receive,
                        size_t block_elements) {
    TRIB_CALL(group->job);
    int64_t total = 0;
    struct trib_reduction reduction;
    TRIB_TRY(trib_group_check(group));
    TRIB_TRY(trib_reduction_set(&reduction, op, type));
    TRIB_TRY(count_bytes(block_elements, trib_type_bytes(type), group->members.size, &total));
    struct trib_collectives *collectives = group->collectives;
    trib_transfers_begin(&collectives->transfers, total);
    return trib_team_reduce_scatter(team_for(collectives, total), &reduction, send, receive,
                                    total / group->members.size, &collectives->vector, &collectives->reordered);
}

int trib_allgather(trib_group *group, const void *send, void *receive, size_t block_bytes) {
    TRIB_CALL(group->job);
    int64_t total = 0;
    TRIB_TRY(trib_group_check(group));
    TRIB_TRY(count_bytes(block_bytes, 1, group->members.size, &total));
    struct trib_collectives *collectives = group->collectives;
    trib_transfers_begin(&collectives->transfers, total);
    return trib_team_allgather(team_for(collectives, total), send, receive, (int64_t) block_bytes,
                               &collectives->vector);
}

int trib_alltoall(trib_group *group, const void *send, void *receive, size_t block_bytes) {
    TRIB_CALL(group->job);
    int64_t total = 0;
    TRIB_TRY(trib_group_check(group));
    TRIB_TRY(count_bytes(block_bytes, 1, group->members.size, &total));
    int rounds = trib_log2(group->members.size);
    return (int64_t) block_bytes * (rounds < 1 ? 1 : rounds) <= TRIB_SMALL_BLOCK_BYTES
        ? trib_alltoall_by_relay(group->collectives, send, receive, (int64_t) block_bytes)
        : trib_alltoall_direct(group->collectives, send, receive, (int64_t) block_bytes);
}

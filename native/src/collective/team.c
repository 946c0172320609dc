#include "algorithms.h"

uint8_t *trib_scratch_at_least(struct trib_scratch *scratch, int64_t bytes) {
    if (scratch->capacity < bytes || scratch->bytes == NULL) {
        free(scratch->bytes);
        scratch->capacity = bytes < 64 ? 64 : bytes;
        scratch->bytes = malloc((size_t) scratch->capacity);
        if (scratch->bytes == NULL) {
            trib_fail(TRIB_NO_MEMORY, "no memory for the %lld bytes that a collective needs", (long long) bytes);
            scratch->capacity = 0;
        }
    }
    return scratch->bytes;
}

static int open_team(struct trib_team *team, trib_group *group, struct trib_collectives *collectives, bool flat) {
    TRIB_TRY(trib_hierarchy_set(&team->hierarchy, group, flat));
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
    collectives->call.memory = collectives->transfers.own + trib_inbox_call_offset(layout);
    if (trib_scratch_at_least(&collectives->staging, layout->chunk_bytes) == NULL) {
        return TRIB_NO_MEMORY;
    }
    TRIB_TRY(open_team(&collectives->nodes, group, collectives, false));
    return open_team(&collectives->members, group, collectives, true);
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

int trib_team_barrier(const struct trib_team *team) {
    struct trib_tree tree;
    trib_tree_of_node(team, &tree);
    TRIB_TRY(trib_tree_arrive(team, &tree));
    if (team->leader) {
        int leaders = team->hierarchy.nodes;
        int round = team->hierarchy.local_rounds;
        for (int64_t distance = 1; distance < leaders; distance *= 2) {
            int to = trib_leader_of(&team->hierarchy, (int) ((team->node + distance) % leaders));
            int from = trib_leader_of(&team->hierarchy, (int) ((team->node + leaders - distance) % leaders));
            TRIB_TRY(trib_signal(team->transfers, round, to));
            TRIB_TRY(trib_await_signal(team->transfers, round, from));
            round++;
        }
    }
    return trib_tree_depart(team, &tree);
}

int trib_team_allreduce(const struct trib_team *team, const struct trib_reduction *reduction, const uint8_t *send,
                        uint8_t *receive, int64_t bytes) {
    struct trib_tree tree;
    trib_tree_of_node(team, &tree);
    TRIB_TRY(trib_tree_reduce(team, &tree, reduction, send, receive, bytes));
    if (team->leader && bytes >= TRIB_COLLECTIVE_LONG_VECTOR_BYTES) {
        int64_t element = (int64_t) trib_type_bytes(reduction->type);
        struct trib_partition even = {
            .parts = team->hierarchy.nodes,
            .element_bytes = element,
            .quotient = bytes / element / team->hierarchy.nodes,
            .remainder = bytes / element % team->hierarchy.nodes,
        };
        TRIB_TRY(trib_leaders_reduce_scatter(team, receive, &even, reduction));
        TRIB_TRY(trib_leaders_allgather(team, receive, &even));
    } else if (team->leader) {
        TRIB_TRY(trib_leaders_allreduce(team, receive, bytes, reduction));
    }
    return trib_tree_broadcast(team, &tree, receive, bytes);
}

/** How far behind this member a child of the node's tree stands in node-major order. */
static int64_t distance(const struct trib_tree *tree, int child) {
    return 1LL << tree->child_rounds[child];
}

/** Members in a child's subtree of the node's tree: consecutive ones in node-major order, from the child on. */
static int64_t subtree_of(const struct trib_team *team, const struct trib_tree *tree, int child) {
    const struct trib_hierarchy *hierarchy = &team->hierarchy;
    int64_t away = distance(tree, child);
    int64_t left = hierarchy->first_of[team->node + 1] - hierarchy->place[team->self] - away;
    return left < away ? left : away;
}

/** Members in the own subtree of the node's tree. */
static int64_t subtree(const struct trib_team *team, const struct trib_tree *tree) {
    int last = tree->child_count - 1;
    return last < 0 ? 1 : distance(tree, last) + subtree_of(team, tree, last);
}

/** Sends children the blocks of their subtrees; the own one lies at own_offset, the others follow. */
static int scatter(const struct trib_team *team, const struct trib_tree *tree, const uint8_t *buffer,
                   int64_t own_offset, int64_t block_bytes) {
    for (int i = tree->child_count - 1; i >= 0; i--) {
        struct trib_byte_range range = trib_range_of(team->transfers, own_offset + distance(tree, i) * block_bytes,
                                                     subtree_of(team, tree, i) * block_bytes);
        TRIB_TRY(trib_send_stream(team->transfers, tree->child_rounds[i], tree->children[i], buffer, &range));
    }
    return TRIB_OK;
}

static void copy(uint8_t *target, const uint8_t *source, int64_t bytes) {
    if (bytes > 0) {
        memmove(target, source, (size_t) bytes);
    }
}

static struct trib_partition by_nodes(const struct trib_team *team, int64_t block_bytes) {
    return (struct trib_partition) {.parts = team->hierarchy.nodes, .blocks = &team->hierarchy,
        .block_bytes = block_bytes};
}

static int scatter_from_leader(const struct trib_team *team, const struct trib_tree *tree,
                               const struct trib_reduction *reduction, uint8_t *buffer, uint8_t *receive,
                               int64_t block_bytes, struct trib_scratch *reordered) {
    const struct trib_hierarchy *hierarchy = &team->hierarchy;
    if (!hierarchy->ordered) {
        uint8_t *member_order = buffer;
        buffer = trib_scratch_at_least(reordered, block_bytes * hierarchy->size);
        if (buffer == NULL) {
            return TRIB_NO_MEMORY;
        }
        for (int i = 0; i < hierarchy->size; i++) {
            copy(buffer + i * block_bytes, member_order + hierarchy->order[i] * block_bytes, block_bytes);
        }
    }
    struct trib_partition partition = by_nodes(team, block_bytes);
    int64_t own_offset = hierarchy->first_of[team->node] * block_bytes;
    TRIB_TRY(trib_leaders_reduce_scatter(team, buffer, &partition, reduction));
    TRIB_TRY(scatter(team, tree, buffer, own_offset, block_bytes));
    copy(receive, buffer + own_offset, block_bytes);
    return TRIB_OK;
}

int trib_team_reduce_scatter(const struct trib_team *team, const struct trib_reduction *reduction,
                             const uint8_t *send, uint8_t *receive, int64_t block_bytes, struct trib_scratch *vector,
                             struct trib_scratch *reordered) {
    struct trib_tree tree;
    int64_t bytes = block_bytes * team->hierarchy.size;
    trib_tree_of_node(team, &tree);
    int64_t below = team->leader ? bytes : subtree(team, &tree) * block_bytes;
    uint8_t *buffer = trib_scratch_at_least(vector, below);
    if (buffer == NULL) {
        return TRIB_NO_MEMORY;
    }
    TRIB_TRY(trib_tree_reduce(team, &tree, reduction, send, buffer, bytes));
    if (team->leader) {
        return scatter_from_leader(team, &tree, reduction, buffer, receive, block_bytes, reordered);
    }
    struct trib_byte_range range = trib_range_of(team->transfers, 0, below);
    TRIB_TRY(trib_receive_stream(team->transfers, tree.parent_round, tree.parent, buffer, &range, NULL));
    TRIB_TRY(scatter(team, &tree, buffer, 0, block_bytes));
    copy(receive, buffer, block_bytes);
    return TRIB_OK;
}

int trib_team_allgather(const struct trib_team *team, const uint8_t *send, uint8_t *receive, int64_t block_bytes,
                        struct trib_scratch *gathered) {
    const struct trib_hierarchy *hierarchy = &team->hierarchy;
    struct trib_tree tree;
    int64_t bytes = block_bytes * hierarchy->size;
    uint8_t *buffer = hierarchy->ordered ? receive : trib_scratch_at_least(gathered, bytes);
    if (buffer == NULL && bytes > 0) {
        return TRIB_NO_MEMORY;
    }
    int64_t own_offset = hierarchy->place[team->self] * block_bytes;
    copy(buffer + own_offset, send, block_bytes);
    trib_tree_of_node(team, &tree);
    for (int i = 0; i < tree.child_count; i++) {
        struct trib_byte_range range = trib_range_of(team->transfers, own_offset + distance(&tree, i) * block_bytes,
                                                     subtree_of(team, &tree, i) * block_bytes);
        TRIB_TRY(trib_receive_stream(team->transfers, tree.child_rounds[i], tree.children[i], buffer, &range, NULL));
    }
    if (team->leader) {
        struct trib_partition partition = by_nodes(team, block_bytes);
        TRIB_TRY(trib_leaders_allgather(team, buffer, &partition));
    } else {
        struct trib_byte_range range = trib_range_of(team->transfers, own_offset, subtree(team, &tree) * block_bytes);
        TRIB_TRY(trib_send_stream(team->transfers, tree.parent_round, tree.parent, buffer, &range));
    }
    TRIB_TRY(trib_tree_broadcast(team, &tree, buffer, bytes));
    for (int i = 0; i < hierarchy->size && !hierarchy->ordered; i++) {
        copy(receive + hierarchy->order[i] * block_bytes, buffer + i * block_bytes, block_bytes);
    }
    return TRIB_OK;
}

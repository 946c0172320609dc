#include "algorithms.h"

static int modulo(int value, int n) {
    int rest = value % n;
    return rest < 0 ? rest + n : rest;
}

static bool is_child(int position, int bit, int size) {
    return position + (1LL << bit) < size && ((int64_t) position & 1LL << bit) == 0;
}

static void add_child(struct trib_tree *tree, int child, int round) {
    tree->children[tree->child_count] = child;
    tree->child_rounds[tree->child_count++] = round;
}

/** Places this member in the tree of its node with that head; returns its position there. */
static int place_within_node(const struct trib_team *team, int head, struct trib_tree *tree) {
    const struct trib_hierarchy *hierarchy = &team->hierarchy;
    int first = hierarchy->first_of[team->node];
    int size = hierarchy->first_of[team->node + 1] - first;
    int head_index = hierarchy->place[head] - first;
    int position = modulo(hierarchy->place[team->self] - first - head_index, size);
    tree->child_count = 0;
    tree->parent = -1;
    tree->parent_round = 0;
    for (int bit = 0; is_child(position, bit, size); bit++) {
        add_child(tree, hierarchy->order[first + (head_index + position + (1 << bit)) % size], bit);
    }
    if (position != 0) {
        tree->parent = hierarchy->order[first + (head_index + (position & (position - 1))) % size];
        tree->parent_round = __builtin_ctz((unsigned) position);
    }
    return position;
}

void trib_tree_of_node(const struct trib_team *team, struct trib_tree *tree) {
    place_within_node(team, trib_leader_of(&team->hierarchy, team->node), tree);
}

void trib_tree_of_group(const struct trib_team *team, int root, struct trib_tree *tree) {
    const struct trib_hierarchy *hierarchy = &team->hierarchy;
    int root_node = hierarchy->node_of[root];
    int head = team->node == root_node ? root : trib_leader_of(hierarchy, team->node);
    if (place_within_node(team, head, tree) != 0) {
        return;
    }
    int nodes = hierarchy->nodes;
    int position = modulo(team->node - root_node, nodes);
    for (int bit = 0; is_child(position, bit, nodes); bit++) {
        int child = (int) (((int64_t) root_node + position + (1LL << bit)) % nodes);
        add_child(tree, trib_leader_of(hierarchy, child), hierarchy->local_rounds + bit);
    }
    if (position != 0) {
        int above = position & (position - 1);
        tree->parent = above == 0 ? root
            : trib_leader_of(hierarchy, (int) (((int64_t) root_node + above) % nodes));
        tree->parent_round = hierarchy->local_rounds + __builtin_ctz((unsigned) position);
    }
}

int trib_tree_arrive(const struct trib_team *team, const struct trib_tree *tree) {
    for (int i = 0; i < tree->child_count; i++) {
        TRIB_TRY(trib_await_signal(team->transfers, tree->child_rounds[i], tree->children[i]));
    }
    return tree->parent < 0 ? TRIB_OK : trib_signal(team->transfers, tree->parent_round, tree->parent);
}

int trib_tree_depart(const struct trib_team *team, const struct trib_tree *tree) {
    if (tree->parent >= 0) {
        TRIB_TRY(trib_await_signal(team->transfers, tree->parent_round, tree->parent));
    }
    for (int i = tree->child_count - 1; i >= 0; i--) { /* the largest subtree first */
        TRIB_TRY(trib_signal(team->transfers, tree->child_rounds[i], tree->children[i]));
    }
    return TRIB_OK;
}

static int combine_children(const struct trib_team *team, const struct trib_tree *tree,
                            const struct trib_reduction *reduction, uint8_t *target, int64_t bytes, int64_t k,
                            int64_t chunks) {
    for (int i = 0; i < tree->child_count; i++) {
        const uint8_t *chunk;
        TRIB_TRY(trib_await_chunk(team->transfers, tree->child_rounds[i], tree->children[i], k, &chunk));
        trib_combine(reduction, target, chunk, bytes);
        TRIB_TRY(trib_release(team->transfers, tree->child_rounds[i], tree->children[i], k, chunks));
    }
    return TRIB_OK;
}

static void copy(uint8_t *target, const uint8_t *source, int64_t bytes) {
    if (bytes > 0 && target != source) {
        memcpy(target, source, (size_t) bytes);
    }
}

/** The bytes of chunk k of a stream. */
static int64_t bytes_of_chunk(const struct trib_team *team, int64_t bytes, int64_t k) {
    int64_t chunk = team->transfers->layout.chunk_bytes;
    int64_t left = bytes - k * chunk;
    return left < chunk ? left : chunk;
}

int trib_tree_reduce(const struct trib_team *team, const struct trib_tree *tree,
                     const struct trib_reduction *reduction, const uint8_t *source, uint8_t *target,
                     int64_t bytes) {
    int64_t chunks = trib_chunks_of(team->transfers, bytes);
    for (int64_t k = 0; k < chunks; k++) {
        int64_t offset = k * team->transfers->layout.chunk_bytes;
        int64_t length = bytes_of_chunk(team, bytes, k);
        if (tree->parent < 0) {
            copy(target + offset, source + offset, length);
            TRIB_TRY(combine_children(team, tree, reduction, target + offset, length, k, chunks));
        } else if (tree->child_count == 0) {
            TRIB_TRY(trib_push(team->transfers, tree->parent_round, tree->parent, source + offset, length, k));
        } else {
            copy(team->staging, source + offset, length);
            TRIB_TRY(combine_children(team, tree, reduction, team->staging, length, k, chunks));
            TRIB_TRY(trib_push(team->transfers, tree->parent_round, tree->parent, team->staging, length, k));
        }
    }
    return TRIB_OK;
}

int trib_tree_broadcast(const struct trib_team *team, const struct trib_tree *tree, uint8_t *buffer,
                        int64_t bytes) {
    int64_t chunks = trib_chunks_of(team->transfers, bytes);
    for (int64_t k = 0; k < chunks; k++) {
        int64_t offset = k * team->transfers->layout.chunk_bytes;
        int64_t length = bytes_of_chunk(team, bytes, k);
        if (tree->parent >= 0) {
            const uint8_t *chunk;
            TRIB_TRY(trib_await_chunk(team->transfers, tree->parent_round, tree->parent, k, &chunk));
            copy(buffer + offset, chunk, length);
            TRIB_TRY(trib_release(team->transfers, tree->parent_round, tree->parent, k, chunks));
        }
        for (int i = tree->child_count - 1; i >= 0; i--) {
            TRIB_TRY(trib_push(team->transfers, tree->child_rounds[i], tree->children[i], buffer + offset, length,
                               k));
        }
    }
    return TRIB_OK;
}

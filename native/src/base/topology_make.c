/*
 * Makes a topology of nodes to which ranks are dealt, or of a list of nodes. Each placement gets one form, so equal
 * ones are written alike; org.tributary.config.DealtRanks and ListedRanks explain the algorithms.
 */
#include "base.h"

static int no_memory(size_t count) {
    return trib_fail(TRIB_NO_MEMORY, "no memory for a layout of %zu runs of nodes or ranks", count);
}

static int *numbers(size_t count) {
    return calloc(count + 1, sizeof(int));
}

static int too_many(int64_t ranks) {
    return trib_fail(TRIB_ATTACH_FAILED, "a job of %lld ranks is too large: the limit is %d", (long long) ranks,
                     INT_MAX);
}

/* ---- dealt ranks ---- */

int trib_topology_begin(struct trib_topology *topology, size_t runs) {
    *topology = (struct trib_topology) {
        .counts = {.first_node = numbers(runs), .ranks_below = numbers(runs), .per_node = numbers(runs)}};
    return topology->counts.first_node != NULL && topology->counts.ranks_below != NULL
        && topology->counts.per_node != NULL ? TRIB_OK : no_memory(runs);
}

int trib_topology_add_nodes(struct trib_topology *topology, int nodes, int ranks_per_node) {
    struct trib_counts *counts = &topology->counts;
    if (nodes < 1) {
        return trib_fail(TRIB_ATTACH_FAILED, "a job needs at least one node, not %d", nodes);
    }
    if (ranks_per_node < 1) {
        return trib_fail(TRIB_ATTACH_FAILED, "a node needs at least one rank, not %d", ranks_per_node);
    }
    int64_t sum = topology->rank_count + (int64_t) nodes * ranks_per_node;
    if (sum > INT_MAX) {
        return too_many(sum);
    }
    if (counts->runs == 0 || counts->per_node[counts->runs - 1] != ranks_per_node) {
        counts->first_node[counts->runs] = topology->node_count;
        counts->ranks_below[counts->runs] = topology->rank_count;
        counts->per_node[counts->runs++] = ranks_per_node;
    }
    topology->node_count += nodes;
    topology->rank_count = (int) sum;
    return TRIB_OK;
}

static int nodes_of(const struct trib_topology *topology, int run) {
    const struct trib_counts *counts = &topology->counts;
    return (run + 1 < counts->runs ? counts->first_node[run + 1] : topology->node_count) - counts->first_node[run];
}

/** Whether each node is full before the next one takes a rank. Otherwise no other chunk deals the same. */
static bool is_block(const struct trib_topology *topology, int chunk) {
    int last = topology->counts.runs - 1;
    for (int run = 0; run < last || (run == last && nodes_of(topology, run) > 1); run++) {
        if (topology->counts.per_node[run] > chunk) {
            return false;
        }
    }
    return true;
}

static int ascending(const void *left, const void *right) {
    int a = *(const int *) left;
    int b = *(const int *) right;
    return (a > b) - (a < b);
}

/** Puts the rounds with which phases end, in ascending order; returns their number. */
static int set_ends(const struct trib_counts *counts, int chunk, int *ends) {
    size_t count = 0;
    for (int run = 0; run < counts->runs; run++) {
        int full = counts->per_node[run] / chunk;
        ends[count++] = full;
        ends[count++] = full + (counts->per_node[run] % chunk != 0);
    }
    qsort(ends, count, sizeof *ends, ascending);
    int distinct = 0;
    for (size_t i = 0; i < count; i++) {
        if (ends[i] > 0 && (distinct == 0 || ends[i] != ends[distinct - 1])) {
            ends[distinct++] = ends[i];
        }
    }
    return distinct;
}

/** Of the runs of nodes that still take ranks, in ascending order. */
static bool set_phase(const struct trib_topology *topology, struct trib_phase *phase, int64_t taken, const int *running,
                      int count) {
    const struct trib_counts *counts = &topology->counts;
    int next = -1;
    phase->first_node = numbers(3 * (size_t) count);
    if (phase->first_node == NULL) {
        return false;
    }
    phase->offset = phase->first_node + count;
    phase->share = phase->offset + count;
    for (int i = 0; i < count; i++) {
        int run = running[i];
        int64_t left = counts->per_node[run] - taken;
        int takes = left < topology->chunk ? (int) left : topology->chunk;
        if (counts->first_node[run] != next || phase->share[phase->runs - 1] != takes) {
            phase->first_node[phase->runs] = counts->first_node[run];
            phase->offset[phase->runs] = phase->width;
            phase->share[phase->runs++] = takes;
        }
        phase->width += nodes_of(topology, run) * takes;
        next = counts->first_node[run] + nodes_of(topology, run);
    }
    return true;
}

static bool set_phases(struct trib_topology *topology, int *ends, int *running) {
    const struct trib_counts *counts = &topology->counts;
    int phases = set_ends(counts, topology->chunk, ends);
    int count = counts->runs;
    int rank = 0;
    int round = 0;
    for (int run = 0; run < count; run++) {
        running[run] = run;
    }
    topology->phases = calloc((size_t) phases, sizeof *topology->phases);
    for (int i = 0; i < phases; i++) {
        int64_t taken = (int64_t) round * topology->chunk;
        int left = 0;
        for (int j = 0; j < count; j++) {
            if (counts->per_node[running[j]] > taken) {
                running[left++] = running[j];
            }
        }
        count = left;
        if (topology->phases == NULL) {
            return false;
        }
        struct trib_phase *phase = &topology->phases[topology->phase_count++];
        phase->first_rank = rank;
        phase->first_round = round;
        if (!set_phase(topology, phase, taken, running, count)) {
            return false;
        }
        rank += phase->width * (ends[i] - round);
        round = ends[i];
    }
    return true;
}

int trib_topology_deal(struct trib_topology *topology, int chunk) {
    if (chunk < 1) {
        return trib_fail(TRIB_ATTACH_FAILED, "a node takes at least one rank at a time, not %d", chunk);
    }
    size_t runs = (size_t) topology->counts.runs;
    topology->chunk = is_block(topology, chunk) ? INT_MAX : chunk;
    int *ends = numbers(2 * runs);
    int *running = numbers(runs);
    bool done = ends != NULL && running != NULL && set_phases(topology, ends, running);
    free(ends);
    free(running);
    return done ? TRIB_OK : no_memory(runs);
}

/* ---- listed ranks ---- */

int trib_topology_begin_pieces(struct trib_topology *topology, size_t count) {
    *topology = (struct trib_topology) {.pieces = {.first_rank = numbers(count), .node = numbers(count),
        .first_index = numbers(count), .by_node = numbers(count), .node_start = numbers(count + 1)}};
    const struct trib_pieces *pieces = &topology->pieces;
    return pieces->first_rank != NULL && pieces->node != NULL && pieces->first_index != NULL && pieces->by_node != NULL
        && pieces->node_start != NULL ? TRIB_OK : no_memory(count);
}

int trib_topology_add_piece(struct trib_topology *topology, int ranks, int node) {
    struct trib_pieces *pieces = &topology->pieces;
    if (ranks < 1) {
        return trib_fail(TRIB_ATTACH_FAILED, "rank %d is of a run of %d ranks, at least 1", topology->rank_count,
                         ranks);
    }
    if (node < 0) {
        return trib_fail(TRIB_ATTACH_FAILED, "rank %d is on node %d; nodes are numbered from 0", topology->rank_count,
                         node);
    }
    int64_t sum = (int64_t) topology->rank_count + ranks;
    if (sum > INT_MAX) {
        return too_many(sum);
    }
    if (pieces->count == 0 || pieces->node[pieces->count - 1] != node) {
        pieces->first_rank[pieces->count] = topology->rank_count;
        pieces->node[pieces->count++] = node;
    }
    topology->rank_count = (int) sum;
    return TRIB_OK;
}

static int piece_length(const struct trib_topology *topology, int piece) {
    const struct trib_pieces *pieces = &topology->pieces;
    return (piece + 1 < pieces->count ? pieces->first_rank[piece + 1] : topology->rank_count)
        - pieces->first_rank[piece];
}

/** Counts the pieces of each node into node_start, one further on, and sets how many nodes there are. */
static int count_pieces(struct trib_topology *topology) {
    struct trib_pieces *pieces = &topology->pieces;
    int highest = -1;
    int on_highest = 0;
    for (int piece = 0; piece < pieces->count; piece++) {
        int node = pieces->node[piece];
        if (node > highest) {
            highest = node;
            on_highest = pieces->first_rank[piece];
        }
        if (node < pieces->count) {
            pieces->node_start[node + 1]++;
        }
    }
    for (int node = 0; node < highest; node++) {
        if (node >= pieces->count || pieces->node_start[node + 1] == 0) {
            return trib_fail(TRIB_ATTACH_FAILED, "node %d has no rank, but rank %d is on node %d; nodes are numbered"
                             " from 0, and each has at least one rank", node, on_highest, highest);
        }
    }
    topology->node_count = highest + 1;
    return TRIB_OK;
}

/** Sorts pieces by node, and gives each its first index; next and ranks are zero, by node. */
static void index_pieces(struct trib_topology *topology, int *next, int *ranks) {
    struct trib_pieces *pieces = &topology->pieces;
    for (int node = 0; node < topology->node_count; node++) {
        pieces->node_start[node + 1] += pieces->node_start[node];
        next[node] = pieces->node_start[node];
    }
    for (int piece = 0; piece < pieces->count; piece++) {
        int node = pieces->node[piece];
        pieces->by_node[next[node]++] = piece;
        pieces->first_index[piece] = ranks[node];
        ranks[node] += piece_length(topology, piece);
    }
}

/** Copies the counts of ranks by node into a topology that has only these. */
static int count_ranks(const int *ranks, int nodes, struct trib_topology *counted) {
    TRIB_TRY(trib_topology_begin(counted, (size_t) nodes));
    for (int node = 0; node < nodes; node++) {
        TRIB_TRY(trib_topology_add_nodes(counted, 1, ranks[node]));
    }
    return TRIB_OK;
}

/** The only chunk by which the pieces may have been dealt; 0 when there is none. */
static int chunk_of(const struct trib_topology *topology, const int *ranks) {
    for (int piece = 0; piece < topology->pieces.count && topology->pieces.node[piece] == piece; piece++) {
        int length = piece_length(topology, piece);
        if (piece == topology->node_count - 1 || length < ranks[piece]) {
            return length < ranks[piece] ? length : INT_MAX;
        }
    }
    return 0;
}

/** A piece is dealt alike when the indices of its ends differ as their ranks do: all between are on its node. */
static bool is_dealt(const struct trib_topology *topology, const struct trib_topology *dealt) {
    const struct trib_pieces *pieces = &topology->pieces;
    for (int piece = 0; piece < pieces->count; piece++) {
        int first = pieces->first_rank[piece];
        int last = first + piece_length(topology, piece) - 1;
        if (trib_topology_node_of(dealt, first) != pieces->node[piece]
            || trib_topology_node_of(dealt, last) != pieces->node[piece]
            || trib_topology_index_of(dealt, last) - trib_topology_index_of(dealt, first) != last - first) {
            return false;
        }
    }
    return true;
}

static void swap(struct trib_counts *one, struct trib_counts *other) {
    struct trib_counts kept = *one;
    *one = *other;
    *other = kept;
}

/** Becomes the dealt topology when that is the same placement, otherwise takes its counts. */
static int simplify(struct trib_topology *topology, const int *ranks) {
    struct trib_topology dealt;
    int chunk = chunk_of(topology, ranks);
    int status = count_ranks(ranks, topology->node_count, &dealt);
    if (status == TRIB_OK && chunk > 0) {
        status = trib_topology_deal(&dealt, chunk);
    }
    if (status == TRIB_OK && chunk > 0 && is_dealt(topology, &dealt)) {
        trib_topology_free(topology);
        *topology = dealt;
        return TRIB_OK;
    }
    swap(&topology->counts, &dealt.counts);
    trib_topology_free(&dealt);
    return status;
}

int trib_topology_list(struct trib_topology *topology) {
    if (topology->rank_count == 0) {
        return trib_fail(TRIB_ATTACH_FAILED, "a job needs at least one rank");
    }
    TRIB_TRY(count_pieces(topology));
    size_t nodes = (size_t) topology->node_count;
    int *next = numbers(nodes);
    int *ranks = numbers(nodes);
    int status = no_memory(nodes);
    if (next != NULL && ranks != NULL) {
        index_pieces(topology, next, ranks);
        status = simplify(topology, ranks);
    }
    free(next);
    free(ranks);
    return status;
}

int trib_topology_of_ranks(struct trib_topology *topology, const int *node_of_rank, int ranks) {
    TRIB_TRY(trib_topology_begin_pieces(topology, (size_t) (ranks < 0 ? 0 : ranks)));
    for (int rank = 0; rank < ranks; rank++) {
        TRIB_TRY(trib_topology_add_piece(topology, 1, node_of_rank[rank]));
    }
    return trib_topology_list(topology);
}

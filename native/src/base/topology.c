/* Which rank is where; see org.tributary.config.Topology. */
#include "base.h"

/** The place of the last value that is not above the given one; the first value never is. */
static int floor_of(const int *ascending, int count, int value) {
    int low = 0;
    int high = count - 1;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (ascending[middle] <= value) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

static bool has_rank(const struct trib_topology *topology, int rank) {
    return rank >= 0 && rank < topology->rank_count;
}

static bool has_node(const struct trib_topology *topology, int node) {
    return node >= 0 && node < topology->node_count;
}

/** The last phase that begins at this rank or before, or, by round, in this round or before. */
static const struct trib_phase *phase_of(const struct trib_topology *topology, int value, bool is_round) {
    int low = 0;
    int high = topology->phase_count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        const struct trib_phase *phase = &topology->phases[middle];
        if ((is_round ? phase->first_round : phase->first_rank) <= value) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return &topology->phases[low];
}

static int piece_of(const struct trib_topology *topology, int rank) {
    return floor_of(topology->pieces.first_rank, topology->pieces.count, rank);
}

int trib_topology_node_of(const struct trib_topology *topology, int rank) {
    if (!has_rank(topology, rank)) {
        return -1;
    }
    if (topology->chunk == 0) {
        return topology->pieces.node[piece_of(topology, rank)];
    }
    const struct trib_phase *phase = phase_of(topology, rank, false);
    int place = (rank - phase->first_rank) % phase->width;
    int run = floor_of(phase->offset, phase->runs, place);
    return phase->first_node[run] + (place - phase->offset[run]) / phase->share[run];
}

int trib_topology_index_of(const struct trib_topology *topology, int rank) {
    if (!has_rank(topology, rank)) {
        return -1;
    }
    if (topology->chunk == 0) {
        int piece = piece_of(topology, rank);
        return topology->pieces.first_index[piece] + rank - topology->pieces.first_rank[piece];
    }
    const struct trib_phase *phase = phase_of(topology, rank, false);
    int dealt = rank - phase->first_rank;
    int place = dealt % phase->width;
    int run = floor_of(phase->offset, phase->runs, place);
    return (phase->first_round + dealt / phase->width) * topology->chunk
        + (place - phase->offset[run]) % phase->share[run];
}

static int listed_rank(const struct trib_pieces *pieces, int node, int index) {
    int low = pieces->node_start[node];
    int high = pieces->node_start[node + 1] - 1;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (pieces->first_index[pieces->by_node[middle]] <= index) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    int piece = pieces->by_node[low];
    return pieces->first_rank[piece] + index - pieces->first_index[piece];
}

int trib_topology_rank_at(const struct trib_topology *topology, int node, int index) {
    if (!has_node(topology, node) || index < 0 || index >= trib_topology_node_size(topology, node)) {
        return -1;
    }
    if (topology->chunk == 0) {
        return listed_rank(&topology->pieces, node, index);
    }
    int round = index / topology->chunk;
    const struct trib_phase *phase = phase_of(topology, round, true);
    int run = floor_of(phase->first_node, phase->runs, node);
    return phase->first_rank + (round - phase->first_round) * phase->width + phase->offset[run]
        + (node - phase->first_node[run]) * phase->share[run] + index % topology->chunk;
}

int trib_topology_first_rank(const struct trib_topology *topology, int node) {
    return trib_topology_rank_at(topology, node, 0);
}

int trib_topology_node_size(const struct trib_topology *topology, int node) {
    const struct trib_counts *counts = &topology->counts;
    return has_node(topology, node) ? counts->per_node[floor_of(counts->first_node, counts->runs, node)] : -1;
}

int trib_topology_ranks_below(const struct trib_topology *topology, int node) {
    const struct trib_counts *counts = &topology->counts;
    if (!has_node(topology, node)) {
        return node == topology->node_count ? topology->rank_count : -1;
    }
    int run = floor_of(counts->first_node, counts->runs, node);
    return counts->ranks_below[run] + (node - counts->first_node[run]) * counts->per_node[run];
}

int trib_topology_place_by_node(const struct trib_topology *topology, int rank) {
    return !has_rank(topology, rank) ? -1
        : trib_topology_ranks_below(topology, trib_topology_node_of(topology, rank))
        + trib_topology_index_of(topology, rank);
}

void trib_topology_free(struct trib_topology *topology) {
    free(topology->counts.first_node);
    free(topology->counts.ranks_below);
    free(topology->counts.per_node);
    for (int i = 0; i < topology->phase_count; i++) {
        free(topology->phases[i].first_node);
    }
    free(topology->phases);
    free(topology->pieces.first_rank);
    free(topology->pieces.node);
    free(topology->pieces.first_index);
    free(topology->pieces.by_node);
    free(topology->pieces.node_start);
    *topology = (struct trib_topology) {0};
}

/* On which node each rank of a job is; see org.tributary.config.Topology, DealtRanks and ListedRanks. */
#ifndef TRIB_TOPOLOGY_H
#define TRIB_TOPOLOGY_H

#include <stddef.h>

/** How many ranks each node has. Nodes in a row with equal numbers are one run. */
struct trib_counts {
    int runs;
    int *first_node;
    int *ranks_below; /* of all nodes before the first one of the run */
    int *per_node;
};

/**
 * Rounds of dealing in which the same nodes take the same numbers of ranks. By run of nodes in a row that take the
 * same: the first of these nodes, the ranks that nodes before it take in a round, and the ranks of each.
 */
struct trib_phase {
    int first_rank;
    int first_round;
    int width; /* ranks of a round */
    int runs;
    int *first_node; /* owns the memory of all three */
    int *offset;
    int *share;
};

/** Ranks in an order of their own, as pieces: ranks in a row on one node. */
struct trib_pieces {
    int count;
    int *first_rank;
    int *node;
    int *first_index; /* of the piece's first rank on its node */
    int *by_node;     /* pieces by node, each node's in ascending order */
    int *node_start;  /* where those of a node begin */
};

struct trib_topology {
    int node_count;
    int rank_count;
    struct trib_counts counts;
    int chunk; /* ranks that a node takes in a row when they are dealt, INT_MAX in block order; 0 for pieces */
    int phase_count;
    struct trib_phase *phases;
    struct trib_pieces pieces;
};

/* ---- topology.c; what is asked for no rank or node of the job is -1 ---- */

int trib_topology_node_of(const struct trib_topology *topology, int rank);
/** Index of a rank on its node: how many ranks of the node are lower. */
int trib_topology_index_of(const struct trib_topology *topology, int rank);
int trib_topology_rank_at(const struct trib_topology *topology, int node, int index);
/** The lowest rank of a node. */
int trib_topology_first_rank(const struct trib_topology *topology, int node);
int trib_topology_node_size(const struct trib_topology *topology, int node);
/** Ranks of all nodes before this one, which may be one more than there are. */
int trib_topology_ranks_below(const struct trib_topology *topology, int node);
/** The place of a rank when all are counted node by node; the rank itself in block order. */
int trib_topology_place_by_node(const struct trib_topology *topology, int rank);
void trib_topology_free(struct trib_topology *topology);

/* ---- topology_make.c; these fail for what is no layout; the topology is to be freed even then ---- */

/** Takes nodes in order, at most so many runs of them. */
int trib_topology_begin(struct trib_topology *topology, size_t runs);
int trib_topology_add_nodes(struct trib_topology *topology, int nodes, int ranks_per_node);
/** Deals the ranks of the nodes that were added. */
int trib_topology_deal(struct trib_topology *topology, int chunk);
/** Takes ranks in order, at most so many pieces of them. */
int trib_topology_begin_pieces(struct trib_topology *topology, size_t pieces);
int trib_topology_add_piece(struct trib_topology *topology, int ranks, int node);
/** Of the pieces that were added. */
int trib_topology_list(struct trib_topology *topology);
/** The node of each rank. */
int trib_topology_of_ranks(struct trib_topology *topology, const int *node_of_rank, int ranks);

/* ---- topology_text.c ---- */

int trib_topology_parse(struct trib_topology *topology, const char *text);
/** Gives the shortest form that parses back, piece by piece. Equal placements have one form. */
void trib_topology_write(const struct trib_topology *topology,
                         void (*take)(void *context, const char *text, size_t bytes), void *context);

#endif

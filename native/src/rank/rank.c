/* Where a rank is among the others. */
#include "rank.h"

int trib_check_rank(const trib *job, int rank) {
    return rank >= 0 && rank < job->place.topology.rank_count ? TRIB_OK
        : trib_fail_at(TRIB_INVALID_ADDRESS, "no such rank", rank, 0, 0, 0, job->place.topology.rank_count);
}

int trib_rank(const trib *job) {
    return job->place.rank;
}

int trib_size(const trib *job) {
    return job->place.topology.rank_count;
}

int trib_node(const trib *job) {
    return job->place.node;
}

int trib_node_count(const trib *job) {
    return job->place.topology.node_count;
}

int trib_node_of(const trib *job, int rank) {
    return trib_topology_node_of(&job->place.topology, rank);
}

int trib_first_rank(const trib *job, int node) {
    return trib_topology_first_rank(&job->place.topology, node);
}

int trib_rank_at(const trib *job, int node, int index) {
    return trib_topology_rank_at(&job->place.topology, node, index);
}

int trib_index_of(const trib *job, int rank) {
    return trib_topology_index_of(&job->place.topology, rank);
}

int trib_node_size(const trib *job, int node) {
    return trib_topology_node_size(&job->place.topology, node);
}

bool trib_same_node(const trib *job, int rank) {
    return trib_node_is_local(&job->node, rank);
}

trib_group *trib_world(trib *job) {
    return job->world;
}

/* How the ranks of a job are spread over its nodes; see org.tributary.config.Topology. */
#include "base.h"

#include <ctype.h>

static int bad_layout(const char *text) {
    return trib_fail(TRIB_ATTACH_FAILED, "layout '%s' is not a comma-separated list of [nodes*]ranks, of at least one"
                     " node with one rank and at most %d ranks", text, INT_MAX);
}

/** A positive number, after and before spaces; NULL when there is none. */
static const char *number(const char *text, int *value) {
    char *end;
    errno = 0;
    long parsed = strtol(text, &end, 10);
    if (end == text || errno != 0 || parsed < 1 || parsed > INT_MAX) {
        return NULL;
    }
    while (isspace((unsigned char) *end)) {
        end++;
    }
    *value = (int) parsed;
    return end;
}

static bool add_run(struct trib_topology *topology, int nodes, int ranks) {
    int64_t ranks_after = topology->rank_count + (int64_t) nodes * ranks;
    int64_t nodes_after = (int64_t) topology->node_count + nodes;
    if (ranks_after > INT_MAX || nodes_after > INT_MAX) {
        return false;
    }
    int last = topology->runs - 1;
    if (last < 0 || topology->per_node[last] != ranks) {
        topology->first_node[topology->runs] = topology->node_count;
        topology->first_rank[topology->runs] = topology->rank_count;
        topology->per_node[topology->runs++] = ranks;
    }
    topology->rank_count = (int) ranks_after;
    topology->node_count = (int) nodes_after;
    return true;
}

int trib_topology_parse(struct trib_topology *topology, const char *text) {
    size_t items = 1;
    for (const char *at = text; *at != '\0'; at++) {
        items += *at == ',' ? 1 : 0;
    }
    *topology = (struct trib_topology) {
        .first_node = calloc(items, sizeof(int)),
        .first_rank = calloc(items, sizeof(int)),
        .per_node = calloc(items, sizeof(int)),
    };
    if (topology->first_node == NULL || topology->first_rank == NULL || topology->per_node == NULL) {
        return trib_fail(TRIB_NO_MEMORY, "no memory for a layout of %zu runs", items);
    }
    const char *at = text;
    while (true) {
        int nodes = 1;
        int ranks;
        at = number(at, &ranks);
        if (at != NULL && *at == '*') {
            nodes = ranks;
            at = number(at + 1, &ranks);
        }
        if (at == NULL || (*at != ',' && *at != '\0') || !add_run(topology, nodes, ranks)) {
            return bad_layout(text);
        }
        if (*at++ == '\0') {
            return TRIB_OK;
        }
    }
}

void trib_topology_free(struct trib_topology *topology) {
    free(topology->first_node);
    free(topology->first_rank);
    free(topology->per_node);
    *topology = (struct trib_topology) {0};
}

/** The last run whose first is not beyond the value. */
static int run_of(const struct trib_topology *topology, const int *firsts, int value) {
    int low = 0;
    int high = topology->runs - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (firsts[middle] <= value) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

int trib_topology_node_of(const struct trib_topology *topology, int rank) {
    if (rank < 0 || rank >= topology->rank_count) {
        return -1;
    }
    int run = run_of(topology, topology->first_rank, rank);
    return topology->first_node[run] + (rank - topology->first_rank[run]) / topology->per_node[run];
}

int trib_topology_first_rank(const struct trib_topology *topology, int node) {
    if (node < 0 || node >= topology->node_count) {
        return -1;
    }
    int run = run_of(topology, topology->first_node, node);
    return topology->first_rank[run] + (node - topology->first_node[run]) * topology->per_node[run];
}

int trib_topology_node_size(const struct trib_topology *topology, int node) {
    if (node < 0 || node >= topology->node_count) {
        return -1;
    }
    return topology->per_node[run_of(topology, topology->first_node, node)];
}

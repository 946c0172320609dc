#include "routes.h"

#include "base/base.h"

#include <ctype.h>

/* ---- groups ---- */

/** The first node of a group of consecutive nodes. */
static int first_node(const struct trib_routes *routes, int group) {
    return (int) ((int64_t) group * routes->topology->node_count / routes->groups.count);
}

static int group_of(const struct trib_routes *routes, int node) {
    const struct trib_groups *groups = &routes->groups;
    return groups->group_of != NULL ? groups->group_of[node]
        : (int) (((int64_t) node * groups->count + groups->count - 1) / routes->topology->node_count);
}

static int group_size(const struct trib_routes *routes, int group) {
    const struct trib_groups *groups = &routes->groups;
    return groups->members != NULL ? groups->starts[group + 1] - groups->starts[group]
        : first_node(routes, group + 1) - first_node(routes, group);
}

static int member(const struct trib_routes *routes, int group, int index) {
    const struct trib_groups *groups = &routes->groups;
    return groups->members != NULL ? groups->members[groups->starts[group] + index]
        : first_node(routes, group) + index;
}

/** How many members of a group are before a node, which is its place when it is one. */
static int members_below(const struct trib_routes *routes, int group, int node) {
    int size = group_size(routes, group);
    if (routes->groups.members == NULL) {
        int below = node - first_node(routes, group);
        return below < 0 ? 0 : below > size ? size : below;
    }
    const int *members = routes->groups.members + routes->groups.starts[group];
    int low = 0;
    int high = size;
    while (low < high) {
        int middle = (low + high) / 2;
        if (members[middle] < node) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static int ranks_below(const struct trib_routes *routes, int group, int node) {
    int below = members_below(routes, group, node);
    if (routes->groups.members == NULL) {
        int first = first_node(routes, group);
        return trib_topology_ranks_below(routes->topology, first + below)
            - trib_topology_ranks_below(routes->topology, first);
    }
    int ranks = 0;
    for (int i = 0; i < below; i++) {
        ranks += trib_topology_node_size(routes->topology, member(routes, group, i));
    }
    return ranks;
}

/** The member of the target's group that takes requests of a rank outside for the target; see Groups.viaForRank. */
static int via(const struct trib_routes *routes, int rank, int node, int target) {
    int group = group_of(routes, target);
    int size = group_size(routes, group);
    int outsider = trib_topology_place_by_node(routes->topology, rank) - ranks_below(routes, group, node);
    int64_t round = outsider / size;
    int dealt = member(routes, group, (int) ((outsider + round + 2 * (round / size) + group) % size));
    if (dealt != target || size == 1) {
        return dealt;
    }
    int index = members_below(routes, group, target);
    int other = (int) ((round + index) % (size - 1));
    return member(routes, group, other < index ? other : other + 1);
}

int trib_first_hop(const struct trib_routes *routes, int rank, int target_node) {
    if (!routes->cooperates) {
        return target_node;
    }
    int own = trib_topology_node_of(routes->topology, rank);
    return routes->scope_is_node || group_of(routes, own) == group_of(routes, target_node) ? own
        : via(routes, rank, own, target_node);
}

/* ---- settings ---- */

static int bad_groups(const char *text, const char *problem, int node) {
    return trib_fail(TRIB_ATTACH_FAILED, "cooperation.groups = %.200s: node %d %s", text, node, problem);
}

static const char *after_spaces(const char *at) {
    while (isspace((unsigned char) *at)) {
        at++;
    }
    return at;
}

/** A node's number between spaces; NULL when there is none. */
static const char *number(const char *at, int64_t *value) {
    char *end;
    at = after_spaces(at);
    if (!isdigit((unsigned char) *at)) {
        return NULL;
    }
    errno = 0;
    *value = strtoll(at, &end, 10);
    return errno != 0 ? NULL : after_spaces(end);
}

/** Puts the nodes of an item, a number or a range, into a group; *next is what follows. */
static int add_nodes(struct trib_routes *routes, const char *text, const char *at, int group, const char **next) {
    int64_t first = 0;
    int64_t last;
    at = number(at, &first);
    last = first;
    if (at != NULL && *at == '-') {
        at = number(at + 1, &last);
    }
    if (at == NULL || (*at != ',' && *at != ';' && *at != '\0')) {
        return trib_fail(TRIB_ATTACH_FAILED, "cooperation.groups = %.200s: an item of group %d is neither a node nor a"
                         " range of nodes", text, group);
    }
    if (first > last || last >= routes->topology->node_count) {
        return trib_fail(TRIB_ATTACH_FAILED, "cooperation.groups = %.200s: %lld-%lld is no range of the nodes 0 to %d",
                         text, (long long) first, (long long) last, routes->topology->node_count - 1);
    }
    for (int node = (int) first; node <= (int) last; node++) {
        if (routes->groups.group_of[node] >= 0) {
            return bad_groups(text, "is named more than once", node);
        }
        routes->groups.group_of[node] = group;
    }
    *next = at;
    return TRIB_OK;
}

/** Lists the members of each group, once the group of each node is known. */
static void list_members(struct trib_groups *groups, int nodes) {
    int *ends = groups->starts + 1; /* of the members listed so far; the start of a group where none is */
    for (int node = 0; node < nodes; node++) {
        if (groups->group_of[node] + 1 < groups->count) {
            ends[groups->group_of[node] + 1]++;
        }
    }
    for (int group = 1; group < groups->count; group++) {
        ends[group] += ends[group - 1];
    }
    for (int node = 0; node < nodes; node++) {
        groups->members[ends[groups->group_of[node]]++] = node;
    }
}

/** Groups by a map such as 0-3;4-7;8,10;9. */
static int parse_groups(struct trib_routes *routes, const char *text) {
    struct trib_groups *groups = &routes->groups;
    size_t nodes = (size_t) routes->topology->node_count;
    groups->group_of = malloc(nodes * sizeof(int));
    groups->members = malloc(nodes * sizeof(int));
    groups->starts = calloc(nodes + 1, sizeof(int));
    if (groups->group_of == NULL || groups->members == NULL || groups->starts == NULL) {
        return trib_fail(TRIB_NO_MEMORY, "no memory for the groups of %zu nodes", nodes);
    }
    for (size_t node = 0; node < nodes; node++) {
        groups->group_of[node] = -1;
    }
    const char *at = text;
    groups->count = 1;
    while (true) {
        TRIB_TRY(add_nodes(routes, text, at, groups->count - 1, &at));
        if (*at == '\0') {
            break;
        }
        groups->count += *at++ == ';' ? 1 : 0;
    }
    for (size_t node = 0; node < nodes; node++) {
        if (groups->group_of[node] < 0) {
            return bad_groups(text, "is in no group", (int) node);
        }
    }
    list_members(groups, (int) nodes);
    return TRIB_OK;
}

static int consecutive_groups(struct trib_routes *routes, int64_t size) {
    int nodes = routes->topology->node_count;
    if (size == 0) {
        for (size = 1; size * size < nodes; ) {
            size++;
        }
    }
    if (size > nodes) {
        return trib_fail(TRIB_ATTACH_FAILED, "cooperation.group-size = %lld is outside 1 to %d, the number of nodes",
                         (long long) size, nodes);
    }
    routes->groups.count = (int) ((nodes + size - 1) / size);
    return TRIB_OK;
}

int trib_routes_set(struct trib_routes *routes, const struct trib_settings *settings,
                    const struct trib_topology *topology) {
    *routes = (struct trib_routes) {.topology = topology};
    int status = trib_is_consecutive(settings->cooperation_groups)
        ? consecutive_groups(routes, settings->cooperation_group_size)
        : parse_groups(routes, settings->cooperation_groups);
    routes->scope_is_node = settings->cooperation_scope == TRIB_COOPERATION_SCOPE_NODE;
    routes->cooperates = settings->cooperation_mode != TRIB_COOPERATION_MODE_NONE
        && (routes->groups.count != topology->node_count || routes->scope_is_node);
    int64_t block = settings->cooperation_channel_bytes & -(int64_t) sizeof(int64_t);
    routes->max_forwarded = routes->cooperates ? block / 2 - TRIB_FRAME_MAX_FORWARDED_OVERHEAD : INT32_MAX;
    return status;
}

void trib_routes_free(struct trib_routes *routes) {
    free(routes->groups.members);
    free(routes->groups.starts);
    free(routes->groups.group_of);
    routes->groups = (struct trib_groups) {0};
}

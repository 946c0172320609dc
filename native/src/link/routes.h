/*
 * Which server a rank gives its requests to when nodes cooperate: Groups, Routes and CooperationOptions of
 * org.tributary.cooperation, as far as a rank needs them. A test holds the routes against those classes.
 */
#ifndef TRIB_ROUTES_H
#define TRIB_ROUTES_H

#include <stdbool.h>
#include <stdint.h>

struct trib_settings;
struct trib_topology;

/** The groups that nodes form; groups of consecutive nodes take no memory. */
struct trib_groups {
    int count;
    int *members;  /* of all groups, each ascending, one group after the other; NULL for consecutive nodes */
    int *starts;   /* of each group in there, and the end */
    int *group_of; /* by node */
};

struct trib_routes {
    const struct trib_topology *topology;
    bool cooperates; /* requests pass other servers than their target's */
    bool scope_is_node;
    struct trib_groups groups;
    int64_t max_forwarded; /* payload of a request that is passed on */
};

/** Sets the routes of a job; TRIB_ATTACH_FAILED when the settings do not fit the layout, which must outlive this. */
int trib_routes_set(struct trib_routes *routes, const struct trib_settings *settings,
                    const struct trib_topology *topology);
void trib_routes_free(struct trib_routes *routes);
/** The node whose server a rank gives its requests for a node to. */
int trib_first_hop(const struct trib_routes *routes, int rank, int target_node);

#endif

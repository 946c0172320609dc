/*
 * Which targets a rank has direct connections to: DirectPaths of org.tributary.cooperation and the rules of
 * DirectLinks, without input and output. Called with the lock of the links held.
 */
#ifndef TRIB_PATHS_H
#define TRIB_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

struct trib_link;

/** How a rank reaches a node. All zero is one that was never used. */
struct trib_path {
    int node;
    struct trib_link *route;    /* NULL until the first use */
    struct trib_link *direct;   /* to the node's server, NULL for none */
    bool takes_direct;          /* whether requests take it now */
    int uses;
    int refusals;
    int64_t refused_until_ns;
    int64_t used_ns; /* when the direct connection was used last */
};

struct trib_paths {
    int64_t bulk_threshold;
    int capacity; /* direct connections that a rank keeps */
    int count;
    struct trib_path **open; /* those that are; the one unused for longest comes first */
    int64_t waited_ns;
};

/** The connection that requests for the node take now. */
static inline struct trib_link *trib_path_link(const struct trib_path *path) {
    return path->takes_direct ? path->direct : path->route;
}

/** False when memory is short. */
bool trib_paths_init(struct trib_paths *paths, int64_t bulk_threshold, int capacity);
void trib_paths_free(struct trib_paths *paths);
/** Counts an operation; whether it should go directly to the node's server. bytes: of a contiguous transfer, else 0. */
bool trib_paths_note_use(struct trib_paths *paths, struct trib_path *path, int64_t bytes, int64_t now_ns);
/** Whether it is worth a wait to leave one path for the other; if so, it begins now. */
bool trib_paths_try_wait(struct trib_paths *paths, int64_t now_ns);
/** Whose connection has to be closed before another one may be opened; NULL when there is room. */
struct trib_path *trib_paths_least_recently_used(const struct trib_paths *paths);
/** There is a direct connection to the node now, which requests may take; there was room. */
void trib_paths_opened(struct trib_paths *paths, struct trib_path *path, struct trib_link *link, int64_t now_ns);
/** Requests take the route again. */
void trib_paths_closed(struct trib_paths *paths, struct trib_path *path);
/** The node's server has not admitted the connection, or asks to take the route again: it is contended. */
void trib_paths_refused(struct trib_path *path, int64_t now_ns);

#endif

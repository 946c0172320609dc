/*
 * Which link a request takes: that of its route, which several nodes may share, or one directly to its target's server.
 * Operations on a target take effect in order although there are two paths to it: one is left for the other only at a
 * moment when nothing is under way on it. See Router.connectTo and DirectLinks of the Java client.
 */
#include "links.h"

static int new_path(trib *job, int node, struct trib_path **path) {
    struct trib_link *route;
    TRIB_TRY(trib_links_open_route(job, trib_first_hop(&job->links->routes, job->place.rank, node), &route));
    *path = trib_links_path(job, node);
    if (*path != NULL) {
        return TRIB_OK; /* of another thread, which had the lock meanwhile */
    }
    struct trib_path *made = calloc(1, sizeof *made);
    if (made == NULL || !trib_map_put(&job->links->by_node, node, (intptr_t) made)) {
        free(made);
        return trib_fail(TRIB_NO_MEMORY, "no memory for the path to node %d", node);
    }
    made->node = node;
    made->route = route;
    *path = made;
    return TRIB_OK;
}

/**
 * This rank may keep locks at a server to which it has no connection any more. Servers announce departures where
 * requests have gone: one on the route makes that server hear of this rank's. Gives the lock away meanwhile.
 */
static int use_route(trib *job, struct trib_link *route, int home) {
    TRIB_TRY(trib_link_claim(route));
    TRIB_TRY(trib_link_goes_on(route));
    struct trib_reply *reply = trib_link_expect(route, NULL);
    if (reply == NULL) {
        return TRIB_NO_MEMORY;
    }
    struct trib_cause wait = {.kind = TRIB_WAIT_ANSWER, .peer = route->node};
    TRIB_TRY(trib_send_probe(route, reply, home)); /* else the connection broke, and the job with it */
    TRIB_TRY(trib_link_flush(route));
    trib_links_unlock(job->links);
    int status = trib_await_reply(job, route, reply, &wait, NULL);
    trib_links_lock(job->links);
    return status;
}

/** Closes the direct connection, on which nothing is under way. What went wrong on it the next fence still raises. */
static int take_route(trib *job, struct trib_path *path) {
    struct trib_link *link = path->direct;
    if (path->route->one_way_failure == NULL) {
        path->route->one_way_failure = link->one_way_failure;
        trib_link_enter(path->route, TRIB_UNSETTLED);
    } else {
        free(link->one_way_failure);
    }
    link->one_way_failure = NULL;
    trib_paths_closed(&job->links->paths, path); /* first, so that no other thread takes it while this one closes it */
    if (link->lock_home >= 0) {
        TRIB_TRY(use_route(job, path->route, link->lock_home));
    }
    return trib_link_retire(link);
}

/**
 * Opens a direct connection to the node, perhaps for the one unused for longest, unless none is to be had now. Gives
 * the lock away meanwhile; no other is opened, so that the room stays.
 */
static int open_direct(trib *job, struct trib_path *path, int64_t now_ns) {
    if (job->links->opens_direct) {
        return TRIB_OK;
    }
    struct trib_path *unused = trib_paths_least_recently_used(&job->links->paths);
    bool quiet = true;
    int status = unused == NULL ? TRIB_OK : trib_link_quiet_after_poll(unused->direct, &quiet);
    if (status != TRIB_OK || !quiet) {
        return status;
    }
    struct trib_link *link = NULL;
    job->links->opens_direct = true; /* closing one gives the lock away, too */
    status = unused == NULL ? TRIB_OK : take_route(job, unused);
    if (status == TRIB_OK) {
        status = trib_links_open_direct(job, path->node, &link);
    }
    job->links->opens_direct = false;
    if (status == TRIB_OK && link != NULL) {
        trib_paths_opened(&job->links->paths, path, link, now_ns);
    } else if (status == TRIB_OK) {
        trib_paths_refused(path, now_ns);
    }
    return status;
}

/** Changes between the route and a direct connection, if that is wanted and can be done in order. */
static int choose(trib *job, struct trib_path *path, int64_t bytes) {
    struct trib_paths *paths = &job->links->paths;
    struct trib_link *link = trib_path_link(path);
    int64_t now_ns = trib_now_ns();
    bool wants = trib_paths_note_use(paths, path, bytes, now_ns);
    if (wants == path->takes_direct) {
        /* The server may have become contended before anything took the connection. */
        return !wants && path->direct != NULL ? take_route(job, path) : TRIB_OK;
    }
    bool quiet = false;
    TRIB_TRY(trib_link_quiet_after_poll(link, &quiet));
    if (!quiet && !trib_paths_try_wait(paths, now_ns)) {
        return TRIB_OK;
    }
    if (wants && path->direct == NULL) {
        TRIB_TRY(open_direct(job, path, now_ns));
        if (path->direct == NULL || trib_path_link(path) != link) {
            return TRIB_OK;
        }
        TRIB_TRY(trib_link_quiet_after_poll(link, &quiet)); /* others may have sent on it meanwhile */
    }
    if (!quiet) {
        TRIB_TRY(trib_link_claim(link)); /* another thread's message that is under way is waited for, too */
        TRIB_TRY(trib_link_goes_on(link));
        TRIB_TRY(trib_link_settle(link, link->issued));
    }
    /* Others may have had the lock meanwhile. */
    if (trib_path_link(path) == link) {
        TRIB_TRY(trib_link_quiet_after_poll(link, &quiet));
    }
    if (!quiet || trib_path_link(path) != link) {
        return TRIB_OK;
    }
    if (!wants) {
        return take_route(job, path);
    }
    path->takes_direct = path->direct != NULL;
    return TRIB_OK;
}

/** Whether a list of ranges for the node can still be added to. */
static bool has_open_list(const trib *job, const struct trib_path *path) {
    const struct trib_link *link = trib_path_link(path);
    return link->vector != TRIB_NO_VECTOR
        && trib_topology_node_of(&job->place.topology, link->vector_rank) == path->node;
}

int trib_links_find(trib *job, int node, struct trib_link **link) {
    *link = NULL;
    while (true) {
        struct trib_path *path = trib_links_path(job, node);
        if (path == NULL) {
            int hop = trib_first_hop(&job->links->routes, job->place.rank, node);
            if (trib_map_get(&job->links->servers, hop, 0) == 0) {
                return TRIB_OK;
            }
            TRIB_TRY(new_path(job, node, &path));
        }
        struct trib_link *found = trib_path_link(path);
        if (!trib_link_is_taken(found)) {
            trib_link_aim(found, node);
            *link = found;
            return trib_link_goes_on(found);
        }
        TRIB_TRY(trib_link_claim(found));
    }
}

int trib_links_connect_to(trib *job, int node, int64_t bytes, bool joins, struct trib_link **link) {
    TRIB_TRY(trib_links_settle_adapter(job, node));
    return trib_links_connect_unsettled(job, node, bytes, joins, link);
}

int trib_links_connect_unsettled(trib *job, int node, int64_t bytes, bool joins, struct trib_link **link) {
    while (true) {
        struct trib_path *path = trib_links_path(job, node);
        if (trib_unlikely(path == NULL)) {
            TRIB_TRY(new_path(job, node, &path));
        }
        if (path->route->node != node && !(joins && has_open_list(job, path))) {
            TRIB_TRY(choose(job, path, bytes));
        }
        *link = trib_path_link(path);
        if (trib_likely(!trib_link_is_taken(*link))) {
            trib_link_aim(*link, node);
            return trib_link_goes_on(*link); /* nothing follows a goodbye */
        }
        TRIB_TRY(trib_link_claim(*link));
    }
}

/*
 * Which link a request takes: that of its route, which several nodes may share, or one straight to its target's server.
 * Operations on a target take effect in order although there are two ways to it: one is left for the other only at a
 * moment when nothing is under way on it. See Links.to and StraightLinks of the Java client.
 */
#include "links.h"

struct trib_way *trib_links_way(const trib *job, int node) {
    return (struct trib_way *) (intptr_t) trib_map_get(&job->links->ways, node, 0);
}

static int new_way(trib *job, int node, struct trib_way **way) {
    struct trib_link *route;
    TRIB_TRY(trib_links_open_route(job, trib_first_hop(&job->links->routes, job->place.rank, node), &route));
    *way = trib_links_way(job, node);
    if (*way != NULL) {
        return TRIB_OK; /* of another thread, which had the lock meanwhile */
    }
    struct trib_way *made = calloc(1, sizeof *made);
    if (made == NULL || !trib_map_put(&job->links->ways, node, (intptr_t) made)) {
        free(made);
        return trib_fail(TRIB_NO_MEMORY, "no memory for the way to node %d", node);
    }
    made->node = node;
    made->route = route;
    *way = made;
    return TRIB_OK;
}

void trib_links_take_route(trib *job, int node) {
    struct trib_way *way = trib_links_way(job, node);
    if (way != NULL) {
        trib_paths_refused(way, trib_now_ns());
    }
}

/** Closes the straight connection, on which nothing is under way. What went wrong on it the next fence still raises. */
static int take_route(trib *job, struct trib_way *way) {
    struct trib_link *link = way->straight;
    if (way->route->one_way_failure == NULL) {
        way->route->one_way_failure = link->one_way_failure;
        trib_link_enter(way->route, TRIB_UNSETTLED);
    } else {
        free(link->one_way_failure);
    }
    link->one_way_failure = NULL;
    trib_paths_closed(&job->links->paths, way); /* first, so that no other thread takes it while this one closes it */
    return trib_link_retire(link);
}

/**
 * Opens a connection straight to the node, perhaps for the one unused for longest, unless none is to be had now. Gives
 * the lock away meanwhile; no other is opened, so that the room stays.
 */
static int open_straight(trib *job, struct trib_way *way, int64_t now_ns) {
    if (job->links->opens_straight) {
        return TRIB_OK;
    }
    struct trib_way *unused = trib_paths_unused(&job->links->paths);
    bool quiet = true;
    int status = unused == NULL ? TRIB_OK : trib_link_quiet(unused->straight, &quiet);
    if (status != TRIB_OK || !quiet) {
        return status;
    }
    struct trib_link *link = NULL;
    job->links->opens_straight = true; /* closing one gives the lock away, too */
    status = unused == NULL ? TRIB_OK : take_route(job, unused);
    if (status == TRIB_OK) {
        status = trib_links_open_straight(job, way->node, &link);
    }
    job->links->opens_straight = false;
    if (status == TRIB_OK && link != NULL) {
        trib_paths_opened(&job->links->paths, way, link, now_ns);
    } else if (status == TRIB_OK) {
        trib_paths_refused(way, now_ns);
    }
    return status;
}

/** Another thread's message that is under way is waited for, too. Gives the lock away meanwhile. */
static int await_executed(trib *job, struct trib_link *link) {
    int status = trib_link_claim(link);
    struct trib_awaited what = {.counter = &link->executed, .until = link->issued, .link = link};
    if (status == TRIB_OK) {
        status = trib_link_fence(link, what.until);
    }
    if (status == TRIB_OK) {
        trib_links_unlock(job->links);
        status = trib_await(job, &what);
        trib_links_lock(job->links);
    }
    return status;
}

/** Changes between the route and a straight connection, if that is wanted and can be done in order. */
static int choose(trib *job, struct trib_way *way, int64_t bytes) {
    struct trib_paths *paths = &job->links->paths;
    struct trib_link *link = trib_way_link(way);
    int64_t now_ns = trib_now_ns();
    bool wants = trib_paths_wants(paths, way, bytes, now_ns);
    if (wants == way->takes_straight) {
        /* The server may have become contended before anything took the connection. */
        return !wants && way->straight != NULL ? take_route(job, way) : TRIB_OK;
    }
    bool quiet = false;
    int status = trib_link_quiet(link, &quiet);
    if (status != TRIB_OK || (!quiet && !trib_paths_may_wait(paths, now_ns))) {
        return status;
    }
    if (wants && way->straight == NULL) {
        status = open_straight(job, way, now_ns);
        if (status != TRIB_OK || way->straight == NULL || trib_way_link(way) != link) {
            return status;
        }
        status = trib_link_quiet(link, &quiet); /* others may have sent on it meanwhile */
    }
    if (status == TRIB_OK && !quiet) {
        status = await_executed(job, link);
    }
    /* Others may have had the lock meanwhile. */
    if (status == TRIB_OK && trib_way_link(way) == link) {
        status = trib_link_quiet(link, &quiet);
    }
    if (status != TRIB_OK || !quiet || trib_way_link(way) != link) {
        return status;
    }
    if (!wants) {
        return take_route(job, way);
    }
    way->takes_straight = way->straight != NULL;
    return TRIB_OK;
}

/** Whether a list of ranges for the node can still be added to. */
static bool has_open_list(const trib *job, const struct trib_way *way) {
    const struct trib_link *link = trib_way_link(way);
    return link->vector != TRIB_NO_VECTOR
        && trib_topology_node_of(&job->place.topology, link->vector_rank) == way->node;
}

int trib_links_to(trib *job, int node, int64_t bytes, bool joins, struct trib_link **link) {
    while (true) {
        struct trib_way *way = trib_links_way(job, node);
        int status = trib_unlikely(way == NULL) ? new_way(job, node, &way) : TRIB_OK;
        if (status == TRIB_OK && way->route->node != node && !(joins && has_open_list(job, way))) {
            status = choose(job, way, bytes);
        }
        if (trib_unlikely(status != TRIB_OK)) {
            return status;
        }
        *link = trib_way_link(way);
        if (trib_likely(!(*link)->is_sending && !(*link)->broken)) {
            trib_link_aim(*link, node);
            return TRIB_OK;
        }
        status = trib_link_claim(*link);
        if (status != TRIB_OK) {
            return status;
        }
    }
}

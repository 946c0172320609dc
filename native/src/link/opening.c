/*
 * How connections are opened. That may take long, so a thread does it without the lock of the links: only threads that
 * need this connection wait. They wait for the same attempt and hear how it ends. As Router and SocketConnector in
 * Java.
 */
#include "channel.h"
#include "links.h"
#include "ring.h"

#include <signal.h>

#include "wire/refusalCode.h"
#include "wire/role.h"

/** A thread's attempt to connect to a server on a route, of all that wait for it. The last one frees it. */
struct trib_opening {
    trib *job;
    int hop;
    int users;
    bool ended;
    int status;
    trib_error *problem; /* NULL when memory was short */
    struct trib_opening *next;
};

/** A connection that has been admitted, not in a place yet. */
struct admitted {
    struct trib_connection *connection;
    int node;
    int role;
    int max_payload;
};

/* ---- without the lock ---- */

/** Outcomes of an attempt that has failed, by what may be done next. */
enum outcome {
    FINAL, /* nothing */
    NOBODY_LISTENS, /* try again: a server may still come */
    NOT_ADMITTED /* try again: the server has turned this rank away, which was slow, or is slow itself */
};

static bool is_local(int role) {
    return role == wire_role_LOCAL_RANK || role == wire_role_LIFELINE;
}

/** Connects once, to a path or an address. The connection is NULL when requests are to take their route. */
static int connect_once(trib *job, const char *where, int role, int node, struct trib_deadline *whole,
                        enum outcome *outcome, struct admitted *admitted) {
    struct trib_connection *connection = malloc(sizeof *connection);
    bool nobody;
    *outcome = FINAL;
    *admitted = (struct admitted) {.node = node, .role = role};
    if (connection == NULL) {
        return trib_fail(TRIB_NO_MEMORY, "no memory for a connection");
    }
    struct trib_settings settings = job->settings;
    if (role == wire_role_DIRECT_RANK && settings.connect_timeout_ns > TRIB_DIRECT_CONNECT_NS) {
        settings.connect_timeout_ns = TRIB_DIRECT_CONNECT_NS;
    }
    bool local = is_local(role);
    int status = trib_connection_open(connection, local ? where : NULL, where, &settings, job, whole, &nobody);
    if (status == TRIB_OK && !local && !trib_watch_begin(connection->fd, settings.silence_timeout_ns)) {
        status = trib_fail(TRIB_SYSTEM, "the connection to %s cannot be watched (connection.silence-timeout): %s",
                           connection->peer, strerror(errno));
    }
    if (status == TRIB_OK) {
        status = trib_connection_admit(connection, &job->place, role, node, &admitted->max_payload);
    }
    if (connection->refusal >= 0) {
        *outcome = connection->refusal == wire_refusalCode_TOO_MANY ? NOT_ADMITTED : FINAL;
    } else if (connection->unfinished) {
        *outcome = NOT_ADMITTED;
    } else if (nobody) {
        *outcome = NOBODY_LISTENS;
    }
    if (status == TRIB_OK && !local && settings.encryption != TRIB_NETWORK_ENCRYPTION_NONE) {
        bool in_kernel = settings.encryption == TRIB_NETWORK_ENCRYPTION_KTLS;
        status = trib_connection_encrypt(connection, in_kernel ? NULL : &job->links->crypto);
    }
    if (status == TRIB_OK) {
        connection->deadline.whole = NULL; /* which ends before the connection does */
        admitted->connection = connection;
        return TRIB_OK;
    }
    if (local && connection->refusal == wire_refusalCode_ENDING && !job->settings.throws) {
        trib_job_failed(job, "%s", trib_last_error()->message); /* as ranks that have attached in time */
    }
    bool takes_route = role == wire_role_DIRECT_RANK && connection->refusal == wire_refusalCode_TAKE_ROUTE;
    trib_connection_close(connection);
    free(connection);
    return takes_route ? TRIB_OK : status;
}

/** A server that ends while a connection to it is made: the job hears of it in a moment, and says more than that. */
static int unreachable(const trib *job, int status) {
    return trib_await_reason(job) ? trib_check(job) : status;
}

/** The time is over; the last error says what the last attempt came to. where: empty when that is not known. */
static int not_admitted(const trib *job, int node, const char *where, enum outcome outcome) {
    return where[0] == '\0'
        ? trib_fail(TRIB_ATTACH_FAILED, "the address of node %d's server is not known: %s is not complete within"
                    " attach.timeout", node, job->place.servers_file)
        : outcome == NOBODY_LISTENS
        ? trib_fail(TRIB_ATTACH_FAILED, "no communication server of node %d at %s within attach.timeout: %s", node,
                    where, trib_last_error()->message)
        : trib_fail(TRIB_ATTACH_FAILED, "the communication server of node %d at %s has not admitted rank %d within"
                    " attach.timeout: %s", node, where, job->place.rank, trib_last_error()->message);
}

/** How long to wait before the next attempt. */
static int64_t pause_ns(enum outcome outcome, int64_t *last_ns) {
    *last_ns = outcome != NOT_ADMITTED ? TRIB_RETRY_NS
        : 2 * *last_ns < TRIB_LAST_RETRY_NS ? 2 * *last_ns : TRIB_LAST_RETRY_NS;
    return *last_ns;
}

/**
 * Connects to a node's server, for attach.timeout at most. Job scripts may start ranks before every server listens, or
 * before their addresses are known; and a process that was slow or stopped is turned away, and may try again.
 */
static int connect_server(trib *job, int node, int role, struct admitted *admitted) {
    struct trib_deadline whole = trib_deadline_in(job->settings.attach_timeout_ns, NULL);
    char where[PATH_MAX + 8];
    int64_t last_ns = TRIB_RETRY_NS;
    *admitted = (struct admitted) {.connection = NULL};
    snprintf(where, sizeof where, "%s/socket", job->node.directory);
    while (true) {
        enum outcome outcome = FINAL;
        int status = is_local(role) ? TRIB_OK : trib_place_server(&job->place, node, where);
        if (status == TRIB_OK && where[0] != '\0') {
            status = connect_once(job, where, role, node, &whole, &outcome, admitted);
            if (status == TRIB_OK) {
                return TRIB_OK;
            }
        }
        bool may_try_again = status == TRIB_OK || outcome != FINAL;
        if (may_try_again && trib_deadline_left(&whole) <= 0) {
            status = not_admitted(job, node, where, outcome);
            may_try_again = false;
        }
        if (!may_try_again) {
            return is_local(role) ? status : unreachable(job, status);
        }
        if (trib_check(job) != TRIB_OK) {
            return TRIB_ABORTED;
        }
        trib_park(pause_ns(outcome, &last_ns));
    }
}

int trib_links_connect_own(trib *job, int role, struct trib_connection **connection) {
    struct admitted admitted;
    int status = connect_server(job, job->place.node, role, &admitted);
    *connection = admitted.connection;
    return status;
}

/** The route will do: whatever prevents the connection, except the end of the job, there is none. */
static int connect_direct(trib *job, int node, struct admitted *admitted) {
    enum outcome outcome;
    char address[TRIB_SERVER_NAME_BYTES];
    *admitted = (struct admitted) {.connection = NULL};
    if (trib_place_server(&job->place, node, address) == TRIB_OK && address[0] != '\0') {
        connect_once(job, address, wire_role_DIRECT_RANK, node, NULL, &outcome, admitted);
    }
    return trib_has_failed(job) ? trib_check(job) : TRIB_OK;
}

/* ---- with the lock ---- */

static void drop(struct admitted *admitted) {
    if (admitted->connection != NULL) {
        trib_connection_close(admitted->connection);
        free(admitted->connection);
        admitted->connection = NULL;
    }
}

/** A place that no connection has, of those that are kept for good; NULL when memory is short. */
static struct trib_link *place(trib *job) {
    struct trib_links *links = job->links;
    if (links->sets[TRIB_RETIRED] != NULL) {
        return links->sets[TRIB_RETIRED];
    }
    if (links->count == links->capacity) {
        int capacity = links->capacity == 0 ? 8 : 2 * links->capacity;
        struct trib_link **all = realloc(links->all, (size_t) capacity * sizeof(struct trib_link *));
        if (all == NULL) {
            return NULL;
        }
        links->all = all;
        links->capacity = capacity;
    }
    struct trib_link *made = trib_link_new(job);
    if (made != NULL) {
        made->retired = true;
        links->all[links->count++] = made;
        trib_link_enter(made, TRIB_RETIRED);
    }
    return made;
}

static bool has_channels(const trib *job) {
    return job->settings.fabric_channels > 0 && job->links->adapter != NULL
        && !__atomic_load_n(&job->detaching, __ATOMIC_ACQUIRE); /* it would not be left */
}

static void begin(struct trib_link *link, const struct admitted *admitted) {
    trib_link_begin(link, admitted->node, admitted->connection->fd, admitted->connection->records,
                    admitted->role == wire_role_DIRECT_RANK, admitted->max_payload);
    link->is_watched = admitted->role != wire_role_LOCAL_RANK;
    if (admitted->role == wire_role_REMOTE_RANK && has_channels(link->job)) {
        link->channel = trib_channel_new(); /* without memory there is none */
    }
    free(admitted->connection);
}

/**
 * Gives a connection that has been admitted a place, and joins when nothing else can fail any more. If that fails, the
 * place stays: a thread that has slept in epoll may still look there.
 */
static int keep(trib *job, struct admitted *admitted, struct trib_link **link) {
    struct trib_links *links = job->links;
    struct trib_link *found = place(job);
    if (found == NULL) {
        drop(admitted);
        return trib_fail(TRIB_NO_MEMORY, "no memory for the buffers of a connection");
    }
    int status = trib_links_watch(links, admitted->connection->fd, found)
        ? trib_connection_join(admitted->connection) : trib_fail(TRIB_SYSTEM, "epoll refuses: %s", strerror(errno));
    if (status != TRIB_OK) {
        trib_links_ignore(links, admitted->connection->fd);
        drop(admitted);
        return status;
    }
    trib_link_leave(found, TRIB_RETIRED);
    begin(found, admitted);
    *link = found;
    return TRIB_OK;
}

/** Closes a connection that came too late: one that has not joined means nothing to its server. */
static int turn_away(trib *job, struct admitted *admitted) {
    drop(admitted);
    return trib_fail(TRIB_ABORTED, "rank %d leaves the job: another thread has called trib_detach", job->place.rank);
}

static int attempt_begins(trib *job, int node) {
    struct trib_cause wait = {.kind = TRIB_WAIT_CONNECTION, .peer = node};
    job->links->attempts++;
    trib_links_unlock(job->links);
    return trib_wait_begin(job, &wait);
}

static void attempt_ends(trib *job, int slot) {
    trib_wait_end(job, slot);
    trib_links_lock(job->links);
    job->links->attempts--;
    pthread_cond_broadcast(&job->links->opened);
}

/** As above, for requests on routes by way of the node. */
static int keep_on_route(trib *job, struct admitted *admitted, struct trib_link **link) {
    TRIB_TRY(keep(job, admitted, link));
    return trib_map_put(&job->links->servers, admitted->node, (intptr_t) *link) ? TRIB_OK
        : trib_fail(TRIB_NO_MEMORY, "no memory for the connections of a rank");
}

int trib_links_open_local(trib *job) {
    struct trib_links *links = job->links;
    struct admitted admitted;
    TRIB_TRY(connect_server(job, job->place.node, wire_role_LOCAL_RANK, &admitted));
    trib_links_lock(links);
    int status = keep_on_route(job, &admitted, &links->local);
    if (status == TRIB_OK) {
        status = trib_ring_open(links->local);
    }
    trib_links_unlock(links);
    return status;
}

int trib_links_open_direct(trib *job, int node, struct trib_link **link) {
    struct admitted admitted;
    *link = NULL;
    int slot = attempt_begins(job, node);
    int status = connect_direct(job, node, &admitted);
    attempt_ends(job, slot);
    if (admitted.connection == NULL) {
        return status;
    }
    if (job->links->closed) {
        return turn_away(job, &admitted);
    }
    keep(job, &admitted, link); /* the route will do here, too */
    return TRIB_OK;
}

/* ---- routes, which several threads may need at once ---- */

static void leave(struct trib_opening *opening) {
    if (--opening->users == 0) {
        free(opening->problem);
        free(opening);
    }
}

static int await(trib *job, struct trib_opening *opening) {
    int status = TRIB_OK;
    struct trib_cause wait = {.kind = TRIB_WAIT_CONNECTION, .peer = opening->hop};
    int slot = trib_wait_begin(job, &wait);
    opening->users++;
    while (!opening->ended && status == TRIB_OK) {
        struct timespec until = trib_timespec(trib_now_ns() + TRIB_OPENING_SLICE_NS);
        pthread_cond_timedwait(&job->links->opened, &job->links->lock, &until);
        status = trib_check(job);
    }
    trib_wait_end(job, slot);
    if (status == TRIB_OK && opening->status != TRIB_OK) {
        status = trib_fail(opening->status, "%s", opening->problem == NULL
                           ? "another thread could not connect" : opening->problem->message);
    }
    leave(opening);
    return status;
}

static void end(struct trib_links *links, struct trib_opening *opening, int status) {
    struct trib_opening **at = &links->openings;
    while (*at != opening) {
        at = &(*at)->next;
    }
    *at = opening->next;
    opening->ended = true;
    opening->status = status;
    opening->problem = status == TRIB_OK ? NULL : trib_error_copy();
    pthread_cond_broadcast(&links->opened);
    leave(opening);
}

/** The attempt of somebody to connect there, or NULL. */
static struct trib_opening *opening_to(const struct trib_links *links, int hop) {
    struct trib_opening *opening = links->openings;
    while (opening != NULL && opening->hop != hop) {
        opening = opening->next;
    }
    return opening;
}

/** An attempt that threads find from now on, and that carry_out ends; NULL, with an error, when memory is short. */
static struct trib_opening *begin_opening(trib *job, int hop) {
    struct trib_opening *opening = calloc(1, sizeof *opening);
    if (opening == NULL) {
        trib_fail(TRIB_NO_MEMORY, "no memory for a connection");
        return NULL;
    }
    *opening = (struct trib_opening) {.job = job, .hop = hop, .users = 1, .next = job->links->openings};
    job->links->openings = opening;
    return opening;
}

/** Gives the lock away meanwhile. */
static int carry_out(struct trib_opening *opening, struct trib_link **link) {
    trib *job = opening->job;
    struct trib_links *links = job->links;
    struct admitted admitted;
    int slot = attempt_begins(job, opening->hop);
    int status = connect_server(job, opening->hop, wire_role_REMOTE_RANK, &admitted);
    attempt_ends(job, slot);
    if (status == TRIB_OK) {
        status = links->closed ? turn_away(job, &admitted) : keep_on_route(job, &admitted, link);
    }
    end(links, opening, status);
    return status;
}

int trib_links_open_route(trib *job, int hop, struct trib_link **link) {
    while (true) {
        *link = (struct trib_link *) (intptr_t) trib_map_get(&job->links->servers, hop, 0);
        if (*link != NULL) {
            return TRIB_OK;
        }
        struct trib_opening *opening = opening_to(job->links, hop);
        if (opening == NULL) {
            opening = begin_opening(job, hop);
            return opening == NULL ? TRIB_NO_MEMORY : carry_out(opening, link);
        }
        TRIB_TRY(await(job, opening));
    }
}

/* ---- routes that nobody waits for ---- */

static void *carry_out_aside(void *argument) {
    struct trib_opening *opening = argument;
    trib *job = opening->job;
    struct trib_link *link;
    trib_links_lock(job->links);
    carry_out(opening, &link);
    trib_links_unlock(job->links);
    trib_call_end(&job);
    return NULL;
}

/**
 * Whether a thread has begun to carry it out, in a call of its own, which leaving the job ends and waits for. Who asks
 * is in a call, too, so the rank cannot have left; the lock is held, which the beginning of a call may want.
 */
static bool start_aside(struct trib_opening *opening) {
    sigset_t all;
    sigset_t before;
    pthread_t thread;
    if (trib_is_leaving(opening->job)) {
        return false;
    }
    __atomic_fetch_add(&opening->job->calls.inside, 1, __ATOMIC_SEQ_CST);
    sigfillset(&all); /* signals are for the program's own threads */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread, NULL, carry_out_aside, opening) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started) {
        pthread_detach(thread);
    } else {
        trib_call_end(&opening->job);
    }
    return started;
}

int trib_links_open_aside(trib *job, int hop, struct trib_opening **opening) {
    struct trib_link *link;
    *opening = opening_to(job->links, hop);
    bool is_new = *opening == NULL;
    *opening = is_new ? begin_opening(job, hop) : *opening;
    if (*opening == NULL) {
        return TRIB_NO_MEMORY;
    }
    (*opening)->users++;
    if (is_new && !start_aside(*opening)) {
        carry_out(*opening, &link); /* there is no thread for it, or the only one that may still do something is this */
    }
    return TRIB_OK;
}

int trib_opening_look(struct trib_opening **opening) {
    struct trib_opening *looked = *opening;
    if (!looked->ended) {
        return TRIB_OK;
    }
    *opening = NULL;
    int status = looked->status;
    if (status != TRIB_OK) {
        status = trib_fail(status, "%s", looked->problem == NULL ? "no connection" : looked->problem->message);
    }
    leave(looked);
    return status;
}

void trib_opening_drop(struct trib_opening **opening) {
    leave(*opening);
    *opening = NULL;
}

/* Declarations that the files of this folder share; with the lock of the links held, unless it says otherwise. */
#ifndef TRIB_LINKS_H
#define TRIB_LINKS_H

#include "link.h"
#include "paths.h"
#include "routes.h"

/** How often it is looked whether a thread that has given the lock away in the middle of a message has sent it. */
#define TRIB_SENDER_LOOK_NS 50000
/**
 * The first thread in line is next once it has found the connection in the middle of a message so often: a thread that
 * streams would leave it none of the moments in between. Until then who comes later may go first, for a connection that
 * waits for a thread to wake up carries nothing meanwhile.
 */
#define TRIB_LOOKS_BEFORE_TURN 4

struct trib_lifeline {
    int fd;
    bool open;
    bool running;
    bool leaving; /* atomic */
    pthread_t thread;
};

struct trib_opening;
struct trib_block;
struct trib_block_facts;

/** The network adapter, which moves data beside the connections; in adapter.c, with the lock held. */
struct trib_adapter_face {
    int pieces;    /* under way */
    int64_t begun; /* number of the latest */
    int writes;    /* messages of channels, under way; what comes next need not wait for them */
    int64_t written; /* number of the latest */
    /** Makes progress; sets *moved when something has happened. */
    void (*poll)(trib *job, bool *moved);
    /** Waits for all that has begun so far at a node, or at any for -1; gives the lock away meanwhile. */
    int (*settle)(trib *job, int node);
    /** Looks from time to time whether what is under way can still end; may give the lock away. */
    int (*look)(trib *job, int64_t now_ns);
    /** Sleeps until something may have happened, for so long at most; to be called without the lock. */
    void (*nap)(trib *job, int64_t longest_ns);
    /** Touches memory of callers no more. */
    void (*let_go)(trib *job);
    /** Opens a block that a link's server gives for requests; NULL when that cannot be done. */
    struct trib_block *(*open_block)(struct trib_link *link, const struct trib_block_facts *facts);
    /** Ends everything that is under way. */
    void (*shut)(trib *job);
    /** Frees it. No thread finds it any more. */
    void (*release)(struct trib_adapter_face *adapter);
};

struct trib_links {
    struct trib_routes routes;
    struct trib_crypto crypto; /* loaded when connections between nodes are encrypted by this process */
    struct trib_lifeline lifeline;
    pthread_mutex_t lock; /* guards all of this, the links, and handles; never held while asleep */
    pthread_cond_t news;
    pthread_cond_t opened; /* an attempt to connect has ended */
    int epoll;
    int wake; /* an eventfd that ends the sleep in epoll */
    bool sleeping;
    int waiting; /* threads on news */
    int64_t next_look_ns; /* at hosts that may be silent */
    int64_t next_reminder_ns; /* to the own server, when there is a ring */
    bool closed;
    bool broken; /* a connection is: threads that wait for any hear of it */
    bool explaining; /* a thread looks for the reason, without the lock; the others wait for its result */
    pthread_t explainer;
    void (*explain)(struct trib_link *broken, const char *problem); /* in abort.c: ends the job with the reason */
    struct trib_map by_node; /* by node, of those that were used: struct trib_path */
    struct trib_paths paths;
    struct trib_map servers; /* by node, of those on routes: struct trib_link */
    struct trib_opening *openings; /* routes to which somebody connects */
    int attempts; /* to connect, that are under way */
    bool opens_direct;
    struct trib_link *sets[TRIB_LINK_SETS]; /* the first of each */
    int64_t fences; /* that have begun */
    struct trib_link **all; /* a connection keeps its place for good */
    int count;
    int capacity;
    struct trib_link *local;
    struct trib_adapter_face *adapter; /* NULL when no adapter moves data */
    /*
     * Non-blocking operations that are pending, in all handles: those of the phase in which they are issued, and of the
     * one before. A phase ends when somebody waits for what was issued up to then.
     */
    int64_t operations[2]; /* by phase, odd or even */
    int64_t phase;
};

static inline void trib_links_lock(struct trib_links *links) {
    pthread_mutex_lock(&links->lock);
}

static inline void trib_links_unlock(struct trib_links *links) {
    pthread_mutex_unlock(&links->lock);
}

/** Gives the lock, which is held, away for so long. */
static inline void trib_links_sleep_unlocked(struct trib_links *links, int64_t ns) {
    trib_links_unlock(links);
    trib_park(ns);
    trib_links_lock(links);
}

/** How a node is reached; NULL when nothing was ever sent there. */
static inline struct trib_path *trib_links_path(const trib *job, int node) {
    return (struct trib_path *) (intptr_t) trib_map_get(&job->links->by_node, node, 0);
}

/** Whether answers are read for nobody: threads that leave their calls have taken the memory with them. */
static inline bool trib_links_drop(const trib *job) {
    return trib_is_leaving(job) || job->links->closed;
}

/** Whether there is a network adapter. Without the lock: before a call begins, only this may be asked. */
static inline bool trib_links_have_adapter(const struct trib_links *links) {
    return __atomic_load_n(&links->adapter, __ATOMIC_RELAXED) != NULL;
}

/** The server of a node has become contended. */
static inline void trib_links_take_route(trib *job, int node) {
    struct trib_path *path = trib_links_path(job, node);
    if (path != NULL) {
        trib_paths_refused(path, trib_now_ns());
    }
}

/* ---- readiness.c ---- */

/** From now on this connection is told when something comes; NULL for what wakes. False with errno. */
bool trib_links_watch(struct trib_links *links, int fd, struct trib_link *link);
/** Before it is closed: a process that was forked may have it, too. */
void trib_links_ignore(struct trib_links *links, int fd);
/** Something has been read; it may be what another thread sleeps for. */
void trib_links_arrived(trib *job);
/** Lets every thread that waits look again. Call without the lock. */
void trib_links_wake(trib *job);

/* ---- life.c ---- */

/** Takes a link out of a set, in which it is. */
void trib_link_remove(struct trib_link *link, int set);
static inline void trib_link_leave(struct trib_link *link, int set) {
    if (link->places[set].in) {
        trib_link_remove(link, set);
    }
}

/** Whether a thread that wants to send on it has to claim it first. */
static inline bool trib_link_is_taken(const struct trib_link *link) {
    return link->is_sending | link->is_owed | link->broken;
}

/**
 * Waits, without the lock, until no other thread is in the middle of a message, nor any other that has waited for long
 * is next; fails when the link is broken.
 */
int trib_link_claim(struct trib_link *link);
/** The connection broke: with it the job, unless somebody knows better already. Returns TRIB_ABORTED. */
int trib_link_broke(struct trib_link *link, const char *format, ...) __attribute__((format(printf, 2, 3), cold));
/** A link is found broken: waits for the thread that finds out why. Returns TRIB_ABORTED. */
int trib_link_fail_broken(const struct trib_link *link) __attribute__((cold));

/* ---- problem.c ---- */

/** The connection broke, with that error, as it was to take something. Returns TRIB_ABORTED. */
int trib_link_cannot_send(struct trib_link *link, int error) __attribute__((cold));

/* ---- reply.c ---- */

void trib_link_give_back(struct trib_link *link, struct trib_reply *reply);
/** Adds a range to where an answer goes; false when memory is short. */
bool trib_reply_add_piece(struct trib_reply *reply, void *at, int64_t bytes);
/** The request with that number, for which an answer has come; NULL, and the link broken, when there is none. */
struct trib_reply *trib_link_waiting(struct trib_link *link, int64_t request);
/** Whether an answer with data is still to come. */
bool trib_link_is_data_due(const struct trib_link *link);
/** One more operation of a handle; returns whether its phase is odd. */
bool trib_handle_begun(struct trib_links *links, trib_handle *handle);
/** One has ended, which began in such a phase; the failure, or NULL, becomes the handle's. */
void trib_handle_ended(struct trib_links *links, trib_handle *handle, bool odd, trib_error *failure);
/** An answer is there as a whole; the failure, or NULL, becomes its own, unless answers are read for nobody. */
void trib_link_complete(struct trib_link *link, struct trib_reply *reply, int64_t value, trib_error *failure);
/** A server complains; available: bytes of the message from the end of its block on. */
int trib_link_take_error(struct trib_link *link, char *block, uint64_t block_length, uint64_t version,
                         int64_t available);

/* ---- receive.c ---- */

/** Reads and handles what has come; *moved tells whether anything had. */
int trib_link_poll(struct trib_link *link, bool *moved);
/** Reads what has come, as bytes that mean nothing any more; false at the end of the connection. */
bool trib_link_skip(struct trib_link *link);

/* ---- health.c ---- */

/**
 * Looks, when it is time, whether the hosts at the other ends of connections still answer, and reminds the own server
 * of what is in the ring.
 */
int trib_links_look(trib *job, int64_t now_ns);

/* ---- send.c: the send buffer ---- */

/** Hands as much of the buffer to the kernel as it takes at once; *all: nothing is left. */
int trib_out_push(struct trib_link *link, bool *all);
/** Hands the buffer to the kernel. */
int trib_out_flush(struct trib_link *link);
/**
 * Waits until the server has what was handed over in a ring, or by a channel that is left, for a bounded time; what a
 * connection has been given needs no waiting.
 */
void trib_out_drain(struct trib_link *link, int64_t timeout_ns);
/**
 * Waits until what a channel was given has arrived: it moves only while somebody looks, and the rank may compute now
 * while others wait.
 */
int trib_out_arrive(struct trib_link *link);
/** Makes room for that many bytes; fails when the buffer is smaller. */
int trib_out_ensure(struct trib_link *link, int64_t bytes);
/** Appends payload of any size. */
int trib_out_payload(struct trib_link *link, const uint8_t *source, int64_t bytes);
/** Appends all that remains of a region. */
int trib_out_region(struct trib_link *link, struct trib_region *source);

/* ---- requests.c ---- */

int trib_send_fence(struct trib_link *link);
int trib_send_probe(struct trib_link *link, struct trib_reply *reply, int rank);
int trib_send_allocate(struct trib_link *link, struct trib_reply *reply, int64_t segment, int kind,
                       const struct trib_layout *layout);
int trib_send_free(struct trib_link *link, struct trib_reply *reply, int64_t segment);
int trib_send_goodbye(struct trib_link *link, int rank);
/** Asks how the network adapter reaches a rank's part; the answer goes to the facts of the reply. */
int trib_send_ask_region(struct trib_link *link, struct trib_reply *reply, int64_t segment, int rank);
/** Asks for a channel of the network adapter: so many messages a second go there. */
int trib_send_ask_channel(struct trib_link *link, int rate);
/** What follows goes by the channel. */
int trib_send_use_channel(struct trib_link *link);
/** What follows does not go by the channel. */
int trib_send_leave_channel(struct trib_link *link);

/* ---- link.c ---- */

/** A place for connections, without one. */
struct trib_link *trib_link_new(trib *job);
void trib_link_free(struct trib_link *link);
/** A connection that has been admitted takes the place, in which nothing is under way. */
void trib_link_begin(struct trib_link *link, int node, int fd, struct trib_records *records, bool direct,
                     int max_payload);
/**
 * Whether nothing is under way: all that was issued has been executed and answered, and no thread is in the middle of a
 * message. Reads what has come.
 */
int trib_link_quiet_after_poll(struct trib_link *link, bool *quiet);
/** Closes a direct connection on which nothing is under way. */
int trib_link_retire(struct trib_link *link);
/** The next request is for that node: one that the server has to pass on is shorter. */
static inline void trib_link_aim(struct trib_link *link, int node) {
    link->max_payload = node == link->node ? link->max_executed : link->max_forwarded;
}

/** Hands as much of what is encoded to the kernel as it takes at once. Keeps the lock unless the connection breaks. */
int trib_link_push(struct trib_link *link);
/** Hands everything encoded to the kernel. */
int trib_link_flush(struct trib_link *link);
/** Asks for an acknowledgement of so many one-way requests, unless that is under way, and sends. Claims the link. */
int trib_link_fence(struct trib_link *link, int64_t count);
/** Requests go over the connection for good; waits for a bounded time until the server has those of the channel. */
void trib_link_leave_channel(struct trib_link *link, int64_t timeout_ns);
/** Raises what has gone wrong with one-way requests, once. */
int trib_link_one_way_failure(struct trib_link *link);

/* ---- wait_loop.c ---- */

/**
 * Sends whatever is buffered anywhere, as far as sockets take it at once; trib_await goes on with the rest.
 */
int trib_links_flush(trib *job);
/** Reads what has come anywhere. */
int trib_links_poll(trib *job);
/** The caller does not wait for answers any more; returns the status. */
int trib_links_give_up(trib *job, int status);

/** The end of a thread's wait; a link of NULL means that any of them may bring it. */
struct trib_awaited {
    const struct trib_reply *reply; /* its answer, */
    const trib_handle *handle;      /* or the end of its operations, at the latest that of all up to the phase, */
    bool (*done)(trib *job, const void *context); /* or this, with the lock held, */
    const void *context;
    const int64_t *counter;         /* or this number */
    int64_t until;                  /* to be at least so, or the end of all non-blocking operations up to the phase. */
    int64_t phase;
    struct trib_link *link;
    struct trib_cause wait; /* what others are told of it */
};

/** Waits; reads meanwhile. Call without the lock. */
int trib_await(trib *job, const struct trib_awaited *what);
/** Waits until so many one-way requests have been executed. Call with the lock; it is given away meanwhile. */
int trib_link_settle(struct trib_link *link, int64_t count);
/** Waits for an answer, gives its place back and raises what failed. */
int trib_await_reply(trib *job, struct trib_link *link, struct trib_reply *reply, const struct trib_cause *wait,
                     int64_t *value);

/* ---- opening.c ---- */

/** Connects to the own server in that role, which is as in messages. The caller closes and frees *connection. */
int trib_links_connect_own(trib *job, int role, struct trib_connection **connection);
/** The server that requests on that route are given to; connects at first use, without the lock, which is held. */
int trib_links_open_route(trib *job, int hop, struct trib_link **link);
/**
 * Has another thread connect on that route, to which there is no connection, unless one does already. Whoever asks
 * looks at *opening until that is NULL, or drops it.
 */
int trib_links_open_aside(trib *job, int hop, struct trib_opening **opening);
/** *opening is NULL when it has ended; how it did is returned. */
int trib_opening_look(struct trib_opening **opening);
void trib_opening_drop(struct trib_opening **opening);
/**
 * Opens a direct connection to a node's server, without the lock, which is held; *link is NULL when that cannot be done
 * now.
 */
int trib_links_open_direct(trib *job, int node, struct trib_link **link);

/* ---- router.c ---- */

/**
 * The link that the next operation on a node takes; connects at first use. What is large, and what is repeated while
 * its target is not contended, goes directly to the target's server. The lock may be given away meanwhile, while a
 * connection is opened, until another thread has sent on it, and until what precedes has been executed.
 *
 * bytes: of a contiguous transfer; 0 for anything else
 * joins: it becomes part of the list that is open for the node, if there is one, and so goes where that goes
 */
int trib_links_connect_to(trib *job, int node, int64_t bytes, bool joins, struct trib_link **link);
/**
 * The link that requests for a node take now, for a question, which changes nothing; *link is NULL when the connection
 * is yet to be opened. The lock may be given away meanwhile, until another thread has sent on it.
 */
int trib_links_find(trib *job, int node, struct trib_link **link);
/** As trib_links_connect_to, without waiting for what is under way by the network adapter. */
int trib_links_connect_unsettled(trib *job, int node, int64_t bytes, bool joins, struct trib_link **link);

/* ---- adapter.c ---- */

/** Makes the network adapter if the job may use one; false when memory is short. */
bool trib_adapter_init(trib *job);

/** Waits for what the adapter has begun at a node, or at any for -1. */
static inline int trib_links_settle_adapter(trib *job, int node) {
    struct trib_adapter_face *adapter = job->links->adapter;
    return trib_likely(adapter == NULL || adapter->pieces == 0) ? TRIB_OK : adapter->settle(job, node);
}

/* ---- abort.c ---- */

/** Why a connection broke ends the job, once the own server has been told. Gives the lock away meanwhile. */
void trib_links_explain(struct trib_link *broken, const char *problem);

/* ---- lifeline.c: hears of the end of the job while the program computes ---- */

/** Tells the own server that the job has failed; false when it cannot be told. Call without the lock. */
bool trib_lifeline_tell(trib *job, const char *reason);
/** Tells the own server that the rank leaves: its goodbye, behind requests, may be read when the process has ended. */
void trib_lifeline_announce_goodbye(const trib *job);

#endif

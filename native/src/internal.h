/*
 * What the files of the library share. Names follow the Java client, org.tributary.client; where an algorithm is
 * explained there, it is not explained here again.
 *
 * Locks, in the order in which they are taken: none while another is held, except that of the links, under which
 * nothing else is taken. Shared memory is read and written by other processes at any time; every ordered access names
 * its partner.
 */
#ifndef TRIB_INTERNAL_H
#define TRIB_INTERNAL_H

#include "tributary.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crypto.h"
#include "layout.h"
#include "map.h"
#include "paths.h"
#include "region.h"
#include "routes.h"

#define TRIB_EXIT_CODE 75
#define TRIB_NS_PER_S 1000000000LL
/** A wait of this length is worth a line on standard error that says what for. */
#define TRIB_NOTICE_AFTER_NS (10 * TRIB_NS_PER_S)
#define TRIB_SERVER_NAME_BYTES 512

#define trib_likely(condition) __builtin_expect(!!(condition), 1)
#define trib_unlikely(condition) __builtin_expect(!!(condition), 0)

struct trib_link;
struct trib_collectives;

/* ---- error.c ---- */

/** Sets the thread's last error, of no place; returns the status. */
int trib_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3), cold));
/** Sets the thread's last error to a problem at an address. */
int trib_fail_at(int status, const char *problem, int rank, int64_t segment, int64_t offset, int64_t length,
                 int64_t limit) __attribute__((cold));
/** Puts words before the message of the thread's last error; returns its status. */
int trib_fail_prefix(const char *format, ...) __attribute__((format(printf, 1, 2), cold));
/** A copy of the thread's last error that can go to another thread; may be NULL when memory is short. */
trib_error *trib_error_copy(void);
/** Makes a copy the thread's last error and frees it; returns its status. */
int trib_error_raise(trib_error *copy);

/* ---- settings.c ---- */

/* Choices, in the order in which they are listed in settings.c. */
enum { TRIB_MODE_DIRECT };
enum { TRIB_SCOPE_PROCESS, TRIB_SCOPE_NODE };
enum { TRIB_ENCRYPTION_NONE, TRIB_ENCRYPTION_AES_GCM, TRIB_ENCRYPTION_KTLS };

/** cooperation.groups when no map is given. */
#define TRIB_CONSECUTIVE "consecutive"

struct trib_settings {
    int yields; /* wait.preset = shared */
    int throws; /* job.on-failure = throw */
    int64_t wait_spin_ns;
    int64_t connect_timeout_ns;
    int64_t silence_timeout_ns;
    int64_t attach_timeout_ns;
    int64_t send_buffer;
    int64_t receive_buffer;
    int64_t socket_buffer;
    int encryption;
    int64_t chunk;
    int cooperation_mode;
    int cooperation_scope;
    int64_t cooperation_group_size;
    const char *cooperation_groups; /* the text as given, which is read while the rank attaches */
    int64_t cooperation_channel_bytes;
    int64_t cooperation_bulk_threshold;
    int64_t cooperation_direct_connections;
    int cooperation_reorders; /* cooperation.reorder-floating-point = yes: compared, and used by servers only */
    int64_t notify_max_sources; /* compared, and used by servers only */
    char shm_directory[PATH_MAX];
};

/** From the environment, overridden by "key=value" texts (NULL-terminated, or NULL). */
int trib_settings_read(struct trib_settings *settings, const char *const *assignments);
/** Gives every setting that all processes of a job must have alike, in the form in which they are compared. */
void trib_settings_shared(const struct trib_settings *settings,
                          void (*take)(void *context, const char *key, const char *text, size_t bytes), void *context);
/** Writes every setting of a rank as "key variable default dedicated-default min max own|shared", a line each. */
void trib_settings_describe(FILE *out);

/* ---- topology.c ---- */

/** Nodes with equal numbers of ranks that follow each other are one run. */
struct trib_topology {
    int runs;
    int *first_node;
    int *first_rank;
    int *per_node;
    int node_count;
    int rank_count;
};

int trib_topology_parse(struct trib_topology *topology, const char *text);
void trib_topology_free(struct trib_topology *topology);
int trib_topology_node_of(const struct trib_topology *topology, int rank);
int trib_topology_first_rank(const struct trib_topology *topology, int node);
int trib_topology_node_size(const struct trib_topology *topology, int node);

/* ---- job.c ---- */

/** Longest text of what all processes of a job must have alike. */
#define TRIB_AGREEMENT_BYTES 1024

struct trib_place {
    char job_id[TRIB_JOB_ID_BYTES + 1];
    uint8_t *secret;
    size_t secret_bytes;
    struct trib_topology topology;
    int rank;
    int node;
    char *servers;      /* comma-separated; NULL until a file of them is complete; atomic */
    char *servers_file; /* or NULL */
    bool supervised;
    char agreement[TRIB_AGREEMENT_BYTES + 1]; /* what all processes of the job must have alike, set with the routes */
};

/** From the environment. */
int trib_place_read(struct trib_place *place);
/** From a description. */
int trib_place_set(struct trib_place *place, const trib_job *description);
void trib_place_free(struct trib_place *place);
/** The address of a node's server; an empty text when it is not known yet. */
int trib_place_server(struct trib_place *place, int node, char address[TRIB_SERVER_NAME_BYTES]);

/* ---- failure.c: whether the job has failed ---- */

/** What connections do for a rank that fails or leaves; they register it when they are there. */
struct trib_alarm {
    /** Lets every thread that waits for a server look again. */
    void (*wake)(trib *job);
    /** From now on no thread reads into memory of a caller that gives up. */
    void (*end_reading)(trib *job);
    /** Tells the own server that the job has failed; false when it cannot be told. */
    bool (*tell)(trib *job, const char *reason);
};

struct trib_failure {
    char *reason; /* NULL, or set once; read with acquire, partner: the compare-and-swap that sets it */
    void (*listener)(const char *reason, void *context);
    void *context;
};

/** The job has failed; the first reason stays. Ends the process unless failures are to be returned. */
void trib_job_failed(trib *job, const char *format, ...) __attribute__((format(printf, 2, 3), cold));
/**
 * Shared memory, in which every process of the node can store, holds what it cannot hold: "where" and what was "found"
 * there. Ends the job as above once everybody has been told; returns TRIB_ABORTED with that error.
 */
int trib_job_damaged(trib *job, const char *where, const char *found, ...)
    __attribute__((format(printf, 3, 4), cold));
/** Puts what was found before a reason of which it is the cause: a mapped file that was truncated. */
void trib_job_find_cause(const trib *job, char *reason, size_t bytes);
bool trib_has_failed(const trib *job);
/** TRIB_OK, or TRIB_ABORTED with the reason: the job has failed, or this rank leaves it. */
int trib_check(const trib *job);
/** Waits a moment for somebody who knows better why something went wrong; whether the job has failed. */
bool trib_await_reason(const trib *job);
/** Whether the calling thread is in a listener of failures. */
bool trib_is_listening(void);

/* ---- calls.c: threads that are in calls, which leaving a job has to wait for ---- */

/** Whoever waits in a call hears of it within microseconds; but a machine may be busy. */
#define TRIB_CALLS_STOP_S 5

struct trib_calls {
    int inside;   /* calls that other threads than the one that leaves are in; atomic */
    bool leaving; /* atomic */
};

/** A call begins; fails when the rank leaves. */
int trib_call_begin(trib *job);
void trib_call_end(trib *const *job);
/**
 * The rest of the function is a call that other threads may make while one leaves: it may wait for others, use
 * connections, or a group's inboxes. Accesses to memory of the own node are none, as are those through trib_memory_at.
 */
#define TRIB_CALL(job_of_call)                                                                                     \
    trib *const in_call __attribute__((cleanup(trib_call_end))) = (job_of_call);                                   \
    if (trib_unlikely(trib_call_begin(in_call) != TRIB_OK)) {                                                      \
        return TRIB_ABORTED;                                                                                       \
    }
bool trib_is_leaving(const trib *job);
/** From now on calls of other threads fail, those that wait included. Whether all have ended, within a bounded time. */
bool trib_calls_stop(trib *job);

/* ---- node.c: what a rank shares with its node besides segments ---- */

struct trib_node_memory {
    char directory[PATH_MAX];
    uint8_t *control;
    size_t control_bytes;
    int presence; /* of the control file, whose lock says that this process lives; -1 for none */
    size_t rank_block_bytes;
    int first_rank;
    int rank_count;
    int index; /* of this rank */
    int notify_slots;
};

typedef bool (*trib_condition)(void *context);

int trib_node_open(trib *job);
void trib_node_close(trib *job);
/** Unmaps what was mapped by the next. */
void trib_node_unmap(uint8_t *memory, size_t bytes);
/** Maps a whole file of the node; *bytes is 0 and *memory NULL for an empty one. */
int trib_node_map(trib *job, const char *name, uint8_t **memory, size_t *bytes);
void trib_node_ring(const struct trib_node_memory *node, int index);
bool trib_node_notify(trib *job, int rank);
/** Whether a table that has no place is really full; an error when an entry is of no rank of the job. */
int trib_node_check_notifications(trib *job, int rank);
/** Of which this rank has seen some already; negative, with an error, when there are fewer now. */
int64_t trib_node_notifications(trib *job, int source, int64_t seen);
/** Fails when there is no such state. */
int trib_node_state(trib *job, int rank, int *state);
/** Process behind a token of the accumulate locks, which may be any number, lives. */
bool trib_node_is_alive(const trib *job, int token);
/** Sleeps until the bell of this rank rings, at most for so long, unless the condition holds or the job has failed. */
void trib_node_sleep(trib *job, trib_condition condition, void *context, int64_t ns);
/** Waits for a condition on shared memory; from is the rank that is to make it true, or -1. */
int trib_await_condition(trib *job, trib_condition condition, void *context, int from);
/** Waits until a word is at least, or exactly, a value. */
int trib_await_word(trib *job, const int64_t *word, int64_t value, bool exactly, int from);

/** Asked now and then by who has waited long for a rank: fails when that wait is in vain. */
typedef int (*trib_doubt)(void *context, int from);
/** As above, with a doubt. */
int trib_await_doubting(trib *job, const int64_t *word, int64_t value, bool exactly, int from, trib_doubt doubt,
                             void *context);

static inline bool trib_node_is_local(const struct trib_node_memory *node, int rank) {
    return (unsigned) (rank - node->first_rank) < (unsigned) node->rank_count;
}

/* ---- lifeline.c: hears of the end of the job while the program computes ---- */

struct trib_lifeline {
    int fd;
    bool open;
    bool running;
    bool leaving; /* atomic */
    pthread_t thread;
};

int trib_lifeline_open(trib *job);
/** Tells the own server that the job has failed; false when it cannot be told. */
bool trib_lifeline_tell(trib *job, const char *reason);
void trib_lifeline_close(trib *job);

/* ---- links.c: connections of a rank ---- */

/** Some of the connections, so that whoever looks for them need not go through all. */
enum {
    TRIB_UNFLUSHED, /* something may be in the send buffer when nobody holds the lock */
    TRIB_STALLED,   /* of these, those whose sockets were full when it was to be sent: whoever waits goes on with it */
    TRIB_UNSETTLED, /* something was sent that may not have been executed, or something has gone wrong */
    TRIB_RETIRED,   /* the place waits for another connection */
    TRIB_LINK_SETS
};

struct trib_opening;

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
    bool broken; /* a connection is: whoever waits for any hears of it */
    bool explaining; /* a thread looks for the reason, without the lock; the others wait for what it finds */
    pthread_t explainer;
    struct trib_map ways; /* by node, of those that were used: struct trib_way */
    struct trib_paths paths;
    struct trib_map servers; /* by node, of those on routes: struct trib_link */
    struct trib_opening *openings; /* routes to which somebody connects */
    int attempts; /* to connect, that are under way */
    bool opens_straight;
    struct trib_link *sets[TRIB_LINK_SETS]; /* the first of each */
    int64_t fences; /* that have begun */
    struct trib_link **all; /* a connection keeps its place for good */
    int count;
    int capacity;
    struct trib_link *local;
    /*
     * Non-blocking operations that are pending, in all handles: those of the phase in which they are issued, and of the
     * one before. A phase ends when somebody waits for what was issued up to then.
     */
    int64_t operations[2]; /* by phase, odd or even */
    int64_t phase;
};

/** Makes what connections need, and what says where they go, without any connection. */
int trib_links_init(trib *job);
struct trib_connection;
/** Connects to the own server in that role, which is as in messages. The caller closes and frees *connection. */
int trib_links_connect_own(trib *job, int role, struct trib_connection **connection);
int trib_links_open_local(trib *job);
/**
 * The link that the next operation on a node takes; connects at first use. What is large, and what is repeated while
 * its target is not contended, goes straight to the target's server. Call with the lock held; it may be given away
 * meanwhile, while a connection is opened, until another thread has sent on it, and until what precedes has been
 * executed. bytes: of a contiguous transfer; 0 for anything else. joins: it becomes part of the list that is open for
 * the node, if there is one, and so goes where that goes.
 */
int trib_links_to(trib *job, int node, int64_t bytes, bool joins, struct trib_link **link);
/** How a node is reached; NULL when nothing was ever sent there. Call with the lock held. */
struct trib_way *trib_links_way(const trib *job, int node);
/** The server of a node has become contended. Call with the lock held. */
void trib_links_take_route(trib *job, int node);
/** The server that requests on that route are given to; connects at first use, without the lock, which is held. */
int trib_links_open_route(trib *job, int hop, struct trib_link **link);
/**
 * Connects to a node's server beside the route, without the lock, which is held; *link is NULL when that cannot be done
 * now.
 */
int trib_links_open_straight(trib *job, int node, struct trib_link **link);
/** Says goodbye on a connection, as the rank or, with TRIB_NO_RANK, as one that is not leaving the job. */
void trib_links_say_goodbye(struct trib_link *link, int leaving);
/** From now on this connection is told when something comes; NULL for what wakes. False with errno. */
bool trib_links_watch(struct trib_links *links, int fd, struct trib_link *link);
/** Something has been read; it may be what another thread sleeps for. Call with the lock held. */
void trib_links_arrived(trib *job);
/**
 * Sends whatever is buffered anywhere, as far as sockets take it at once; trib_await goes on with the rest. Call with
 * the lock held.
 */
int trib_links_flush(trib *job);
/** Sends whatever is buffered anywhere, except where another thread does so already; waits while sockets are full. */
int trib_links_flush_all(trib *job);
/** Reads what has come anywhere. Call with the lock held. */
int trib_links_poll(trib *job);
/** A socket takes nothing more, and nothing has come on it. Gives the lock, which is held, away for a moment. */
int trib_links_socket_full(struct trib_link *link);
/** The caller does not wait for answers any more; returns the status. */
int trib_links_give_up(trib *job, int status);
/** Says goodbye on every connection unless the job has failed, and closes them. */
void trib_links_close(trib *job);
/** Frees the connections. Nobody uses any; a thread may still try to begin a call. */
void trib_links_release(trib *job);
/** The same, and nobody knows of the job any more. */
void trib_links_free(trib *job);

static inline void trib_links_lock(struct trib_links *links) {
    pthread_mutex_lock(&links->lock);
}

static inline void trib_links_unlock(struct trib_links *links) {
    pthread_mutex_unlock(&links->lock);
}

struct trib_reply;

/** What a thread waits for; a link of NULL means that any of them may bring it. */
struct trib_awaited {
    const struct trib_reply *reply; /* its answer, */
    const trib_handle *handle;      /* or the end of its operations, at the latest that of all up to the phase, */
    const int64_t *counter;         /* or this number */
    int64_t until;                  /* to be at least so, or the end of all non-blocking operations up to the phase. */
    int64_t phase;
    struct trib_link *link;
};

/** Waits; reads meanwhile. Call without the lock. */
int trib_await(trib *job, const struct trib_awaited *what);
/** Waits for an answer, gives its place back and raises what failed. */
int trib_await_reply(trib *job, struct trib_link *link, struct trib_reply *reply, int64_t *value);

/* ---- memory ---- */

/** The parts of the ranks of this node; base is NULL for who has none or an empty one. */
struct trib_part {
    uint8_t *base;
    int64_t bytes; /* -1 for who has none */
    int64_t file_offset;
};

struct trib_members {
    int self; /* -1 when no member */
    int size;
    int *ranks; /* NULL for all ranks of the job */
    struct trib_map numbers;
};

int trib_members_set(struct trib_members *members, int self_rank, int count, const int *ranks);
void trib_members_free(struct trib_members *members);
int trib_members_rank(const struct trib_members *members, int member);
int trib_members_number(const struct trib_members *members, int rank);

struct trib_memory {
    trib *job;
    trib_group *group; /* NULL for the runtime's own, which users' fences need not wait for */
    const struct trib_members *members;
    int64_t id;
    int64_t uniform_bytes; /* of every part, when sizes is NULL */
    int64_t *sizes;
    struct trib_part *parts; /* by index on the node */
    uint8_t *file;
    size_t file_bytes;
    void **bases; /* by member, once published */
    trib_mutexes *mutexes; /* whose words these are, or NULL */
    trib_memory *previous;
    trib_memory *next;
};

struct trib_mutexes {
    trib_memory *words;
    pthread_mutex_t lock;
    struct trib_map held_elsewhere;
    /* Contended mutexes of this node that this rank has released; their words may still name it as the holder. */
    struct trib_map released;
    int any_released; /* atomic; whether released is not empty */
};

/** Layout of a node's file of a segment: ranks on this node, ascending. */
struct trib_layout {
    int count;
    int *ranks;
    int64_t *lengths;
    int64_t *offsets;
};

/** kind: TRIB_SEGMENT_DATA or TRIB_SEGMENT_MUTEXES. */
int trib_memory_allocate(trib_group *group, int64_t bytes, int kind, trib_memory **memory);
/** Opens the inboxes of the group of all ranks, which exist since the servers started. */
int trib_memory_world(trib *job, const struct trib_members *members, int64_t bytes, trib_memory **memory);
/** Makes the inboxes of a group, and its collectives; collective over the parent. No member of it: nothing. */
int trib_memory_inboxes(trib_group *parent, trib_group *group, const struct trib_inbox_layout *layout);
void trib_mutexes_forget(trib_mutexes *mutexes);
/** Frees memory of which all members have passed a barrier. */
int trib_memory_release(trib_memory *memory);
/** Maps the file that the server made by that layout. Takes sizes over. */
int trib_memory_new(trib *job, trib_group *group, const struct trib_members *members, int64_t id, int64_t *sizes,
                    int64_t uniform, const struct trib_layout *layout, trib_memory **memory);
/** Unmaps and frees the object. */
void trib_memory_forget(trib_memory *memory);
/** Only its mapping goes: a thread may still try to begin a call. */
void trib_memory_unmap(trib_memory *memory);

int64_t trib_memory_part_bytes(const trib_memory *memory, int rank);

/** The part when it can be accessed directly, or NULL. */
static inline const struct trib_part *trib_memory_part(const trib_memory *memory, int rank);

/* ---- agreement.c ---- */

/**
 * Says how a step of this member has gone, and returns how it has gone for all: TRIB_OK, or the failure of the lowest
 * member that failed, as every member's last error; collective.
 *
 * what: is being made, for the message
 * status: of the step, whose error is the last one of this thread
 * undo: takes back what this member has made; is called when any has failed, unless the job has
 */
int trib_agree(trib_group *group, const char *what, int status, void (*undo)(void *context), void *context);

/* ---- address.c ---- */

struct trib_address_list;

struct trib_addresses {
    pthread_rwlock_t lock;
    struct trib_address_list *by_rank;
    uint64_t generation; /* changes with every publication and withdrawal; atomic */
};

int trib_addresses_init(trib *job);
void trib_addresses_free(trib *job);
void trib_addresses_withdraw(trib_memory *memory);

/** Notes the addresses of the parts, once published; false when memory is short. */
bool trib_addresses_publish(trib_memory *memory);

/* ---- collectives.c: what collectives are steps of ---- */

/* The codes of org.tributary.client.collective.Purpose. */
enum {
    TRIB_PURPOSE_ITSELF,
    TRIB_PURPOSE_ALLOCATE,
    TRIB_PURPOSE_CREATE_MUTEXES,
    TRIB_PURPOSE_CREATE_WINDOW,
    TRIB_PURPOSE_FREE,
    TRIB_PURPOSE_CREATE_GROUP,
    TRIB_PURPOSE_SPLIT,
    TRIB_PURPOSE_FREE_GROUP,
    TRIB_PURPOSE_PUBLISH
};

/** From now on collectives of the group are steps of that, until they are TRIB_PURPOSE_ITSELF, about 0, again. */
void trib_group_during(trib_group *group, int purpose, int64_t subject);
/** A barrier that is a step of that. */
int trib_group_barrier_of(trib_group *group, int purpose, int64_t subject);
/** This member cannot take its part in a call, of which it has an error: the others are not to wait for it. */
int trib_group_give_up(trib_group *group, int purpose, int status);

/* ---- group.c ---- */

struct trib_group {
    trib *job;
    bool freed;
    int references; /* itself, and memory that has parts at its members; guarded by the lock of the job */
    struct trib_members members;
    trib_memory *inboxes;
    struct trib_collectives *collectives;
    trib_group *previous;
    trib_group *next;
};

int trib_group_world_open(trib *job);
void trib_group_forget(trib_group *group);
/** TRIB_OK when this rank can call collectives of the group. */
int trib_group_check(const trib_group *group);
void trib_group_hold(trib_group *group);
/** Frees the object when nothing refers to it any more. */
void trib_group_drop(trib_group *group);

/* ---- the rank ---- */

/** What has been found about others on this core; changed by any thread. */
struct trib_backoff {
    int64_t rest_ns;
    int64_t rest_until_ns;
};

struct trib {
    struct trib_place place;
    struct trib_settings settings;
    struct trib_backoff backoff;
    struct trib_failure failure;
    struct trib_calls calls;
    struct trib_node_memory node;
    const struct trib_alarm *alarm; /* of the links; NULL until there are any */
    struct trib_links *links;
    struct trib_addresses addresses;
    trib_group *world;
    pthread_mutex_t lock; /* guards what follows */
    trib_memory *memories;
    trib_group *groups;
    struct trib_map notifications_awaited;
    struct trib_map notifications_seen;
    int numbers_drawn;
    bool attached; /* completely; set before anybody else knows this */
    bool closed;
    bool detaching; /* atomic */
    int process;
    trib *next; /* of those attached in this process */
};

static inline const struct trib_part *trib_memory_part(const trib_memory *memory, int rank) {
    const struct trib_node_memory *node = &memory->job->node;
    if (!trib_node_is_local(node, rank)) {
        return NULL;
    }
    const struct trib_part *part = &memory->parts[rank - node->first_rank];
    return part->bytes < 0 ? NULL : part;
}

int64_t trib_now_ns(void);
/** Sleeps for so long, less than a second. */
void trib_park(int64_t ns);
/** Gives the core away between two looks, unless that has cost a slice a moment ago. */
void trib_yield(trib *job);
int trib_check_rank(const trib *job, int rank);
/** Fences all links, of the runtime's own requests, too, when everything is wanted. */
int trib_fence_links(trib *job, bool everything);
/** Locks the links and finds that for a node, as trib_links_to; when it fails, they are not locked. */
int trib_request_begin(trib *job, int node, int64_t bytes, bool joins, struct trib_link **link);
/** Sends, if wanted and nothing has failed, and unlocks. */
int trib_request_end(struct trib_link *link, int status, bool flush);
/** As trib_request_begin, for a request that is answered by this reply. */
int trib_request_expect(trib *job, int node, struct trib_link **link, struct trib_reply **reply);
/** Sends a request that expects this reply, unless encoding it failed, and waits for the answer. */
int trib_request_await(struct trib_link *link, struct trib_reply *reply, int status, int64_t *value);
/** These send a request to a node's server and wait for its answer. */
int trib_request_probe(trib *job, int rank, int64_t *state);
int trib_request_allocate(trib *job, int64_t id, int kind, const struct trib_layout *layout);
int trib_request_free(trib *job, int64_t id);

static inline void trib_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield" ::: "memory");
#endif
}

#endif

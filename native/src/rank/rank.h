/*
 * A rank as one process among those of its node: where it is, whether its job has failed, which calls its threads are
 * in, and what it shares with its node besides segments. Connections are the matter of later folders, which register
 * what a rank that fails or leaves needs of them.
 *
 * Locks, in the order in which they are taken: none while another is held, except that of the links, under which only
 * that of further waits is taken. Shared memory is read and written by other processes at any time; every ordered
 * access names its partner.
 */
#ifndef TRIB_RANK_H
#define TRIB_RANK_H

#include "base/base.h"
#include "bootstrap/bootstrap.h"


/* ---- failure.c: whether the job has failed ---- */

/** Actions of connections for a rank that fails or leaves; they register them when they are there. */
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
    int holds; /* threads for which the end of the process waits; atomic */
    bool has_provider_files; /* of libfabric, which a process that just ends would leave; atomic */
};

/** From here until trib_let_end the end of this process waits for the calling thread, within a bounded time. */
void trib_hold_end(trib *job);
void trib_let_end(trib *job);
/** The job has failed; the first reason stays. Ends the process unless failures are to be returned. */
void trib_job_failed(trib *job, const char *format, ...) __attribute__((format(printf, 2, 3), cold));
/**
 * This rank has found that the job cannot go on, or its program says so: the same once the own server, which tells
 * everybody why, knows it. Returns whether it could be told.
 */
bool trib_job_end(trib *job, const char *reason);
/**
 * Shared memory, in which every process of the node can store, holds what it cannot hold: "where" and what was "found"
 * there. Ends the job as above once everybody has been told; returns TRIB_ABORTED with that error.
 */
int trib_job_damaged(trib *job, const char *where, const char *found, ...)
    __attribute__((format(printf, 3, 4), cold));
/** Puts what was found before a reason of which it is the cause: a mapped file that was truncated. */
void trib_job_find_cause(const trib *job, char *reason, size_t bytes);
/** TRIB_OK, or TRIB_ABORTED with the reason: the job has failed, or this rank leaves it. */
int trib_check(const trib *job);
/** Waits a moment for a process that knows better why something went wrong; whether the job has failed. */
bool trib_await_reason(const trib *job);
/** Whether the calling thread is in a listener of failures. */
bool trib_is_in_listener(void);

/* ---- calls.c: threads that are in calls, which leaving a job has to wait for ---- */

struct trib_calls {
    int inside;   /* calls that other threads than the one that leaves are in; atomic */
    bool leaving; /* atomic */
    bool left;    /* the thread that had the rank leave makes no calls either; atomic */
    pthread_t leaver; /* set before leaving is */
};

/** A call begins; fails when the rank leaves, except in the thread that has it leave. */
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
/** From now on calls of other threads fail, those that wait included. Whether all have ended, within a bounded time. */
bool trib_calls_stop(trib *job);
/** The rank has left: from now on calls of the thread that had it leave fail, too. */
void trib_calls_refuse_all(trib *job);
/** In a process that was forked from the rank, which it is not: from now on all calls fail. */
void trib_calls_refuse_forked(trib *job);

/* ---- node.c: what a rank shares with its node besides segments ---- */

#define TRIB_GOLDEN 0x9E3779B1U

/** The cause of a thread's wait, as others are told of it. */
struct trib_cause {
    int kind; /* TRIB_WAIT_NONE, or what org.tributary.wire.shm.WaitKind explains, as peer, segment and number */
    int peer; /* or -1 */
    int64_t segment;
    int64_t number;
    int64_t look_ns; /* after which the thread looks again in any case; 0 for none. Of the wait itself, told to nobody */
};

/** What a thread is blocked for. */
struct trib_blocked {
    struct trib_cause wait;
    int64_t since_ns;
};

struct trib_node_memory {
    char directory[PATH_MAX];
    uint8_t *control;
    size_t control_bytes;
    int presence; /* of the control file, whose lock says that this process lives; -1 for none */
    size_t rank_block_bytes;
    int rank_count;
    int index; /* of this rank */
    int notify_slots;
    int first_rank; /* the lowest of the node */
    struct trib_node_rank *ranks; /* of the node, by hash; NULL when they are in a row */
    int ranks_shift;
    unsigned waits_taken; /* slots of threads that are blocked, a bit each; atomic */
    int64_t waits[TRIB_WAIT_SLOTS]; /* of each slot so far; changed by the thread that has it, as what follows */
    struct trib_blocked blocked[TRIB_WAIT_SLOTS];
    pthread_mutex_t further_lock; /* for what follows */
    struct trib_further *further; /* threads that have found no slot free, and room for some */
    int further_room;
    int hidden; /* of those, the ones without a slot; read without the lock as well */
    int64_t hidden_waits; /* which were over before a slot was free */
};

/** A rank of the node and its index, which are -1 in an entry that is free. */
struct trib_node_rank {
    int rank;
    int index;
};

int trib_node_open(trib *job);
/** Unmaps what the ranks of the node share; other threads may still ask which ranks these are. */
void trib_node_close(trib *job);
/** This process is not present any more, unless another has the same open file: in one that was forked. */
void trib_node_give_up_presence(trib *job);
void trib_node_free(trib *job);
/** Unmaps what was mapped by the next. */
void trib_node_unmap(uint8_t *memory, size_t bytes);
/** Maps a whole file of the node; *bytes is 0 and *memory NULL for an empty one. */
int trib_node_map(trib *job, const char *name, uint8_t **memory, size_t *bytes);
bool trib_node_notify(trib *job, int rank);
/** Whether a table that has no place is really full; an error when an entry is of no rank of the job. */
int trib_node_check_notifications(trib *job, int rank);
/** Of which this rank has seen some already; negative, with an error, when there are fewer now. */
int64_t trib_node_notifications(trib *job, int source, int64_t seen);
/** Fails when there is no such state. */
int trib_node_state(trib *job, int rank, int *state);
/**
 * Whether this rank, which has said goodbye, leaves after all others of the node, or may do so: its server, which was
 * stopped perhaps, has not heard it yet.
 */
bool trib_node_is_last_to_leave(trib *job);
/** Process behind a token of the accumulate locks, which may be any number, lives. */
bool trib_node_is_alive(const trib *job, int token);

/** Index of a rank on the node, or -1 of one on another node. */
static inline int trib_node_index(const struct trib_node_memory *node, int rank) {
    if (trib_likely(node->ranks == NULL)) {
        unsigned index = (unsigned) rank - (unsigned) node->first_rank;
        return index < (unsigned) node->rank_count ? (int) index : -1;
    }
    unsigned mask = ~0U >> node->ranks_shift;
    for (unsigned at = (unsigned) rank * TRIB_GOLDEN >> node->ranks_shift;; at = (at + 1) & mask) {
        if (node->ranks[at].rank == rank || node->ranks[at].index < 0) {
            return node->ranks[at].index;
        }
    }
}

static inline bool trib_node_is_local(const struct trib_node_memory *node, int rank) {
    return trib_node_index(node, rank) >= 0;
}

/** The block of a rank in the control file, by its index on the node. */
static inline uint8_t *trib_rank_block(const struct trib_node_memory *node, int index) {
    return node->control + TRIB_CONTROL_RANK_BLOCKS_OFFSET + (size_t) index * node->rank_block_bytes;
}

/* ---- bell.c: sleeping until another rank of the node, or the server, has stored something ---- */

typedef bool (*trib_condition)(void *context);

void trib_node_ring(const struct trib_node_memory *node, int index);
/** Sleeps until the bell of this rank rings, at most for so long, unless the condition holds or the job has failed. */
void trib_node_sleep(trib *job, trib_condition condition, void *context, int64_t ns);

/* ---- wait_slots.c: what threads that are blocked wait for, for others to read ---- */

/** The calling thread has polled in vain and is about to block; returns what to give to the next. */
int trib_wait_begin(trib *job, const struct trib_cause *wait);
void trib_wait_end(trib *job, int slot);
/**
 * The same for a thread that has polled since then before it blocked, or has only polled, in TRIB_WAIT_UNSEEN. It
 * looked at the clock last in that wait at seen_ns; 0 when it has blocked since.
 */
void trib_wait_end_since(trib *job, int slot, const struct trib_cause *wait, int64_t since_ns, int64_t seen_ns);

/** Waits of a call that took more than a few looks; 0 for none. */
struct trib_waits {
    int64_t since_ns; /* of the first */
    int64_t seen_ns; /* when the thread looked at the clock last in one */
};

/** The rank has said goodbye to its server, which reads that perhaps only when the process has ended. */
void trib_wait_left(trib *job);

/* ---- idle.c: what a thread does while it waits for another rank ---- */

/** A thread that has waited so long looks again. Returns for how long it may sleep before it calls this again. */
int64_t trib_idle(const trib *job, const struct trib_cause *wait, int64_t waited_ns);

/* ---- trace.c: what a rank records of its operations and waits ---- */

#define TRIB_TRACE_OPERATIONS (TRIB_OPERATION_ALL_TO_ALL + 1)

/** Operations that are too short to be recorded each, as in Trace.Samples; atomic. */
struct trib_trace_sample {
    int32_t left;  /* to leave out before the next that is recorded */
    int32_t drawn; /* so many were left when the last one was recorded */
    int32_t most;  /* that may be drawn */
    int32_t taken; /* atomic: not 0 while a thread records those that are held back */
    int64_t bytes; /* of those that are held back */
    int64_t last_ns;
    int64_t last_began_ns; /* of the thread that has taken it */
};

/**
 * Short operations that wait for an answer, as in Trace.Answered: a record stands for those that follow as well, and
 * grows with each, so that the file has all of them, however the rank ends. Changed by the thread that has taken it.
 */
struct trib_trace_answered {
    int32_t taken;  /* atomic: not 0 while a thread has it */
    int32_t left;   /* to add before the next is recorded */
    int32_t most;   /* that may be drawn */
    int32_t count;  /* for which the record stands */
    int64_t bytes;  /* of these */
    int64_t record; /* the latest */
    int64_t last_began_ns;
};

struct trib_trace {
    uint8_t *memory; /* of the file; NULL unless the rank records */
    uint32_t random; /* atomic */
    struct trib_trace_sample samples[TRIB_TRACE_OPERATIONS]; /* of operations that wait for nothing */
    struct trib_trace_answered answered[TRIB_TRACE_OPERATIONS];
};

/** An operation that is recorded when it ends. */
struct trib_traced {
    trib *job; /* NULL when it is not recorded */
    int operation;
    bool one_way; /* waits for nothing */
    int peer;
    int64_t bytes;
    int64_t segment;
    int64_t number;
    int64_t began_ns;
    int64_t ended_ns; /* 0 until that is known */
};

/** Creates the file of the rank in a folder, which is made if need be; NULL for none. */
int trib_trace_open(trib *job, const char *folder);
/** Records operations that were counted since the last record of each, as if they had taken as long as that. */
void trib_trace_flush(trib *job, struct trib_trace_sample samples[TRIB_TRACE_OPERATIONS]);
/** Records what was held back, and, unless the job has failed, that the rank has left in good order. */
void trib_trace_finish(trib *job);
void trib_trace_close(trib *job);
/** The calling thread has waited since then; recorded if that was long. */
void trib_trace_waited(const trib *job, const struct trib_cause *wait, int64_t since_ns);
void trib_traced_begin(struct trib_traced *traced);
/** It has ended, now unless it says when: recorded, or in a sample if it was short. */
void trib_traced_finish(const struct trib_traced *traced);
/** It has ended, and is recorded however short it was. */
void trib_traced_each(const struct trib_traced *traced);
/** One of the sample has ended: recorded if it took long, or is due. */
void trib_traced_sampled(const struct trib_traced *traced, struct trib_trace_sample *sample);

/** Whether the next one is recorded however short it is. */
static inline bool trib_trace_is_due(const struct trib_trace_sample *sample) {
    return __atomic_load_n(&sample->left, __ATOMIC_RELAXED) <= 0;
}

/**
 * Counts one that is left out. A few nanoseconds, less than atomic additions, decide here: counts are exact as long as
 * one thread at a time issues such operations, and may be off by a few otherwise.
 */
static inline void trib_trace_count(struct trib_trace_sample *sample, int64_t bytes) {
    __atomic_store_n(&sample->left, __atomic_load_n(&sample->left, __ATOMIC_RELAXED) - 1, __ATOMIC_RELAXED);
    __atomic_store_n(&sample->bytes, __atomic_load_n(&sample->bytes, __ATOMIC_RELAXED) + bytes, __ATOMIC_RELAXED);
}

/** Whether one more that waits for nothing is left out, which is counted. */
static inline bool trib_trace_leaves_out(struct trib_trace_sample *sample, int64_t bytes) {
    if (trib_trace_is_due(sample) || bytes >= TRIB_TRACE_LARGE_BYTES) {
        return false;
    }
    trib_trace_count(sample, bytes);
    return true;
}

/** Notes the time of one that is timed in any case, unless it is recorded and has noted it. */
static inline void trib_traced_time(struct trib_traced *traced) {
    if (trib_likely(traced->job == NULL)) {
        traced->began_ns = trib_now_ns();
    }
}

static inline void trib_traced_end(const struct trib_traced *traced) {
    if (trib_unlikely(traced->job != NULL)) {
        trib_traced_finish(traced);
    }
}

/**
 * The rest of the function is an operation that is recorded, if the rank records; what follows the operation are
 * fields of struct trib_traced.
 */
#define TRIB_TRACED(job_of_call, does_record, ...)                                                                 \
    struct trib_traced traced __attribute__((cleanup(trib_traced_end))) = {.operation = __VA_ARGS__};              \
    if ((does_record) && trib_unlikely((job_of_call)->trace.memory != NULL)                                        \
        && !(traced.one_way                                                                                        \
             && trib_trace_leaves_out(&(job_of_call)->trace.samples[traced.operation], traced.bytes))) {           \
        traced.job = (job_of_call);                                                                                \
        trib_traced_begin(&traced);                                                                                \
    }

/* ---- latencies.c: how long calls take, for others to read ---- */

/** A call of that kind, TRIB_LATENCY_..., that began then has waited for a server and ended; returns the time. */
int64_t trib_latency_ended(const trib *job, int kind, int64_t began_ns);

/** Which calls of a kind are timed, as in LatencySample. Used by one thread at a time. */
struct trib_latency_sample {
    uint32_t random; /* 0 before the first call */
    bool is_sampling;
};

/** A call of a sample begins; returns what trib_latency_sampled needs. */
int64_t trib_latency_begin(struct trib_latency_sample *sample);
/** It has ended; not called when it fails. */
void trib_latency_sampled(const trib *job, int kind, struct trib_latency_sample *sample, int64_t began_ns);

/* ---- the rank ---- */

struct trib_address_list;

/** Published addresses, which belong to address.c of the memory; here, as every access by address looks at them. */
struct trib_addresses {
    pthread_rwlock_t lock;
    struct trib_address_list *by_rank;
    uint64_t generation; /* changes with every publication and withdrawal; atomic */
};

/** How long the core is not given away to others, and until when; changed by any thread. */
struct trib_backoff {
    int64_t rest_ns;
    int64_t rest_until_ns;
};

struct trib {
    struct trib_place place;
    struct trib_settings settings;
    struct trib_launched launched;
    struct trib_backoff backoff;
    bool (*idle)(void); /* of libarmci, or NULL: has MPI proceed; false when the calling thread may not call it */
    struct trib_failure failure;
    struct trib_calls calls;
    struct trib_node_memory node;
    struct trib_trace trace;
    const struct trib_alarm *alarm; /* of the links; NULL until there are any */
    struct trib_links *links;
    struct trib_addresses addresses;
    trib_group *world;
    pthread_mutex_t lock; /* guards what follows */
    trib_memory *memories;
    trib_group *groups;
    struct trib_map notifications_awaited;
    struct trib_map notifications_seen;
    struct trib_notification *notifications_waited; /* by threads; in flag.c of the memory */
    int numbers_drawn;
    bool attached; /* completely; set before anybody else knows this */
    bool closed; /* a thread says goodbye, or has said it: */
    pthread_t closer;
    bool has_left; /* atomic: it has */
    bool left_at_exit; /* in attach.c, by the lock there */
    bool detaching; /* atomic */
    int process;
    bool is_forked; /* this process was forked from that one, and is no rank */
    trib *next; /* of those attached in this process */
};

static inline bool trib_has_failed(const trib *job) {
    return __atomic_load_n(&job->failure.reason, __ATOMIC_ACQUIRE) != NULL;
}

static inline bool trib_is_leaving(const trib *job) {
    return __atomic_load_n(&job->calls.leaving, __ATOMIC_ACQUIRE);
}

/** Whether the calling thread has to end its call, because another one has the rank leave its job, or it has left. */
static inline bool trib_has_to_leave(const trib *job) {
    return trib_unlikely(trib_is_leaving(job)) && (__atomic_load_n(&job->calls.left, __ATOMIC_ACQUIRE)
                                                   || !pthread_equal(job->calls.leaver, pthread_self()));
}

/** Gives the core away between two looks, unless that has cost a slice a moment ago. */
void trib_yield(trib *job);
int trib_check_rank(const trib *job, int rank);

#endif

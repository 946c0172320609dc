/*
 * The connections of a rank, and requests on them. A link is one connection to one server: what has been asked, what
 * has been acknowledged, what is still on its way; and what goes over it. Functions that take a link are called with
 * the lock of the links held. Whatever sends may give it away while the socket is full, and so may whatever finds that
 * a connection is broken; nobody else uses the connection meanwhile.
 */
#ifndef TRIB_LINK_H
#define TRIB_LINK_H

#include "net/net.h"

/** Where one of the ranges of an answer goes. */
struct trib_piece {
    uint8_t *at;
    int64_t bytes;
};

#define TRIB_PROVIDER_BYTES 64
#define TRIB_FABRIC_ADDRESS_BYTES (TRIB_MAX_FABRIC_ADDRESS + 1) /* with a zero behind it: shm has texts */

/** How the network adapter reaches a rank's part of a segment, as the server of its node tells. */
struct trib_region_facts {
    char provider[TRIB_PROVIDER_BYTES]; /* of the server's adapter; empty when it has none */
    uint8_t address[TRIB_FABRIC_ADDRESS_BYTES];
    int64_t start;
    int64_t key;
    int64_t bytes; /* of the region; 0 when the adapter does not reach the segment */
    int64_t part_offset;
};

/** A request whose answer is on its way, and where that goes. Used again and again. */
struct trib_reply {
    int slot;
    bool done;
    bool dropped; /* answered, and nobody has been told */
    bool abandoned; /* nobody waits for the answer any more: whenever it comes, the place is free */
    bool odd; /* phase of what the handle is for */
    trib_handle *handle;
    int64_t value;
    trib_error *failure;
    int64_t expected; /* bytes of data still to come */
    struct trib_region region;
    struct trib_piece *pieces; /* instead of the region, when there are any */
    int piece_count;
    int piece_capacity;
    int piece;
    int64_t piece_done;
    struct trib_region_facts *facts; /* or NULL */
    uint8_t *kept; /* memory of its own for the data, or NULL */
};

/** Kinds of vector messages, of which one may be open at the end of the send buffer. */
enum trib_vector { TRIB_NO_VECTOR, TRIB_PUTS, TRIB_ACCUMULATES, TRIB_GETS };

/** Factor of an accumulate as it travels: bits of the element type, real part first. */
struct trib_factor {
    int type;
    int64_t re;
    int64_t im;
};

/** Some of the connections, so that a thread that looks for them need not go through all. */
enum {
    TRIB_UNFLUSHED, /* something may be in the send buffer when nobody holds the lock */
    TRIB_STALLED,   /* of these, those with a full socket at the last attempt: a waiting thread goes on with it */
    TRIB_UNSETTLED, /* something was sent that may not have been executed, or something has gone wrong */
    TRIB_RETIRED,   /* the place waits for another connection */
    TRIB_LINK_SETS
};

/** A thread that waits until no other is in the middle of a message; on its stack. */
struct trib_turn {
    struct trib_turn *next;
    int looks; /* in vain, since it has been the first */
};

struct trib_link {
    trib *job;
    int node; /* of the server */
    int fd;
    int64_t max_payload;   /* of a request for the node that is aimed at */
    int64_t max_executed;  /* of one that the server executes itself */
    int64_t max_forwarded; /* of one that it passes on */
    bool direct; /* a direct connection */
    int lock_home; /* of the mutex that was asked for last; -1 for none */
    bool retired;  /* closed in good order; its place waits for another direct connection */
    bool broken;
    bool has_ended;  /* the rank has said goodbye, and nothing follows */
    bool is_watched; /* a host is at its other end */
    bool is_sending; /* a thread has given the lock away in the middle of a message */
    bool is_owed;    /* to the first in line, before whom nothing is sent; not once all are closed or the job failed */
    struct trib_turn *line; /* threads that wait for the end of a message, those that came first in front */
    int full_polls;  /* in which the socket took nothing */
    int room_slot;   /* + 1 of the thread that waits for room; 0 for none */
    int64_t give_up_ns; /* when a full socket is waited for no longer; 0 for never */
    struct {
        bool in;
        struct trib_link *previous;
        struct trib_link *next;
    } places[TRIB_LINK_SETS];
    int64_t fenced_by[2]; /* the latest fence that has waited for it: of the program's requests, and of everything */
    struct trib_silence silence;

    uint8_t *out;
    int64_t out_capacity;
    int64_t out_position;
    enum trib_vector vector;
    int64_t vector_at; /* of its frame, in the send buffer */
    int64_t vector_segment;
    int vector_rank;
    struct trib_factor vector_factor;
    struct trib_reply *vector_reply;
    int64_t begun_in; /* the phase in which the latest request began */

    uint8_t *in;
    int64_t in_capacity;
    int64_t in_filled;
    struct trib_reply *receiving;
    int64_t receiving_bytes;

    struct trib_reply **replies;
    int *free_slots;
    int reply_capacity;
    int replies_made;
    int free_count;

    /* These count on when the place is used again, so that a thread that waits for one of them finds it reached. */
    int64_t issued;
    int64_t fenced_up_to;
    int64_t executed;
    int64_t issued_before; /* on connections that were in this place earlier */
    int64_t ack_wanted_for;
    int acks_unread;
    trib_error *one_way_failure;

    struct trib_records *records; /* in which everything travels, or NULL */
    struct trib_channel *channel; /* by which requests may go, or NULL */
    struct trib_ring *ring; /* where requests go instead of over the connection, or NULL */
};

/** Puts a link into a set, in which it is not. */
void trib_link_insert(struct trib_link *link, int set);
static inline void trib_link_enter(struct trib_link *link, int set) {
    if (trib_unlikely(!link->places[set].in)) {
        trib_link_insert(link, set);
    }
}

/**
 * A one-way request has been encoded.
 *
 * with_ack: it asks for an acknowledgement itself; fenced: the program's fences wait for it.
 */
static inline void trib_link_issued(struct trib_link *link, bool with_ack, bool fenced) {
    link->issued++;
    trib_link_enter(link, TRIB_UNSETTLED);
    if (fenced) {
        link->fenced_up_to = link->issued;
    }
    if (with_ack) {
        link->ack_wanted_for = link->issued;
        link->acks_unread++;
    }
}

/* ---- reply.c: requests whose answers are on their way ---- */

/** A place for an answer; NULL when memory is short. */
struct trib_reply *trib_link_expect(struct trib_link *link, trib_handle *handle);
/** The data of an answer goes to one range. */
void trib_reply_to_range(struct trib_reply *reply, void *at, int64_t bytes);

/* ---- requests.c: encoders; each returns a status ---- */

int trib_send_put(struct trib_link *link, int64_t segment, int rank, int64_t offset, int flags, const uint8_t *source,
                  int64_t bytes);
int trib_send_accumulate(struct trib_link *link, int64_t segment, int rank, int64_t offset, int flags,
                         const struct trib_factor *factor, const uint8_t *source, int64_t bytes);
/** A put or, with a factor, an accumulate of what remains of a region; levels of the shape as the target sees them. */
int trib_send_strided(struct trib_link *link, int64_t segment, int rank, int64_t offset, int flags,
                      const struct trib_factor *factor, const trib_shape *shape, int levels,
                      struct trib_region *source);
/** Adds a range to a vector put or, with a factor, accumulate; *begins tells whether that began a new message. */
int trib_send_entry(struct trib_link *link, int64_t segment, int rank, int64_t offset,
                    const struct trib_factor *factor, const uint8_t *source, int64_t bytes, bool *begins);
/** Longest range that fits into a vector message. */
int64_t trib_max_entry_bytes(const struct trib_link *link);
/** Most bytes of a shaped get. */
static inline int64_t trib_max_shaped_get(const struct trib_link *link) {
    return link->max_payload < TRIB_MAX_SHAPED_GET ? link->max_payload : TRIB_MAX_SHAPED_GET;
}
int trib_send_get(struct trib_link *link, struct trib_reply *reply, int64_t segment, int rank, int64_t offset,
                  int64_t bytes);
int trib_send_get_strided(struct trib_link *link, struct trib_reply *reply, int64_t segment, int rank, int64_t offset,
                          const trib_shape *shape, int levels);
/** Adds a range to a vector get whose answer goes to pieces, in the message that is open or in a new one. */
int trib_send_get_entry(struct trib_link *link, trib_handle *handle, int64_t segment, int rank, int64_t offset,
                        void *target, int64_t bytes);
int trib_send_atomic(struct trib_link *link, struct trib_reply *reply, int64_t segment, int rank, int64_t offset,
                     int op, int width, int64_t operand, int64_t expected);
int trib_send_signal(struct trib_link *link, int64_t segment, int rank, int64_t offset, int op, int64_t value);
int trib_send_notify(struct trib_link *link, int rank);
int trib_send_lock(struct trib_link *link, struct trib_reply *reply, int64_t segment, int rank, int64_t offset,
                   bool attempt);
int trib_send_unlock(struct trib_link *link, int64_t segment, int rank, int64_t offset);

/** Between two messages of one operation: fails when the calling thread has to end its call. */
int trib_link_goes_on(const struct trib_link *link);

/* ---- ask.c: from the choice of a link to the answer ---- */

/** Layout of a node's file of a segment: ranks on this node, ascending. */
struct trib_layout {
    int count;
    int *ranks;
    int64_t *lengths;
    int64_t *offsets;
};

/** Locks the links and finds that for a node, as trib_links_connect_to; when it fails, they are not locked. */
int trib_request_begin(trib *job, int node, int64_t bytes, bool joins, struct trib_link **link);
/** Sends, if wanted, or if the phase has ended in which this began, and nothing has failed; and unlocks. */
int trib_request_end(struct trib_link *link, int status, bool flush);
/** As trib_request_begin, for a request that is answered by this reply. */
int trib_request_expect(trib *job, int node, struct trib_link **link, struct trib_reply **reply);
/** Sends a request that expects this reply, unless encoding it failed, and waits for the answer. */
int trib_request_await(struct trib_link *link, struct trib_reply *reply, int status, int64_t *value);
/** The same for something that another rank may have. */
int trib_request_await_for(struct trib_link *link, struct trib_reply *reply, int status,
                           const struct trib_cause *wait, int64_t *value);
/** These send a request to a node's server and wait for its answer. */
int trib_request_probe(trib *job, int rank, int64_t *state);
int trib_request_allocate(trib *job, int64_t id, int kind, const struct trib_layout *layout);
int trib_request_free(trib *job, int64_t id);

/* ---- question.c: requests for whose answers a thread looks while it waits for something else ---- */

struct trib_opening;

/** All zero is none. */
struct trib_question {
    struct trib_opening *opening; /* of the connection that it is to be sent on; NULL when there is one */
    struct trib_link *link;
    struct trib_reply *reply; /* NULL when it is not sent, or over */
    int rank;
    int64_t segment;
    int64_t offset;
    int64_t bytes; /* none for the state of the rank */
};

static inline bool trib_question_is_open(const struct trib_question *question) {
    return question->opening != NULL || question->reply != NULL;
}

/**
 * Asks a node's server for the state of a rank there. Waits neither for a full socket, nor for a connection that does
 * not exist: another thread makes it, and the question is sent when who asks looks for the answer. For another thread
 * that is in the middle of a message to the server, and for room in a full buffer, it waits.
 */
int trib_ask_state(trib *job, int rank, struct trib_question *question);
/** The same for bytes of a rank's part of a segment. */
int trib_ask_bytes(trib *job, int64_t segment, int rank, int64_t offset, int64_t bytes,
                   struct trib_question *question);
/**
 * Reads what has come. When *answered, the question is over, and its value, or its bytes, have been stored, or what
 * failed has been raised. It is over, too, when no connection could be made, which is a failure.
 */
int trib_question_look(trib *job, struct trib_question *question, bool *answered, int64_t *value, void *bytes);
/** Nobody wants to know any more; also when it is over. */
void trib_question_drop(trib *job, struct trib_question *question);

/* ---- adapter.c: large data without messages; call without the lock ---- */

/** Whether a network adapter may move data. */
bool trib_adapter_exists(const trib *job);
/** Whether blocks are large enough for it. */
bool trib_adapter_moves(const struct trib_blocks *blocks);
/** Whether a put that is waited for is so large that the adapter had better read its source itself. */
bool trib_adapter_puts_directly(const trib *job, const struct trib_blocks *blocks);
/**
 * Puts blocks, whose source may be used again at once, or gets them, for which the handle waits. A put may have a
 * handle, too, which waits until the data are there, and its source must stay until then; without one, the next fence
 * tells of a failure. *moved is false when messages have to.
 */
int trib_adapter_move(trib *job, trib_handle *handle, bool reads, int rank, int64_t segment,
                      struct trib_blocks *blocks, bool *moved);
/**
 * Waits for what has begun at a rank's node; fails with what has gone wrong there, of which a fence would tell. For
 * what must not be done before all data is there.
 */
int trib_adapter_fence(trib *job, int rank);
/** Waits for all that has begun; for a rank that is about to wait for others, as nobody makes its progress then. */
int trib_adapter_settle(trib *job);
/** Memory that this rank does not use any more; nothing is under way there. */
void trib_adapter_forget(trib *job, int64_t segment);

/* ---- adapter_memory.c; call without the lock ---- */

/** From now on, nobody but the runtime unmaps or frees that memory: the adapter may keep it registered. */
void trib_adapter_own(trib *job, const void *memory, size_t bytes);
/** Before it is unmapped or freed. Does nothing for other memory. */
void trib_adapter_disown(trib *job, const void *memory);

/* ---- all links: call without the lock ---- */

/** Makes what connections need, and what says where they go, without any connection. */
int trib_links_init(trib *job);
int trib_links_open_local(trib *job);
/** Sends whatever is buffered anywhere, except where another thread does so already; waits while sockets are full. */
int trib_links_flush_all(trib *job);
/** Answers servers that wait for channels to be taken or left, for a rank that waits for something else. */
int trib_links_answer_servers(trib *job);
/** Fences all links, of the runtime's own requests, too, when everything is wanted. */
int trib_fence_links(trib *job, bool everything);
/** Requests go over connections for good, and what went by channels has been taken; while the rank still reads. */
int trib_links_leave_channels(trib *job);
/**
 * Says goodbye on every connection unless the job has failed, and closes them, once what was sent before is executed.
 * Waits for servers as long as they do something, and otherwise for a bounded time. Returns whether the own server has
 * been given the goodbye of a rank that has attached.
 */
bool trib_links_close(trib *job);
/** In a process that was forked from the rank: has no part in its connections, whose ends tell of its death. */
void trib_links_cut(trib *job);
/** Frees the connections. Nobody uses any; a thread may still try to begin a call. */
void trib_links_release(trib *job);
/** The same, and nobody knows of the job any more. */
void trib_links_free(trib *job);

/* ---- lifeline.c: hears of the end of the job while the program computes ---- */

int trib_lifeline_open(trib *job);
/**
 * The rank's own server is no more: the job has failed. If this process is to end, it first removes what the server
 * leaves, which nobody else does in a job that a script has started.
 */
void trib_server_gone(trib *job);
/** Nothing happens when it is closed already. */
void trib_lifeline_close(trib *job);

#endif

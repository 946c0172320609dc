/*
 * One connection to one server: what has been asked, what has been acknowledged, what is still on its way; and what
 * goes over it. Everything here is called with the lock of the links held. Whatever sends may give it away while the
 * socket is full, and so may whatever finds that a connection is broken; nobody else uses the connection meanwhile.
 */
#ifndef TRIB_LINK_H
#define TRIB_LINK_H

#include "internal.h"
#include "watch.h"

/** From this size on, payload is sent from where it lies, and received to where it belongs. */
#define TRIB_DIRECT_BYTES (16 * 1024)
/** A server takes lists of at most 64 KiB in one message. */
#define TRIB_MAX_GET_RANGES 4096
/** Shaped gets are cut into answers of at most this, so that a server need not hold more for one. */
#define TRIB_MAX_SHAPED_GET (1 << 20)

/** Where one of the ranges of an answer goes. */
struct trib_piece {
    uint8_t *at;
    int64_t bytes;
};

/** A request whose answer is on its way, and where that goes. Used again and again. */
struct trib_reply {
    int slot;
    bool done;
    bool ignored;
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
};

/** What the message that is open at the end of the send buffer is a list of. */
enum trib_vector { TRIB_NO_VECTOR, TRIB_PUTS, TRIB_ACCUMULATES, TRIB_GETS };

/** Factor of an accumulate as it travels: bits of the element type, real part first. */
struct trib_factor {
    int type;
    int64_t re;
    int64_t im;
};

struct trib_link {
    trib *job;
    int node; /* of the server */
    int fd;
    int64_t max_payload;   /* of a request for the node that is aimed at */
    int64_t max_executed;  /* of one that the server executes itself */
    int64_t max_forwarded; /* of one that it passes on */
    bool straight; /* beside the route */
    bool retired;  /* closed in good order; its place waits for another straight connection */
    bool broken;
    bool is_watched; /* a host is at its other end */
    bool is_sending; /* a thread has given the lock away in the middle of a message */
    int full_polls;  /* in which the socket took nothing */
    int64_t give_up_ns; /* when a full socket is waited for no longer; 0 for never */
    struct {
        bool in;
        struct trib_link *previous;
        struct trib_link *next;
    } places[TRIB_LINK_SETS];
    int64_t fenced_by; /* the latest fence that has waited for it */
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

    /* These count on when the place is used again, so that whoever waits for one of them finds it reached. */
    int64_t issued;
    int64_t fenced_up_to;
    int64_t executed;
    int64_t issued_before; /* on connections that were in this place earlier */
    int64_t ack_wanted_for;
    int acks_unread;
    trib_error *one_way_failure;

    struct trib_records *records; /* in which everything travels, or NULL */
    struct trib_ring *ring; /* where requests go instead of over the connection, or NULL */
};

/** A place for connections, without one. */
struct trib_link *trib_link_new(trib *job);
void trib_link_free(struct trib_link *link);
/** A connection that has been admitted takes the place, in which nothing is under way. */
void trib_link_begin(struct trib_link *link, int node, int fd, struct trib_records *records, bool straight,
                     int max_payload);
/**
 * Whether nothing is under way: all that was issued has been executed and answered, and no thread is in the middle of a
 * message. Reads what has come.
 */
int trib_link_quiet(struct trib_link *link, bool *quiet);
/** Closes a straight connection on which nothing is under way. */
int trib_link_retire(struct trib_link *link);
/** What follows is for that node: what the server has to pass on is shorter. */
static inline void trib_link_aim(struct trib_link *link, int node) {
    link->max_payload = node == link->node ? link->max_executed : link->max_forwarded;
}

/** Puts a link into a set and takes it out of one, whether it was there or not. */
void trib_link_insert(struct trib_link *link, int set);
void trib_link_leave(struct trib_link *link, int set);
static inline void trib_link_enter(struct trib_link *link, int set) {
    if (trib_unlikely(!link->places[set].in)) {
        trib_link_insert(link, set);
    }
}

/** Waits, without the lock, until no other thread is in the middle of a message; fails when the link is broken. */
int trib_link_claim(struct trib_link *link);
/** The connection broke: with it the job, unless somebody knows better already. Returns TRIB_ABORTED. */
int trib_link_broke(struct trib_link *link, const char *format, ...) __attribute__((format(printf, 2, 3), cold));
/** A link is found broken: waits for the thread that finds out why. Returns TRIB_ABORTED. */
int trib_link_is_broken(const struct trib_link *link) __attribute__((cold));
/** Tells the own server why the job fails, if that can still be told within a bounded time. */
int trib_link_abort(struct trib_link *local, const char *reason);
/** Looks whether the host at the other end still answers; the connection breaks when it counts as gone. */
int trib_link_look(struct trib_link *link, int64_t now_ns);
/** Reads and handles what has come; *moved tells whether anything had. */
int trib_link_poll(struct trib_link *link, bool *moved);
/** Hands as much of what is encoded to the kernel as it takes at once. Keeps the lock unless the connection breaks. */
int trib_link_push(struct trib_link *link);
/** Hands everything encoded to the kernel. */
int trib_link_flush(struct trib_link *link);
/** Asks for an acknowledgement of so many one-way requests, unless that is under way, and sends. Claims the link. */
int trib_link_fence(struct trib_link *link, int64_t count);
/** Raises what has gone wrong with one-way requests, once. */
int trib_link_one_way_failure(struct trib_link *link);

/* ---- reply.c: requests whose answers are on their way ---- */

/** A place for an answer; NULL when memory is short. */
struct trib_reply *trib_link_expect(struct trib_link *link, trib_handle *handle);
void trib_link_give_back(struct trib_link *link, struct trib_reply *reply);
/** Adds a range to where an answer goes; false when memory is short. */
bool trib_reply_add_piece(struct trib_reply *reply, void *at, int64_t bytes);
/** The data of an answer goes to one range. */
void trib_reply_to_range(struct trib_reply *reply, void *at, int64_t bytes);
/** The request with that number, for which an answer has come; NULL, and the link broken, when there is none. */
struct trib_reply *trib_link_waiting(struct trib_link *link, int64_t request);
/** An answer is there as a whole; the failure, or NULL, becomes its own. */
void trib_link_complete(struct trib_link *link, struct trib_reply *reply, int64_t value, trib_error *failure);
/** A server complains; available: bytes of the message from the end of its block on. */
int trib_link_take_error(struct trib_link *link, char *block, uint64_t block_length, uint64_t version,
                         int64_t available);

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
int trib_send_fence(struct trib_link *link);
int trib_send_probe(struct trib_link *link, struct trib_reply *reply, int rank);
int trib_send_allocate(struct trib_link *link, struct trib_reply *reply, int64_t segment, int kind,
                       const struct trib_layout *layout);
int trib_send_free(struct trib_link *link, struct trib_reply *reply, int64_t segment);
int trib_send_goodbye(struct trib_link *link, int rank);
int trib_send_abort(struct trib_link *link, int rank, int node, const char *reason);

/* ---- send.c: the send buffer ---- */

/** Hands as much of the buffer to the kernel as it takes at once; *all: nothing is left. */
int trib_out_push(struct trib_link *link, bool *all);
/** Hands the buffer to the kernel. */
int trib_out_flush(struct trib_link *link);
/**
 * Waits until the server has what was handed over in a ring, for a bounded time; what a connection has been given needs
 * no waiting.
 */
int trib_out_drain(struct trib_link *link, int64_t timeout_ns);
/** Makes room for that many bytes; fails when the buffer is smaller. */
int trib_out_ensure(struct trib_link *link, int64_t bytes);
/** Appends payload of any size. */
int trib_out_payload(struct trib_link *link, const uint8_t *source, int64_t bytes);
/** Appends all that remains of a region. */
int trib_out_region(struct trib_link *link, struct trib_region *source);

#endif

/* How the files of the adapter share it; with the lock of the links held. See org.tributary.client.adapter. */
#ifndef TRIB_ADAPTER_H
#define TRIB_ADAPTER_H

#include "channel.h"
#include "links.h"
#include "shim.h"

/** Of memory for a message to a block, with the zeros before it. */
#define TRIB_STAGED_BYTES (TRIB_BLOCK_SLOT_BYTES + TRIB_BLOCK_WORD)

/** A segment on a node, as the adapter reaches it. */
struct trib_remote_region {
    int64_t segment;
    struct tf_remote *remote; /* NULL when it does not */
    struct trib_map offsets;  /* by rank: where its part begins, + 1 */
    int users;                /* transfers */
    bool forgotten;           /* the last of them frees it */
};

/** A put or get by the adapter, which ends when its pieces have. */
struct trib_transfer {
    bool reads;
    bool dropped; /* memory of the caller is touched no more */
    bool odd;     /* phase of its handle */
    bool whole;   /* no more pieces follow */
    bool direct;  /* the adapter uses the memory of the caller, who waits, itself */
    struct tf_region *own; /* in which that is */
    struct trib_registration *registration; /* the same; NULL when there need be none */
    int pieces;   /* under way */
    bool has_handle; /* of a get, and of a put that is waited for */
    trib_handle *handle; /* NULL, too, once its thread may be gone */
    trib_error *room;    /* for its failure: there may be no memory then; NULL once it is used */
    struct trib_target *target;
    struct trib_remote_region *region;
    int64_t part; /* where it begins in the region */
    int64_t segment;
    int rank;
    int64_t offset;
    int64_t bytes;
    trib_error *failure;
};

/** Blocks of a transfer that fit one slot, each of which is an operation of the adapter. */
struct trib_adapter_piece {
    int slot;
    int blocks;
    int begun;
    int ended;
    bool under_way;
    bool waits; /* in the queue of its target */
    bool failed;
    int64_t number;
    struct trib_transfer *transfer;
    trib_error *failure;
    struct trib_adapter_piece *next; /* in the queue */
    int64_t remote[TRIB_SLOT_BLOCKS];
    uint8_t *local[TRIB_SLOT_BLOCKS];
    int64_t places[TRIB_SLOT_BLOCKS + 1]; /* where each begins in the slot, and where the last ends */
};

/** A message to a block, in a slot of its own. */
struct trib_staged {
    struct trib_block *block; /* NULL when that is closed */
    int64_t number;
    bool under_way;
    bool waits; /* in the queue of its block */
    int count;
    int begun;
    int ended;
    struct trib_block_write writes[2];
    struct trib_staged *next; /* in the queue */
};

/** Whether the oldest piece at a node can still end. */
struct trib_piece_doubt {
    int64_t number;
    int64_t since_ns;
    int64_t asked;
    struct trib_reply *reply; /* NULL while nothing is asked */
    struct trib_region_facts facts;
    bool gone;
    bool last;
};

/** A node as the adapter sees it. */
struct trib_target {
    int node;
    struct trib_link *link;
    int64_t peer; /* -1 until it is known */
    struct trib_map regions; /* by segment: struct trib_remote_region */
    int reads;  /* pieces under way */
    int writes;
    bool reached; /* the adapter has moved something */
    bool failed;
    int64_t tried_ns; /* 0 for never */
    struct trib_adapter_piece *waiting; /* those for which the adapter had no room, oldest first */
    struct trib_piece_doubt doubt;
    struct trib_target *next;
};

/** Memory of callers that is registered. */
struct trib_registration {
    const uint8_t *begin;
    int64_t bytes;
    struct tf_region *region; /* NULL once the endpoint is closed */
    int users;                /* transfers */
    bool kept;                /* for later transfers */
    int64_t last_use;
    struct trib_registration *next;
};

/** Memory that nobody but the runtime unmaps or frees. */
struct trib_owned {
    const uint8_t *begin;
    int64_t bytes;
    struct trib_owned *next;
};

struct trib_adapter {
    struct trib_adapter_face face; /* the first: links know only this */
    const struct trib_shim *shim;
    char provider[TRIB_PROVIDER_BYTES];
    struct tf_domain *domain;
    struct tf_endpoint *endpoint;
    struct tf_region *bounce;
    struct tf_region *direct; /* memory of callers; NULL when it has to be registered or copied */
    bool registers;           /* memory of callers is registered */
    bool uses_sources;        /* atomic; whether large puts need no copy */
    int64_t key_bytes;
    struct trib_owned *owned;
    struct trib_registration *registrations; /* that are kept */
    struct trib_registration *once;          /* that are not */
    int registration_count;                  /* of those that are kept, as the next */
    int64_t registered_bytes;
    int64_t most_registered; /* bytes */
    int64_t too_much;        /* memory of so many bytes cannot be registered */
    bool has_warned;
    int64_t register_clock;    /* transfers, for which there was memory or not */
    int64_t registration_uses; /* transfers so far */
    int64_t registered;        /* registrations so far */
    uint8_t *memory; /* of the slots */
    bool orders_reads;
    bool orders_writes;
    bool is_off;
    struct trib_target *targets;
    struct trib_adapter_piece *pieces; /* one a slot */
    int free_slots[TRIB_SLOTS];
    int free_count;
    int64_t next_look_ns;
    uint8_t *staging; /* of messages to blocks, behind the slots */
    struct trib_staged staged[TRIB_CHANNEL_SLOTS];
    int unused_staged[TRIB_CHANNEL_SLOTS];
    int unused_staged_count;
    struct trib_block *blocks;
};

static inline struct trib_adapter *trib_adapter_of(const trib *job) {
    return (struct trib_adapter *) job->links->adapter;
}

/* ---- adapter_open.c ---- */

/** Opens the provider that a server names, on the interface of its connection; turns the adapter off when it cannot. */
void trib_adapter_open(trib *job, struct trib_adapter *adapter, const char *provider, const struct trib_link *link);
/** Closes the endpoint. What others may still use of the memory stays when it is abandoned. */
void trib_adapter_shut(struct trib_adapter *adapter, bool abandons);
/** What an error of libfabric means; the text is static for the thread. */
const char *trib_adapter_error(const struct trib_adapter *adapter, int64_t error);

/* ---- adapter_find.c ---- */

/**
 * The entry of a provider that a rank opens, at the interface with that address, or at any for NULL; with `anywhere`
 * also where it has no such address. NULL, and why, when there is none; otherwise the list is to be freed.
 */
const struct tf_info *trib_adapter_find(const struct trib_shim *shim, const char *provider, const char *host,
                                        bool anywhere, struct tf_info **list, char *problem, size_t bytes);

/* ---- adapter_memory.c ---- */

/** For a region: no other may have it, and nobody can guess it. */
int64_t trib_adapter_key(const struct trib_adapter *adapter);
/** For a transfer whose caller waits, until that has ended; NULL when it had better be copied. */
struct trib_registration *trib_registration_take(trib *job, const struct trib_blocks *blocks);
/** A transfer does not use it any more. */
void trib_registration_ended(struct trib_adapter *adapter, struct trib_registration *registration);
/** Before the endpoint is closed. */
void trib_registrations_close(struct trib_adapter *adapter);
/** Forgets whose memory is whose. */
void trib_registrations_free(struct trib_adapter *adapter);

/* ---- adapter_pieces.c: operations of pieces have contexts below TRIB_SLOTS ---- */

/** Begins a piece with as much of the blocks as a slot holds; there is a free one. */
void trib_pieces_begin(trib *job, struct trib_transfer *transfer, struct trib_blocks *blocks);
/** Has the adapter use the memory of the caller, who waits, itself, where that is better. */
void trib_transfer_use_memory(trib *job, struct trib_transfer *transfer, const struct trib_blocks *blocks);
/** No more pieces follow; the transfer may be gone afterwards. */
void trib_transfer_begun(trib *job, struct trib_transfer *transfer);
/** Tells who waits for it, or the next fence, of a problem. */
void trib_transfer_fail(struct trib_transfer *transfer, const char *problem);
/** Begins what had no room; a node that is never reached has until attach.timeout. */
void trib_pieces_begin_waiting(trib *job);
/** Whether an operation with that context is under way. */
bool trib_pieces_own(const struct trib_adapter *adapter, int64_t context);
/** It is complete, or has failed when there is a problem. */
void trib_pieces_ended(trib *job, int64_t context, const char *problem);
/** Whether the pieces up to a number have ended, at a node, or at all of them for -1. */
bool trib_pieces_have_ended(const struct trib_adapter *adapter, int node, int64_t number);
/** The oldest at a node, or NULL. */
const struct trib_adapter_piece *trib_pieces_oldest(const struct trib_adapter *adapter,
                                                    const struct trib_target *target);
/** The endpoint cannot be used any more: all that is under way has failed. */
void trib_pieces_fail(trib *job, const char *why);
/**
 * Memory of callers is touched no more, and their handles neither; but for what the adapter itself uses: whether there
 * is such.
 */
bool trib_pieces_let_go(trib *job);

/* ---- adapter_channels.c: operations on blocks have contexts from TRIB_SLOTS on ---- */

/** A block of which nothing has been used; NULL when memory is short. */
struct trib_block *trib_block_new(struct trib_adapter *adapter, struct tf_remote *remote, int number,
                                  int64_t copy_bytes);
/** Whether an operation with that context is under way. */
bool trib_blocks_own(const struct trib_adapter *adapter, int64_t context);
/** It is complete, or has failed when there is a problem. */
void trib_blocks_ended(trib *job, int64_t context, const char *problem);
/** Begins what had no room. */
void trib_blocks_begin_waiting(trib *job);
/** Whether all messages up to a number have been written. */
bool trib_blocks_have_ended(const struct trib_adapter *adapter, int64_t number);
/** The endpoint cannot be used any more. */
void trib_blocks_fail(trib *job, const char *why);
void trib_blocks_free(struct trib_adapter *adapter);

/* ---- adapter_targets.c ---- */

/**
 * Where the adapter reaches a rank's part; *part is -1 when messages have to. *asked: it asked the server, and gave the
 * lock away meanwhile.
 */
int trib_target_part(trib *job, struct trib_target *target, int64_t segment, int rank,
                     struct trib_remote_region **region, int64_t *part, bool *asked);
/** The node, made at first use; NULL when memory is short. */
struct trib_target *trib_target_of(struct trib_adapter *adapter, int node, struct trib_link *link);
/** Looks at the oldest piece under way, by its number; whether it will never end. */
int trib_target_doubts(trib *job, struct trib_target *target, int64_t oldest, int64_t segment, int rank,
                       int64_t now_ns, bool *hopeless);
/** Takes the answer to a doubt, if it has come. */
void trib_target_end_doubt(struct trib_target *target);
/** Opens a block that a server gives; NULL when that cannot be done. */
struct trib_block *trib_target_open_block(struct trib_link *link, const struct trib_block_facts *facts);
/** A transfer does not use it any more. */
void trib_region_unused(const struct trib_adapter *adapter, struct trib_remote_region *region);
void trib_targets_forget(struct trib_adapter *adapter, int64_t segment);
void trib_targets_free(struct trib_adapter *adapter);

#endif

/*
 * Collectives of a group, built from one primitive: a stream of chunks from one member into another's inbox. The
 * algorithms, and why no chunk is overwritten before it was consumed, are those of the package
 * org.tributary.client.collective, step by step, because members in C and in Java take part in the same collectives.
 */
#ifndef TRIB_ALGORITHMS_H
#define TRIB_ALGORITHMS_H

#include "group.h"

/* ---- hierarchy.c: members by nodes ---- */

struct trib_hierarchy {
    int size;
    int nodes;
    int local_rounds;
    bool ordered;  /* node-major order is the order of the members */
    int *node_of;  /* by member; nodes are numbered by their lowest member */
    int *first_of; /* by node: the place of its leader; for the number of nodes the size */
    int *order;    /* by place in node-major order: the member */
    int *place;    /* by member: its place */
};

int trib_hierarchy_set(struct trib_hierarchy *hierarchy, const trib_group *group, bool flat);
void trib_hierarchy_free(struct trib_hierarchy *hierarchy);

static inline int trib_leader_of(const struct trib_hierarchy *hierarchy, int node) {
    return hierarchy->order[hierarchy->first_of[node]];
}

/* ---- reduce.c ---- */

struct trib_reduction {
    int op;
    int type;
};

/** Checks that the operation is defined for the type. */
int trib_reduction_set(struct trib_reduction *reduction, int op, int type);
/** accumulator = accumulator op input, over whole elements. */
void trib_combine(const struct trib_reduction *reduction, uint8_t *accumulator, const uint8_t *input, int64_t bytes);

/* ---- signature.c: what one member calls ---- */

struct trib_signature {
    uint8_t *memory; /* where it is described */
    int64_t number;
    int64_t key; /* differs from that of any other call, but for chance */
    int64_t what;
    int64_t bytes;
    int purpose;
    int64_t of_purpose;
    int64_t closings; /* what this member has freed since its previous call; see CallLayout.java */
    int64_t subject;
};

void trib_signature_during(struct trib_signature *call, int purpose, int64_t subject);
void trib_signature_set(struct trib_signature *call, int kind, int op, int type, int root, int64_t bytes);
/** This member has freed a segment before its next call. */
void trib_signature_freed(struct trib_signature *call, int64_t segment);
/** Gives the call its number and tells the others; a call of several parts has a number for each. */
void trib_signature_begin(struct trib_signature *call, int64_t sequence);
/** This member will not complete its call: members that wait for it find that out. */
void trib_signature_give_up(struct trib_signature *call);
/** A trib_doubt whose context is a group: ends the job when members are in calls that do not match. */
int trib_signature_doubt(void *context, int from, const struct trib_enough *enough);
/** Ends the job because a rank that is waited for has left, as the last error says. */
int trib_signature_left_alone(trib_group *group, int from);

/* ---- transfers.c: streams of chunks ---- */

/** Bytes of a buffer as a stream of chunks: one piece, or two where the range wraps around the end of the buffer. */
struct trib_byte_range {
    int64_t start;
    int64_t first;
    int64_t second;
    int64_t first_chunks;
    int64_t chunks;
};

/** A buffer divided into consecutive parts: where part i begins, for i up to the number of parts. */
struct trib_partition {
    int parts;
    int64_t element_bytes; /* elements spread evenly, when blocks is NULL */
    int64_t quotient;
    int64_t remainder;
    const struct trib_hierarchy *blocks; /* or blocks of members by nodes */
    int64_t block_bytes;
};

struct trib_transfers {
    trib_group *group;
    struct trib_inbox_layout layout;
    uint8_t *own; /* inbox */
    int64_t sequence;
    int64_t key; /* the flag of chunk k is this plus k */
    int64_t base;
    int64_t next_base;
};

void trib_transfers_begin(struct trib_transfers *transfers, int64_t longest_stream);
int64_t trib_chunks_of(const struct trib_transfers *transfers, int64_t bytes);
struct trib_byte_range trib_range_of(const struct trib_transfers *transfers, int64_t start, int64_t length);
/** The parts from inclusive to to exclusive, counted modulo the number of parts; not all. */
struct trib_byte_range trib_range_of_parts(const struct trib_transfers *transfers,
                                           const struct trib_partition *partition, int from, int to);
/** Sends chunk k of a stream to a member, after waiting for its slot to be free. */
int trib_push(struct trib_transfers *transfers, int round, int to, const uint8_t *source, int64_t bytes, int64_t k);
/** Waits for chunk k of a stream; *chunk is where it lies. */
int trib_await_chunk(struct trib_transfers *transfers, int round, int from, int64_t k, const uint8_t **chunk);
/** Gives the slot of chunk k of so many back to its sender, who needs it for chunk k + 2. */
int trib_release(struct trib_transfers *transfers, int round, int from, int64_t k, int64_t chunks);
int trib_signal(struct trib_transfers *transfers, int round, int to);
int trib_await_signal(struct trib_transfers *transfers, int round, int from);
int trib_push_of_stream(struct trib_transfers *transfers, int round, int to, const uint8_t *source,
                        const struct trib_byte_range *range, int64_t k);
int trib_take(struct trib_transfers *transfers, int round, int from, uint8_t *target,
              const struct trib_byte_range *range, const struct trib_reduction *reduction, int64_t k);
int trib_send_stream(struct trib_transfers *transfers, int round, int to, const uint8_t *source,
                     const struct trib_byte_range *range);
/** Receives a whole stream, combining it with what the target holds, or replacing that without a reduction. */
int trib_receive_stream(struct trib_transfers *transfers, int round, int from, uint8_t *target,
                        const struct trib_byte_range *range, const struct trib_reduction *reduction);
/** Sends one stream while receiving another, chunk by chunk. */
int trib_exchange(struct trib_transfers *transfers, int round, int to, const struct trib_byte_range *sent, int from,
                  const struct trib_byte_range *received, uint8_t *buffer, const struct trib_reduction *reduction);

/* ---- team.c: one member's part in the algorithms over one view of the group's nodes ---- */

/** A member's place in a tree over the group, or over its node. */
struct trib_tree {
    int children[64];
    int child_rounds[64];
    int child_count;
    int parent; /* -1 at the root */
    int parent_round;
};

struct trib_scratch {
    uint8_t *bytes;
    int64_t capacity;
};

/** At least so many bytes, kept for reuse; NULL when memory is short. */
uint8_t *trib_scratch_at_least(struct trib_scratch *scratch, int64_t bytes);

struct trib_team {
    struct trib_hierarchy hierarchy;
    struct trib_transfers *transfers;
    int self;
    int node;
    bool leader;
    uint8_t *staging; /* a chunk */
};

struct trib_collectives {
    struct trib_signature call;
    struct trib_transfers transfers;
    struct trib_team nodes;
    struct trib_team members; /* each as if it were a node, where all share one */
    struct trib_scratch staging;
    struct trib_scratch vector;
    struct trib_scratch reordered;
    struct trib_latency_sample barriers;
    struct trib_latency_sample others;
    struct trib_latency_sample *timed; /* one of these two, of the call */
    int64_t latency_began_ns;
    int operation;          /* by which the call is recorded */
    int root;               /* of the present call, or -1 */
    int64_t trace_began_ns; /* 0 when it may not be recorded */
    struct trib_waits waits; /* of the present call */
    struct trib_trace_sample recorded[TRIB_TRACE_OPERATIONS]; /* of the group, while all members share a node */
};

int trib_collectives_open(trib_group *group, const struct trib_inbox_layout *layout);
void trib_collectives_free(struct trib_collectives *collectives);

void trib_tree_of_group(const struct trib_team *team, int root, struct trib_tree *tree);
void trib_tree_of_node(const struct trib_team *team, struct trib_tree *tree);
/** Returns when all members below this one have arrived here, and tells the parent so. */
int trib_tree_arrive(const struct trib_team *team, const struct trib_tree *tree);
/** Returns when the root has called this, and lets the members below go. */
int trib_tree_depart(const struct trib_team *team, const struct trib_tree *tree);
int trib_tree_reduce(const struct trib_team *team, const struct trib_tree *tree,
                     const struct trib_reduction *reduction, const uint8_t *source, uint8_t *target, int64_t bytes);
int trib_tree_broadcast(const struct trib_team *team, const struct trib_tree *tree, uint8_t *buffer, int64_t bytes);

int trib_team_barrier(const struct trib_team *team);
int trib_team_allreduce(const struct trib_team *team, const struct trib_reduction *reduction, const uint8_t *send,
                        uint8_t *receive, int64_t bytes);
int trib_team_reduce_scatter(const struct trib_team *team, const struct trib_reduction *reduction,
                             const uint8_t *send, uint8_t *receive, int64_t block_bytes, struct trib_scratch *vector,
                             struct trib_scratch *reordered);
int trib_team_allgather(const struct trib_team *team, const uint8_t *send, uint8_t *receive, int64_t block_bytes,
                        struct trib_scratch *gathered);

/* ---- leaders.c: between the leaders of nodes ---- */

int trib_leaders_reduce_scatter(const struct trib_team *team, uint8_t *buffer,
                                const struct trib_partition *partition, const struct trib_reduction *reduction);
int trib_leaders_allgather(const struct trib_team *team, uint8_t *buffer, const struct trib_partition *partition);
int trib_leaders_allreduce(const struct trib_team *team, uint8_t *buffer, int64_t bytes,
                           const struct trib_reduction *reduction);

/* ---- alltoall.c ---- */

int trib_alltoall_by_relay(struct trib_collectives *collectives, const uint8_t *send, uint8_t *receive,
                           int64_t block_bytes);
int trib_alltoall_direct(struct trib_collectives *collectives, const uint8_t *send, uint8_t *receive,
                         int64_t block_bytes);

#endif

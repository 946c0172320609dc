/*
 * Where a rank says what its blocked threads wait for: see org.tributary.wire.shm.WaitSlots. What is in the slots is
 * for people to read and decides nothing.
 */
#include "rank.h"

/** Waits of this thread, one within the other: while it waits, it asks whether its peer is still there. */
static _Thread_local int nested;

static void write_slot(trib *job, int slot, const struct trib_cause *wait) {
    uint8_t *at = trib_rank_block(&job->node, job->node.index) + TRIB_CONTROL_RANK_WAITS_OFFSET
        + (size_t) slot * TRIB_WAIT_SLOT_BYTES;
    int32_t *sequence = (int32_t *) (void *) (at + TRIB_WAIT_SEQUENCE_OFFSET);
    int32_t odd = __atomic_load_n(sequence, __ATOMIC_RELAXED) | 1; /* whatever a stray store has left */
    __atomic_store_n(sequence, odd, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE); /* a reader of a field sees an odd or later sequence before */
    *(int32_t *) (void *) (at + TRIB_WAIT_KIND_OFFSET) = wait->kind;
    *(int64_t *) (void *) (at + TRIB_WAIT_SINCE_OFFSET) = trib_now_ns();
    *(int32_t *) (void *) (at + TRIB_WAIT_PEER_OFFSET) = wait->peer;
    *(int64_t *) (void *) (at + TRIB_WAIT_SEGMENT_OFFSET) = wait->segment;
    *(int64_t *) (void *) (at + TRIB_WAIT_NUMBER_OFFSET) = wait->number;
    *(int64_t *) (void *) (at + TRIB_WAIT_COUNT_OFFSET) = job->node.waits[slot];
    /* Wraps around without being undefined; partner: the reading of NodeReader. */
    __atomic_store_n(sequence, (int32_t) ((uint32_t) odd + 1), __ATOMIC_RELEASE);
}

int trib_wait_begin(trib *job, const struct trib_cause *wait) {
    struct trib_node_memory *node = &job->node;
    unsigned taken = __atomic_load_n(&node->waits_taken, __ATOMIC_ACQUIRE);
    int slot;
    if (node->control == NULL) {
        return TRIB_WAIT_UNSEEN;
    }
    do {
        slot = __builtin_ctz(~taken);
        if (slot >= TRIB_WAIT_SLOTS) {
            return TRIB_WAIT_UNSEEN;
        }
    } while (!__atomic_compare_exchange_n(&node->waits_taken, &taken, taken | 1u << slot, false, __ATOMIC_SEQ_CST,
                                          __ATOMIC_ACQUIRE));
    node->waits[slot] += nested++ == 0;
    node->blocked[slot] = *wait;
    node->blocked_since_ns[slot] = job->trace.memory == NULL ? 0 : trib_now_ns();
    write_slot(job, slot, wait);
    return slot;
}

void trib_wait_end(trib *job, int slot) {
    if (slot != TRIB_WAIT_UNSEEN) {
        struct trib_cause none = {.kind = TRIB_WAIT_NONE, .peer = -1};
        if (job->node.blocked_since_ns[slot] != 0) {
            trib_trace_waited(job, &job->node.blocked[slot], job->node.blocked_since_ns[slot]);
        }
        write_slot(job, slot, &none);
        nested--;
        __atomic_fetch_and(&job->node.waits_taken, ~(1u << slot), __ATOMIC_SEQ_CST);
    }
}

void trib_wait_end_since(trib *job, int slot, const struct trib_cause *wait, int64_t since_ns, int64_t seen_ns) {
    if (slot != TRIB_WAIT_UNSEEN) {
        job->node.blocked_since_ns[slot] = 0;
        trib_wait_end(job, slot);
    }
    if (seen_ns == 0 || seen_ns - since_ns >= TRIB_TRACE_LEAST_SEEN_NS) {
        trib_trace_waited(job, wait, since_ns);
    }
}

void trib_wait_left(trib *job) {
    struct trib_cause left = {.kind = TRIB_WAIT_LEFT, .peer = -1};
    if (trib_wait_begin(job, &left) != TRIB_WAIT_UNSEEN) {
        nested--; /* no end follows, and no wait is within it */
    }
}

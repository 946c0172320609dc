/*
 * Where a rank says what its blocked threads wait for: see org.tributary.wire.shm.WaitSlots. What is in the slots is
 * for people to read and decides nothing.
 */
#include "rank.h"

/** A thread that has found no slot free; the first one that is given back is for it. */
struct trib_further {
    struct trib_blocked blocked;
    int slot; /* that it was given, or TRIB_WAIT_UNSEEN */
    bool is_used;
    bool counts;
};

/** Waits of this thread, one within the other: while it waits, it asks whether its peer is still there. */
static _Thread_local int nested;

static void write_slot(trib *job, int slot, const struct trib_cause *wait, int64_t since_ns) {
    uint8_t *at = trib_rank_block(&job->node, job->node.index) + TRIB_CONTROL_RANK_WAITS_OFFSET
        + (size_t) slot * TRIB_WAIT_SLOT_BYTES;
    int32_t *sequence = (int32_t *) (void *) (at + TRIB_WAIT_SEQUENCE_OFFSET);
    int32_t odd = __atomic_load_n(sequence, __ATOMIC_RELAXED) | 1; /* whatever a stray store has left */
    __atomic_store_n(sequence, odd, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE); /* a reader of a field sees an odd or later sequence before */
    *(int32_t *) (void *) (at + TRIB_WAIT_KIND_OFFSET) = wait->kind;
    *(int64_t *) (void *) (at + TRIB_WAIT_SINCE_OFFSET) = since_ns;
    *(int32_t *) (void *) (at + TRIB_WAIT_PEER_OFFSET) = wait->peer;
    *(int64_t *) (void *) (at + TRIB_WAIT_SEGMENT_OFFSET) = wait->segment;
    *(int64_t *) (void *) (at + TRIB_WAIT_NUMBER_OFFSET) = wait->number;
    *(int64_t *) (void *) (at + TRIB_WAIT_COUNT_OFFSET) = job->node.waits[slot];
    /* Wraps around without being undefined; partner: the reading of NodeView. */
    __atomic_store_n(sequence, (int32_t) ((uint32_t) odd + 1), __ATOMIC_RELEASE);
}

static int take(struct trib_node_memory *node) {
    unsigned taken = __atomic_load_n(&node->waits_taken, __ATOMIC_SEQ_CST); /* after a store to hidden, too */
    int slot;
    do {
        slot = __builtin_ctz(~taken);
        if (slot >= TRIB_WAIT_SLOTS) {
            return TRIB_WAIT_UNSEEN;
        }
    } while (!__atomic_compare_exchange_n(&node->waits_taken, &taken, taken | 1u << slot, false, __ATOMIC_SEQ_CST,
                                          __ATOMIC_SEQ_CST));
    return slot;
}

static void show(trib *job, int slot, const struct trib_blocked *blocked, bool counts) {
    job->node.waits[slot] += counts;
    write_slot(job, slot, &blocked->wait, blocked->since_ns);
}

/** Shows further threads, those first that have waited longest. Call with the lock held. */
static void give_slots(trib *job) {
    struct trib_node_memory *node = &job->node;
    while (node->hidden > 0) {
        struct trib_further *longest = NULL;
        int slot = take(node);
        if (slot == TRIB_WAIT_UNSEEN) {
            return;
        }
        for (int i = 0; i < node->further_room; i++) {
            struct trib_further *further = &node->further[i];
            if (further->is_used && further->slot == TRIB_WAIT_UNSEEN
                && (longest == NULL || further->blocked.since_ns < longest->blocked.since_ns)) {
                longest = further;
            }
        }
        longest->slot = slot;
        __atomic_fetch_sub(&node->hidden, 1, __ATOMIC_SEQ_CST);
        show(job, slot, &longest->blocked, longest->counts);
    }
}

/** The place of an entry that is free; below 0 without memory. Call with the lock held. */
static int further_entry(struct trib_node_memory *node) {
    int place = 0;
    while (place < node->further_room && node->further[place].is_used) {
        place++;
    }
    if (place == node->further_room) {
        int room = 2 * place + TRIB_WAIT_SLOTS;
        struct trib_further *more = realloc(node->further, (size_t) room * sizeof *more);
        if (more == NULL) {
            return -1;
        }
        memset(more + place, 0, (size_t) (room - place) * sizeof *more);
        node->further = more;
        node->further_room = room;
    }
    return place;
}

static int begin_without_slot(trib *job, const struct trib_blocked *blocked) {
    struct trib_node_memory *node = &job->node;
    pthread_mutex_lock(&node->further_lock);
    int place = further_entry(node);
    if (place >= 0) {
        node->further[place] = (struct trib_further) {
            .blocked = *blocked, .slot = TRIB_WAIT_UNSEEN, .is_used = true, .counts = nested++ == 0
        };
        /* Partner: give_back; one of the two sees what the other has done. */
        __atomic_fetch_add(&node->hidden, 1, __ATOMIC_SEQ_CST);
        give_slots(job);
    }
    pthread_mutex_unlock(&node->further_lock);
    return place < 0 ? TRIB_WAIT_UNSEEN : TRIB_WAIT_SLOTS + place;
}

int trib_wait_begin(trib *job, const struct trib_cause *wait) {
    struct trib_node_memory *node = &job->node;
    struct trib_blocked blocked = {.wait = *wait, .since_ns = trib_now_ns()};
    if (node->control == NULL) {
        return TRIB_WAIT_UNSEEN;
    }
    int slot = take(node);
    if (slot == TRIB_WAIT_UNSEEN) {
        return begin_without_slot(job, &blocked);
    }
    node->blocked[slot] = blocked;
    show(job, slot, &blocked, nested++ == 0);
    return slot;
}

static void give_back(trib *job, int slot) {
    struct trib_node_memory *node = &job->node;
    struct trib_cause none = {.kind = TRIB_WAIT_NONE, .peer = -1};
    write_slot(job, slot, &none, trib_now_ns());
    __atomic_fetch_and(&node->waits_taken, ~(1u << slot), __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&node->hidden, __ATOMIC_SEQ_CST) > 0) { /* partner: begin_without_slot */
        pthread_mutex_lock(&node->further_lock);
        give_slots(job);
        pthread_mutex_unlock(&node->further_lock);
    }
}

/** Returns what it was blocked for, and in slot where that was shown. */
static struct trib_blocked end_further(trib *job, int place, int *slot) {
    struct trib_node_memory *node = &job->node;
    pthread_mutex_lock(&node->further_lock);
    struct trib_further *further = &node->further[place - TRIB_WAIT_SLOTS];
    struct trib_blocked blocked = further->blocked;
    *slot = further->slot;
    further->is_used = false;
    if (*slot == TRIB_WAIT_UNSEEN) {
        uint8_t *hidden = trib_rank_block(node, node->index) + TRIB_CONTROL_RANK_WAITS_OFFSET
            + TRIB_WAIT_HIDDEN_OFFSET;
        __atomic_fetch_sub(&node->hidden, 1, __ATOMIC_SEQ_CST);
        node->hidden_waits += further->counts;
        __atomic_store_n((int64_t *) (void *) hidden, node->hidden_waits, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&node->further_lock);
    return blocked;
}

static void end(trib *job, int place, bool is_recorded) {
    if (place != TRIB_WAIT_UNSEEN) {
        int slot = place;
        struct trib_blocked blocked = place < TRIB_WAIT_SLOTS ? job->node.blocked[place]
            : end_further(job, place, &slot);
        if (is_recorded) {
            trib_trace_waited(job, &blocked.wait, blocked.since_ns);
        }
        nested--;
        if (slot != TRIB_WAIT_UNSEEN) {
            give_back(job, slot);
        }
    }
}

void trib_wait_end(trib *job, int place) {
    end(job, place, true);
}

void trib_wait_end_since(trib *job, int place, const struct trib_cause *wait, int64_t since_ns, int64_t seen_ns) {
    end(job, place, false);
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

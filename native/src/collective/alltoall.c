/* Exchange of one block between every two members, without regard to nodes; see AllToAll of the Java client. */
#include "algorithms.h"

static int modulo(int64_t value, int n) {
    int64_t rest = value % n;
    return (int) (rest < 0 ? rest + n : rest);
}

static void copy(uint8_t *target, const uint8_t *source, int64_t bytes) {
    if (bytes > 0) {
        memcpy(target, source, (size_t) bytes);
    }
}

/** The next higher index with a bit. */
static int next(int index, int bit) {
    return (index + 1) | bit;
}

/** One round: passes on the blocks whose remaining way has that bit. */
static int relay(struct trib_collectives *collectives, uint8_t *path, uint8_t *parcel, int64_t half, int bit,
                 int round, int64_t block_bytes) {
    struct trib_transfers *transfers = &collectives->transfers;
    int size = collectives->nodes.hierarchy.size;
    int self = collectives->nodes.self;
    int64_t bytes = 0;
    for (int i = bit; i < size; i = next(i, bit)) {
        copy(parcel + bytes, path + i * block_bytes, block_bytes);
        bytes += block_bytes;
    }
    struct trib_byte_range sent = trib_range_of(transfers, 0, bytes);
    struct trib_byte_range received = trib_range_of(transfers, half, bytes);
    TRIB_TRY(trib_exchange(transfers, round, (int) (((int64_t) self + bit) % size), &sent,
                           modulo((int64_t) self - bit, size), &received, parcel, NULL));
    int64_t from = half;
    for (int i = bit; i < size; i = next(i, bit)) {
        copy(path + i * block_bytes, parcel + from, block_bytes);
        from += block_bytes;
    }
    return TRIB_OK;
}

int trib_alltoall_by_relay(struct trib_collectives *collectives, const uint8_t *send, uint8_t *receive,
                           int64_t block_bytes) {
    int size = collectives->nodes.hierarchy.size;
    int self = collectives->nodes.self;
    /* At most so many indices below the size have a given bit. */
    int64_t half = ((int64_t) size + 1) / 2 * block_bytes;
    trib_transfers_begin(&collectives->transfers, size * block_bytes); /* also of a call that fails */
    uint8_t *path = trib_scratch_at_least(&collectives->vector, size * block_bytes);
    uint8_t *parcel = trib_scratch_at_least(&collectives->reordered, 2 * half);
    if (path == NULL || parcel == NULL) {
        return TRIB_NO_MEMORY;
    }
    int64_t first = (size - self) * block_bytes;
    copy(path, send + self * block_bytes, first); /* block i has i members to go */
    copy(path + first, send, self * block_bytes);
    int round = 0;
    for (int64_t bit = 1; bit < size; bit *= 2) {
        TRIB_TRY(relay(collectives, path, parcel, half, (int) bit, round++, block_bytes));
    }
    for (int i = 0; i < size; i++) {
        copy(receive + modulo((int64_t) self - i, size) * block_bytes, path + i * block_bytes, block_bytes);
    }
    return TRIB_OK;
}

/** Chunks for all members of these steps are on their way before any is waited for. */
static int exchange_all(struct trib_collectives *collectives, int first_step, int end_step, const uint8_t *send,
                        uint8_t *receive, int64_t block_bytes) {
    struct trib_transfers *transfers = &collectives->transfers;
    const struct trib_hierarchy *hierarchy = &collectives->nodes.hierarchy;
    int self = collectives->nodes.self;
    int round = hierarchy->local_rounds + trib_log2(hierarchy->nodes) - first_step;
    int64_t chunks = trib_chunks_of(transfers, block_bytes);
    for (int64_t k = 0; k < chunks; k++) {
        for (int step = first_step; step < end_step; step++) {
            int to = (int) (((int64_t) self + step) % hierarchy->size);
            struct trib_byte_range sent = trib_range_of(transfers, to * block_bytes, block_bytes);
            TRIB_TRY(trib_push_of_stream(transfers, round + step, to, send, &sent, k));
        }
        for (int step = first_step; step < end_step; step++) {
            int from = modulo((int64_t) self - step, hierarchy->size);
            struct trib_byte_range received = trib_range_of(transfers, from * block_bytes, block_bytes);
            TRIB_TRY(trib_take(transfers, round + step, from, receive, &received, NULL, k));
        }
    }
    return TRIB_OK;
}

int trib_alltoall_direct(struct trib_collectives *collectives, const uint8_t *send, uint8_t *receive,
                         int64_t block_bytes) {
    struct trib_transfers *transfers = &collectives->transfers;
    const struct trib_hierarchy *hierarchy = &collectives->nodes.hierarchy;
    int size = hierarchy->size;
    int64_t own = collectives->nodes.self * block_bytes;
    copy(receive + own, send + own, block_bytes);
    int steps_at_once = transfers->layout.rounds - hierarchy->local_rounds - trib_log2(hierarchy->nodes);
    for (int first = 1; first < size; first += steps_at_once) {
        int end = size - first < steps_at_once ? size : first + steps_at_once;
        trib_transfers_begin(transfers, block_bytes);
        TRIB_TRY(exchange_all(collectives, first, end, send, receive, block_bytes));
        if (size - 1 > steps_at_once) { /* otherwise everyone hears from everyone, which synchronizes by itself */
            TRIB_TRY(trib_team_barrier(&collectives->nodes));
        }
    }
    return TRIB_OK;
}

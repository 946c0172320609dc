#include "layout.h"

#define LINE TRIB_COLLECTIVE_LINE
#define PARITIES TRIB_COLLECTIVE_PARITIES
#define BUFFERS TRIB_COLLECTIVE_BUFFERS

int trib_log2(int n) {
    return n <= 1 ? 0 : 32 - __builtin_clz((unsigned) n - 1);
}

void trib_inbox_layout_set(struct trib_inbox_layout *layout, int group_size, int64_t chunk_bytes) {
    int rounds = 3 * trib_log2(group_size) - 1;
    layout->rounds = rounds < 1 ? 1 : rounds;
    layout->chunk_bytes = (chunk_bytes + LINE - 1) / LINE * LINE;
}

int64_t trib_inbox_flag_offset(const struct trib_inbox_layout *layout, int round, int64_t sequence, int64_t chunk) {
    int64_t slot = ((int64_t) round * PARITIES + (sequence & 1)) * BUFFERS + (chunk & 1);
    return slot * (LINE + layout->chunk_bytes);
}

int64_t trib_inbox_chunk_offset(const struct trib_inbox_layout *layout, int round, int64_t sequence, int64_t chunk) {
    return trib_inbox_flag_offset(layout, round, sequence, chunk) + LINE;
}

int64_t trib_inbox_ack_offset(const struct trib_inbox_layout *layout, int round, int64_t sequence) {
    return (int64_t) layout->rounds * PARITIES * BUFFERS * (LINE + layout->chunk_bytes)
        + ((int64_t) round * PARITIES + (sequence & 1)) * LINE;
}

int64_t trib_inbox_call_offset(const struct trib_inbox_layout *layout) {
    return (int64_t) layout->rounds * PARITIES * (BUFFERS * (LINE + layout->chunk_bytes) + LINE);
}

int64_t trib_inbox_bytes(const struct trib_inbox_layout *layout) {
    return trib_inbox_call_offset(layout) + TRIB_CALL_BYTES;
}

int trib_notify_slots(int capacity) {
    unsigned least = capacity < 2 ? 2 : 2 * (unsigned) capacity - 1;
    if (least < 2) {
        least = 2;
    }
    return (int) (2u << (31 - __builtin_clz(least)));
}

int trib_notify_hash(int source, int slots) {
    uint32_t mixed = (uint32_t) source * (uint32_t) TRIB_NOTIFY_HASH_FACTOR;
    return (int) ((mixed ^ mixed >> TRIB_NOTIFY_HASH_SHIFT) & (uint32_t) (slots - 1));
}

int trib_lock_of(int64_t segment, int64_t file_offset) {
    uint64_t mixed = ((uint64_t) segment * (uint64_t) TRIB_LOCK_SEGMENT_FACTOR >> TRIB_LOCK_SEGMENT_SHIFT)
        + (uint64_t) file_offset / TRIB_STRIPE_BYTES;
    return (int) (mixed & (TRIB_LOCKS - 1));
}

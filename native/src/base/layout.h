/*
 * Places and sizes in shared memory, and limits of messages (docs/protocol.md explains them). Numbers and codecs are
 * generated from the Java side's; a test holds the functions against Java.
 */
#ifndef TRIB_LAYOUT_H
#define TRIB_LAYOUT_H

#include <stdint.h>

#include "shared/client.h"
#include "shared/layout.h"
#include "shared/options.h"

/* CollectiveLayout: offsets in an inbox for a group of that many members and chunks of that many bytes */
struct trib_inbox_layout {
    int rounds;
    int64_t chunk_bytes;
};

void trib_inbox_layout_set(struct trib_inbox_layout *layout, int group_size, int64_t chunk_bytes);
int64_t trib_inbox_flag_offset(const struct trib_inbox_layout *layout, int round, int64_t sequence, int64_t chunk);
int64_t trib_inbox_chunk_offset(const struct trib_inbox_layout *layout, int round, int64_t sequence, int64_t chunk);
int64_t trib_inbox_ack_offset(const struct trib_inbox_layout *layout, int round, int64_t sequence);
/** Where the owner describes its call, in so many bytes. */
int64_t trib_inbox_call_offset(const struct trib_inbox_layout *layout);
int64_t trib_inbox_bytes(const struct trib_inbox_layout *layout);

/** Slots of a notification table for so many sources. */
int trib_notify_slots(int capacity);
/** First slot to try for a source. */
int trib_notify_hash(int source, int slots);
/** Number of the lock of a byte of a segment file. */
int trib_lock_of(int64_t segment, int64_t file_offset);
/** The least r with 2^r >= n. */
int trib_log2(int n);

#endif

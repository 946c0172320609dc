/*
 * Places and sizes in shared memory, and limits of messages: the same numbers as in org.tributary.wire and its package
 * shm, against which a test holds them (docs/protocol.md explains them). What messages look like is generated.
 */
#ifndef TRIB_LAYOUT_H
#define TRIB_LAYOUT_H

#include <stdint.h>

/* Frames */
#define TRIB_FRAME_LENGTH_BYTES 4
#define TRIB_FRAME_HEADER_BYTES 12
#define TRIB_FRAME_FLAG_ACK 1
#define TRIB_VECTOR_ENTRY_BYTES 12
#define TRIB_TOKEN_BYTES 32
#define TRIB_JOB_ID_BYTES 32
#define TRIB_MIN_SECRET_BYTES 16
#define TRIB_MAX_FORWARDED_OVERHEAD 1024
#define TRIB_NO_RANK -1

/* ControlFile */
#define TRIB_CONTROL_MAGIC 0x5942525455424952LL
#define TRIB_CONTROL_VERSION 2
#define TRIB_CONTROL_VERSION_OFFSET 8
#define TRIB_CONTROL_LOCAL_RANKS_OFFSET 12
#define TRIB_CONTROL_NODE_OFFSET 16
#define TRIB_CONTROL_NOTIFY_CAPACITY_OFFSET 20
#define TRIB_CONTROL_SERVER_PID_OFFSET 24
#define TRIB_MAX_NOTIFY_CAPACITY (1 << 24)
#define TRIB_CONTROL_LOCKS_OFFSET 512
#define TRIB_CONTROL_RANK_BLOCKS_OFFSET 66048
#define TRIB_RANK_STATE_OFFSET 64
#define TRIB_RANK_PID_OFFSET 72
#define TRIB_RANK_NOTIFY_OFFSET 128

/* Doorbell */
#define TRIB_BELL_OFFSET 0
#define TRIB_SLEEPERS_OFFSET 4

/* RingFile, RequestRing, ServerBell */
#define TRIB_RINGS_MAGIC 0x474E495255424952LL
#define TRIB_RINGS_VERSION 1
#define TRIB_RINGS_VERSION_OFFSET 8
#define TRIB_RINGS_LOCAL_RANKS_OFFSET 12
#define TRIB_RINGS_RING_BYTES_OFFSET 16
#define TRIB_SERVER_BELL_OFFSET 128
#define TRIB_SERVER_ASLEEP_OFFSET 132
#define TRIB_RINGS_OFFSET 256
#define TRIB_RING_TAIL_OFFSET 0
#define TRIB_RING_HEAD_OFFSET 128
#define TRIB_RING_DATA_OFFSET 256

/* NotifyTable */
#define TRIB_NOTIFY_ENTRY_BYTES 16
#define TRIB_NOTIFY_COUNT_OFFSET 8

/* AccumulateLocks */
#define TRIB_LOCKS 1024
#define TRIB_LOCK_BYTES 64
#define TRIB_STRIPE_BYTES 16384
#define TRIB_SERVER_TOKEN 0x7FFFFFFF

/* MutexWord */
#define TRIB_MUTEX_STRIDE 64
#define TRIB_MUTEX_CONTENDED INT64_MIN

/* SegmentLayout */
#define TRIB_PART_ALIGNMENT 4096
#define TRIB_SEGMENT_DATA 0
#define TRIB_SEGMENT_MUTEXES 1
#define TRIB_WORLD_SEGMENT 0

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
#define TRIB_CALL_BYTES 128
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

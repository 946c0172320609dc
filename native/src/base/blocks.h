/*
 * What a put or get moves, block by block: contiguous bytes, a shape, or ranges. See Blocks of
 * org.tributary.client.adapter.
 */
#ifndef TRIB_BLOCKS_H
#define TRIB_BLOCKS_H

#include "tributary.h"

struct trib_blocks {
    const trib_shape *shape;  /* or NULL */
    const trib_range *ranges; /* or NULL */
    size_t count;             /* of ranges */
    int64_t bytes;            /* of all blocks */
    int64_t first;            /* where the first is in the target's part */
    int64_t index[TRIB_MAX_LEVELS];
    size_t range;
    int64_t remote; /* where the rest begins in the target's part, */
    uint8_t *local; /* and in the memory of the caller; only read by puts */
    int64_t left;   /* of the block that comes next */
};

void trib_blocks_range(struct trib_blocks *blocks, int64_t offset, uint8_t *local, int64_t bytes);
void trib_blocks_shape(struct trib_blocks *blocks, int64_t offset, uint8_t *local, const trib_shape *shape);
void trib_blocks_ranges(struct trib_blocks *blocks, const trib_range *ranges, size_t count);
/** Bytes of a block; of ranges the mean. 0 when there is nothing to move. */
int64_t trib_blocks_each(const struct trib_blocks *blocks);
/** Whether they are contiguous: one block. */
static inline bool trib_blocks_is_one(const struct trib_blocks *blocks) {
    return blocks->shape == NULL && blocks->ranges == NULL;
}

/** Goes on behind the next bytes of a block, at most so many; returns how many these are. */
int64_t trib_blocks_take(struct trib_blocks *blocks, int64_t most);
/** Where the first byte of them all is in the memory of the caller, and behind the last; before any is taken. */
void trib_blocks_extent(const struct trib_blocks *blocks, uint8_t **low, uint8_t **high);
/**
 * Whether no two blocks share a byte where they are written: then their order does not matter. False also when that
 * cannot be told at once.
 *
 * remotely: in the target's part; otherwise in the memory of the caller
 */
bool trib_blocks_are_apart(const struct trib_blocks *blocks, bool remotely);

#endif

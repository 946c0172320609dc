/*
 * A strided region of memory, walked as one stream of bytes that can stop and go on anywhere; see
 * org.tributary.wire.shape.StridedRegion. Reusable: beginning anew allocates nothing.
 */
#ifndef TRIB_REGION_H
#define TRIB_REGION_H

#include "tributary.h"

#include <stdint.h>

struct trib_region {
    uint8_t *block; /* where the current block begins */
    int64_t within; /* bytes of it that are done */
    int64_t block_bytes;
    int64_t remaining;
    int levels;
    int64_t count[TRIB_MAX_LEVELS];
    int64_t stride[TRIB_MAX_LEVELS];
    int64_t index[TRIB_MAX_LEVELS];
};

/** One contiguous range. */
static inline void trib_region_begin(struct trib_region *region, void *base, int64_t bytes) {
    region->block = base;
    region->within = 0;
    region->block_bytes = bytes;
    region->remaining = bytes;
    region->levels = 0;
}

/** The first levels of a checked shape, with strides[] of one of its sides. */
void trib_region_shape(struct trib_region *region, void *base, const trib_shape *shape, const int64_t *strides,
                       int levels);

static inline uint8_t *trib_region_at(const struct trib_region *region) {
    return region->block + region->within;
}

/** Bytes that lie contiguously from here on. */
static inline int64_t trib_region_contiguous(const struct trib_region *region) {
    return region->remaining == 0 ? 0 : region->block_bytes - region->within;
}

void trib_region_next_block(struct trib_region *region);

/** Moves on by at most the contiguous bytes. */
static inline void trib_region_advance(struct trib_region *region, int64_t bytes) {
    region->within += bytes;
    region->remaining -= bytes;
    if (region->within == region->block_bytes && region->remaining > 0) {
        trib_region_next_block(region);
    }
}

/** Copies the next bytes of the region from a packed buffer. */
void trib_region_scatter(struct trib_region *region, const uint8_t *packed, int64_t bytes);
/** Copies the next bytes of the region into a packed buffer. */
void trib_region_gather(struct trib_region *region, uint8_t *packed, int64_t bytes);
/** Copies all of another region of the same size into this one. */
void trib_region_copy(struct trib_region *target, struct trib_region *source);

/** Bytes of the first levels of a checked shape. */
int64_t trib_shape_bytes(const trib_shape *shape, int levels);
/**
 * Checks a shape that begins at an offset of a part; *low to *high, not included, is what it touches there.
 * Returns false when the shape itself is wrong.
 */
bool trib_shape_check(const trib_shape *shape, int64_t offset, int64_t *bytes, int64_t *low, int64_t *high);

#endif

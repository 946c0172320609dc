#include "region.h"

#include <string.h>

void trib_region_shape(struct trib_region *region, void *base, const trib_shape *shape, const int64_t *strides,
                       int levels) {
    trib_region_begin(region, base, (int64_t) shape->block_bytes);
    for (int level = 0; level < levels; level++) {
        int64_t count = shape->count[level];
        int64_t stride = strides[level];
        region->remaining *= count;
        if (region->levels == 0 && stride == region->block_bytes && count > 0) {
            region->block_bytes *= count; /* only continues the block */
        } else if (count != 1) {
            region->count[region->levels] = count;
            region->stride[region->levels] = stride;
            region->index[region->levels] = 0;
            region->levels++;
        }
    }
}

void trib_region_next_block(struct trib_region *region) {
    region->within = 0;
    for (int level = 0; level < region->levels; level++) {
        region->block += region->stride[level];
        if (++region->index[level] < region->count[level]) {
            return;
        }
        region->block -= region->stride[level] * region->count[level];
        region->index[level] = 0;
    }
}

void trib_region_scatter(struct trib_region *region, const uint8_t *packed, int64_t bytes) {
    while (bytes > 0) {
        int64_t piece = trib_region_contiguous(region);
        piece = piece < bytes ? piece : bytes;
        memcpy(trib_region_at(region), packed, (size_t) piece);
        trib_region_advance(region, piece);
        packed += piece;
        bytes -= piece;
    }
}

void trib_region_gather(struct trib_region *region, uint8_t *packed, int64_t bytes) {
    while (bytes > 0) {
        int64_t piece = trib_region_contiguous(region);
        piece = piece < bytes ? piece : bytes;
        memcpy(packed, trib_region_at(region), (size_t) piece);
        trib_region_advance(region, piece);
        packed += piece;
        bytes -= piece;
    }
}

void trib_region_copy(struct trib_region *target, struct trib_region *source) {
    while (target->remaining > 0) {
        int64_t there = trib_region_contiguous(target);
        int64_t here = trib_region_contiguous(source);
        int64_t piece = there < here ? there : here;
        memmove(trib_region_at(target), trib_region_at(source), (size_t) piece);
        trib_region_advance(target, piece);
        trib_region_advance(source, piece);
    }
}

int64_t trib_shape_bytes(const trib_shape *shape, int levels) {
    int64_t bytes = (int64_t) shape->block_bytes;
    for (int level = 0; level < levels; level++) {
        bytes *= shape->count[level];
    }
    return bytes;
}

/** Widens [low, high) by where the first and the last of a level's blocks lie. */
static bool widen(int64_t stride, int64_t count, int64_t *low, int64_t *high) {
    int64_t span;
    if (__builtin_mul_overflow(stride, count - 1, &span)) {
        return false;
    }
    return span < 0 ? !__builtin_add_overflow(*low, span, low) : !__builtin_add_overflow(*high, span, high);
}

bool trib_shape_check(const trib_shape *shape, int64_t offset, int64_t *bytes, int64_t *low, int64_t *high) {
    if (shape->block_bytes > INT64_MAX || shape->levels < 0 || shape->levels > TRIB_MAX_LEVELS) {
        return false;
    }
    int64_t total = (int64_t) shape->block_bytes;
    int64_t local_low = 0;
    int64_t local_high = 0;
    *low = offset;
    bool fits = !__builtin_add_overflow(offset, total, high);
    bool empty = total == 0;
    for (int level = 0; level < shape->levels; level++) {
        int64_t count = shape->count[level];
        if (count < 0) {
            return false;
        }
        empty |= count == 0;
        if (count > 0) {
            fits &= !__builtin_mul_overflow(total, count, &total);
            fits &= widen(shape->remote_stride[level], count, low, high);
            fits &= widen(shape->local_stride[level], count, &local_low, &local_high);
        }
    }
    *bytes = empty ? 0 : total;
    return fits || empty;
}

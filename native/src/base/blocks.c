#include "blocks.h"

#include <stdlib.h>

static int64_t block_bytes(const struct trib_blocks *blocks) {
    return (int64_t) blocks->shape->block_bytes;
}

static void next_of_shape(struct trib_blocks *blocks) {
    const trib_shape *shape = blocks->shape;
    blocks->remote -= block_bytes(blocks);
    blocks->local -= block_bytes(blocks);
    for (int level = 0; level < shape->levels && blocks->left == 0; level++) {
        bool last = ++blocks->index[level] == shape->count[level];
        int64_t steps = last ? 1 - shape->count[level] : 1;
        blocks->remote += steps * shape->remote_stride[level];
        blocks->local += steps * shape->local_stride[level];
        if (last) {
            blocks->index[level] = 0;
        } else {
            blocks->left = block_bytes(blocks);
        }
    }
}

/** From the range that is next. */
static void next_of_ranges(struct trib_blocks *blocks) {
    while (blocks->left == 0 && blocks->range < blocks->count) {
        const trib_range *range = &blocks->ranges[blocks->range++];
        blocks->remote = (int64_t) range->offset;
        blocks->local = range->local;
        blocks->left = (int64_t) range->bytes;
    }
}

void trib_blocks_range(struct trib_blocks *blocks, int64_t offset, uint8_t *local, int64_t bytes) {
    *blocks = (struct trib_blocks) {.bytes = bytes, .first = offset, .remote = offset, .local = local, .left = bytes};
}

void trib_blocks_shape(struct trib_blocks *blocks, int64_t offset, uint8_t *local, const trib_shape *shape) {
    trib_blocks_range(blocks, offset, local, 0);
    blocks->shape = shape;
    blocks->bytes = block_bytes(blocks);
    for (int level = 0; level < shape->levels; level++) {
        blocks->bytes *= shape->count[level];
    }
    blocks->left = blocks->bytes == 0 ? 0 : block_bytes(blocks);
}

void trib_blocks_ranges(struct trib_blocks *blocks, const trib_range *ranges, size_t count) {
    trib_blocks_range(blocks, 0, NULL, 0);
    blocks->ranges = ranges;
    blocks->count = count;
    for (size_t i = 0; i < count; i++) {
        blocks->bytes += (int64_t) ranges[i].bytes;
    }
    next_of_ranges(blocks);
    blocks->first = blocks->remote;
}

int64_t trib_blocks_each(const struct trib_blocks *blocks) {
    return blocks->bytes == 0 ? 0 : blocks->shape != NULL ? block_bytes(blocks)
        : blocks->ranges != NULL ? blocks->bytes / (int64_t) blocks->count : blocks->bytes;
}

int64_t trib_blocks_take(struct trib_blocks *blocks, int64_t most) {
    int64_t taken = blocks->left < most ? blocks->left : most;
    blocks->remote += taken;
    blocks->local += taken;
    blocks->left -= taken;
    if (blocks->left == 0 && blocks->shape != NULL) {
        next_of_shape(blocks);
    } else if (blocks->left == 0 && blocks->ranges != NULL) {
        next_of_ranges(blocks);
    }
    return taken;
}

void trib_blocks_extent(const struct trib_blocks *blocks, uint8_t **low, uint8_t **high) {
    *low = blocks->local;
    *high = blocks->local + blocks->left;
    for (int level = 0; blocks->shape != NULL && level < blocks->shape->levels; level++) {
        int64_t reach = blocks->shape->local_stride[level] * (blocks->shape->count[level] - 1);
        *low += reach < 0 ? reach : 0;
        *high += reach > 0 ? reach : 0;
    }
    for (size_t i = blocks->range; blocks->ranges != NULL && i < blocks->count; i++) {
        uint8_t *begin = blocks->ranges[i].local;
        uint8_t *end = begin + blocks->ranges[i].bytes;
        *low = end > begin && begin < *low ? begin : *low;
        *high = end > begin && end > *high ? end : *high;
    }
}

static bool is_shape_apart(const trib_shape *shape, bool remotely) {
    int64_t extent = (int64_t) shape->block_bytes;
    for (int level = 0; level < shape->levels; level++) {
        int64_t stride = llabs(remotely ? shape->remote_stride[level] : shape->local_stride[level]);
        int64_t steps = shape->count[level] - 1;
        if (steps > 0 && stride < extent) {
            return false;
        }
        extent += steps > 0 ? steps * stride : 0;
    }
    return true;
}

bool trib_blocks_are_apart(const struct trib_blocks *blocks, bool remotely) {
    if (blocks->shape != NULL) {
        return is_shape_apart(blocks->shape, remotely);
    }
    uintptr_t end = 0;
    for (size_t i = 0; blocks->ranges != NULL && i < blocks->count; i++) {
        uintptr_t begin = remotely ? blocks->ranges[i].offset : (uintptr_t) blocks->ranges[i].local;
        if (blocks->ranges[i].bytes > 0 && begin < end) {
            return false;
        }
        end = blocks->ranges[i].bytes > 0 ? begin + blocks->ranges[i].bytes : end;
    }
    return true;
}

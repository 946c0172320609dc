#include "check.h"

int trib_bad_range(const trib_memory *memory, int rank, int64_t offset, int64_t bytes) {
    int64_t limit = trib_memory_part_bytes(memory, rank);
    return limit < 0 ? trib_fail_at(TRIB_INVALID_ADDRESS, "rank has no part of this memory", rank, memory->id, offset,
                                    bytes, memory->job->place.topology.rank_count)
        : trib_fail_at(TRIB_INVALID_ADDRESS, "outside the part", rank, memory->id, offset, bytes, limit);
}

int trib_bad_word(const trib_memory *memory, int rank, int64_t offset, int width) {
    return trib_fail_at(TRIB_INVALID_ADDRESS, "not aligned", rank, memory->id, offset, width, width);
}

int trib_check_handle(const trib_memory *memory, const trib_handle *handle) {
    return handle->job == memory->job ? TRIB_OK
        : trib_fail(TRIB_INVALID_ARGUMENT, "the handle was not initialized for this job");
}

int trib_check_shape(const trib_memory *memory, int rank, size_t offset, const trib_shape *shape, int64_t *bytes,
                     const struct trib_part **part) {
    int64_t low;
    int64_t high;
    if (!trib_shape_check(shape, (int64_t) offset, bytes, &low, &high)) {
        return trib_fail(TRIB_INVALID_ARGUMENT, "strided shape with a block of %zu bytes and %d levels, the first of"
                         " %lld blocks: 0 to %d levels, no negative counts, and no more bytes than can be counted",
                         shape->block_bytes, shape->levels,
                         (long long) (shape->levels > 0 && shape->levels <= TRIB_MAX_LEVELS ? shape->count[0] : 0),
                         TRIB_MAX_LEVELS);
    }
    if (*bytes == 0) {
        return trib_check_range(memory, rank, 0, 0, part);
    }
    if (low < 0) {
        return trib_bad_range(memory, rank, low, high - low);
    }
    return trib_check_range(memory, rank, (size_t) low, (size_t) (high - low), part);
}

/* Put, get and accumulate: in place on the node, by requests elsewhere. */
#include "accumulate.h"
#include "check.h"
#include "remote.h"

/* ---- sources that overlap their targets, in memory of this node: they are copied first ---- */

/** Where everything of one side lies. */
struct extent {
    uintptr_t low;
    uintptr_t high; /* not included */
};

static struct extent extent_of(const void *base, size_t bytes) {
    return (struct extent) {.low = (uintptr_t) base, .high = (uintptr_t) base + bytes};
}

/** Of one side of a checked shape that is not empty. */
static struct extent extent_of_shape(const void *base, const trib_shape *shape, const int64_t *strides) {
    struct extent extent = extent_of(base, shape->block_bytes);
    for (int level = 0; level < shape->levels; level++) {
        int64_t span = strides[level] * (shape->count[level] - 1);
        extent.low += span < 0 ? (uintptr_t) span : 0;
        extent.high += span > 0 ? (uintptr_t) span : 0;
    }
    return extent;
}

static bool overlap(struct extent one, struct extent other) {
    return trib_unlikely(one.low < other.high && other.low < one.high);
}

static void widen(struct extent *extent, struct extent by) {
    extent->low = by.low < extent->low ? by.low : extent->low;
    extent->high = by.high > extent->high ? by.high : extent->high;
}

static int no_copy(int64_t bytes) {
    return trib_fail(TRIB_NO_MEMORY, "no memory to copy %lld bytes that overlap their target", (long long) bytes);
}

/** The rest of the function is recorded if it is large and on the node: remote.c records the others. */
#define TRACED(what, total)                                                                                        \
    TRIB_TRACED(memory->job, (total) >= TRIB_TRACE_LARGE_BYTES && part != NULL && memory->group != NULL, what,     \
                .peer = rank, .bytes = (total), .segment = memory->id)

static int put(trib_memory *memory, trib_handle *handle, int rank, size_t offset, const void *source, size_t bytes) {
    const struct trib_part *part;
    int status = trib_check_range(memory, rank, offset, bytes, &part);
    if (status != TRIB_OK || bytes == 0) {
        return status;
    }
    TRACED(TRIB_OPERATION_PUT, (int64_t) bytes)
    if (part != NULL) {
        memmove(part->base + offset, source, bytes);
        return TRIB_OK;
    }
    return trib_remote_put(memory, handle, rank, (int64_t) offset, NULL, source, (int64_t) bytes);
}

int trib_put(trib_memory *memory, int rank, size_t offset, const void *source, size_t bytes) {
    return put(memory, NULL, rank, offset, source, bytes);
}

int trib_nb_put(trib_memory *memory, int rank, size_t offset, const void *source, size_t bytes,
                trib_handle *handle) {
    int status = trib_check_handle(memory, handle);
    return status == TRIB_OK ? put(memory, handle, rank, offset, source, bytes) : status;
}

static int get(trib_memory *memory, trib_handle *handle, int rank, size_t offset, void *target, size_t bytes) {
    const struct trib_part *part;
    int status = trib_check_range(memory, rank, offset, bytes, &part);
    if (status != TRIB_OK || bytes == 0) {
        return status;
    }
    TRACED(TRIB_OPERATION_GET, (int64_t) bytes)
    if (part != NULL) {
        memmove(target, part->base + offset, bytes);
        return TRIB_OK;
    }
    return trib_remote_get(memory, handle, rank, (int64_t) offset, target, (int64_t) bytes);
}

int trib_get(trib_memory *memory, int rank, size_t offset, void *target, size_t bytes) {
    return get(memory, NULL, rank, offset, target, bytes);
}

int trib_nb_get(trib_memory *memory, int rank, size_t offset, void *target, size_t bytes, trib_handle *handle) {
    int status = trib_check_handle(memory, handle);
    return status == TRIB_OK ? get(memory, handle, rank, offset, target, bytes) : status;
}

static int check_elements(const trib_memory *memory, int rank, size_t offset, size_t bytes, int type) {
    if (offset % (size_t) trib_type_alignment(type) != 0) {
        return trib_fail_at(TRIB_INVALID_ADDRESS, "not aligned", rank, memory->id, (int64_t) offset, (int64_t) bytes,
                            trib_type_alignment(type));
    }
    if (bytes % trib_type_bytes(type) != 0) {
        return trib_fail_at(TRIB_INVALID_ADDRESS, "not a whole number of elements", rank, memory->id,
                            (int64_t) offset, (int64_t) bytes, (int64_t) trib_type_bytes(type));
    }
    return TRIB_OK;
}

static int accumulate_range(const trib_memory *memory, const struct trib_part *part,
                            const struct trib_factor *factor, size_t offset, const void *source, size_t bytes) {
    struct trib_region target;
    uint8_t *copy = NULL;
    trib_region_begin(&target, part->base + offset, (int64_t) bytes);
    if (overlap(extent_of(source, bytes), extent_of(part->base + offset, bytes))) {
        if ((copy = malloc(bytes)) == NULL) {
            return no_copy((int64_t) bytes);
        }
        source = memcpy(copy, source, bytes);
    }
    int status = trib_accumulate_on_node(memory, part, factor, source, (int64_t) bytes, &target);
    free(copy);
    return status;
}

static int accumulate(trib_memory *memory, trib_handle *handle, int rank, size_t offset, int type, const void *scale,
                      const void *source, size_t bytes) {
    const struct trib_part *part;
    struct trib_factor factor;
    TRIB_TRY(trib_factor_set(&factor, type, scale));
    TRIB_TRY(trib_check_range(memory, rank, offset, bytes, &part));
    TRIB_TRY(check_elements(memory, rank, offset, bytes, type));
    if (bytes == 0) {
        return TRIB_OK;
    }
    TRACED(TRIB_OPERATION_ACCUMULATE, (int64_t) bytes)
    if (part != NULL) {
        return accumulate_range(memory, part, &factor, offset, source, bytes);
    }
    return trib_remote_put(memory, handle, rank, (int64_t) offset, &factor, source, (int64_t) bytes);
}

int trib_accumulate(trib_memory *memory, int rank, size_t offset, int type, const void *scale, const void *source,
                    size_t bytes) {
    return accumulate(memory, NULL, rank, offset, type, scale, source, bytes);
}

int trib_nb_accumulate(trib_memory *memory, int rank, size_t offset, int type, const void *scale, const void *source,
                       size_t bytes, trib_handle *handle) {
    int status = trib_check_handle(memory, handle);
    return status == TRIB_OK ? accumulate(memory, handle, rank, offset, type, scale, source, bytes) : status;
}

/* ---- strided ---- */

static void begin_sides(struct trib_region *remote, struct trib_region *local, const struct trib_part *part,
                        size_t offset, const void *buffer, const trib_shape *shape) {
    trib_region_shape(remote, part->base + offset, shape, shape->remote_stride, shape->levels);
    trib_region_shape(local, (void *) (uintptr_t) buffer, shape, shape->local_stride, shape->levels);
}

/** Whether both sides step alike, and each level over all of those below it. */
static bool is_nested(const trib_shape *shape) {
    int64_t below = (int64_t) shape->block_bytes;
    for (int level = 0; level < shape->levels; level++) {
        int64_t stride = shape->local_stride[level];
        if (stride != shape->remote_stride[level] || stride < below) {
            return false;
        }
        below = stride * (shape->count[level] - 1) + below;
    }
    return true;
}

/** Whether blocks of such a shape meet those that are so far behind: below the level, and at it. */
static bool blocks_meet(const trib_shape *shape, int level, int64_t distance) {
    if (level < 0) {
        return distance < (int64_t) shape->block_bytes && -distance < (int64_t) shape->block_bytes;
    }
    int64_t stride = shape->local_stride[level];
    int64_t most = shape->count[level] - 1;
    int64_t steps = distance / stride - (distance % stride < 0);
    return (steps >= -most && steps <= most && blocks_meet(shape, level - 1, distance - steps * stride))
        || (steps + 1 >= -most && steps + 1 <= most && blocks_meet(shape, level - 1, distance - (steps + 1) * stride));
}

/** True also for some sides that do not, if they do not step alike. */
static bool sides_overlap(const struct trib_part *part, size_t offset, const void *buffer, const trib_shape *shape) {
    const uint8_t *remote = part->base + offset;
    return overlap(extent_of_shape(buffer, shape, shape->local_stride),
                   extent_of_shape(remote, shape, shape->remote_stride))
        && (!is_nested(shape)
            || blocks_meet(shape, shape->levels - 1, (int64_t) ((uintptr_t) remote - (uintptr_t) buffer)));
}

/** All that a region has left, packed; NULL without memory. */
static uint8_t *packed_copy(struct trib_region *region) {
    int64_t bytes = region->remaining;
    uint8_t *packed = malloc((size_t) bytes);
    if (packed != NULL) {
        trib_region_gather(region, packed, bytes);
    }
    return packed;
}

static int copy_on_node(const struct trib_part *part, size_t offset, const void *buffer, const trib_shape *shape,
                        bool puts) {
    struct trib_region remote;
    struct trib_region local;
    begin_sides(&remote, &local, part, offset, buffer, shape);
    struct trib_region *source = puts ? &local : &remote;
    struct trib_region *target = puts ? &remote : &local;
    if (!sides_overlap(part, offset, buffer, shape)) {
        trib_region_copy(target, source);
        return TRIB_OK;
    }
    int64_t bytes = source->remaining;
    uint8_t *packed = packed_copy(source);
    if (packed == NULL) {
        return no_copy(bytes);
    }
    trib_region_scatter(target, packed, bytes);
    free(packed);
    return TRIB_OK;
}

/** Puts from the buffer, or gets to it. */
static int copy_strided(trib_memory *memory, trib_handle *handle, int rank, size_t offset, const void *buffer,
                        const trib_shape *shape, bool puts) {
    const struct trib_part *part;
    int64_t bytes;
    TRIB_TRY(trib_check_shape(memory, rank, offset, shape, &bytes, &part));
    TRACED(puts ? TRIB_OPERATION_PUT : TRIB_OPERATION_GET, bytes)
    if (bytes > 0 && part == NULL) {
        return puts ? trib_remote_put_strided(memory, handle, rank, (int64_t) offset, NULL, buffer, shape)
            : trib_remote_get_strided(memory, handle, rank, (int64_t) offset, (void *) (uintptr_t) buffer, shape);
    }
    return bytes > 0 ? copy_on_node(part, offset, buffer, shape, puts) : TRIB_OK;
}

int trib_put_strided(trib_memory *memory, int rank, size_t offset, const void *source, const trib_shape *shape) {
    return copy_strided(memory, NULL, rank, offset, source, shape, true);
}

int trib_nb_put_strided(trib_memory *memory, int rank, size_t offset, const void *source, const trib_shape *shape,
                        trib_handle *handle) {
    int status = trib_check_handle(memory, handle);
    return status == TRIB_OK ? copy_strided(memory, handle, rank, offset, source, shape, true) : status;
}

int trib_get_strided(trib_memory *memory, int rank, size_t offset, void *target, const trib_shape *shape) {
    return copy_strided(memory, NULL, rank, offset, target, shape, false);
}

int trib_nb_get_strided(trib_memory *memory, int rank, size_t offset, void *target, const trib_shape *shape,
                        trib_handle *handle) {
    int status = trib_check_handle(memory, handle);
    return status == TRIB_OK ? copy_strided(memory, handle, rank, offset, target, shape, false) : status;
}

static bool strides_are_aligned(const trib_shape *shape, int64_t alignment) {
    bool aligned = true;
    for (int level = 0; level < shape->levels; level++) {
        aligned &= shape->count[level] == 1 || shape->remote_stride[level] % alignment == 0;
    }
    return aligned;
}

static int accumulate_blocks(const trib_memory *memory, const struct trib_part *part,
                             const struct trib_factor *factor, size_t offset, const void *source,
                             const trib_shape *shape) {
    struct trib_region remote;
    struct trib_region local;
    begin_sides(&remote, &local, part, offset, source, shape);
    int status = TRIB_OK;
    if (sides_overlap(part, offset, source, shape)) {
        int64_t bytes = local.remaining;
        uint8_t *packed = packed_copy(&local);
        if (packed == NULL) {
            return no_copy(bytes);
        }
        status = trib_accumulate_on_node(memory, part, factor, packed, bytes, &remote);
        free(packed);
        return status;
    }
    while (local.remaining > 0 && status == TRIB_OK) {
        int64_t bytes = trib_region_contiguous(&local);
        status = trib_accumulate_on_node(memory, part, factor, trib_region_at(&local), bytes, &remote);
        trib_region_advance(&local, bytes);
    }
    return status;
}

static int accumulate_strided(trib_memory *memory, trib_handle *handle, int rank, size_t offset, int type,
                              const void *scale, const void *source, const trib_shape *shape) {
    const struct trib_part *part;
    struct trib_factor factor;
    int64_t bytes;
    TRIB_TRY(trib_factor_set(&factor, type, scale));
    TRIB_TRY(trib_check_shape(memory, rank, offset, shape, &bytes, &part));
    TRIB_TRY(check_elements(memory, rank, offset, shape->block_bytes, type));
    if (!strides_are_aligned(shape, trib_type_alignment(type))) {
        return trib_fail_at(TRIB_INVALID_ADDRESS, "strides are not aligned", rank, memory->id, (int64_t) offset,
                            (int64_t) shape->block_bytes, trib_type_alignment(type));
    }
    if (bytes == 0) {
        return TRIB_OK;
    }
    TRACED(TRIB_OPERATION_ACCUMULATE, bytes)
    if (part != NULL) {
        return accumulate_blocks(memory, part, &factor, offset, source, shape);
    }
    return trib_remote_put_strided(memory, handle, rank, (int64_t) offset, &factor, source, shape);
}

int trib_accumulate_strided(trib_memory *memory, int rank, size_t offset, int type, const void *scale,
                            const void *source, const trib_shape *shape) {
    return accumulate_strided(memory, NULL, rank, offset, type, scale, source, shape);
}

int trib_nb_accumulate_strided(trib_memory *memory, int rank, size_t offset, int type, const void *scale,
                               const void *source, const trib_shape *shape, trib_handle *handle) {
    int status = trib_check_handle(memory, handle);
    return status == TRIB_OK ? accumulate_strided(memory, handle, rank, offset, type, scale, source, shape) : status;
}

int trib_put_strided_flag(trib_memory *memory, int rank, size_t offset, const void *source, const trib_shape *shape,
                          size_t flag_offset, int64_t flag_value) {
    const struct trib_part *part;
    int64_t bytes;
    TRIB_TRY(trib_check_word(memory, rank, flag_offset, sizeof(int64_t), &part));
    TRIB_TRY(trib_check_shape(memory, rank, offset, shape, &bytes, &part));
    if (part == NULL) {
        return trib_remote_put_strided_flag(memory, rank, (int64_t) offset, source, shape, (int64_t) flag_offset,
                                            flag_value);
    }
    TRIB_TRY(bytes > 0 ? copy_on_node(part, offset, source, shape, true) : TRIB_OK);
    trib_set_flag_on_node(memory, rank, part, flag_offset, flag_value);
    return TRIB_OK;
}

/* ---- vectors ---- */

static int check_ranges(const trib_memory *memory, int rank, const trib_range *ranges, size_t count,
                        const struct trib_part **part) {
    TRIB_TRY(trib_check_range(memory, rank, 0, 0, part));
    for (size_t i = 0; i < count; i++) {
        TRIB_TRY(trib_check_range(memory, rank, ranges[i].offset, ranges[i].bytes, part));
    }
    return TRIB_OK;
}

/** Ranges on this node whose local sides and whose others lie apart need no copy; *packed stays NULL. */
static int copy_overlapping(const struct trib_part *part, const trib_range *ranges, size_t count, bool puts,
                            uint8_t **packed) {
    struct extent local = {.low = UINTPTR_MAX};
    struct extent remote = {.low = UINTPTR_MAX};
    for (size_t i = 0; i < count; i++) {
        if (ranges[i].bytes > 0) {
            widen(&local, extent_of(ranges[i].local, ranges[i].bytes));
            widen(&remote, extent_of(part->base + ranges[i].offset, ranges[i].bytes));
        }
    }
    *packed = NULL;
    if (count < 2 || !overlap(local, remote)) {
        return TRIB_OK;
    }
    uint8_t *to = *packed = malloc((size_t) trib_range_bytes(ranges, count));
    if (to == NULL) {
        return no_copy(trib_range_bytes(ranges, count));
    }
    for (size_t i = 0; i < count; i++) {
        if (ranges[i].bytes > 0) {
            memcpy(to, puts ? ranges[i].local : part->base + ranges[i].offset, ranges[i].bytes);
            to += ranges[i].bytes;
        }
    }
    return TRIB_OK;
}

/** Puts from the ranges, or gets to them. */
static int copy_vector(trib_memory *memory, trib_handle *handle, int rank, const trib_range *ranges, size_t count,
                       bool puts) {
    const struct trib_part *part;
    TRIB_TRY(check_ranges(memory, rank, ranges, count, &part));
    TRACED(puts ? TRIB_OPERATION_PUT : TRIB_OPERATION_GET, trib_range_bytes(ranges, count))
    if (count > 0 && part == NULL) {
        return puts ? trib_remote_put_vector(memory, handle, rank, NULL, ranges, count)
            : trib_remote_get_vector(memory, handle, rank, ranges, count);
    }
    uint8_t *packed;
    TRIB_TRY(copy_overlapping(part, ranges, count, puts, &packed));
    const uint8_t *from = packed;
    for (size_t i = 0; i < count; i++) {
        if (ranges[i].bytes > 0) {
            uint8_t *remote = part->base + ranges[i].offset;
            memmove(puts ? remote : ranges[i].local, packed != NULL ? from : puts ? ranges[i].local : remote,
                    ranges[i].bytes);
            from = packed != NULL ? from + ranges[i].bytes : NULL;
        }
    }
    free(packed);
    return TRIB_OK;
}

int trib_put_vector(trib_memory *memory, int rank, const trib_range *ranges, size_t count) {
    return copy_vector(memory, NULL, rank, ranges, count, true);
}

int trib_nb_put_vector(trib_memory *memory, int rank, const trib_range *ranges, size_t count, trib_handle *handle) {
    int status = trib_check_handle(memory, handle);
    return status == TRIB_OK ? copy_vector(memory, handle, rank, ranges, count, true) : status;
}

int trib_get_vector(trib_memory *memory, int rank, const trib_range *ranges, size_t count) {
    return copy_vector(memory, NULL, rank, ranges, count, false);
}

int trib_nb_get_vector(trib_memory *memory, int rank, const trib_range *ranges, size_t count, trib_handle *handle) {
    int status = trib_check_handle(memory, handle);
    return status == TRIB_OK ? copy_vector(memory, handle, rank, ranges, count, false) : status;
}

static int accumulate_vector(trib_memory *memory, trib_handle *handle, int rank, int type, const void *scale,
                             const trib_range *ranges, size_t count) {
    const struct trib_part *part;
    struct trib_factor factor;
    TRIB_TRY(trib_factor_set(&factor, type, scale));
    TRIB_TRY(check_ranges(memory, rank, ranges, count, &part));
    for (size_t i = 0; i < count; i++) {
        TRIB_TRY(check_elements(memory, rank, ranges[i].offset, ranges[i].bytes, type));
    }
    TRACED(TRIB_OPERATION_ACCUMULATE, trib_range_bytes(ranges, count))
    if (part == NULL) {
        return count == 0 ? TRIB_OK : trib_remote_put_vector(memory, handle, rank, &factor, ranges, count);
    }
    uint8_t *packed;
    int status = copy_overlapping(part, ranges, count, true, &packed);
    const uint8_t *from = packed;
    for (size_t i = 0; i < count && status == TRIB_OK; i++) {
        status = accumulate_range(memory, part, &factor, ranges[i].offset, packed != NULL ? from : ranges[i].local,
                                  ranges[i].bytes);
        from = packed != NULL ? from + ranges[i].bytes : NULL;
    }
    free(packed);
    return status;
}

int trib_accumulate_vector(trib_memory *memory, int rank, int type, const void *scale, const trib_range *ranges,
                           size_t count) {
    return accumulate_vector(memory, NULL, rank, type, scale, ranges, count);
}

int trib_nb_accumulate_vector(trib_memory *memory, int rank, int type, const void *scale, const trib_range *ranges,
                              size_t count, trib_handle *handle) {
    int status = trib_check_handle(memory, handle);
    return status == TRIB_OK ? accumulate_vector(memory, handle, rank, type, scale, ranges, count) : status;
}

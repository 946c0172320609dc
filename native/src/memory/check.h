/* Checks of what callers give: nothing is sent or touched when one fails. */
#ifndef TRIB_CHECK_H
#define TRIB_CHECK_H

#include "memory.h"

/** Of a range that is not wholly in the part. */
int trib_bad_range(const trib_memory *memory, int rank, int64_t offset, int64_t bytes) __attribute__((cold));
int trib_bad_word(const trib_memory *memory, int rank, int64_t offset, int width) __attribute__((cold));

/** Checks a range of a part; *part is where it can be accessed directly, or NULL. */
static inline int trib_check_range(const trib_memory *memory, int rank, size_t offset, size_t bytes,
                                   const struct trib_part **part) {
    *part = trib_memory_part(memory, rank);
    int64_t limit = *part != NULL ? (*part)->bytes : trib_memory_part_bytes(memory, rank);
    if (trib_unlikely(limit < 0 || offset > (size_t) limit || bytes > (size_t) limit - offset)) {
        return trib_bad_range(memory, rank, (int64_t) offset, (int64_t) bytes);
    }
    return TRIB_OK;
}

/** Checks an aligned word of a part. */
static inline int trib_check_word(const trib_memory *memory, int rank, size_t offset, size_t width,
                                  const struct trib_part **part) {
    int status = trib_check_range(memory, rank, offset, width, part);
    if (trib_unlikely(status == TRIB_OK && (offset & (width - 1)) != 0)) {
        return trib_bad_word(memory, rank, (int64_t) offset, (int) width);
    }
    return status;
}

int trib_check_handle(const trib_memory *memory, const trib_handle *handle);
/** Checks a shape; *bytes is what it moves. */
int trib_check_shape(const trib_memory *memory, int rank, size_t offset, const trib_shape *shape, int64_t *bytes,
                     const struct trib_part **part);

/** Sets a flag in a part of this node and rings its owner. */
void trib_set_flag_on_node(const trib_memory *memory, int rank, const struct trib_part *part, size_t offset,
                           int64_t value);

#endif

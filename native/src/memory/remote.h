/*
 * How the parts of an allocation that are on other nodes are reached: requests to those nodes' servers. Callers have
 * checked addresses and sizes, which are not 0. A handle of NULL means blocking.
 */
#ifndef TRIB_REMOTE_H
#define TRIB_REMOTE_H

#include "memory.h"

/** Of all of them. */
int64_t trib_range_bytes(const trib_range *ranges, size_t count);
/** With a factor, puts are accumulates. */
int trib_remote_put(trib_memory *memory, trib_handle *handle, int rank, int64_t offset,
                    const struct trib_factor *factor, const uint8_t *source, int64_t bytes);
int trib_remote_get(trib_memory *memory, trib_handle *handle, int rank, int64_t offset, uint8_t *target,
                    int64_t bytes);
int trib_remote_put_strided(trib_memory *memory, trib_handle *handle, int rank, int64_t offset,
                            const struct trib_factor *factor, const uint8_t *source, const trib_shape *shape);
int trib_remote_get_strided(trib_memory *memory, trib_handle *handle, int rank, int64_t offset, uint8_t *target,
                            const trib_shape *shape);
int trib_remote_put_vector(trib_memory *memory, trib_handle *handle, int rank, const struct trib_factor *factor,
                           const trib_range *ranges, size_t count);
int trib_remote_get_vector(trib_memory *memory, trib_handle *handle, int rank, const trib_range *ranges,
                           size_t count);
int trib_remote_atomic(trib_memory *memory, int rank, int64_t offset, int op, int width, int64_t operand,
                       int64_t expected, int64_t *old);
int trib_remote_signal(trib_memory *memory, int rank, int64_t offset, int op, int64_t value);
int trib_remote_put_flag(trib_memory *memory, int rank, int64_t offset, const uint8_t *source, int64_t bytes,
                         int64_t flag_offset, int64_t value);
int trib_remote_put_strided_flag(trib_memory *memory, int rank, int64_t offset, const uint8_t *source,
                                 const trib_shape *shape, int64_t flag_offset, int64_t value);

#endif

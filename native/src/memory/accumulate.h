/* dst += scale * src, atomic against every other accumulate of the node; see org.tributary.wire.shape.Accumulator. */
#ifndef TRIB_ACCUMULATE_H
#define TRIB_ACCUMULATE_H

#include "memory.h"

/** Bytes of a component, to which elements are aligned. */
int64_t trib_type_alignment(int type);
/** Makes a scale ready for use; NULL is 1. */
int trib_factor_set(struct trib_factor *factor, int type, const void *scale);
/** target += factor * source, whole elements, which may lie anywhere; of nobody else's concern. */
void trib_factor_add(const struct trib_factor *factor, const uint8_t *source, uint8_t *target, int64_t bytes);
/** Adds packed elements to the next bytes of a region in a part of this node; fails only when the job does. */
int trib_accumulate_on_node(const trib_memory *memory, const struct trib_part *part,
                            const struct trib_factor *factor, const uint8_t *source, int64_t bytes,
                            struct trib_region *target);

#endif

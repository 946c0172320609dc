/*
 * Accumulates into elements that are not aligned, which the runtime refuses: ARMCI has always taken strides of any
 * number of bytes. A mutex of the target's keeps them apart. Each block is looked at for itself, because what is
 * aligned may be accumulated by others at the same time, and goes the usual way.
 */
#include "internal.h"

#include "memory/accumulate.h"
#include "memory/check.h"

static trib_mutexes *mutexes; /* one at each rank */
/** Keeps the threads of this rank apart: to the runtime, all of them hold what one holds. */
static pthread_mutex_t threads = PTHREAD_MUTEX_INITIALIZER;

/** Whether this thread is in such an accumulate. */
static _Thread_local bool inside;

bool arm_is_in_unaligned(void) {
    return inside;
}

int arm_unaligned_open(void) {
    return trib_mutexes_create(trib_world(arm.job), 1, &mutexes) == TRIB_OK ? TRIB_OK : arm_fail_last("ARMCI_Init");
}

size_t arm_component_bytes(int type) {
    return trib_type_bytes(type) / (type == TRIB_COMPLEX_FLOAT || type == TRIB_COMPLEX_DOUBLE ? 2 : 1);
}

int arm_accumulate_block(const struct arm_place *at, int type, const void *scale, const void *source, size_t bytes) {
    if (at->offset % arm_component_bytes(type) == 0 || bytes % trib_type_bytes(type) != 0) {
        return trib_accumulate(at->memory, at->rank, at->offset, type, scale, source, bytes);
    }
    struct trib_factor factor;
    ARM_TRY(trib_factor_set(&factor, type, scale));
    char few[4096]; /* of every type a whole number of elements */
    char *all = bytes <= sizeof few ? NULL : malloc(bytes);
    char *sums = all == NULL ? few : all;
    size_t most = all == NULL ? sizeof few : bytes; /* without memory it takes longer */
    inside = true;
    pthread_mutex_lock(&threads);
    int status = trib_lock(mutexes, at->rank, 0);
    if (status == TRIB_OK) {
        for (size_t done = 0; done < bytes && status == TRIB_OK; done += most) {
            size_t now = bytes - done < most ? bytes - done : most;
            status = trib_get(at->memory, at->rank, at->offset + done, sums, now);
            if (status == TRIB_OK) {
                trib_factor_add(&factor, (const uint8_t *) source + done, (uint8_t *) sums, (int64_t) now);
                status = trib_put(at->memory, at->rank, at->offset + done, sums, now);
            }
        }
        int fenced = trib_fence(arm.job, at->rank);
        int unlocked = trib_unlock(mutexes, at->rank, 0);
        status = status != TRIB_OK ? status : fenced != TRIB_OK ? fenced : unlocked;
    }
    pthread_mutex_unlock(&threads);
    inside = false;
    free(all);
    return status;
}

bool arm_is_aligned(const struct arm_place *at, int type, const trib_shape *shape) {
    size_t all = at->offset | shape->block_bytes;
    for (int level = 0; level < shape->levels; level++) {
        all |= (size_t) shape->remote_stride[level];
    }
    return all % arm_component_bytes(type) == 0;
}

int arm_accumulate_blocks(const struct arm_place *at, int type, const void *scale, const void *source,
                          const trib_shape *shape) {
    const struct trib_part *part;
    int64_t bytes;
    int64_t index[TRIB_MAX_LEVELS] = {0};
    struct arm_place block = *at;
    ARM_TRY(trib_check_shape(at->memory, at->rank, at->offset, shape, &bytes, &part)); /* all before the first one */
    const char *from = source;
    for (bool more = true; more;) {
        ARM_TRY(arm_accumulate_block(&block, type, scale, from, shape->block_bytes));
        int level = 0;
        for (; level < shape->levels; level++) {
            from += shape->local_stride[level];
            block.offset += (size_t) shape->remote_stride[level];
            if (++index[level] < shape->count[level]) {
                break;
            }
            from -= shape->local_stride[level] * shape->count[level];
            block.offset -= (size_t) (shape->remote_stride[level] * shape->count[level]);
            index[level] = 0;
        }
        more = level < shape->levels;
    }
    return TRIB_OK;
}

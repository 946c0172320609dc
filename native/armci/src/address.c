/* From what ARMCI says of memory to what the runtime says of it. */
#include "internal.h"

int arm_check_proc(const char *function, int proc) {
    if (arm.inits == 0) {
        return arm_fail(function, TRIB_INVALID_ARGUMENT, "ARMCI has not been initialized");
    }
    if (proc < 0 || proc >= arm.size) {
        return arm_fail(function, TRIB_INVALID_ADDRESS, "there is no rank %d in a job of %d", proc, arm.size);
    }
    return TRIB_OK;
}

int arm_check_local(const char *function, const void *local, const void *remote, int proc) {
    return __builtin_expect(local != NULL, 1) ? TRIB_OK
        : arm_fail(function, TRIB_INVALID_ARGUMENT, "address %p of rank %d: the buffer here is NULL", remote, proc);
}

int arm_locate(const char *function, const void *address, long long bytes, int proc, struct arm_place *place) {
    if (__builtin_expect(arm.inits == 0 || (unsigned) proc >= (unsigned) arm.size, 0)) {
        return arm_check_proc(function, proc);
    }
    if (__builtin_expect(bytes < 0, 0)) {
        return arm_fail(function, TRIB_INVALID_ARGUMENT, "address %p of rank %d: %lld bytes are less than none", address,
                        proc, bytes);
    }
    place->rank = arm_to_job(proc);
    int status = trib_locate(arm.job, place->rank, address, (size_t) bytes, &place->memory, &place->offset);
    return __builtin_expect(status == TRIB_OK, 1) ? TRIB_OK : arm_fail_at(function, address, bytes, proc);
}

int arm_shape(const char *function, const int *local_strides, const int *remote_strides, const int *count, int levels,
              trib_shape *shape, bool *empty) {
    if (count == NULL || levels < 0) {
        return arm_fail(function, TRIB_INVALID_ARGUMENT, "%d stride levels%s", levels,
                        count == NULL ? " without counts" : "");
    }
    *empty = false;
    for (int i = 0; i <= levels; i++) {
        if (count[i] < 0) {
            return arm_fail(function, TRIB_INVALID_ARGUMENT, "count[%d] is %d", i, count[i]);
        }
        *empty |= count[i] == 0;
    }
    shape->block_bytes = (size_t) count[0];
    shape->levels = 0;
    for (int i = 0; i < levels; i++) {
        if (count[i + 1] == 1) {
            continue; /* its strides mean nothing */
        }
        if (local_strides == NULL || remote_strides == NULL) {
            return arm_fail(function, TRIB_INVALID_ARGUMENT, "%d stride levels without strides", levels);
        }
        if (shape->levels == TRIB_MAX_LEVELS) {
            return arm_fail(function, TRIB_INVALID_ARGUMENT, "%d stride levels; at most %d can have a count above 1",
                            levels, TRIB_MAX_LEVELS);
        }
        shape->count[shape->levels] = count[i + 1];
        shape->local_stride[shape->levels] = local_strides[i];
        shape->remote_stride[shape->levels] = remote_strides[i];
        shape->levels++;
    }
    return TRIB_OK;
}

/* Vector operations: the segments of one call go out together as long as they lie in one allocation. */
#include "internal.h"

enum kind { NOTHING, PUT, GET, ACCUMULATE };

struct vector {
    const char *function;
    enum kind kind;
    int type;
    void *scale;
    int proc;
    bool blocking;
    armci_hdl_t *handle;
    trib_handle *pending; /* NULL for a blocking call */
    struct arm_place at;  /* the allocation of the ranges that are gathered */
    uintptr_t base;       /* its part's address in its rank */
    int64_t limit;        /* and length */
    trib_range *ranges;
    size_t segments;  /* for which it has places */
    size_t count;     /* of what is gathered at its beginning, */
    size_t unaligned; /* and at its end: what is accumulated one at a time */
};

static int failed_at(const struct vector *v, const trib_range *range) {
    return arm_fail_at(v->function, (void *) (v->base + range->offset), (long long) range->bytes, v->proc);
}

static int flush(struct vector *v) {
    size_t count = v->count;
    size_t unaligned = v->unaligned;
    trib_memory *memory = v->at.memory;
    int status = TRIB_OK;
    v->count = 0;
    v->unaligned = 0;
    switch (count == 0 ? NOTHING : v->kind) {
        case NOTHING:
            break;
        case PUT:
            status = v->pending == NULL ? trib_put_vector(memory, v->at.rank, v->ranges, count)
                : trib_nb_put_vector(memory, v->at.rank, v->ranges, count, v->pending);
            break;
        case GET:
            status = v->pending == NULL ? trib_get_vector(memory, v->at.rank, v->ranges, count)
                : trib_nb_get_vector(memory, v->at.rank, v->ranges, count, v->pending);
            break;
        default:
            status = v->pending == NULL
                ? trib_accumulate_vector(memory, v->at.rank, v->type, v->scale, v->ranges, count)
                : trib_nb_accumulate_vector(memory, v->at.rank, v->type, v->scale, v->ranges, count, v->pending);
    }
    if (status != TRIB_OK) {
        return failed_at(v, &v->ranges[0]);
    }
    for (const trib_range *range = v->ranges + v->segments; unaligned > 0; unaligned--) {
        struct arm_place at = {.memory = memory, .rank = v->at.rank, .offset = (--range)->offset};
        if (arm_accumulate_block(&at, v->type, v->scale, range->local, range->bytes) != TRIB_OK) {
            return failed_at(v, range);
        }
    }
    return TRIB_OK;
}

static int add(struct vector *v, void *local, const void *remote, int bytes) {
    uintptr_t address = (uintptr_t) remote;
    if (arm_check_local(v->function, local, remote, v->proc) != TRIB_OK) {
        return TRIB_INVALID_ARGUMENT;
    }
    if (v->at.memory == NULL || address < v->base || (int64_t) (address - v->base) > v->limit - bytes) {
        struct arm_place at;
        ARM_TRY(arm_locate(v->function, remote, bytes, v->proc, &at));
        ARM_TRY(at.memory != v->at.memory ? flush(v) : TRIB_OK);
        v->at = at;
        v->base = address - at.offset;
        v->limit = trib_memory_bytes(at.memory, at.rank);
    }
    bool apart = v->kind == ACCUMULATE && (address - v->base) % arm_component_bytes(v->type) != 0;
    v->ranges[apart ? v->segments - ++v->unaligned : v->count++] =
        (trib_range) {.local = local, .offset = address - v->base, .bytes = (size_t) bytes};
    return TRIB_OK;
}

/** All is checked before anything is sent, as far as one allocation has it all. */
static int run(struct vector *v, const armci_giov_t *vectors) {
    void **local = v->kind == GET ? vectors->dst_ptr_array : vectors->src_ptr_array;
    void **remote = v->kind == GET ? vectors->src_ptr_array : vectors->dst_ptr_array;
    for (int i = 0; i < vectors->ptr_array_len; i++) {
        ARM_TRY(add(v, local[i], remote[i], vectors->bytes));
    }
    return TRIB_OK;
}

static int check(struct vector *v, const armci_giov_t *vectors, int count) {
    ARM_TRY(arm_check_proc(v->function, v->proc));
    if (v->kind == ACCUMULATE && (trib_type_bytes(v->type) == 0 || v->scale == NULL)) {
        return arm_fail(v->function, TRIB_INVALID_ARGUMENT, "rank %d: %d is no datatype of accumulates%s",
                        v->proc, v->type, v->scale == NULL ? ", and there is no scale" : "");
    }
    if (count < 0 || (count > 0 && vectors == NULL)) {
        return arm_fail(v->function, TRIB_INVALID_ARGUMENT, "rank %d: %d vectors%s", v->proc, count,
                        vectors == NULL ? " at NULL" : "");
    }
    for (int i = 0; i < count; i++) {
        if (vectors[i].bytes < 0 || vectors[i].ptr_array_len < 0) {
            return arm_fail(v->function, TRIB_INVALID_ARGUMENT, "rank %d: vector %d has %d segments of %d bytes",
                            v->proc, i, vectors[i].ptr_array_len, vectors[i].bytes);
        }
        bool listed = vectors[i].src_ptr_array != NULL && vectors[i].dst_ptr_array != NULL;
        if (!listed && vectors[i].bytes > 0 && vectors[i].ptr_array_len > 0) {
            return arm_fail(v->function, TRIB_INVALID_ARGUMENT, "rank %d: vector %d has %d segments without addresses",
                            v->proc, i, vectors[i].ptr_array_len);
        }
        if (v->kind == ACCUMULATE && vectors[i].ptr_array_len > 0
            && (size_t) vectors[i].bytes % trib_type_bytes(v->type) != 0) {
            return arm_fail(v->function, TRIB_INVALID_ADDRESS, "rank %d: the %d bytes of a segment of vector %d are not"
                            " a whole number of elements", v->proc, vectors[i].bytes, i);
        }
        v->segments += (size_t) vectors[i].ptr_array_len;
    }
    return TRIB_OK;
}

static int transfer(struct vector *v, const armci_giov_t *vectors, int count) {
    trib_range few[64];
    int status = check(v, vectors, count);
    size_t segments = v->segments;
    if (status != TRIB_OK || segments == 0) {
        return status;
    }
    bool immediate = v->blocking || (!arm_is_aggregate(v->handle) && trib_same_node(arm.job, arm_to_job(v->proc)));
    if (!immediate && (v->pending = arm_handle(v->function, v->handle, v->proc)) == NULL) {
        return TRIB_NO_MEMORY;
    }
    v->ranges = segments <= sizeof few / sizeof *few ? few : malloc(segments * sizeof *v->ranges);
    if (v->ranges == NULL) {
        status = arm_fail(v->function, TRIB_NO_MEMORY, "no memory for %zu segments", segments);
    }
    for (int i = 0; i < count && status == TRIB_OK; i++) {
        if (vectors[i].bytes > 0) {
            status = run(v, &vectors[i]);
        }
    }
    if (status == TRIB_OK) {
        status = flush(v);
    }
    if (v->ranges != few) {
        free(v->ranges);
    }
    arm_handle_issued(v->pending);
    return status;
}

#define VECTOR(operation, ...) {.function = ARM_CURRENT, .kind = operation, .proc = proc, __VA_ARGS__}

int PARMCI_PutV(armci_giov_t *vectors, int count, int proc) {
    return transfer(&(struct vector) VECTOR(PUT, .blocking = true), vectors, count);
}
ARM_ALIAS(int, ARMCI_PutV, armci_giov_t *vectors, int count, int proc);

int PARMCI_GetV(armci_giov_t *vectors, int count, int proc) {
    return transfer(&(struct vector) VECTOR(GET, .blocking = true), vectors, count);
}
ARM_ALIAS(int, ARMCI_GetV, armci_giov_t *vectors, int count, int proc);

int PARMCI_AccV(int datatype, void *scale, armci_giov_t *vectors, int count, int proc) {
    return transfer(&(struct vector) VECTOR(ACCUMULATE, .type = datatype, .scale = scale, .blocking = true), vectors,
                    count);
}
ARM_ALIAS(int, ARMCI_AccV, int datatype, void *scale, armci_giov_t *vectors, int count, int proc);

int PARMCI_NbPutV(armci_giov_t *vectors, int count, int proc, armci_hdl_t *handle) {
    return transfer(&(struct vector) VECTOR(PUT, .handle = handle), vectors, count);
}
ARM_ALIAS(int, ARMCI_NbPutV, armci_giov_t *vectors, int count, int proc, armci_hdl_t *handle);

int PARMCI_NbGetV(armci_giov_t *vectors, int count, int proc, armci_hdl_t *handle) {
    return transfer(&(struct vector) VECTOR(GET, .handle = handle), vectors, count);
}
ARM_ALIAS(int, ARMCI_NbGetV, armci_giov_t *vectors, int count, int proc, armci_hdl_t *handle);

int PARMCI_NbAccV(int datatype, void *scale, armci_giov_t *vectors, int count, int proc, armci_hdl_t *handle) {
    return transfer(&(struct vector) VECTOR(ACCUMULATE, .type = datatype, .scale = scale, .handle = handle), vectors,
                    count);
}
ARM_ALIAS(int, ARMCI_NbAccV, int datatype, void *scale, armci_giov_t *vectors, int count, int proc,
          armci_hdl_t *handle);

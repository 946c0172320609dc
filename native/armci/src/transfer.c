/* Put, get and accumulate: contiguous and strided, blocking and not; single values. */
#include "internal.h"

#include "memory/check.h"

void PARMCI_Copy(void *src, void *dst, int bytes) {
    if (bytes > 0) {
        memmove(dst, src, (size_t) bytes);
    }
}
ARM_ALIAS(void, ARMCI_Copy, void *src, void *dst, int bytes);

/** Arguments that all transfers have in common. */
struct transfer {
    const char *function;
    int type; /* of an accumulate */
    void *scale;
    void *local;
    void *remote;
    int proc;
    bool blocking;
    armci_hdl_t *handle;
};

static int check_type(const struct transfer *t) {
    return trib_type_bytes(t->type) != 0 && t->scale != NULL ? TRIB_OK
        : arm_fail(t->function, TRIB_INVALID_ARGUMENT, "address %p of rank %d: %d is no datatype of accumulates%s",
                   t->remote, t->proc, t->type, t->scale == NULL ? ", and there is no scale" : "");
}

/** On this node non-blocking operations are over when they return, and need no handle. */
static bool is_immediate(const struct transfer *t) {
    return t->blocking || (!arm_is_aggregate(t->handle) && trib_same_node(arm.job, arm_to_job(t->proc)));
}

static inline int done(const struct transfer *t, int status, long long bytes) {
    return __builtin_expect(status == TRIB_OK, 1) ? TRIB_OK : arm_fail_at(t->function, t->remote, bytes, t->proc);
}

enum kind { PUT, GET, ACCUMULATE };

static int contiguous(enum kind kind, const struct transfer *t, int bytes) {
    struct arm_place at;
    if (bytes == 0) {
        return arm_check_proc(t->function, t->proc); /* wherever that is: empty parts have no address */
    }
    ARM_TRY(arm_locate(t->function, t->remote, bytes, t->proc, &at));
    ARM_TRY(kind == ACCUMULATE ? check_type(t) : TRIB_OK);
    ARM_TRY(arm_check_local(t->function, t->local, t->remote, t->proc));
    if (kind == ACCUMULATE && at.offset % arm_component_bytes(t->type) != 0) {
        return done(t, arm_accumulate_block(&at, t->type, t->scale, t->local, (size_t) bytes), bytes);
    }
    trib_handle *handle = NULL;
    if (!is_immediate(t) && (handle = arm_handle(t->function, t->handle, t->proc)) == NULL) {
        return TRIB_NO_MEMORY;
    }
    size_t length = (size_t) bytes;
    int status;
    switch (kind) {
        case PUT:
            status = handle == NULL ? trib_put(at.memory, at.rank, at.offset, t->local, length)
                : trib_nb_put(at.memory, at.rank, at.offset, t->local, length, handle);
            break;
        case GET:
            status = handle == NULL ? trib_get(at.memory, at.rank, at.offset, t->local, length)
                : trib_nb_get(at.memory, at.rank, at.offset, t->local, length, handle);
            break;
        default:
            status = handle == NULL
                ? trib_accumulate(at.memory, at.rank, at.offset, t->type, t->scale, t->local, length)
                : trib_nb_accumulate(at.memory, at.rank, at.offset, t->type, t->scale, t->local, length, handle);
    }
    arm_handle_issued(handle);
    return done(t, status, bytes);
}

static int strided(enum kind kind, const struct transfer *t, const int *local_strides, const int *remote_strides,
                   const int *count, int levels) {
    trib_shape shape;
    bool empty;
    struct arm_place at;
    ARM_TRY(arm_check_proc(t->function, t->proc));
    ARM_TRY(arm_shape(t->function, local_strides, remote_strides, count, levels, &shape, &empty));
    ARM_TRY(kind == ACCUMULATE ? check_type(t) : TRIB_OK);
    if (empty) {
        return TRIB_OK;
    }
    ARM_TRY(arm_check_local(t->function, t->local, t->remote, t->proc));
    ARM_TRY(arm_locate(t->function, t->remote, count[0], t->proc, &at));
    if (kind == ACCUMULATE && !arm_is_aligned(&at, t->type, &shape)) {
        return done(t, arm_accumulate_blocks(&at, t->type, t->scale, t->local, &shape), count[0]);
    }
    trib_handle *handle = NULL;
    if (!is_immediate(t) && (handle = arm_handle(t->function, t->handle, t->proc)) == NULL) {
        return TRIB_NO_MEMORY;
    }
    int status;
    switch (kind) {
        case PUT:
            status = handle == NULL ? trib_put_strided(at.memory, at.rank, at.offset, t->local, &shape)
                : trib_nb_put_strided(at.memory, at.rank, at.offset, t->local, &shape, handle);
            break;
        case GET:
            status = handle == NULL ? trib_get_strided(at.memory, at.rank, at.offset, t->local, &shape)
                : trib_nb_get_strided(at.memory, at.rank, at.offset, t->local, &shape, handle);
            break;
        default:
            status = handle == NULL
                ? trib_accumulate_strided(at.memory, at.rank, at.offset, t->type, t->scale, t->local, &shape)
                : trib_nb_accumulate_strided(at.memory, at.rank, at.offset, t->type, t->scale, t->local, &shape,
                                             handle);
    }
    arm_handle_issued(handle);
    return done(t, status, count[0]);
}

#define BLOCKING(local_address, remote_address) \
    {.function = ARM_CURRENT, .local = (local_address), .remote = (remote_address), .proc = proc, .blocking = true}
#define NON_BLOCKING(local_address, remote_address) \
    {.function = ARM_CURRENT, .local = (local_address), .remote = (remote_address), .proc = proc, .handle = handle}

int PARMCI_Put(void *src, void *dst, int bytes, int proc) {
    return contiguous(PUT, &(struct transfer) BLOCKING(src, dst), bytes);
}
ARM_ALIAS(int, ARMCI_Put, void *src, void *dst, int bytes, int proc);

int PARMCI_Get(void *src, void *dst, int bytes, int proc) {
    return contiguous(GET, &(struct transfer) BLOCKING(dst, src), bytes);
}
ARM_ALIAS(int, ARMCI_Get, void *src, void *dst, int bytes, int proc);

int PARMCI_Acc(int datatype, void *scale, void *src, void *dst, int bytes, int proc) {
    struct transfer t = BLOCKING(src, dst);
    t.type = datatype;
    t.scale = scale;
    return contiguous(ACCUMULATE, &t, bytes);
}
ARM_ALIAS(int, ARMCI_Acc, int datatype, void *scale, void *src, void *dst, int bytes, int proc);

int PARMCI_PutS(void *src, int src_strides[], void *dst, int dst_strides[], int count[], int levels, int proc) {
    return strided(PUT, &(struct transfer) BLOCKING(src, dst), src_strides, dst_strides, count, levels);
}
ARM_ALIAS(int, ARMCI_PutS, void *src, int src_strides[], void *dst, int dst_strides[], int count[], int levels,
          int proc);

int PARMCI_GetS(void *src, int src_strides[], void *dst, int dst_strides[], int count[], int levels, int proc) {
    return strided(GET, &(struct transfer) BLOCKING(dst, src), dst_strides, src_strides, count, levels);
}
ARM_ALIAS(int, ARMCI_GetS, void *src, int src_strides[], void *dst, int dst_strides[], int count[], int levels,
          int proc);

int PARMCI_AccS(int datatype, void *scale, void *src, int src_strides[], void *dst, int dst_strides[], int count[],
                int levels, int proc) {
    struct transfer t = BLOCKING(src, dst);
    t.type = datatype;
    t.scale = scale;
    return strided(ACCUMULATE, &t, src_strides, dst_strides, count, levels);
}
ARM_ALIAS(int, ARMCI_AccS, int datatype, void *scale, void *src, int src_strides[], void *dst, int dst_strides[],
          int count[], int levels, int proc);

int PARMCI_NbPut(void *src, void *dst, int bytes, int proc, armci_hdl_t *handle) {
    return contiguous(PUT, &(struct transfer) NON_BLOCKING(src, dst), bytes);
}
ARM_ALIAS(int, ARMCI_NbPut, void *src, void *dst, int bytes, int proc, armci_hdl_t *handle);

int PARMCI_NbGet(void *src, void *dst, int bytes, int proc, armci_hdl_t *handle) {
    return contiguous(GET, &(struct transfer) NON_BLOCKING(dst, src), bytes);
}
ARM_ALIAS(int, ARMCI_NbGet, void *src, void *dst, int bytes, int proc, armci_hdl_t *handle);

int PARMCI_NbAcc(int datatype, void *scale, void *src, void *dst, int bytes, int proc, armci_hdl_t *handle) {
    struct transfer t = NON_BLOCKING(src, dst);
    t.type = datatype;
    t.scale = scale;
    return contiguous(ACCUMULATE, &t, bytes);
}
ARM_ALIAS(int, ARMCI_NbAcc, int datatype, void *scale, void *src, void *dst, int bytes, int proc, armci_hdl_t *handle);

int PARMCI_NbPutS(void *src, int src_strides[], void *dst, int dst_strides[], int count[], int levels, int proc,
                  armci_hdl_t *handle) {
    return strided(PUT, &(struct transfer) NON_BLOCKING(src, dst), src_strides, dst_strides, count, levels);
}
ARM_ALIAS(int, ARMCI_NbPutS, void *src, int src_strides[], void *dst, int dst_strides[], int count[], int levels,
          int proc, armci_hdl_t *handle);

int PARMCI_NbGetS(void *src, int src_strides[], void *dst, int dst_strides[], int count[], int levels, int proc,
                  armci_hdl_t *handle) {
    return strided(GET, &(struct transfer) NON_BLOCKING(dst, src), dst_strides, src_strides, count, levels);
}
ARM_ALIAS(int, ARMCI_NbGetS, void *src, int src_strides[], void *dst, int dst_strides[], int count[], int levels,
          int proc, armci_hdl_t *handle);

int PARMCI_NbAccS(int datatype, void *scale, void *src, int src_strides[], void *dst, int dst_strides[], int count[],
                  int levels, int proc, armci_hdl_t *handle) {
    struct transfer t = NON_BLOCKING(src, dst);
    t.type = datatype;
    t.scale = scale;
    return strided(ACCUMULATE, &t, src_strides, dst_strides, count, levels);
}
ARM_ALIAS(int, ARMCI_NbAccS, int datatype, void *scale, void *src, int src_strides[], void *dst, int dst_strides[],
          int count[], int levels, int proc, armci_hdl_t *handle);

/**
 * The exchange of the flag waits for its answer, so that a process that reads the flag as a plain word on any processor
 * finds the data. It is executed after the data, which took the same connection. What the network adapter has moved is
 * waited for, because a flag says that the data is there.
 */
static int set_flag(const char *function, const struct arm_place *at, int *flag, int value, int proc) {
    int32_t old;
    return trib_adapter_fence(arm.job, at->rank) == TRIB_OK
        && trib_swap_i32(at->memory, at->rank, at->offset, value, &old) == TRIB_OK ? TRIB_OK
        : arm_fail_at(function, flag, sizeof *flag, proc);
}

/** Comes before the data, which are not sent when the flag is wrong. */
static int locate_flag(const char *function, int *flag, int proc, struct arm_place *at) {
    const struct trib_part *part;
    ARM_TRY(arm_locate(function, flag, sizeof *flag, proc, at));
    return trib_check_word(at->memory, at->rank, at->offset, sizeof *flag, &part) == TRIB_OK ? TRIB_OK
        : arm_fail_at(function, flag, sizeof *flag, proc);
}

int PARMCI_Put_flag(void *src, void *dst, int bytes, int *flag, int value, int proc) {
    struct arm_place at;
    ARM_TRY(locate_flag(ARM_CURRENT, flag, proc, &at));
    ARM_TRY(contiguous(PUT, &(struct transfer) BLOCKING(src, dst), bytes));
    return set_flag(ARM_CURRENT, &at, flag, value, proc);
}
ARM_ALIAS(int, ARMCI_Put_flag, void *src, void *dst, int bytes, int *flag, int value, int proc);

int PARMCI_PutS_flag(void *src, int src_strides[], void *dst, int dst_strides[], int count[], int levels, int *flag,
                     int value, int proc) {
    struct arm_place at;
    ARM_TRY(locate_flag(ARM_CURRENT, flag, proc, &at));
    ARM_TRY(strided(PUT, &(struct transfer) BLOCKING(src, dst), src_strides, dst_strides, count, levels));
    return set_flag(ARM_CURRENT, &at, flag, value, proc);
}
ARM_ALIAS(int, ARMCI_PutS_flag, void *src, int src_strides[], void *dst, int dst_strides[], int count[], int levels,
          int *flag, int value, int proc);

/* A value is sent as the few bytes it is; on the node that is a store. */
#define VALUES(Name, type) \
    int PARMCI_PutValue##Name(type value, void *dst, int proc) { \
        return contiguous(PUT, &(struct transfer) BLOCKING(&value, dst), sizeof value); \
    } \
    ARM_ALIAS(int, ARMCI_PutValue##Name, type value, void *dst, int proc); \
    int PARMCI_NbPutValue##Name(type value, void *dst, int proc, armci_hdl_t *handle) { \
        return contiguous(PUT, &(struct transfer) NON_BLOCKING(&value, dst), sizeof value); \
    } \
    ARM_ALIAS(int, ARMCI_NbPutValue##Name, type value, void *dst, int proc, armci_hdl_t *handle); \
    type PARMCI_GetValue##Name(void *src, int proc) { \
        type value; \
        arm_must(contiguous(GET, &(struct transfer) BLOCKING(&value, src), sizeof value)); \
        return value; \
    } \
    ARM_ALIAS(type, ARMCI_GetValue##Name, void *src, int proc)

VALUES(Int, int);
VALUES(Long, long);
VALUES(Float, float);
VALUES(Double, double);

/** Copies between a region and a buffer, a block at a time, counting up from the innermost level. */
static void pack(const char *function, char *memory, int levels, const int *strides, const int *count, char *buffer,
                 bool into_buffer) {
    trib_shape shape;
    bool empty;
    arm_must(arm_shape(function, strides, strides, count, levels, &shape, &empty));
    int64_t index[TRIB_MAX_LEVELS] = {0};
    while (!empty) {
        memcpy(into_buffer ? buffer : memory, into_buffer ? memory : buffer, shape.block_bytes);
        buffer += shape.block_bytes;
        int level = 0;
        for (; level < shape.levels; level++) {
            memory += shape.local_stride[level];
            if (++index[level] < shape.count[level]) {
                break;
            }
            memory -= shape.local_stride[level] * shape.count[level];
            index[level] = 0;
        }
        empty = level == shape.levels;
    }
}

void armci_write_strided(void *memory, int levels, int strides[], int count[], char *buffer) {
    pack(__func__, memory, levels, strides, count, buffer, true);
}

void armci_read_strided(void *memory, int levels, int strides[], int count[], char *buffer) {
    pack(__func__, memory, levels, strides, count, buffer, false);
}

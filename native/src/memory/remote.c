#include "remote.h"

#include "wire/signalOp.h"

/** A strided transfer of an aggregate handle with at most so many blocks is merged with others. */
#define MAX_MERGED_BLOCKS 64

static bool is_aggregate(const trib_handle *handle) {
    return handle != NULL && handle->kind == TRIB_AGGREGATE;
}

static bool is_merged(const trib_handle *handle, int64_t bytes) {
    return handle != NULL && bytes <= (is_aggregate(handle) ? TRIB_DIRECT_BYTES : TRIB_MAX_MERGED_BYTES);
}

static bool is_fenced(const trib_memory *memory) {
    return memory->group != NULL;
}

/** The rest of the function is recorded, unless the memory is the runtime's own. */
#define TRACED(what, is_one_way, total)                                                                            \
    TRIB_TRACED(memory->job, is_fenced(memory), TRIB_OPERATION_##what, .one_way = (is_one_way), .peer = rank,      \
                .bytes = (total), .segment = memory->id)

/** Puts, or, with a factor, accumulates. */
#define TRACED_UPDATE(total)                                                                                       \
    TRIB_TRACED(memory->job, is_fenced(memory), factor == NULL ? TRIB_OPERATION_PUT : TRIB_OPERATION_ACCUMULATE,   \
                .one_way = true, .peer = rank, .bytes = (total), .segment = memory->id)

/** Gets; a handle of NULL means blocking. */
#define TRACED_GET(total)                                                                                          \
    TRACED(GET, handle != NULL, total)                                                                             \
    if (handle == NULL) {                                                                                          \
        trib_traced_time(&traced);                                                                                 \
    }

/** bytes: of a contiguous transfer; 0 for anything else. joins: whether it is merged with others. */
static int begin(const trib_memory *memory, int rank, int64_t bytes, bool joins, struct trib_link **link) {
    return trib_request_begin(memory->job, trib_node_of(memory->job, rank), bytes, joins, link);
}

int64_t trib_range_bytes(const trib_range *ranges, size_t count) {
    int64_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        bytes += (int64_t) ranges[i].bytes;
    }
    return bytes;
}

/**
 * The caller takes its memory back: what was asked for has been answered then, also when memory ran out half-way.
 * Otherwise answers would be written to memory that is used for something else.
 */
static int wait_for(trib_handle *own, int status, struct trib_traced *get) {
    trib_error *problem = status == TRIB_OK ? NULL : trib_error_copy();
    int waited = trib_wait(own);
    get->ended_ns = trib_latency_ended(own->job, TRIB_LATENCY_GET, get->began_ns);
    return problem != NULL ? trib_error_raise(problem) : status != TRIB_OK ? status : waited;
}

/** Whether there is a network adapter that might move data of this memory. */
static bool has_adapter(const trib_memory *memory) {
    return is_fenced(memory) && trib_adapter_exists(memory->job);
}

/** Puts by it, and waits until the data are there. */
static int move_and_wait(const trib_memory *memory, int rank, struct trib_blocks *blocks, bool *moved) {
    trib_handle own;
    trib_handle_init(memory->job, TRIB_PLAIN, &own);
    int status = trib_adapter_move(memory->job, &own, false, rank, memory->id, blocks, moved);
    return status == TRIB_OK && *moved ? trib_wait(&own) : status;
}

/**
 * Puts by the network adapter; a handle of NULL means blocking: then its source need not be copied when it waits.
 * *moved is false when messages have to.
 */
static int move_put(const trib_memory *memory, const trib_handle *handle, int rank, struct trib_blocks *blocks,
                    bool *moved) {
    if (!trib_adapter_moves(blocks)) {
        return TRIB_OK;
    }
    if (handle == NULL && trib_adapter_puts_directly(memory->job, blocks)) {
        return move_and_wait(memory, rank, blocks, moved);
    }
    return trib_adapter_move(memory->job, NULL, false, rank, memory->id, blocks, moved);
}

/** Gets by it; a handle of NULL means blocking. */
static int move_get(const trib_memory *memory, trib_handle *handle, int rank, struct trib_blocks *blocks,
                    struct trib_traced *get, bool *moved) {
    trib_handle own;
    if (!trib_adapter_moves(blocks)) {
        return TRIB_OK;
    }
    trib_handle_init(memory->job, TRIB_PLAIN, &own);
    int status = trib_adapter_move(memory->job, handle == NULL ? &own : handle, true, rank, memory->id, blocks, moved);
    return handle == NULL && *moved ? wait_for(&own, status, get) : status;
}

/* ---- puts and accumulates; with a factor, the latter ---- */

/** A contiguous range, cut as servers take it; the last piece has the flags. */
static int send_range(struct trib_link *link, const trib_memory *memory, int rank, int64_t offset, int flags,
                      const struct trib_factor *factor, const uint8_t *source, int64_t bytes) {
    int64_t element = factor == NULL ? 1 : (int64_t) trib_type_bytes(factor->type);
    int64_t step = link->max_payload - link->max_payload % element;
    int status = TRIB_OK;
    for (int64_t done = 0; done < bytes && status == TRIB_OK; done += step) {
        TRIB_TRY(done == 0 ? TRIB_OK : trib_link_goes_on(link));
        bool last = bytes - done <= step;
        int64_t piece = last ? bytes - done : step;
        int piece_flags = last ? flags : 0;
        status = factor == NULL
            ? trib_send_put(link, memory->id, rank, offset + done, piece_flags, source + done, piece)
            : trib_send_accumulate(link, memory->id, rank, offset + done, piece_flags, factor, source + done, piece);
        trib_link_issued(link, piece_flags != 0, is_fenced(memory));
    }
    return status;
}

static int add_entry(struct trib_link *link, const trib_memory *memory, int rank, int64_t offset,
                     const struct trib_factor *factor, const uint8_t *source, int64_t bytes) {
    if (bytes > trib_max_entry_bytes(link)) {
        return send_range(link, memory, rank, offset, 0, factor, source, bytes);
    }
    bool begins = false;
    int status = trib_send_entry(link, memory->id, rank, offset, factor, source, bytes, &begins);
    if (status == TRIB_OK && begins) {
        trib_link_issued(link, false, is_fenced(memory));
    }
    return status;
}

int trib_remote_put(trib_memory *memory, trib_handle *handle, int rank, int64_t offset,
                    const struct trib_factor *factor, const uint8_t *source, int64_t bytes) {
    TRIB_CALL(memory->job);
    TRACED_UPDATE(bytes)
    struct trib_link *link;
    if (has_adapter(memory) && factor == NULL) {
        struct trib_blocks blocks;
        bool moved = false;
        trib_blocks_range(&blocks, offset, (uint8_t *) (uintptr_t) source, bytes);
        TRIB_TRY(move_put(memory, handle, rank, &blocks, &moved));
        if (moved) {
            return TRIB_OK;
        }
    }
    TRIB_TRY(begin(memory, rank, bytes, is_merged(handle, bytes), &link));
    if (is_merged(handle, bytes)) {
        return trib_request_end(link, add_entry(link, memory, rank, offset, factor, source, bytes), false);
    }
    int flags = handle == NULL ? TRIB_FRAME_FLAG_ACK : 0;
    int status = send_range(link, memory, rank, offset, flags, factor, source, bytes);
    return trib_request_end(link, status, !is_aggregate(handle));
}

/** Sends the first levels of a shape as one message, or, when they are too much for one, row by row. */
static int send_levels(struct trib_link *link, const trib_memory *memory, int rank, int64_t offset, int flags,
                       const struct trib_factor *factor, const uint8_t *source, const trib_shape *shape, int levels) {
    if (levels == 0) {
        return send_range(link, memory, rank, offset, flags, factor, source, (int64_t) shape->block_bytes);
    }
    if (trib_shape_bytes(shape, levels) <= link->max_payload) {
        struct trib_region region;
        trib_region_shape(&region, (void *) (uintptr_t) source, shape, shape->local_stride, levels);
        int status = trib_send_strided(link, memory->id, rank, offset, flags, factor, shape, levels, &region);
        trib_link_issued(link, flags != 0, is_fenced(memory));
        return status;
    }
    int status = TRIB_OK;
    for (int64_t i = 0; i < shape->count[levels - 1] && status == TRIB_OK; i++) {
        TRIB_TRY(i == 0 ? TRIB_OK : trib_link_goes_on(link));
        status = send_levels(link, memory, rank, offset + i * shape->remote_stride[levels - 1], flags, factor,
                             source + i * shape->local_stride[levels - 1], shape, levels - 1);
    }
    return status;
}

typedef int (*block_action)(struct trib_link *link, trib_memory *memory, trib_handle *handle, int rank,
                            int64_t offset, const struct trib_factor *factor, uint8_t *local, int64_t bytes);

static int each_block(struct trib_link *link, trib_memory *memory, trib_handle *handle, int rank, int64_t offset,
                      const struct trib_factor *factor, uint8_t *local, const trib_shape *shape, int levels,
                      block_action action) {
    if (levels == 0) {
        return action(link, memory, handle, rank, offset, factor, local, (int64_t) shape->block_bytes);
    }
    int status = TRIB_OK;
    for (int64_t i = 0; i < shape->count[levels - 1] && status == TRIB_OK; i++) {
        status = each_block(link, memory, handle, rank, offset + i * shape->remote_stride[levels - 1], factor,
                            local + i * shape->local_stride[levels - 1], shape, levels - 1, action);
    }
    return status;
}

static bool is_merged_shape(const trib_handle *handle, const trib_shape *shape) {
    int64_t bytes = trib_shape_bytes(shape, shape->levels);
    return is_aggregate(handle) && bytes <= TRIB_DIRECT_BYTES
        && bytes <= MAX_MERGED_BLOCKS * (int64_t) shape->block_bytes;
}

static int put_block(struct trib_link *link, trib_memory *memory, trib_handle *handle, int rank, int64_t offset,
                     const struct trib_factor *factor, uint8_t *local, int64_t bytes) {
    (void) handle;
    return add_entry(link, memory, rank, offset, factor, local, bytes);
}

int trib_remote_put_strided(trib_memory *memory, trib_handle *handle, int rank, int64_t offset,
                            const struct trib_factor *factor, const uint8_t *source, const trib_shape *shape) {
    TRIB_CALL(memory->job);
    TRACED_UPDATE(trib_shape_bytes(shape, shape->levels))
    struct trib_link *link;
    if (has_adapter(memory) && factor == NULL) {
        struct trib_blocks blocks;
        bool moved = false;
        trib_blocks_shape(&blocks, offset, (uint8_t *) (uintptr_t) source, shape);
        TRIB_TRY(move_put(memory, handle, rank, &blocks, &moved));
        if (moved) {
            return TRIB_OK;
        }
    }
    TRIB_TRY(begin(memory, rank, 0, is_merged_shape(handle, shape), &link));
    if (is_merged_shape(handle, shape)) {
        int status = each_block(link, memory, handle, rank, offset, factor, (uint8_t *) (uintptr_t) source, shape,
                            shape->levels, put_block);
        return trib_request_end(link, status, false);
    }
    int flags = handle == NULL ? TRIB_FRAME_FLAG_ACK : 0;
    bool flush = handle == NULL
        || (!is_aggregate(handle) && trib_shape_bytes(shape, shape->levels) > TRIB_MAX_MERGED_BYTES);
    int status = send_levels(link, memory, rank, offset, flags, factor, source, shape, shape->levels);
    return trib_request_end(link, status, flush);
}

int trib_remote_put_vector(trib_memory *memory, trib_handle *handle, int rank, const struct trib_factor *factor,
                           const trib_range *ranges, size_t count) {
    TRIB_CALL(memory->job);
    TRACED_UPDATE(trib_range_bytes(ranges, count))
    struct trib_link *link;
    if (has_adapter(memory) && factor == NULL) {
        struct trib_blocks blocks;
        bool moved = false;
        trib_blocks_ranges(&blocks, ranges, count);
        TRIB_TRY(move_put(memory, handle, rank, &blocks, &moved));
        if (moved) {
            return TRIB_OK;
        }
    }
    TRIB_TRY(begin(memory, rank, 0, is_aggregate(handle), &link));
    int status = TRIB_OK;
    for (size_t i = 0; i < count && status == TRIB_OK; i++) {
        status = i == 0 ? TRIB_OK : trib_link_goes_on(link);
        if (status == TRIB_OK && ranges[i].bytes > 0) {
            status = add_entry(link, memory, rank, (int64_t) ranges[i].offset, factor, ranges[i].local,
                               (int64_t) ranges[i].bytes);
        }
    }
    return trib_request_end(link, status, !is_aggregate(handle));
}

/* ---- gets ---- */

/** A contiguous range, cut as servers take it. */
static int ask_range(struct trib_link *link, const trib_memory *memory, trib_handle *handle, int rank, int64_t offset,
                     uint8_t *target, int64_t bytes) {
    int status = TRIB_OK;
    for (int64_t done = 0; done < bytes && status == TRIB_OK; done += link->max_payload) {
        TRIB_TRY(done == 0 ? TRIB_OK : trib_link_goes_on(link));
        int64_t left = bytes - done;
        int64_t piece = left < link->max_payload ? left : link->max_payload;
        struct trib_reply *reply = trib_link_expect(link, handle);
        if (reply == NULL) {
            return TRIB_NO_MEMORY;
        }
        trib_reply_to_range(reply, target + done, piece);
        status = trib_send_get(link, reply, memory->id, rank, offset + done, piece);
    }
    return status;
}

/** Waits for the one answer, on its connection alone. */
static int get_piece(struct trib_link *link, const trib_memory *memory, int rank, int64_t offset, uint8_t *target,
                     int64_t bytes, struct trib_traced *get) {
    struct trib_reply *reply = trib_link_expect(link, NULL);
    if (reply == NULL) {
        return trib_request_end(link, TRIB_NO_MEMORY, false);
    }
    trib_reply_to_range(reply, target, bytes);
    int status = trib_request_await(link, reply, trib_send_get(link, reply, memory->id, rank, offset, bytes), NULL);
    get->ended_ns = trib_latency_ended(memory->job, TRIB_LATENCY_GET, get->began_ns);
    return status;
}

int trib_remote_get(trib_memory *memory, trib_handle *handle, int rank, int64_t offset, uint8_t *target,
                    int64_t bytes) {
    TRIB_CALL(memory->job);
    TRACED_GET(bytes)
    struct trib_link *link;
    trib_handle own;
    if (has_adapter(memory)) {
        struct trib_blocks blocks;
        bool moved = false;
        trib_blocks_range(&blocks, offset, target, bytes);
        int status = move_get(memory, handle, rank, &blocks, &traced, &moved);
        if (moved || status != TRIB_OK) {
            return status;
        }
    }
    bool merged = is_aggregate(handle) && bytes <= TRIB_DIRECT_BYTES;
    TRIB_TRY(begin(memory, rank, bytes, merged, &link));
    if (merged) {
        int status = trib_send_get_entry(link, handle, memory->id, rank, offset, target, bytes);
        return trib_request_end(link, status, false);
    }
    if (handle == NULL && bytes <= link->max_payload) {
        return get_piece(link, memory, rank, offset, target, bytes, &traced);
    }
    trib_handle_init(memory->job, TRIB_PLAIN, &own);
    int status = ask_range(link, memory, handle == NULL ? &own : handle, rank, offset, target, bytes);
    status = trib_request_end(link, status, !is_aggregate(handle));
    return handle == NULL ? wait_for(&own, status, &traced) : status;
}

static int ask_levels(struct trib_link *link, const trib_memory *memory, trib_handle *handle, int rank,
                      int64_t offset, uint8_t *target, const trib_shape *shape, int levels) {
    if (levels == 0) {
        return ask_range(link, memory, handle, rank, offset, target, (int64_t) shape->block_bytes);
    }
    int64_t bytes = trib_shape_bytes(shape, levels);
    if (bytes <= trib_max_shaped_get(link)) {
        struct trib_reply *reply = trib_link_expect(link, handle);
        if (reply == NULL) {
            return TRIB_NO_MEMORY;
        }
        trib_region_shape(&reply->region, target, shape, shape->local_stride, levels);
        reply->expected = bytes;
        return trib_send_get_strided(link, reply, memory->id, rank, offset, shape, levels);
    }
    int status = TRIB_OK;
    for (int64_t i = 0; i < shape->count[levels - 1] && status == TRIB_OK; i++) {
        TRIB_TRY(i == 0 ? TRIB_OK : trib_link_goes_on(link));
        status = ask_levels(link, memory, handle, rank, offset + i * shape->remote_stride[levels - 1],
                            target + i * shape->local_stride[levels - 1], shape, levels - 1);
    }
    return status;
}

static int get_block(struct trib_link *link, trib_memory *memory, trib_handle *handle, int rank, int64_t offset,
                     const struct trib_factor *factor, uint8_t *local, int64_t bytes) {
    (void) factor;
    return trib_send_get_entry(link, handle, memory->id, rank, offset, local, bytes);
}

int trib_remote_get_strided(trib_memory *memory, trib_handle *handle, int rank, int64_t offset, uint8_t *target,
                            const trib_shape *shape) {
    TRIB_CALL(memory->job);
    TRACED_GET(trib_shape_bytes(shape, shape->levels))
    struct trib_link *link;
    trib_handle own;
    if (has_adapter(memory)) {
        struct trib_blocks blocks;
        bool moved = false;
        trib_blocks_shape(&blocks, offset, target, shape);
        int status = move_get(memory, handle, rank, &blocks, &traced, &moved);
        if (moved || status != TRIB_OK) {
            return status;
        }
    }
    trib_handle_init(memory->job, TRIB_PLAIN, &own);
    trib_handle *waited = handle == NULL ? &own : handle;
    TRIB_TRY(begin(memory, rank, 0, is_merged_shape(handle, shape), &link));
    int status;
    if (is_merged_shape(handle, shape)) {
        status = each_block(link, memory, handle, rank, offset, NULL, target, shape, shape->levels, get_block);
    } else {
        status = ask_levels(link, memory, waited, rank, offset, target, shape, shape->levels);
    }
    status = trib_request_end(link, status, !is_aggregate(handle));
    return handle == NULL ? wait_for(&own, status, &traced) : status;
}

int trib_remote_get_vector(trib_memory *memory, trib_handle *handle, int rank, const trib_range *ranges,
                           size_t count) {
    TRIB_CALL(memory->job);
    TRACED_GET(trib_range_bytes(ranges, count))
    struct trib_link *link;
    trib_handle own;
    if (has_adapter(memory)) {
        struct trib_blocks blocks;
        bool moved = false;
        trib_blocks_ranges(&blocks, ranges, count);
        int status = move_get(memory, handle, rank, &blocks, &traced, &moved);
        if (moved || status != TRIB_OK) {
            return status;
        }
    }
    trib_handle_init(memory->job, TRIB_PLAIN, &own);
    trib_handle *waited = handle == NULL ? &own : handle;
    TRIB_TRY(begin(memory, rank, 0, is_aggregate(handle), &link));
    int status = TRIB_OK;
    for (size_t i = 0; i < count && status == TRIB_OK; i++) {
        int64_t bytes = (int64_t) ranges[i].bytes;
        int64_t offset = (int64_t) ranges[i].offset;
        status = i == 0 ? TRIB_OK : trib_link_goes_on(link);
        if (status == TRIB_OK && bytes > trib_max_shaped_get(link)) {
            status = ask_range(link, memory, waited, rank, offset, ranges[i].local, bytes);
        } else if (status == TRIB_OK && bytes > 0) {
            status = trib_send_get_entry(link, waited, memory->id, rank, offset, ranges[i].local, bytes);
        }
    }
    status = trib_request_end(link, status, !is_aggregate(handle));
    return handle == NULL ? wait_for(&own, status, &traced) : status;
}

/* ---- words ---- */

int trib_remote_atomic(trib_memory *memory, int rank, int64_t offset, int op, int width, int64_t operand,
                       int64_t expected, int64_t *old) {
    TRIB_CALL(memory->job);
    TRACED(ATOMIC, false, width)
    struct trib_link *link;
    struct trib_reply *reply;
    trib_traced_time(&traced);
    TRIB_TRY(trib_request_expect(memory->job, trib_node_of(memory->job, rank), &link, &reply));
    int status = trib_send_atomic(link, reply, memory->id, rank, offset, op, width, operand, expected);
    status = trib_request_await(link, reply, status, old);
    traced.ended_ns = trib_latency_ended(memory->job, TRIB_LATENCY_ATOMIC, traced.began_ns);
    return status;
}

static int send_signal(struct trib_link *link, const trib_memory *memory, int rank, int64_t offset, int op,
                       int64_t value) {
    int status = trib_send_signal(link, memory->id, rank, offset, op, value);
    trib_link_issued(link, false, is_fenced(memory));
    return status;
}

int trib_remote_signal(trib_memory *memory, int rank, int64_t offset, int op, int64_t value) {
    TRIB_CALL(memory->job);
    TRACED(SIGNAL, true, 0)
    struct trib_link *link;
    TRIB_TRY(begin(memory, rank, 0, false, &link));
    return trib_request_end(link, send_signal(link, memory, rank, offset, op, value), true);
}

/**
 * Puts by the network adapter, and waits until the data are there: the flag of data that could not be moved is not set,
 * for their target would take what was there for them.
 */
static int move_before_flag(const trib_memory *memory, int rank, struct trib_blocks *blocks, bool *moved) {
    return trib_adapter_moves(blocks) ? move_and_wait(memory, rank, blocks, moved) : TRIB_OK;
}

int trib_remote_put_flag(trib_memory *memory, int rank, int64_t offset, const uint8_t *source, int64_t bytes,
                         int64_t flag_offset, int64_t value) {
    TRIB_CALL(memory->job);
    TRACED(SIGNAL, true, bytes)
    struct trib_link *link;
    bool moved = false;
    if (has_adapter(memory)) {
        struct trib_blocks blocks;
        trib_blocks_range(&blocks, offset, (uint8_t *) (uintptr_t) source, bytes);
        TRIB_TRY(move_before_flag(memory, rank, &blocks, &moved));
    }
    TRIB_TRY(begin(memory, rank, moved ? 0 : bytes, false, &link));
    int status = moved ? TRIB_OK : send_range(link, memory, rank, offset, 0, NULL, source, bytes);
    if (status == TRIB_OK) {
        status = send_signal(link, memory, rank, flag_offset, wire_signalOp_SET, value);
    }
    return trib_request_end(link, status, true);
}

int trib_remote_put_strided_flag(trib_memory *memory, int rank, int64_t offset, const uint8_t *source,
                                 const trib_shape *shape, int64_t flag_offset, int64_t value) {
    TRIB_CALL(memory->job);
    TRACED(SIGNAL, true, trib_shape_bytes(shape, shape->levels))
    struct trib_link *link;
    bool moved = false;
    if (has_adapter(memory)) {
        struct trib_blocks blocks;
        trib_blocks_shape(&blocks, offset, (uint8_t *) (uintptr_t) source, shape);
        TRIB_TRY(move_before_flag(memory, rank, &blocks, &moved));
    }
    TRIB_TRY(begin(memory, rank, 0, false, &link));
    int status = moved || trib_shape_bytes(shape, shape->levels) == 0 ? TRIB_OK
        : send_levels(link, memory, rank, offset, 0, NULL, source, shape, shape->levels);
    if (status == TRIB_OK) {
        status = send_signal(link, memory, rank, flag_offset, wire_signalOp_SET, value);
    }
    return trib_request_end(link, status, true);
}

/*
 * Encodes requests into a link's send buffer. Small ranges for one segment of one rank that follow each other become
 * entries of one vector message, as long as nothing else comes between.
 */
#include "links.h"

#include "wire/accumulate.h"
#include "wire/accumulateStrided.h"
#include "wire/accumulateVector.h"
#include "wire/allocate.h"
#include "wire/askChannel.h"
#include "wire/askRegion.h"
#include "wire/atomic.h"
#include "wire/fence.h"
#include "wire/free.h"
#include "wire/get.h"
#include "wire/getStrided.h"
#include "wire/getVector.h"
#include "wire/goodbye.h"
#include "wire/leaveChannel.h"
#include "wire/lock.h"
#include "wire/notify.h"
#include "wire/probe.h"
#include "wire/put.h"
#include "wire/putStrided.h"
#include "wire/putVector.h"
#include "wire/signal.h"
#include "wire/unlock.h"
#include "wire/useChannel.h"

/** Begins a frame: sets begun to where its message header goes and room to the bytes there; returns on failure. */
#define BEGIN(message, more, payload)                                                                              \
    struct wire_messageHeader header;                                                                              \
    struct wire_##message request;                                                                                 \
    char *begun = begin(link, (int64_t) wire_##message##_sbe_block_length() + (more), (payload));                  \
    if (trib_unlikely(begun == NULL)) {                                                                            \
        return trib_last_error()->status;                                                                          \
    }                                                                                                              \
    wire_##message##_wrap_and_apply_header(&request, begun, 0, (uint64_t) room_from(link, begun), &header)

/** Claims a frame with so many bytes after its header, and payload to follow; where its message header goes. */
static char *begin(struct trib_link *link, int64_t bytes_after_header, int64_t payload) {
    link->vector = TRIB_NO_VECTOR;
    int64_t fixed = TRIB_FRAME_HEADER_BYTES + bytes_after_header;
    if (trib_out_ensure(link, fixed) != TRIB_OK) {
        return NULL;
    }
    uint8_t *at = link->out + link->out_position;
    int32_t length = (int32_t) (fixed + payload);
    memset(at, 0, (size_t) fixed); /* fields that this client does not use mean nothing when they are 0 */
    memcpy(at, &length, sizeof length);
    link->out_position += fixed;
    return (char *) at + TRIB_FRAME_LENGTH_BYTES;
}

static int64_t room_from(const struct trib_link *link, const char *at) {
    return link->out_capacity - (int64_t) ((const uint8_t *) at - link->out);
}

int trib_send_put(struct trib_link *link, int64_t segment, int rank, int64_t offset, int flags, const uint8_t *source,
                  int64_t bytes) {
    BEGIN(put, 0, bytes);
    wire_put_set_segmentId(&request, segment);
    wire_put_set_targetOffset(&request, offset);
    wire_put_set_rank(&request, rank);
    wire_put_set_flags(&request, flags);
    return trib_out_payload(link, source, bytes);
}

int trib_send_accumulate(struct trib_link *link, int64_t segment, int rank, int64_t offset, int flags,
                         const struct trib_factor *factor, const uint8_t *source, int64_t bytes) {
    BEGIN(accumulate, 0, bytes);
    struct wire_scale scale;
    wire_accumulate_set_segmentId(&request, segment);
    wire_accumulate_set_targetOffset(&request, offset);
    wire_accumulate_set_rank(&request, rank);
    wire_accumulate_set_flags(&request, flags);
    wire_accumulate_set_elementType(&request, (enum wire_elementCode) factor->type);
    wire_accumulate_scale(&request, &scale);
    wire_scale_set_re(&scale, factor->re);
    wire_scale_set_im(&scale, factor->im);
    return trib_out_payload(link, source, bytes);
}

#define ADD_LEVELS(message)                                                                                        \
    do {                                                                                                           \
        struct wire_##message##_levels group = {0};                                                                \
        wire_##message##_levels_set_count(&request, &group, (uint16_t) levels);                                    \
        for (int level = 0; level < levels; level++) {                                                             \
            wire_##message##_levels_next(&group);                                                                  \
            wire_##message##_levels_set_stride(&group, shape->remote_stride[level]);                               \
            wire_##message##_levels_set_extent(&group, shape->count[level]);                                       \
        }                                                                                                          \
    } while (0)

#define LEVELS_BYTES(message)                                                                                      \
    (int64_t) (wire_##message##_levels_sbe_header_size()                                                           \
               + (uint64_t) levels * wire_##message##_levels_sbe_block_length())

static int send_accumulate_strided(struct trib_link *link, int64_t segment, int rank, int64_t offset, int flags,
                                   const struct trib_factor *factor, const trib_shape *shape, int levels,
                                   struct trib_region *source) {
    BEGIN(accumulateStrided, LEVELS_BYTES(accumulateStrided), source->remaining);
    struct wire_scale scale;
    wire_accumulateStrided_set_segmentId(&request, segment);
    wire_accumulateStrided_set_targetOffset(&request, offset);
    wire_accumulateStrided_set_rank(&request, rank);
    wire_accumulateStrided_set_flags(&request, flags);
    wire_accumulateStrided_set_elementType(&request, (enum wire_elementCode) factor->type);
    wire_accumulateStrided_scale(&request, &scale);
    wire_scale_set_re(&scale, factor->re);
    wire_scale_set_im(&scale, factor->im);
    wire_accumulateStrided_set_blockLengthInBytes(&request, (int64_t) shape->block_bytes);
    ADD_LEVELS(accumulateStrided);
    return trib_out_region(link, source);
}

int trib_send_strided(struct trib_link *link, int64_t segment, int rank, int64_t offset, int flags,
                      const struct trib_factor *factor, const trib_shape *shape, int levels,
                      struct trib_region *source) {
    if (factor != NULL) {
        return send_accumulate_strided(link, segment, rank, offset, flags, factor, shape, levels, source);
    }
    BEGIN(putStrided, LEVELS_BYTES(putStrided), source->remaining);
    wire_putStrided_set_segmentId(&request, segment);
    wire_putStrided_set_targetOffset(&request, offset);
    wire_putStrided_set_rank(&request, rank);
    wire_putStrided_set_flags(&request, flags);
    wire_putStrided_set_blockLengthInBytes(&request, (int64_t) shape->block_bytes);
    ADD_LEVELS(putStrided);
    return trib_out_region(link, source);
}

/* ---- vectors ---- */

static void append(struct trib_link *link, const void *source, int64_t bytes) {
    memcpy(link->out + link->out_position, source, (size_t) bytes);
    link->out_position += bytes;
}

/** Adds the head of an entry to the open vector, and lets its frame end after so many bytes more. */
static void append_entry(struct trib_link *link, int64_t offset, int64_t bytes, int64_t bytes_here) {
    int32_t length = (int32_t) bytes;
    append(link, &offset, sizeof offset);
    append(link, &length, sizeof length);
    int32_t frame = (int32_t) (link->out_position + bytes_here - link->vector_at);
    memcpy(link->out + link->vector_at, &frame, sizeof frame);
}

static void open_vector(struct trib_link *link, enum trib_vector kind, const char *message_header, int64_t segment,
                        int rank) {
    link->vector = kind;
    link->vector_at = (const uint8_t *) message_header - link->out - TRIB_FRAME_LENGTH_BYTES;
    link->vector_segment = segment;
    link->vector_rank = rank;
}

static bool continues(const struct trib_link *link, enum trib_vector kind, int64_t segment, int rank, int64_t bytes) {
    return link->vector == kind && link->vector_segment == segment && link->vector_rank == rank
        && link->out_capacity - link->out_position >= TRIB_FRAME_VECTOR_ENTRY_BYTES + bytes;
}

static int begin_puts(struct trib_link *link, int64_t segment, int rank) {
    BEGIN(putVector, 0, 0);
    wire_putVector_set_segmentId(&request, segment);
    wire_putVector_set_rank(&request, rank);
    wire_putVector_set_flags(&request, 0);
    open_vector(link, TRIB_PUTS, begun, segment, rank);
    return TRIB_OK;
}

static int begin_accumulates(struct trib_link *link, int64_t segment, int rank, const struct trib_factor *factor) {
    BEGIN(accumulateVector, 0, 0);
    struct wire_scale scale;
    wire_accumulateVector_set_segmentId(&request, segment);
    wire_accumulateVector_set_rank(&request, rank);
    wire_accumulateVector_set_flags(&request, 0);
    wire_accumulateVector_set_elementType(&request, (enum wire_elementCode) factor->type);
    wire_accumulateVector_scale(&request, &scale);
    wire_scale_set_re(&scale, factor->re);
    wire_scale_set_im(&scale, factor->im);
    open_vector(link, TRIB_ACCUMULATES, begun, segment, rank);
    link->vector_factor = *factor;
    return TRIB_OK;
}

int trib_send_entry(struct trib_link *link, int64_t segment, int rank, int64_t offset,
                    const struct trib_factor *factor, const uint8_t *source, int64_t bytes, bool *begins) {
    enum trib_vector kind = factor == NULL ? TRIB_PUTS : TRIB_ACCUMULATES;
    *begins = !continues(link, kind, segment, rank, bytes)
        || (factor != NULL && (link->vector_factor.type != factor->type || link->vector_factor.re != factor->re
                               || link->vector_factor.im != factor->im));
    if (*begins) {
        int64_t whole = TRIB_FRAME_HEADER_BYTES + (int64_t) wire_accumulateVector_sbe_block_length()
            + TRIB_FRAME_VECTOR_ENTRY_BYTES + bytes;
        TRIB_TRY(trib_out_ensure(link, whole));
        TRIB_TRY(factor == NULL ? begin_puts(link, segment, rank) : begin_accumulates(link, segment, rank, factor));
    }
    append_entry(link, offset, bytes, bytes);
    append(link, source, bytes);
    return TRIB_OK;
}

int64_t trib_max_entry_bytes(const struct trib_link *link) {
    return link->out_capacity - TRIB_FRAME_HEADER_BYTES - (int64_t) wire_accumulateVector_sbe_block_length()
        - TRIB_FRAME_VECTOR_ENTRY_BYTES;
}

static int begin_gets(struct trib_link *link, struct trib_reply *reply, int64_t segment, int rank) {
    BEGIN(getVector, 0, 0);
    wire_getVector_set_requestId(&request, reply->slot);
    wire_getVector_set_segmentId(&request, segment);
    wire_getVector_set_rank(&request, rank);
    open_vector(link, TRIB_GETS, begun, segment, rank);
    link->vector_reply = reply;
    return TRIB_OK;
}

int trib_send_get_entry(struct trib_link *link, trib_handle *handle, int64_t segment, int rank, int64_t offset,
                        void *target, int64_t bytes) {
    bool follows = continues(link, TRIB_GETS, segment, rank, 0) && link->vector_reply->handle == handle
        && link->vector_reply->piece_count < TRIB_MAX_GET_RANGES
        && link->vector_reply->expected + bytes <= trib_max_shaped_get(link);
    if (!follows) {
        TRIB_TRY(trib_out_ensure(link, TRIB_FRAME_HEADER_BYTES + (int64_t) wire_getVector_sbe_block_length()
                                 + TRIB_FRAME_VECTOR_ENTRY_BYTES));
        struct trib_reply *reply = trib_link_expect(link, handle);
        if (reply == NULL) {
            return TRIB_NO_MEMORY;
        }
        TRIB_TRY(begin_gets(link, reply, segment, rank));
    }
    if (!trib_reply_add_piece(link->vector_reply, target, bytes)) {
        return trib_link_broke(link, "no memory for another range of a get");
    }
    append_entry(link, offset, bytes, 0);
    return TRIB_OK;
}

/* ---- the others ---- */

int trib_send_get(struct trib_link *link, struct trib_reply *reply, int64_t segment, int rank, int64_t offset,
                  int64_t bytes) {
    BEGIN(get, 0, 0);
    wire_get_set_requestId(&request, reply->slot);
    wire_get_set_segmentId(&request, segment);
    wire_get_set_targetOffset(&request, offset);
    wire_get_set_rank(&request, rank);
    wire_get_set_lengthInBytes(&request, bytes);
    return TRIB_OK;
}

int trib_send_get_strided(struct trib_link *link, struct trib_reply *reply, int64_t segment, int rank, int64_t offset,
                          const trib_shape *shape, int levels) {
    BEGIN(getStrided, LEVELS_BYTES(getStrided), 0);
    wire_getStrided_set_requestId(&request, reply->slot);
    wire_getStrided_set_segmentId(&request, segment);
    wire_getStrided_set_targetOffset(&request, offset);
    wire_getStrided_set_rank(&request, rank);
    wire_getStrided_set_blockLengthInBytes(&request, (int64_t) shape->block_bytes);
    ADD_LEVELS(getStrided);
    return TRIB_OK;
}

int trib_send_atomic(struct trib_link *link, struct trib_reply *reply, int64_t segment, int rank, int64_t offset,
                     int op, int width, int64_t operand, int64_t expected) {
    BEGIN(atomic, 0, 0);
    wire_atomic_set_requestId(&request, reply->slot);
    wire_atomic_set_segmentId(&request, segment);
    wire_atomic_set_targetOffset(&request, offset);
    wire_atomic_set_rank(&request, rank);
    wire_atomic_set_op(&request, (enum wire_atomicOp) op);
    wire_atomic_set_width(&request, (uint8_t) width);
    wire_atomic_set_operand(&request, operand);
    wire_atomic_set_expected(&request, expected);
    return TRIB_OK;
}

int trib_send_signal(struct trib_link *link, int64_t segment, int rank, int64_t offset, int op, int64_t value) {
    BEGIN(signal, 0, 0);
    wire_signal_set_segmentId(&request, segment);
    wire_signal_set_targetOffset(&request, offset);
    wire_signal_set_rank(&request, rank);
    wire_signal_set_flags(&request, 0);
    wire_signal_set_op(&request, (enum wire_signalOp) op);
    wire_signal_set_value(&request, value);
    return TRIB_OK;
}

int trib_send_notify(struct trib_link *link, int rank) {
    BEGIN(notify, 0, 0);
    wire_notify_set_rank(&request, rank);
    wire_notify_set_flags(&request, 0);
    return TRIB_OK;
}

int trib_send_lock(struct trib_link *link, struct trib_reply *reply, int64_t segment, int rank, int64_t offset,
                   bool attempt) {
    BEGIN(lock, 0, 0);
    wire_lock_set_requestId(&request, reply->slot);
    wire_lock_set_segmentId(&request, segment);
    wire_lock_set_targetOffset(&request, offset);
    wire_lock_set_rank(&request, rank);
    wire_lock_set_attempt(&request, attempt ? 1 : 0);
    link->lock_home = rank;
    return TRIB_OK;
}

int trib_send_unlock(struct trib_link *link, int64_t segment, int rank, int64_t offset) {
    BEGIN(unlock, 0, 0);
    wire_unlock_set_segmentId(&request, segment);
    wire_unlock_set_targetOffset(&request, offset);
    wire_unlock_set_rank(&request, rank);
    wire_unlock_set_flags(&request, 0);
    return TRIB_OK;
}

int trib_send_fence(struct trib_link *link) {
    BEGIN(fence, 0, 0);
    return TRIB_OK;
}

int trib_send_probe(struct trib_link *link, struct trib_reply *reply, int rank) {
    BEGIN(probe, 0, 0);
    wire_probe_set_requestId(&request, reply->slot);
    wire_probe_set_rank(&request, rank);
    return TRIB_OK;
}

int trib_send_allocate(struct trib_link *link, struct trib_reply *reply, int64_t segment, int kind,
                       const struct trib_layout *layout) {
    if (layout->count >= UINT16_MAX) {
        return trib_fail(TRIB_INVALID_ARGUMENT, "a segment of %d ranks of one node; at most %d", layout->count,
                         UINT16_MAX - 1);
    }
    BEGIN(allocate, (int64_t) (wire_allocate_parts_sbe_header_size()
                               + (uint64_t) layout->count * wire_allocate_parts_sbe_block_length()), 0);
    struct wire_allocate_parts parts = {0};
    wire_allocate_set_requestId(&request, reply->slot);
    wire_allocate_set_segmentId(&request, segment);
    wire_allocate_set_kind(&request, (uint8_t) kind);
    wire_allocate_parts_set_count(&request, &parts, (uint16_t) layout->count);
    for (int i = 0; i < layout->count; i++) {
        wire_allocate_parts_next(&parts);
        wire_allocate_parts_set_rank(&parts, layout->ranks[i]);
        wire_allocate_parts_set_lengthInBytes(&parts, layout->lengths[i]);
    }
    return TRIB_OK;
}

int trib_send_free(struct trib_link *link, struct trib_reply *reply, int64_t segment) {
    BEGIN(free, 0, 0);
    wire_free_set_requestId(&request, reply->slot);
    wire_free_set_segmentId(&request, segment);
    return TRIB_OK;
}

int trib_send_goodbye(struct trib_link *link, int rank) {
    BEGIN(goodbye, 0, 0);
    wire_goodbye_set_rank(&request, rank);
    return TRIB_OK;
}

int trib_send_ask_region(struct trib_link *link, struct trib_reply *reply, int64_t segment, int rank) {
    BEGIN(askRegion, 0, 0);
    wire_askRegion_set_requestId(&request, reply->slot);
    wire_askRegion_set_segmentId(&request, segment);
    wire_askRegion_set_rank(&request, rank);
    return TRIB_OK;
}

int trib_send_ask_channel(struct trib_link *link, int rate) {
    BEGIN(askChannel, 0, 0);
    wire_askChannel_set_rate(&request, rate);
    return TRIB_OK;
}

int trib_send_use_channel(struct trib_link *link) {
    BEGIN(useChannel, 0, 0);
    return TRIB_OK;
}

int trib_send_leave_channel(struct trib_link *link) {
    BEGIN(leaveChannel, 0, 0);
    return TRIB_OK;
}

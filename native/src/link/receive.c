/* Messages that come on a connection: whole ones, except data, which goes to where it belongs as it comes. */
#include "channel.h"
#include "links.h"

#include <sys/socket.h>

#include "wire/ack.h"
#include "wire/channel.h"
#include "wire/channelWanted.h"
#include "wire/credit.h"
#include "wire/data.h"
#include "wire/done.h"
#include "wire/error.h"
#include "wire/region.h"
#include "wire/takeRoute.h"
#include "wire/value.h"
#include "wire/messageHeader.h"

static void end_data(struct trib_link *link) {
    struct trib_reply *reply = link->receiving;
    link->receiving = NULL;
    trib_link_complete(link, reply, 0, NULL);
}

static void scatter_pieces(struct trib_reply *reply, const uint8_t *source, int64_t bytes) {
    while (bytes > 0) {
        struct trib_piece *piece = &reply->pieces[reply->piece];
        int64_t left = piece->bytes - reply->piece_done;
        int64_t part = left < bytes ? left : bytes;
        memcpy(piece->at + reply->piece_done, source, (size_t) part);
        reply->piece_done += part;
        source += part;
        bytes -= part;
        if (reply->piece_done == piece->bytes) {
            reply->piece++;
            reply->piece_done = 0;
        }
    }
}

static void keep_data(struct trib_reply *reply, const uint8_t *from, int64_t bytes) {
    if (reply->piece_count > 0) {
        scatter_pieces(reply, from, bytes);
    } else {
        trib_region_scatter(&reply->region, from, bytes);
    }
}

static int64_t take_data(struct trib_link *link, const uint8_t *from, int64_t available) {
    int64_t bytes = available < link->receiving_bytes ? available : link->receiving_bytes;
    if (trib_likely(!trib_links_drop(link->job))) {
        keep_data(link->receiving, from, bytes);
    }
    link->receiving_bytes -= bytes;
    if (link->receiving_bytes == 0) {
        end_data(link);
    }
    return bytes;
}

struct frame {
    char *block;
    int64_t length; /* of the frame */
    int64_t available;
    int template;
    uint64_t block_length;
    uint64_t version;
};

static int64_t begin_data(struct trib_link *link, const struct frame *frame) {
    int64_t fixed = TRIB_FRAME_HEADER_BYTES + (int64_t) frame->block_length;
    if (frame->block_length < wire_data_sbe_block_length() || frame->length < fixed) {
        return trib_link_broke(link, "data of %lld bytes with a block of %lld", (long long) frame->length,
                               (long long) frame->block_length);
    }
    if (frame->available < fixed) {
        return 0;
    }
    struct wire_data data;
    wire_data_wrap_for_decode(&data, frame->block, 0, frame->block_length, frame->version, frame->block_length);
    struct trib_reply *reply = trib_link_waiting(link, wire_data_requestId(&data));
    if (reply == NULL) {
        return TRIB_ABORTED;
    }
    if (reply->facts != NULL) {
        return trib_link_broke(link, "node %d answered without telling of a region", link->node);
    }
    link->receiving_bytes = frame->length - fixed;
    if (link->receiving_bytes != reply->expected) {
        return trib_link_broke(link, "node %d answered with %lld bytes, not %lld", link->node,
                               (long long) link->receiving_bytes, (long long) reply->expected);
    }
    link->receiving = reply;
    if (link->receiving_bytes == 0) {
        end_data(link);
    }
    return fixed;
}

static int answer(struct trib_link *link, int64_t request, int64_t value) {
    struct trib_reply *reply = trib_link_waiting(link, request);
    if (reply == NULL) {
        return TRIB_ABORTED;
    }
    if (reply->facts != NULL) {
        return trib_link_broke(link, "node %d answered without telling of a region", link->node);
    }
    if (reply->expected != 0) {
        return trib_link_broke(link, "node %d answered without data, not with %lld bytes", link->node,
                               (long long) reply->expected);
    }
    trib_link_complete(link, reply, value, NULL);
    return TRIB_OK;
}

/** Takes a text or bytes with their length before them; false when they are longer than what is left, or than room. */
static bool take_field(const uint8_t **at, const uint8_t *end, void *room, size_t capacity) {
    uint16_t bytes;
    if (end - *at < (int64_t) sizeof bytes) {
        return false;
    }
    memcpy(&bytes, *at, sizeof bytes);
    *at += sizeof bytes;
    if (bytes > end - *at || bytes > capacity) {
        return false;
    }
    memcpy(room, *at, bytes);
    *at += bytes;
    return true;
}

static int take_region(struct trib_link *link, const struct frame *frame) {
    struct wire_region region;
    const uint8_t *at = (const uint8_t *) frame->block + frame->block_length;
    const uint8_t *end = (const uint8_t *) frame->block + frame->length - TRIB_FRAME_HEADER_BYTES;
    wire_region_wrap_for_decode(&region, frame->block, 0, frame->block_length, frame->version, frame->block_length);
    struct trib_reply *reply = trib_link_waiting(link, wire_region_requestId(&region));
    if (reply == NULL) {
        return TRIB_ABORTED;
    }
    struct trib_region_facts *facts = reply->facts;
    if (trib_unlikely(trib_links_drop(link->job))) {
        trib_link_complete(link, reply, 0, NULL);
        return TRIB_OK;
    }
    if (facts == NULL) {
        return trib_link_broke(link, "node %d told of a region, for which nobody has asked", link->node);
    }
    memset(facts, 0, sizeof *facts);
    if (!take_field(&at, end, facts->provider, sizeof facts->provider - 1)
        || !take_field(&at, end, facts->address, sizeof facts->address - 1)) {
        return trib_link_broke(link, "node %d told of a region in %d bytes", link->node, (int) frame->length);
    }
    facts->start = wire_region_start(&region);
    facts->key = wire_region_key(&region);
    facts->bytes = wire_region_bytes(&region);
    facts->part_offset = wire_region_partOffset(&region);
    trib_link_complete(link, reply, 0, NULL);
    return TRIB_OK;
}

/** The server waits for an answer about a channel: a thread that waits sees to it. */
static void answer_soon(struct trib_link *link) {
    trib_link_enter(link, TRIB_UNFLUSHED);
    trib_link_enter(link, TRIB_STALLED);
}

/** The server gives a channel, which the rank takes between two requests. */
static int take_channel(struct trib_link *link, const struct frame *frame) {
    struct wire_channel given;
    struct trib_channel *channel = link->channel;
    const uint8_t *at = (const uint8_t *) frame->block + frame->block_length;
    const uint8_t *end = (const uint8_t *) frame->block + frame->length - TRIB_FRAME_HEADER_BYTES;
    if (channel == NULL || channel->is_granted || channel->block != NULL || channel->ahead != NULL) {
        return trib_link_broke(link, "node %d gives a channel, for which nobody has asked", link->node);
    }
    struct trib_block_facts *facts = &channel->facts;
    memset(facts, 0, sizeof *facts);
    if (!take_field(&at, end, facts->provider, sizeof facts->provider - 1)
        || !take_field(&at, end, facts->address, sizeof facts->address - 1)) {
        return trib_link_broke(link, "node %d gives a channel in %d bytes", link->node, (int) frame->length);
    }
    wire_channel_wrap_for_decode(&given, frame->block, 0, frame->block_length, frame->version, frame->block_length);
    facts->start = wire_channel_start(&given);
    facts->key = wire_channel_key(&given);
    facts->bytes = wire_channel_bytes(&given);
    facts->number = wire_channel_number(&given);
    facts->design = wire_channel_design(&given);
    facts->by_completion = wire_channel_byCompletion(&given) != 0;
    channel->is_granted = true;
    answer_soon(link);
    return TRIB_OK;
}

/** The server wants its channel back. */
static int take_wanted(struct trib_link *link) {
    if (link->channel == NULL) {
        return trib_link_broke(link, "node %d wants a channel back, and there is none", link->node);
    }
    link->channel->is_wanted = true;
    answer_soon(link);
    return TRIB_OK;
}

static int take_credit(struct trib_link *link, const struct frame *frame) {
    struct wire_credit credit;
    wire_credit_wrap_for_decode(&credit, frame->block, 0, frame->block_length, frame->version, frame->block_length);
    int64_t taken = wire_credit_freed(&credit);
    return trib_channel_credit(link, taken) ? TRIB_OK
        : trib_link_broke(link, "credit for %lld bytes, which have not been written", (long long) taken);
}

static int take_ack(struct trib_link *link, const struct frame *frame) {
    struct wire_ack ack;
    wire_ack_wrap_for_decode(&ack, frame->block, 0, frame->block_length, frame->version, frame->block_length);
    int64_t executed = wire_ack_executed(&ack);
    int64_t before = link->executed - link->issued_before;
    int64_t issued = link->issued - link->issued_before;
    if (executed < 0 || executed < before || executed > issued) {
        return trib_link_broke(link, "the server has executed %lld requests, it says, after %lld of %lld",
                               (long long) executed, (long long) before, (long long) issued);
    }
    link->executed = link->issued_before + executed;
    link->acks_unread = 0;
    return TRIB_OK;
}

/** Handles a frame that is there as a whole. */
static int whole_frame(struct trib_link *link, const struct frame *frame) {
    char *block = frame->block;
    uint64_t bytes = frame->block_length;
    if (frame->template == wire_ack_sbe_template_id() && bytes >= wire_ack_sbe_block_length()) {
        return take_ack(link, frame);
    }
    if (frame->template == wire_value_sbe_template_id() && bytes >= wire_value_sbe_block_length()) {
        struct wire_value value;
        wire_value_wrap_for_decode(&value, block, 0, bytes, frame->version, bytes);
        return answer(link, wire_value_requestId(&value), wire_value_value(&value));
    }
    if (frame->template == wire_done_sbe_template_id() && bytes >= wire_done_sbe_block_length()) {
        struct wire_done done;
        wire_done_wrap_for_decode(&done, block, 0, bytes, frame->version, bytes);
        return answer(link, wire_done_requestId(&done), 0);
    }
    if (frame->template == wire_error_sbe_template_id() && bytes >= wire_error_sbe_block_length()) {
        return trib_link_take_error(link, block, bytes, frame->version,
                                    frame->length - TRIB_FRAME_HEADER_BYTES - (int64_t) bytes);
    }
    if (frame->template == wire_region_sbe_template_id() && bytes >= wire_region_sbe_block_length()) {
        return take_region(link, frame);
    }
    if (frame->template == wire_credit_sbe_template_id() && bytes >= wire_credit_sbe_block_length()) {
        return take_credit(link, frame);
    }
    if (frame->template == wire_channel_sbe_template_id() && bytes >= wire_channel_sbe_block_length()) {
        return take_channel(link, frame);
    }
    if (frame->template == wire_channelWanted_sbe_template_id()) {
        return take_wanted(link);
    }
    if (frame->template == wire_takeRoute_sbe_template_id()) {
        trib_links_take_route(link->job, link->node);
        return TRIB_OK;
    }
    return trib_link_broke(link, "unexpected message %d with a block of %d bytes", frame->template, (int) bytes);
}

/** Handles a whole frame, or the beginning of a data frame; 0 when not enough of it is there, negative when broken. */
static int64_t take_frame(struct trib_link *link, uint8_t *at, int64_t available) {
    if (available < TRIB_FRAME_HEADER_BYTES) {
        return 0;
    }
    int32_t length;
    struct wire_messageHeader header;
    memcpy(&length, at, sizeof length);
    wire_messageHeader_wrap(&header, (char *) at, TRIB_FRAME_LENGTH_BYTES, 0, TRIB_FRAME_HEADER_BYTES);
    struct frame frame = {
        .block = (char *) at + TRIB_FRAME_HEADER_BYTES,
        .length = length,
        .available = available,
        .template = wire_messageHeader_templateId(&header),
        .block_length = wire_messageHeader_blockLength(&header),
        .version = wire_messageHeader_version(&header),
    };
    if (frame.template == wire_data_sbe_template_id()) {
        return begin_data(link, &frame);
    }
    if (length < TRIB_FRAME_HEADER_BYTES + (int64_t) frame.block_length || length > link->in_capacity) {
        return trib_link_broke(link, "frame of %d bytes with message %d", length, frame.template);
    }
    if (available < length) {
        return 0;
    }
    int status = whole_frame(link, &frame);
    return status == TRIB_OK ? length : status;
}

static int handle_input(struct trib_link *link) {
    int64_t at = 0;
    while (at < link->in_filled) {
        int64_t available = link->in_filled - at;
        int64_t used = link->receiving != NULL ? take_data(link, link->in + at, available)
            : take_frame(link, link->in + at, available);
        if (used < 0) {
            return (int) used;
        }
        if (used == 0) {
            break;
        }
        at += used;
    }
    if (at > 0 && at < link->in_filled) {
        memmove(link->in, link->in + at, (size_t) (link->in_filled - at));
    }
    link->in_filled -= at;
    return TRIB_OK;
}

/** Whether the next bytes are data that is worth being received where it belongs. */
static bool receives_directly(const struct trib_link *link) {
    return link->receiving != NULL && link->in_filled == 0 && link->receiving->piece_count == 0
        && trib_region_contiguous(&link->receiving->region) >= TRIB_DIRECT_BYTES;
}

bool trib_link_skip(struct trib_link *link) {
    ssize_t read;
    do {
        read = recv(link->fd, link->in, (size_t) link->in_capacity, MSG_DONTWAIT);
    } while (read > 0 || (read < 0 && errno == EINTR));
    return read < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

static int read_once(struct trib_link *link, bool *moved) {
    *moved = false;
    if (trib_unlikely(link->broken)) {
        return trib_link_fail_broken(link);
    }
    if (link->retired) {
        return TRIB_OK;
    }
    if (trib_unlikely(link->channel != NULL) && trib_channel_problem(link->channel) != NULL) {
        return trib_link_broke(link, "%s", trib_channel_problem(link->channel));
    }
    bool direct = receives_directly(link) && trib_likely(!trib_links_drop(link->job));
    uint8_t *to = link->in + link->in_filled;
    int64_t room = link->in_capacity - link->in_filled;
    if (direct) {
        int64_t contiguous = trib_region_contiguous(&link->receiving->region);
        to = trib_region_at(&link->receiving->region);
        room = contiguous < TRIB_MAX_READ ? contiguous : TRIB_MAX_READ;
    }
    ssize_t read = link->records != NULL ? trib_records_receive(link->records, link->fd, to, (size_t) room)
        : recv(link->fd, to, (size_t) room, MSG_DONTWAIT);
    if (read < 0) {
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? TRIB_OK
            : trib_link_broke(link, "%s", link->records != NULL && errno == EBADMSG
                              ? trib_records_problem(link->records) : strerror(errno));
    }
    if (read == 0) {
        return trib_link_broke(link, "connection closed");
    }
    *moved = true;
    trib_links_arrived(link->job);
    if (!direct) {
        link->in_filled += read;
        return handle_input(link);
    }
    trib_region_advance(&link->receiving->region, read);
    link->receiving_bytes -= read;
    if (link->receiving_bytes == 0) {
        end_data(link);
    }
    return TRIB_OK;
}

int trib_link_poll(struct trib_link *link, bool *moved) {
    int status = read_once(link, moved);
    /* Bytes that have left the socket wake nobody. */
    bool more = *moved;
    while (status == TRIB_OK && more && link->records != NULL && trib_records_readable(link->records)) {
        status = read_once(link, &more);
    }
    return status;
}

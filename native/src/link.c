#include "link.h"

#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "records.h"
#include "ring.h"
#include "wire/ack.h"
#include "wire/data.h"
#include "wire/done.h"
#include "wire/error.h"
#include "wire/takeRoute.h"
#include "wire/value.h"
#include "wire/messageHeader.h"

#define ACKS_BEFORE_READING 64
#define MAX_READ (1LL << 30)

struct trib_link *trib_link_new(trib *job) {
    struct trib_link *link = calloc(1, sizeof *link);
    if (link == NULL) {
        return NULL;
    }
    link->job = job;
    link->fd = -1;
    link->in_capacity = job->settings.receive_buffer;
    link->out = malloc((size_t) job->settings.send_buffer);
    link->in = malloc((size_t) link->in_capacity);
    if (link->out == NULL || link->in == NULL) {
        trib_link_free(link);
        return NULL;
    }
    return link;
}

void trib_link_begin(struct trib_link *link, int node, int fd, struct trib_records *records, bool straight,
                     int max_payload) {
    int64_t forwarded = link->job->routes.max_forwarded;
    link->node = node;
    link->fd = fd;
    link->records = records;
    link->straight = straight;
    link->retired = false;
    link->is_watched = false;
    link->silence = (struct trib_silence) {0};
    link->max_executed = max_payload;
    link->max_forwarded = forwarded < max_payload ? forwarded : max_payload;
    trib_link_aim(link, node);
    /* What gathers in the buffer may become one message. */
    link->out_capacity = link->job->settings.send_buffer < link->max_forwarded ? link->job->settings.send_buffer
        : link->max_forwarded;
    link->out_position = 0;
    link->vector = TRIB_NO_VECTOR;
    link->in_filled = 0;
    link->acks_unread = 0;
    link->issued_before = link->issued;
}

int trib_link_quiet(struct trib_link *link, bool *quiet) {
    int status = TRIB_OK;
    for (int attempt = 0; attempt < 2 && status == TRIB_OK; attempt++) {
        *quiet = link->executed == link->issued && link->free_count == link->replies_made;
        if (*quiet || attempt > 0) {
            break;
        }
        bool moved;
        status = trib_link_poll(link, &moved);
    }
    return status;
}

int trib_link_retire(struct trib_link *link) {
    int status = trib_send_goodbye(link, TRIB_NO_RANK);
    if (status == TRIB_OK) {
        status = trib_link_flush(link);
    }
    if (status == TRIB_OK) {
        if (link->records != NULL) {
            trib_records_end(link->records, link->fd);
            trib_records_free(link->records);
            link->records = NULL;
        }
        epoll_ctl(link->job->links.epoll, EPOLL_CTL_DEL, link->fd, NULL); /* a process that was forked may have it, too */
        close(link->fd);
        link->fd = -1;
        link->retired = true;
    }
    return status;
}

void trib_link_free(struct trib_link *link) {
    if (link->fd >= 0) {
        close(link->fd);
    }
    for (int i = 0; i < link->replies_made; i++) {
        free(link->replies[i]->pieces);
        free(link->replies[i]->failure);
        free(link->replies[i]);
    }
    trib_records_free(link->records);
    trib_ring_close(link->ring);
    free(link->replies);
    free(link->free_slots);
    free(link->one_way_failure);
    free(link->out);
    free(link->in);
    free(link);
}

/** Those who know better go first; if there are none, the own server hears of it before this rank ends. */
static void fail_with(struct trib_link *link, const char *problem) {
    trib *job = link->job;
    struct trib_link *local = job->links.local;
    char reason[400];
    snprintf(reason, sizeof reason, "the connection of rank %d to the communication server of node %d broke: %s",
             job->place.rank, link->node, problem);
    if (local != NULL && local != link && !local->broken && !trib_links_await_reason(job)
        && trib_send_abort(local, job->place.rank, job->place.node, reason) == TRIB_OK
        && trib_link_flush(local) == TRIB_OK) {
        trib_out_drain(local, TRIB_NS_PER_S);
    }
    trib_job_failed(job, "%s", reason);
}

int trib_link_broke(struct trib_link *link, const char *format, ...) {
    char problem[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem, sizeof problem, format, arguments);
    va_end(arguments);
    bool first = !link->broken;
    link->broken = true;
    link->job->links.broken = true;
    if (first && !link->job->links.closed) {
        fail_with(link, problem);
    }
    return trib_fail(TRIB_ABORTED, "the connection to node %d broke: %s", link->node, problem);
}

int trib_link_look(struct trib_link *link, int64_t now_ns) {
    trib *job = link->job;
    int64_t timeout_ns = job->settings.silence_timeout_ns;
    char address[TRIB_SERVER_NAME_BYTES];
    if (!link->is_watched || link->broken || link->retired
        || !trib_watch_is_silent(&link->silence, link->fd, timeout_ns, now_ns)) {
        return TRIB_OK;
    }
    if (trib_place_server(&job->place, link->node, address) != TRIB_OK) {
        address[0] = '\0';
    }
    return trib_link_broke(link, "its host, %.100s, has not answered for %g s (connection.silence-timeout)", address,
                           (double) timeout_ns / (double) TRIB_NS_PER_S);
}

int trib_link_flush(struct trib_link *link) {
    link->vector = TRIB_NO_VECTOR;
    int status = trib_out_flush(link);
    if (status == TRIB_OK && link->acks_unread >= ACKS_BEFORE_READING) {
        bool moved;
        status = trib_link_poll(link, &moved);
    }
    return status;
}

int trib_link_fence(struct trib_link *link, int64_t count) {
    if (link->executed < count && link->ack_wanted_for < count) {
        int status = trib_send_fence(link);
        if (status != TRIB_OK) {
            return status;
        }
        link->ack_wanted_for = link->issued;
    }
    return trib_link_flush(link);
}

int trib_link_one_way_failure(struct trib_link *link) {
    trib_error *failure = link->one_way_failure;
    link->one_way_failure = NULL;
    return failure == NULL ? TRIB_OK : trib_error_raise(failure);
}

/* ---- answers that are waited for ---- */

static bool more_replies(struct trib_link *link) {
    int capacity = link->reply_capacity == 0 ? 64 : 2 * link->reply_capacity;
    struct trib_reply **replies = realloc(link->replies, (size_t) capacity * sizeof *replies);
    link->replies = replies == NULL ? link->replies : replies;
    int *slots = realloc(link->free_slots, (size_t) capacity * sizeof *slots);
    link->free_slots = slots == NULL ? link->free_slots : slots;
    if (replies == NULL || slots == NULL) {
        return false;
    }
    link->reply_capacity = capacity;
    return true;
}

struct trib_reply *trib_link_expect(struct trib_link *link, trib_handle *handle) {
    struct trib_reply *reply;
    if (link->free_count > 0) {
        reply = link->replies[link->free_slots[--link->free_count]];
    } else {
        if (link->replies_made == link->reply_capacity && !more_replies(link)) {
            trib_fail(TRIB_NO_MEMORY, "no memory for another request");
            return NULL;
        }
        reply = calloc(1, sizeof *reply);
        if (reply == NULL) {
            trib_fail(TRIB_NO_MEMORY, "no memory for another request");
            return NULL;
        }
        reply->slot = link->replies_made;
        link->replies[link->replies_made++] = reply;
    }
    reply->done = false;
    reply->ignored = false;
    reply->handle = handle;
    reply->failure = NULL;
    reply->value = 0;
    reply->expected = 0;
    reply->piece_count = 0;
    reply->piece = 0;
    reply->piece_done = 0;
    if (handle != NULL) {
        __atomic_store_n(&handle->pending, handle->pending + 1, __ATOMIC_RELAXED);
        reply->odd = link->job->links.phase & 1;
        link->job->links.operations[reply->odd]++;
    }
    return reply;
}

void trib_link_give_back(struct trib_link *link, struct trib_reply *reply) {
    reply->done = true; /* answers to it would be answers to nothing */
    link->free_slots[link->free_count++] = reply->slot;
}

bool trib_reply_add_piece(struct trib_reply *reply, void *at, int64_t bytes) {
    if (reply->piece_count == reply->piece_capacity) {
        int capacity = reply->piece_capacity == 0 ? 64 : 2 * reply->piece_capacity;
        struct trib_piece *pieces = realloc(reply->pieces, (size_t) capacity * sizeof *pieces);
        if (pieces == NULL) {
            return false;
        }
        reply->pieces = pieces;
        reply->piece_capacity = capacity;
    }
    reply->pieces[reply->piece_count++] = (struct trib_piece) {.at = at, .bytes = bytes};
    reply->expected += bytes;
    return true;
}

void trib_reply_to_range(struct trib_reply *reply, void *at, int64_t bytes) {
    trib_region_begin(&reply->region, at, bytes);
    reply->expected = bytes;
}

static void complete(struct trib_link *link, struct trib_reply *reply, int64_t value, trib_error *failure) {
    reply->value = value;
    reply->failure = failure;
    reply->done = true;
    if (reply->handle != NULL) {
        trib_handle *handle = reply->handle;
        if (handle->failure == NULL) {
            __atomic_store_n(&handle->failure, failure, __ATOMIC_RELAXED);
        } else {
            free(failure);
        }
        /* Who finds 0 without the lock finds the failure and the data, too: partner is the acquire in trib_is_idle. */
        __atomic_store_n(&handle->pending, handle->pending - 1, __ATOMIC_RELEASE);
        link->job->links.operations[reply->odd]--;
        reply->failure = NULL;
        trib_link_give_back(link, reply);
    } else if (reply->ignored) {
        free(failure);
        reply->failure = NULL;
        trib_link_give_back(link, reply);
    }
}

static struct trib_reply *waiting(struct trib_link *link, int64_t request) {
    if (request < 0 || request >= link->replies_made || link->replies[request]->done) {
        trib_link_broke(link, "node %d answered request %lld, which was not made", link->node, (long long) request);
        return NULL;
    }
    return link->replies[request];
}

/* ---- errors of servers ---- */

static trib_error *address_error(const char *problem, struct wire_error *error) {
    trib_fail_at(TRIB_INVALID_ADDRESS, problem, wire_error_rank(error), wire_error_segmentId(error),
                 wire_error_targetOffset(error), wire_error_lengthInBytes(error), wire_error_bound(error));
    return trib_error_copy();
}

static trib_error *mutex_error(const char *problem, struct wire_error *error) {
    int64_t holder = wire_error_bound(error);
    trib_fail_at(TRIB_MUTEX_STATE, problem, wire_error_rank(error), wire_error_segmentId(error),
                 wire_error_targetOffset(error), wire_error_lengthInBytes(error), holder);
    return trib_error_copy();
}

static trib_error *no_space_error(struct wire_error *error, int node, int text, const char *detail) {
    int64_t need = wire_error_lengthInBytes(error);
    int64_t left = wire_error_bound(error);
    trib_fail_at(TRIB_NO_SPACE, "", node, wire_error_segmentId(error), 0, need, left);
    trib_error *copy = trib_error_copy();
    if (copy != NULL) {
        snprintf(copy->message, sizeof copy->message, "%.*s", text, detail);
    }
    return copy;
}

/** What a server complains of; on a route it may be another one than that of the connection. */
static trib_error *to_error(struct trib_link *link, struct wire_error *error, int text, const char *detail) {
    enum wire_errorCode code = wire_errorCode_NULL_VALUE;
    int named = trib_topology_node_of(&link->job->place.topology, wire_error_rank(error));
    int node = named < 0 ? link->node : named;
    wire_error_code(error, &code);
    switch (code) {
        case wire_errorCode_SEGMENT_UNKNOWN:
            return address_error("segment does not exist (freed?)", error);
        case wire_errorCode_OUT_OF_BOUNDS:
            return address_error("outside the segment", error);
        case wire_errorCode_MISALIGNED:
            return address_error("not aligned", error);
        case wire_errorCode_RANK_UNKNOWN:
            return address_error("rank has no part on that node", error);
        case wire_errorCode_NOT_HELD:
            return mutex_error("mutex is not held by this rank but by the one in limit", error);
        case wire_errorCode_ALREADY_HELD:
            return mutex_error("mutex is held by this rank already", error);
        case wire_errorCode_NO_SPACE:
            return no_space_error(error, node, text, detail);
        case wire_errorCode_NODE_LOST:
            trib_fail(TRIB_ABORTED, "%.*s", text, detail);
            return trib_error_copy();
        default:
            trib_fail_at(TRIB_REFUSED, detail, wire_error_rank(error), wire_error_segmentId(error),
                         wire_error_targetOffset(error), wire_error_lengthInBytes(error), wire_error_bound(error));
            trib_fail_prefix("node %d refused a request, code %d, %.*s: ", node, (int) code, text, detail);
            return trib_error_copy();
    }
}

static int handle_error(struct trib_link *link, struct wire_error *error, const char *block_end, int64_t available) {
    uint16_t text = 0;
    if (available >= (int64_t) sizeof text) {
        memcpy(&text, block_end, sizeof text);
        available -= (int64_t) sizeof text;
    }
    char detail[256];
    snprintf(detail, sizeof detail, "%.*s", (int) (text < available ? text : available), block_end + sizeof text);
    trib_error *failure = to_error(link, error, (int) strlen(detail), detail);
    int64_t request = wire_error_requestId(error);
    if (failure == NULL) {
        return trib_link_broke(link, "no memory for an error of node %d: %s", link->node, detail);
    }
    if (request >= 0) {
        struct trib_reply *reply = waiting(link, request);
        if (reply == NULL) {
            free(failure);
            return TRIB_ABORTED;
        }
        complete(link, reply, 0, failure);
    } else if (link->one_way_failure == NULL) {
        link->one_way_failure = failure;
    } else {
        free(failure);
    }
    return TRIB_OK;
}

/* ---- reading ---- */

static void end_data(struct trib_link *link) {
    struct trib_reply *reply = link->receiving;
    link->receiving = NULL;
    complete(link, reply, 0, NULL);
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

static int64_t take_data(struct trib_link *link, const uint8_t *from, int64_t available) {
    struct trib_reply *reply = link->receiving;
    int64_t bytes = available < link->receiving_bytes ? available : link->receiving_bytes;
    if (reply->piece_count > 0) {
        scatter_pieces(reply, from, bytes);
    } else {
        trib_region_scatter(&reply->region, from, bytes);
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
    struct trib_reply *reply = waiting(link, wire_data_requestId(&data));
    if (reply == NULL) {
        return TRIB_ABORTED;
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

static int answer(struct trib_link *link, const struct frame *frame, uint64_t least, int64_t request, int64_t value) {
    if (frame->block_length < least) {
        return trib_link_broke(link, "message %d with a block of %d bytes", frame->template,
                               (int) frame->block_length);
    }
    struct trib_reply *reply = waiting(link, request);
    if (reply == NULL) {
        return TRIB_ABORTED;
    }
    complete(link, reply, value, NULL);
    return TRIB_OK;
}

/** Handles a frame that is there as a whole. */
static int whole_frame(struct trib_link *link, const struct frame *frame) {
    char *block = frame->block;
    uint64_t bytes = frame->block_length;
    if (frame->template == wire_ack_sbe_template_id() && bytes >= wire_ack_sbe_block_length()) {
        struct wire_ack ack;
        wire_ack_wrap_for_decode(&ack, block, 0, bytes, frame->version, bytes);
        link->executed = link->issued_before + wire_ack_executed(&ack);
        link->acks_unread = 0;
        return TRIB_OK;
    }
    if (frame->template == wire_value_sbe_template_id()) {
        struct wire_value value;
        wire_value_wrap_for_decode(&value, block, 0, bytes, frame->version, bytes);
        return answer(link, frame, wire_value_sbe_block_length(), wire_value_requestId(&value),
                      wire_value_value(&value));
    }
    if (frame->template == wire_done_sbe_template_id()) {
        struct wire_done done;
        wire_done_wrap_for_decode(&done, block, 0, bytes, frame->version, bytes);
        return answer(link, frame, wire_done_sbe_block_length(), wire_done_requestId(&done), 0);
    }
    if (frame->template == wire_error_sbe_template_id() && bytes >= wire_error_sbe_block_length()) {
        struct wire_error error;
        wire_error_wrap_for_decode(&error, block, 0, bytes, frame->version, bytes);
        return handle_error(link, &error, block + bytes, frame->length - TRIB_FRAME_HEADER_BYTES - (int64_t) bytes);
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

/** What came for threads that have gone away: whoever is about to leave only makes room for what it has to say. */
static int skip_input(struct trib_link *link, bool *moved) {
    ssize_t read = recv(link->fd, link->in, (size_t) link->in_capacity, MSG_DONTWAIT);
    *moved = read > 0;
    link->broken = read == 0 || (read < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
    return !link->broken ? TRIB_OK : trib_fail(TRIB_ABORTED, "the connection to node %d broke", link->node);
}

static int read_once(struct trib_link *link, bool *moved) {
    *moved = false;
    if (trib_unlikely(link->broken)) {
        return trib_fail(TRIB_ABORTED, "the connection to node %d is broken", link->node);
    }
    if (link->retired) {
        return TRIB_OK;
    }
    if (trib_unlikely(trib_is_leaving(link->job))) {
        return skip_input(link, moved);
    }
    bool direct = receives_directly(link);
    uint8_t *to = link->in + link->in_filled;
    int64_t room = link->in_capacity - link->in_filled;
    if (direct) {
        int64_t contiguous = trib_region_contiguous(&link->receiving->region);
        to = trib_region_at(&link->receiving->region);
        room = contiguous < MAX_READ ? contiguous : MAX_READ;
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
    /* What has left the socket wakes nobody. */
    bool more = *moved;
    while (status == TRIB_OK && more && link->records != NULL && trib_records_readable(link->records)) {
        status = read_once(link, &more);
    }
    return status;
}

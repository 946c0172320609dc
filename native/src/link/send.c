#include "channel.h"
#include "links.h"
#include "ring.h"

#include <sys/socket.h>
#include <sys/uio.h>

/** Blocks that are sent by one call. */
#define MAX_BLOCKS 64
/** Blocks of a region from this size on are sent from where they lie. */
#define DIRECT_BLOCK 4096

/** The socket takes something again, or nobody waits for that any more; also when nobody has. */
static void takes_again(struct trib_link *link) {
    if (trib_unlikely(link->room_slot != 0)) {
        trib_wait_end(link->job, link->room_slot - 1);
        link->room_slot = 0;
    }
}

/** The socket takes nothing more, and nothing has come on it. Gives the lock away for a moment. */
static int stand_back(struct trib_link *link) {
    trib *job = link->job;
    if (++link->full_polls <= TRIB_FULL_POLLS_BEFORE_PARK) {
        trib_pause();
    } else {
        link->full_polls = 0;
        link->is_sending = true;
        if (link->room_slot == 0) {
            struct trib_cause wait = {.kind = TRIB_WAIT_ROOM, .peer = link->node};
            link->room_slot = trib_wait_begin(job, &wait) + 1;
        }
        int status = trib_links_look(job, trib_now_ns());
        trib_links_sleep_unlocked(job->links, TRIB_FULL_PARK_NS);
        link->is_sending = false;
        if (status != TRIB_OK || link->broken) {
            return status != TRIB_OK ? status : trib_link_fail_broken(link);
        }
    }
    return trib_has_failed(job) ? trib_check(job) : TRIB_OK; /* a rank that leaves the job still has something to say */
}

/**
 * The socket is full, or the channel: reading answers makes room, because a server that cannot get rid of them stops
 * reading, and because it says there what it has taken of a channel.
 */
static int full(struct trib_link *link) {
    bool moved;
    struct trib_adapter_face *adapter = link->job->links->adapter;
    int status = trib_link_poll(link, &moved);
    if (trib_unlikely(adapter != NULL && adapter->writes > 0) && status == TRIB_OK && !moved) {
        adapter->poll(link->job, &moved); /* until then messages of channels have no memory to be composed in */
    }
    if (status != TRIB_OK || moved) {
        return status;
    }
    if (link->give_up_ns != 0 && trib_now_ns() > link->give_up_ns) {
        return trib_fail(TRIB_ABORTED, "the communication server of node %d does not take what its rank has to say",
                         link->node);
    }
    return stand_back(link);
}

/** As above, in the middle of what is sent: when it is given up, nothing else must follow. */
static int full_half_way(struct trib_link *link) {
    int status = full(link);
    if (status != TRIB_OK) {
        link->broken = true;
        link->job->links->broken = true;
    }
    return status;
}

/** Waits until the socket has all that was sealed. */
static int send_sealed(struct trib_link *link) {
    int status = TRIB_OK;
    while (status == TRIB_OK && !trib_records_flush(link->records, link->fd)) {
        status = full_half_way(link);
    }
    takes_again(link);
    return status;
}

/** As sendmsg(2), without waiting. */
static ssize_t send_now(struct trib_link *link, struct iovec *vectors, size_t count) {
    struct msghdr message = {.msg_iov = vectors, .msg_iovlen = count};
    return link->ring != NULL ? trib_ring_send(link, vectors, count)
        : link->records != NULL ? trib_records_send(link->records, link->fd, vectors, count)
        : link->channel != NULL ? trib_channel_send(link, vectors, count)
        : sendmsg(link->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/** After a call of sendmsg that took nothing: TRIB_OK when the socket is full. */
static int explain(struct trib_link *link) {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? TRIB_OK
        : trib_link_cannot_send(link, errno);
}

static int send_all(struct trib_link *link, struct iovec *vectors, size_t count) {
    if (trib_unlikely(link->broken)) {
        return trib_link_fail_broken(link); /* perhaps in the middle of a message */
    }
    while (count > 0) {
        if (vectors->iov_len == 0) {
            vectors++;
            count--;
            continue;
        }
        ssize_t sent = send_now(link, vectors, count);
        if (sent < 0) {
            TRIB_TRY(explain(link));
            TRIB_TRY(full_half_way(link));
            continue;
        }
        takes_again(link);
        while (count > 0 && (size_t) sent >= vectors->iov_len) {
            sent -= (ssize_t) vectors->iov_len;
            vectors++;
            count--;
        }
        if (count > 0) {
            vectors->iov_base = (uint8_t *) vectors->iov_base + sent;
            vectors->iov_len -= (size_t) sent;
        }
    }
    return TRIB_OK;
}

static int send_vectors(struct trib_link *link, struct iovec *vectors, size_t count) {
    int status = send_all(link, vectors, count);
    takes_again(link);
    return status == TRIB_OK && link->records != NULL ? send_sealed(link) : status;
}

int trib_out_flush(struct trib_link *link) {
    if (link->out_position == 0) {
        return link->records != NULL ? send_sealed(link) : TRIB_OK;
    }
    struct iovec vector = {.iov_base = link->out, .iov_len = (size_t) link->out_position};
    link->out_position = 0;
    link->vector = TRIB_NO_VECTOR; /* it has gone, whether or not another message can begin */
    return send_vectors(link, &vector, 1);
}

int trib_out_push(struct trib_link *link, bool *all) {
    int64_t done = 0;
    ssize_t sent = 1;
    if (trib_unlikely(link->broken)) {
        return trib_link_fail_broken(link);
    }
    while (done < link->out_position && sent > 0) {
        struct iovec vector = {.iov_base = link->out + done, .iov_len = (size_t) (link->out_position - done)};
        sent = send_now(link, &vector, 1);
        done += sent > 0 ? sent : 0;
    }
    if (sent < 0) {
        TRIB_TRY(explain(link)); /* when it breaks, others have the lock meanwhile: nothing is moved after that */
    }
    link->out_position -= done;
    memmove(link->out, link->out + done, (size_t) link->out_position);
    *all = link->out_position == 0 && (link->records == NULL || trib_records_flush(link->records, link->fd));
    return TRIB_OK;
}

static bool is_draining(struct trib_link *link) {
    return (link->ring != NULL && !trib_ring_is_empty(link)) || (link->channel != NULL && link->channel->is_leaving);
}

void trib_out_drain(struct trib_link *link, int64_t timeout_ns) {
    int64_t until_ns = trib_now_ns() + timeout_ns;
    while (is_draining(link) && trib_now_ns() < until_ns && full(link) == TRIB_OK) {
    }
    takes_again(link);
}

int trib_out_arrive(struct trib_link *link) {
    int status = TRIB_OK;
    while (status == TRIB_OK && trib_channel_under_way(link)) {
        status = full(link);
    }
    takes_again(link);
    const char *problem = link->channel == NULL ? NULL : trib_channel_problem(link->channel);
    return status == TRIB_OK && problem != NULL ? trib_link_broke(link, "%s", problem) : status;
}

int trib_out_ensure(struct trib_link *link, int64_t bytes) {
    if (link->out_capacity - link->out_position >= bytes) {
        return TRIB_OK;
    }
    if (bytes > link->out_capacity) {
        return trib_fail(TRIB_INVALID_ARGUMENT, "a request of %lld bytes does not fit client.buffer, %lld bytes",
                         (long long) bytes, (long long) link->out_capacity);
    }
    return trib_out_flush(link);
}

static int copy(struct trib_link *link, const uint8_t *source, int64_t bytes) {
    while (bytes > 0) {
        TRIB_TRY(trib_out_ensure(link, 1));
        int64_t room = link->out_capacity - link->out_position;
        int64_t piece = room < bytes ? room : bytes;
        memcpy(link->out + link->out_position, source, (size_t) piece);
        link->out_position += piece;
        source += piece;
        bytes -= piece;
    }
    return TRIB_OK;
}

/** Sends what is buffered and a piece of payload by one call. */
static int send_with_buffer(struct trib_link *link, struct iovec *payload, size_t count, struct iovec *all) {
    size_t used = 0;
    if (link->out_position > 0) {
        all[used++] = (struct iovec) {.iov_base = link->out, .iov_len = (size_t) link->out_position};
        link->out_position = 0;
    }
    memcpy(all + used, payload, count * sizeof *payload);
    return send_vectors(link, all, used + count);
}

int trib_out_payload(struct trib_link *link, const uint8_t *source, int64_t bytes) {
    if (bytes < TRIB_DIRECT_BYTES) {
        return copy(link, source, bytes);
    }
    while (bytes > 0) {
        int64_t piece = bytes < TRIB_MAX_WRITE ? bytes : TRIB_MAX_WRITE;
        struct iovec payload = {.iov_base = (void *) (uintptr_t) source, .iov_len = (size_t) piece};
        struct iovec all[2];
        TRIB_TRY(send_with_buffer(link, &payload, 1, all));
        source += piece;
        bytes -= piece;
    }
    return TRIB_OK;
}

/** Sends large blocks from where they lie, some by each call. */
static int send_blocks(struct trib_link *link, struct trib_region *source) {
    struct iovec blocks[MAX_BLOCKS];
    struct iovec all[MAX_BLOCKS + 1];
    while (source->remaining > 0) {
        size_t count = 0;
        int64_t bytes = 0;
        while (count < MAX_BLOCKS && bytes < TRIB_MAX_WRITE && source->remaining > 0) {
            int64_t block = trib_region_contiguous(source);
            int64_t most = TRIB_MAX_WRITE - bytes;
            block = block < most ? block : most;
            blocks[count++] = (struct iovec) {.iov_base = trib_region_at(source), .iov_len = (size_t) block};
            bytes += block;
            trib_region_advance(source, block);
        }
        TRIB_TRY(send_with_buffer(link, blocks, count, all));
    }
    return TRIB_OK;
}

int trib_out_region(struct trib_link *link, struct trib_region *source) {
    if (source->levels == 0) {
        int64_t bytes = source->remaining;
        const uint8_t *at = trib_region_at(source);
        trib_region_advance(source, bytes);
        return trib_out_payload(link, at, bytes);
    }
    if (source->block_bytes >= DIRECT_BLOCK && source->remaining >= TRIB_DIRECT_BYTES) {
        return send_blocks(link, source);
    }
    while (source->remaining > 0) {
        TRIB_TRY(trib_out_ensure(link, 1));
        int64_t room = link->out_capacity - link->out_position;
        int64_t piece = room < source->remaining ? room : source->remaining;
        trib_region_gather(source, link->out + link->out_position, piece);
        link->out_position += piece;
    }
    return TRIB_OK;
}

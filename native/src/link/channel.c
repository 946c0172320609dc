#include "channel.h"

#include <sys/socket.h>

#include "links.h"

#define MESSAGE_BYTES (TRIB_BLOCK_SLOT_BYTES - 2 * TRIB_BLOCK_WORD)

/** A place in what is sent. */
struct cursor {
    const struct iovec *vector;
    size_t done; /* of the vector */
};

struct trib_channel *trib_channel_new(void) {
    struct trib_channel *channel = calloc(1, sizeof *channel);
    if (channel != NULL) {
        channel->since_ns = trib_now_ns();
    }
    return channel;
}

static bool is_top(int design) {
    return design == TRIB_FABRIC_CHANNELS_FIXED_TOP || design == TRIB_FABRIC_CHANNELS_VARIABLE_TOP;
}

bool trib_channel_fits(const struct trib_block_facts *facts) {
    return facts->bytes > TRIB_BLOCK_HEAD_BYTES
        && trib_channel_design_fits(facts->design, facts->bytes - TRIB_BLOCK_HEAD_BYTES);
}

int64_t trib_channel_copy_bytes(const struct trib_block_facts *facts) {
    return is_top(facts->design) ? facts->bytes - TRIB_BLOCK_HEAD_BYTES : 0;
}

/** Bytes that go with a message to keep its neighbour's word clear, or to repeat its flag: in one word. */
static int64_t extra(const struct trib_channel *channel) {
    bool has_none = channel->by_completion || channel->design == TRIB_FABRIC_CHANNELS_FIXED_BOTTOM;
    return has_none ? 0 : TRIB_BLOCK_WORD;
}

/** What a message uses of the block: itself, in whole words, and its word. */
static int64_t used(int64_t bytes) {
    return ((bytes + TRIB_BLOCK_WORD - 1) & -TRIB_BLOCK_WORD) + TRIB_BLOCK_WORD;
}

/** What later messages cannot use before it has been taken. */
static int64_t taken(const struct trib_channel *channel, int64_t bytes) {
    return trib_channel_design_is_fixed(channel->design) ? TRIB_BLOCK_SLOT_BYTES : used(bytes);
}

static bool has_room(const struct trib_channel *channel, int64_t bytes) {
    int64_t margin = trib_channel_design_is_fixed(channel->design) ? 0 : extra(channel);
    return channel->position + taken(channel, bytes) + margin - channel->credited <= channel->block_bytes;
}

static void gather(struct cursor *cursor, uint8_t *to, int64_t bytes) {
    while (bytes > 0) {
        size_t left = cursor->vector->iov_len - cursor->done;
        size_t part = left < (size_t) bytes ? left : (size_t) bytes;
        memcpy(to, (const uint8_t *) cursor->vector->iov_base + cursor->done, part);
        to += part;
        bytes -= (int64_t) part;
        cursor->done += part;
        if (cursor->done == cursor->vector->iov_len) {
            cursor->vector++;
            cursor->done = 0;
        }
    }
}

static struct trib_block_write next_write(struct trib_channel *channel, int64_t from, int64_t bytes, int64_t at,
                                          bool more) {
    int64_t data = -1;
    if (channel->by_completion) {
        data = (channel->writes & (TRIB_ARRIVAL_NUMBERS - 1)) | (more ? TRIB_ARRIVAL_MORE : 0);
        channel->writes++;
    }
    return (struct trib_block_write) {.from = (int) from, .bytes = (int) bytes, .to = TRIB_BLOCK_HEAD_BYTES + at,
                                      .data = data};
}

/** The message, and behind it its word; it ends where the one before begins. Returns how many bytes that is. */
static int64_t compose_bottom(const struct trib_channel *channel, uint8_t *memory, struct cursor *cursor,
                              int64_t bytes) {
    int64_t zeros = extra(channel);
    int64_t total = zeros + used(bytes);
    uint64_t word = (uint64_t) bytes | (uint64_t) (channel->messages % TRIB_BLOCK_FLAGS + 1) << TRIB_BLOCK_FLAG_SHIFT;
    memset(memory, 0, (size_t) zeros);
    gather(cursor, memory + zeros, bytes);
    memcpy(memory + total - TRIB_BLOCK_WORD, &word, sizeof word);
    return total;
}

/** The last byte of a word of the copy. */
static uint64_t last_byte(const struct trib_channel *channel, int64_t at) {
    return trib_block_copy(channel->block)[at % channel->block_bytes + TRIB_BLOCK_WORD - 1];
}

/**
 * The word, the message, and with flags a word with the flag once more. It begins where the one before ends. The flag
 * differs from the byte that lies where it is repeated. Returns how many bytes that is.
 */
static int64_t compose_top(const struct trib_channel *channel, uint8_t *memory, struct cursor *cursor, int64_t bytes) {
    int64_t block = channel->block_bytes;
    int64_t at = channel->position % block;
    int64_t total = used(bytes) + extra(channel);
    uint64_t flag = (uint64_t) channel->messages % TRIB_BLOCK_TOP_FLAGS + 1;
    flag |= last_byte(channel, at + used(bytes)) == flag ? TRIB_BLOCK_TOP_OTHER : 0;
    uint64_t word = (uint64_t) bytes | flag << TRIB_BLOCK_TOP_FLAG_SHIFT
        | last_byte(channel, at) << TRIB_BLOCK_FLAG_SHIFT;
    uint64_t tail = flag << TRIB_BLOCK_FLAG_SHIFT;
    memset(memory + used(bytes) - TRIB_BLOCK_WORD, 0, TRIB_BLOCK_WORD); /* behind the message */
    memcpy(memory, &word, sizeof word);
    gather(cursor, memory + TRIB_BLOCK_WORD, bytes);
    memcpy(memory + used(bytes), &tail, (size_t) extra(channel));
    int64_t here = total < block - at ? total : block - at;
    memcpy(trib_block_copy(channel->block) + at, memory, (size_t) here);
    memcpy(trib_block_copy(channel->block), memory + here, (size_t) (total - here));
    return total;
}

/** Writes a message, for which there is room, and which may go on at the block's other end. Its flag comes last. */
static bool send_message(trib *job, struct trib_channel *channel, struct cursor *cursor, int64_t bytes) {
    int slot;
    uint8_t *memory = trib_block_claim(job, channel->block, &slot);
    if (memory == NULL) {
        return false;
    }
    struct trib_block_write writes[2];
    int count = 0;
    int64_t block = channel->block_bytes;
    int64_t at = channel->position % block;
    if (is_top(channel->design)) {
        int64_t total = compose_top(channel, memory, cursor, bytes);
        int64_t here = total < block - at ? total : block - at;
        writes[count++] = next_write(channel, 0, here, at, here < total);
        if (here < total) {
            writes[count++] = next_write(channel, here, total - here, 0, false);
        }
    } else {
        int64_t total = compose_bottom(channel, memory, cursor, bytes);
        int64_t over = total > block - at ? total - (block - at) : 0;
        if (over > 0) {
            writes[count++] = next_write(channel, 0, over, block - over, true);
        }
        writes[count++] = next_write(channel, over, total - over, block - at - (total - over), false);
    }
    trib_block_write(job, slot, writes, count);
    channel->position += taken(channel, bytes);
    channel->messages++;
    return true;
}

static ssize_t send_to_block(trib *job, struct trib_channel *channel, const struct iovec *vectors, size_t count) {
    struct cursor cursor = {.vector = vectors};
    int64_t bytes = 0;
    int64_t sent = 0;
    for (size_t i = 0; i < count; i++) {
        bytes += (int64_t) vectors[i].iov_len;
    }
    while (sent < bytes && trib_block_problem(channel->block) == NULL) {
        int64_t piece = bytes - sent < MESSAGE_BYTES ? bytes - sent : MESSAGE_BYTES;
        if (!has_room(channel, piece) || !send_message(job, channel, &cursor, piece)) {
            break;
        }
        sent += piece;
    }
    if (sent == 0) {
        errno = trib_block_problem(channel->block) == NULL ? EAGAIN : EBADMSG;
        return -1;
    }
    return (ssize_t) sent;
}

static ssize_t send_by_turn(struct trib_link *link, struct iovec *vectors, size_t count) {
    struct trib_channel *channel = link->channel;
    struct msghdr message = {.msg_iov = vectors, .msg_iovlen = count};
    if (channel->block == NULL) {
        return sendmsg(link->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    if (channel->is_leaving) {
        errno = EAGAIN; /* what the server reads next must not overtake what it has yet to take */
        return -1;
    }
    return send_to_block(link->job, channel, vectors, count);
}

static void change(struct trib_channel *channel) {
    if (channel->ahead == NULL) {
        channel->is_leaving = true;
        return;
    }
    channel->block = channel->ahead;
    channel->ahead = NULL;
    channel->design = channel->facts.design;
    channel->block_bytes = channel->facts.bytes - TRIB_BLOCK_HEAD_BYTES;
    channel->by_completion = channel->facts.by_completion;
    channel->position = 0;
    channel->credited = 0;
    channel->messages = 0;
    channel->writes = 0;
}

ssize_t trib_channel_send(struct trib_link *link, struct iovec *vectors, size_t count) {
    struct trib_channel *channel = link->channel;
    struct iovec first = vectors[0];
    if (trib_unlikely(channel->change_at > 0)) {
        /* The change comes after bytes of the send buffer, which is the first of the vectors. */
        first.iov_len = first.iov_len < (size_t) channel->change_at ? first.iov_len : (size_t) channel->change_at;
        vectors = &first;
        count = 1;
    }
    ssize_t sent = send_by_turn(link, vectors, count);
    channel->has_sent |= sent > 0;
    if (sent > 0 && channel->change_at > 0) {
        channel->change_at -= sent;
        if (channel->change_at == 0) {
            change(channel);
        }
    }
    return sent;
}

void trib_channel_change(struct trib_link *link, struct trib_block *block) {
    link->channel->ahead = block;
    link->channel->change_at = link->out_position;
}

bool trib_channel_credit(struct trib_link *link, int64_t taken) {
    struct trib_channel *channel = link->channel;
    if (channel == NULL || channel->block == NULL || taken < channel->credited || taken > channel->position
        || (taken == channel->position && trib_block_waits(channel->block))) {
        return false;
    }
    channel->credited = taken;
    if (channel->is_leaving && taken == channel->position) {
        trib_block_close(link->job, channel->block);
        channel->block = NULL;
        channel->is_leaving = false;
    }
    return true;
}

bool trib_channel_under_way(const struct trib_link *link) {
    const struct trib_channel *channel = link->channel;
    return channel != NULL && channel->block != NULL && trib_block_problem(channel->block) == NULL
        && trib_block_is_busy(link->job, channel->block);
}

const char *trib_channel_problem(const struct trib_channel *channel) {
    return channel->block == NULL ? NULL : trib_block_problem(channel->block);
}

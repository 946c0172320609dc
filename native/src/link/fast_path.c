/*
 * When requests of a link take a channel. After some hand-overs it asks its server for one and says how many there are
 * a second, because the busiest get them; it asks less and less often when it gets none. It leaves its channel when the
 * server says that others need it more. As FastPath of the Java client.
 */
#include "channel.h"

#include "links.h"

/** Hand-overs that are much; in tests fewer are. */
int trib_much_for_a_channel = TRIB_MUCH;

/** Takes the channel that the server has given, or says that it does not. */
static int answer(struct trib_link *link) {
    struct trib_channel *channel = link->channel;
    bool refuses = channel->is_wanted;
    struct trib_block *block = refuses ? NULL : link->job->links->adapter->open_block(link, &channel->facts);
    channel->is_granted = false;
    channel->is_wanted = false;
    channel->is_off |= block == NULL && !refuses;
    if (block == NULL) {
        return trib_send_leave_channel(link);
    }
    TRIB_TRY(trib_send_use_channel(link));
    trib_channel_change(link, block);
    return TRIB_OK;
}

static int leave(struct trib_link *link) {
    link->channel->is_wanted = false;
    if (link->channel->block == NULL || link->channel->is_leaving) {
        return TRIB_OK;
    }
    TRIB_TRY(trib_send_leave_channel(link));
    trib_channel_change(link, NULL);
    return TRIB_OK;
}

/** Asks for a channel, unless the last time was just now, and says how much is sent. */
static int measure(struct trib_link *link) {
    struct trib_channel *channel = link->channel;
    int64_t now_ns = trib_now_ns();
    int64_t took_ns = now_ns > channel->since_ns ? now_ns - channel->since_ns : 1;
    bool has_paused = channel->pause_ns == 0 || now_ns - channel->asked_ns > channel->pause_ns;
    int64_t rate = channel->flushes * TRIB_NS_PER_S / took_ns;
    channel->flushes = 0;
    channel->since_ns = now_ns;
    if (!has_paused) {
        return TRIB_OK;
    }
    int64_t pause_ns = 2 * channel->pause_ns > TRIB_FIRST_ASKING_PAUSE_NS ? 2 * channel->pause_ns
        : TRIB_FIRST_ASKING_PAUSE_NS;
    channel->pause_ns = pause_ns < TRIB_LAST_ASKING_PAUSE_NS ? pause_ns : TRIB_LAST_ASKING_PAUSE_NS;
    channel->asked_ns = now_ns;
    return trib_send_ask_channel(link, rate < INT32_MAX ? (int) rate : INT32_MAX);
}

int trib_fast_path_flushed(struct trib_link *link) {
    struct trib_channel *channel = link->channel;
    bool has_sent = channel->has_sent;
    channel->has_sent = false;
    if (channel->change_at > 0) {
        return TRIB_OK;
    }
    if (trib_unlikely(channel->is_granted) && !channel->is_off) {
        return answer(link);
    }
    if (trib_unlikely(channel->is_wanted)) {
        return leave(link);
    }
    return channel->block == NULL && !channel->is_off && has_sent && ++channel->flushes >= trib_much_for_a_channel
        ? measure(link) : TRIB_OK;
}

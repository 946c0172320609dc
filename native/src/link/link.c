#include "links.h"

#include <assert.h>
#include <sys/socket.h>
#include <unistd.h>

#include "channel.h"
#include "ring.h"

struct trib_link *trib_link_new(trib *job) {
    struct trib_link *link = calloc(1, sizeof *link);
    if (link == NULL) {
        return NULL;
    }
    link->job = job;
    link->fd = -1;
    link->in_capacity = job->settings.buffer;
    link->out = malloc((size_t) job->settings.buffer);
    link->in = malloc((size_t) link->in_capacity);
    if (link->out == NULL || link->in == NULL) {
        trib_link_free(link);
        return NULL;
    }
    return link;
}

void trib_link_begin(struct trib_link *link, int node, int fd, struct trib_records *records, bool direct,
                     int max_payload) {
    int64_t forwarded = link->job->links->routes.max_forwarded;
    assert(!link->is_sending);
    link->node = node;
    link->fd = fd;
    link->records = records;
    link->direct = direct;
    link->lock_home = -1;
    link->retired = false;
    link->is_watched = false;
    link->full_polls = 0;
    link->give_up_ns = 0;
    link->silence = (struct trib_silence) {0};
    link->max_executed = max_payload;
    link->max_forwarded = forwarded < max_payload ? forwarded : max_payload;
    trib_link_aim(link, node);
    /* All that gathers in the buffer may become one message. */
    link->out_capacity = link->job->settings.buffer < link->max_forwarded ? link->job->settings.buffer
        : link->max_forwarded;
    link->out_position = 0;
    link->vector = TRIB_NO_VECTOR;
    link->in_filled = 0;
    link->acks_unread = 0;
    link->issued_before = link->issued;
}

/* ---- the end of a link ---- */

static bool is_quiet(const struct trib_link *link) {
    /* A message in the middle of which its thread has given the lock away has not been counted yet. */
    return !link->is_sending && link->executed == link->issued && link->free_count == link->replies_made;
}

int trib_link_quiet_after_poll(struct trib_link *link, bool *quiet) {
    bool moved;
    *quiet = is_quiet(link);
    if (!*quiet) {
        TRIB_TRY(trib_link_poll(link, &moved));
        *quiet = is_quiet(link);
    }
    return TRIB_OK;
}

int trib_link_retire(struct trib_link *link) {
    assert(!link->is_sending);
    TRIB_TRY(trib_send_goodbye(link, TRIB_FRAME_NO_RANK));
    TRIB_TRY(trib_link_flush(link));
    if (link->records != NULL) {
        trib_records_end(link->records, link->fd);
        trib_records_free(link->records);
        link->records = NULL;
    }
    trib_links_ignore(link->job->links, link->fd);
    close(link->fd);
    link->fd = -1;
    link->retired = true;
    trib_link_enter(link, TRIB_RETIRED);
    return TRIB_OK;
}

void trib_link_free(struct trib_link *link) {
    if (link->fd >= 0) {
        close(link->fd);
    }
    for (int i = 0; i < link->replies_made; i++) {
        free(link->replies[i]->pieces);
        free(link->replies[i]->failure);
        free(link->replies[i]->kept);
        free(link->replies[i]);
    }
    trib_records_free(link->records);
    trib_ring_close(link->ring);
    free(link->channel);
    free(link->replies);
    free(link->free_slots);
    free(link->one_way_failure);
    free(link->out);
    free(link->in);
    free(link);
}

int trib_link_push(struct trib_link *link) {
    bool all;
    bool moved;
    link->vector = TRIB_NO_VECTOR;
    TRIB_TRY(trib_out_push(link, &all));
    if (trib_unlikely(link->channel != NULL) && all) {
        TRIB_TRY(trib_fast_path_flushed(link));
        TRIB_TRY(trib_out_push(link, &all));
    }
    if (all) {
        trib_link_leave(link, TRIB_UNFLUSHED);
        trib_link_leave(link, TRIB_STALLED);
    } else {
        trib_link_enter(link, TRIB_STALLED);
    }
    /* Reading answers makes room. */
    return !all || link->acks_unread >= TRIB_ACKS_BEFORE_READING ? trib_link_poll(link, &moved) : TRIB_OK;
}

int trib_link_flush(struct trib_link *link) {
    bool moved;
    link->vector = TRIB_NO_VECTOR;
    if (trib_unlikely(link->places[TRIB_UNFLUSHED].in)) {
        trib_link_leave(link, TRIB_UNFLUSHED);
        trib_link_leave(link, TRIB_STALLED);
    }
    TRIB_TRY(trib_out_flush(link));
    if (trib_unlikely(link->channel != NULL)) {
        TRIB_TRY(trib_fast_path_flushed(link));
        TRIB_TRY(trib_out_flush(link));
        TRIB_TRY(trib_out_arrive(link));
    }
    return link->acks_unread >= TRIB_ACKS_BEFORE_READING ? trib_link_poll(link, &moved) : TRIB_OK;
}

void trib_link_leave_channel(struct trib_link *link, int64_t timeout_ns) {
    if (link->channel == NULL || trib_link_claim(link) != TRIB_OK) {
        return;
    }
    link->channel->is_off = true;
    link->channel->is_wanted = true;
    link->give_up_ns = trib_now_ns() + timeout_ns;
    if (trib_link_flush(link) == TRIB_OK) {
        trib_out_drain(link, timeout_ns);
    }
    link->give_up_ns = 0;
}

int trib_link_fence(struct trib_link *link, int64_t count) {
    if (trib_unlikely(link->is_sending || link->broken)) {
        TRIB_TRY(trib_link_claim(link));
    }
    if (link->executed < count && link->ack_wanted_for < count) {
        TRIB_TRY(trib_send_fence(link));
        link->ack_wanted_for = link->issued;
    }
    return trib_link_flush(link);
}

int trib_link_one_way_failure(struct trib_link *link) {
    trib_error *failure = link->one_way_failure;
    link->one_way_failure = NULL;
    return failure == NULL ? TRIB_OK : trib_error_raise(failure);
}

#include "links.h"

#include <assert.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ring.h"

#define ACKS_BEFORE_READING 64
/** How often a thread that needs a connection looks whether the thread that sends on it has done so. */
#define CLAIM_LOOK_NS 50000

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

void trib_link_begin(struct trib_link *link, int node, int fd, struct trib_records *records, bool direct,
                     int max_payload) {
    int64_t forwarded = link->job->links->routes.max_forwarded;
    assert(!link->is_sending);
    link->node = node;
    link->fd = fd;
    link->records = records;
    link->direct = direct;
    link->retired = false;
    link->is_watched = false;
    link->full_polls = 0;
    link->give_up_ns = 0;
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

/* ---- sets of links ---- */

void trib_link_insert(struct trib_link *link, int set) {
    struct trib_link **first = &link->job->links->sets[set];
    link->places[set].in = true;
    link->places[set].previous = NULL;
    link->places[set].next = *first;
    if (*first != NULL) {
        (*first)->places[set].previous = link;
    }
    *first = link;
}

void trib_link_leave(struct trib_link *link, int set) {
    struct trib_link *previous = link->places[set].previous;
    struct trib_link *next = link->places[set].next;
    if (!link->places[set].in) {
        return;
    }
    link->places[set].in = false;
    if (previous == NULL) {
        link->job->links->sets[set] = next;
    } else {
        previous->places[set].next = next;
    }
    if (next != NULL) {
        next->places[set].previous = previous;
    }
}

/* ---- the end of a link ---- */

int trib_link_quiet(struct trib_link *link, bool *quiet) {
    int status = TRIB_OK;
    for (int attempt = 0; attempt < 2 && status == TRIB_OK; attempt++) {
        /* A message in the middle of which its thread has given the lock away has not been counted yet. */
        *quiet = !link->is_sending && link->executed == link->issued && link->free_count == link->replies_made;
        if (*quiet || attempt > 0) {
            break;
        }
        bool moved;
        status = trib_link_poll(link, &moved);
    }
    return status;
}

int trib_link_retire(struct trib_link *link) {
    assert(!link->is_sending);
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
        /* A process that was forked may have it, too. */
        epoll_ctl(link->job->links->epoll, EPOLL_CTL_DEL, link->fd, NULL);
        close(link->fd);
        link->fd = -1;
        link->retired = true;
        trib_link_enter(link, TRIB_RETIRED);
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

int trib_link_is_broken(const struct trib_link *link) {
    trib *job = link->job;
    struct trib_links *links = job->links;
    while (links->explaining && !pthread_equal(links->explainer, pthread_self()) && !trib_has_failed(job)
           && !trib_is_leaving(job)) {
        trib_links_unlock(links);
        trib_park(CLAIM_LOOK_NS);
        trib_links_lock(links);
    }
    return trib_has_failed(job) ? trib_check(job)
        : trib_fail(TRIB_ABORTED, "the connection to node %d is broken", link->node);
}

int trib_link_claim(struct trib_link *link) {
    trib *job = link->job;
    while (link->is_sending && !link->broken) {
        trib_links_unlock(job->links);
        int status = trib_check(job);
        trib_park(CLAIM_LOOK_NS);
        trib_links_lock(job->links);
        if (status != TRIB_OK) {
            return status;
        }
    }
    return trib_unlikely(link->broken) ? trib_link_is_broken(link) : TRIB_OK;
}

int trib_link_abort(struct trib_link *local, const char *reason) {
    const struct trib_place *place = &local->job->place;
    int64_t until_ns = trib_now_ns() + TRIB_NS_PER_S;
    while (local->is_sending && !local->broken && trib_now_ns() < until_ns) {
        trib_links_unlock(local->job->links);
        trib_park(CLAIM_LOOK_NS);
        trib_links_lock(local->job->links);
    }
    if (local->broken || local->is_sending) {
        return trib_fail(TRIB_ABORTED, "the communication server of node %d does not take what its rank has to say",
                         local->node);
    }
    local->give_up_ns = until_ns;
    int status = trib_send_abort(local, place->rank, place->node, reason);
    if (status == TRIB_OK) {
        status = trib_link_flush(local);
    }
    local->give_up_ns = 0;
    return status == TRIB_OK ? trib_out_drain(local, TRIB_NS_PER_S) : status; /* the process may end now */
}

/**
 * Waits for a process that knows the reason; if none speaks, the own server hears of it before this rank ends. No
 * thread waits for the lock meanwhile; threads that find the connection broken wait for the reason.
 */
static void explain(struct trib_link *link, const char *problem) {
    trib *job = link->job;
    struct trib_links *links = job->links;
    struct trib_link *local = links->local;
    char reason[1024];
    snprintf(reason, sizeof reason, "the connection of rank %d to the communication server of node %d broke: %s",
             job->place.rank, link->node, problem);
    bool tells = local != NULL && local != link && !local->broken;
    links->explaining = true;
    links->explainer = pthread_self();
    trib_links_unlock(links);
    trib_job_find_cause(job, reason, sizeof reason);
    if (tells && !trib_await_reason(job)) {
        trib_links_lock(links);
        trib_link_abort(local, reason);
        trib_links_unlock(links);
    }
    trib_job_failed(job, "%s", reason);
    trib_links_lock(links);
    links->explaining = false;
}

int trib_link_broke(struct trib_link *link, const char *format, ...) {
    char problem[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem, sizeof problem, format, arguments);
    va_end(arguments);
    bool first = !link->broken;
    link->broken = true;
    link->job->links->broken = true;
    if (first && link->job->links->explaining) {
        return trib_link_is_broken(link); /* why the first one broke is what counts */
    }
    if (first && !link->job->links->closed) {
        explain(link, problem);
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

int trib_link_push(struct trib_link *link) {
    bool all;
    bool moved;
    link->vector = TRIB_NO_VECTOR;
    int status = trib_out_push(link, &all);
    if (status == TRIB_OK && all) {
        trib_link_leave(link, TRIB_UNFLUSHED);
        trib_link_leave(link, TRIB_STALLED);
    } else if (status == TRIB_OK) {
        trib_link_enter(link, TRIB_STALLED);
    }
    /* Reading answers makes room. */
    return status == TRIB_OK && (!all || link->acks_unread >= ACKS_BEFORE_READING) ? trib_link_poll(link, &moved)
        : status;
}

int trib_link_flush(struct trib_link *link) {
    link->vector = TRIB_NO_VECTOR;
    if (trib_unlikely(link->places[TRIB_UNFLUSHED].in)) {
        trib_link_leave(link, TRIB_UNFLUSHED);
        trib_link_leave(link, TRIB_STALLED);
    }
    int status = trib_out_flush(link);
    if (status == TRIB_OK && link->acks_unread >= ACKS_BEFORE_READING) {
        bool moved;
        status = trib_link_poll(link, &moved);
    }
    return status;
}

int trib_link_fence(struct trib_link *link, int64_t count) {
    if (trib_unlikely(link->is_sending)) {
        int status = trib_link_claim(link);
        if (status != TRIB_OK) {
            return status;
        }
    }
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

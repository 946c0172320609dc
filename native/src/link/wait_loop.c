/*
 * How the threads of a rank wait for its connections: a waiting thread reads, first in a bounded spin, because an
 * answer usually comes within microseconds, then asleep in the kernel. One thread at a time sleeps in epoll; it wakes
 * the others when there is news.
 */
#include "links.h"

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#define MAX_EVENTS 16

/** Only those that are in the set already; what breaks ends it. */
static int push_all(trib *job, int set) {
    struct trib_link *next;
    int status = TRIB_OK;
    for (struct trib_link *link = job->links->sets[set]; link != NULL && status == TRIB_OK; link = next) {
        next = link->places[set].next;
        status = link->is_sending ? TRIB_OK : trib_link_push(link);
    }
    return status;
}

int trib_links_flush(trib *job) {
    return push_all(job, TRIB_UNFLUSHED);
}

int trib_links_flush_all(trib *job) {
    struct trib_links *links = job->links;
    int status = TRIB_OK;
    trib_links_lock(links);
    struct trib_link *link = links->sets[TRIB_UNFLUSHED];
    while (link != NULL && status == TRIB_OK) {
        if (link->is_sending) {
            link = link->places[TRIB_UNFLUSHED].next;
        } else {
            status = trib_link_flush(link);
            link = links->sets[TRIB_UNFLUSHED]; /* others may have had the lock meanwhile */
        }
    }
    trib_links_unlock(links);
    return status;
}

int trib_links_answer_servers(trib *job) {
    struct trib_links *links = job->links;
    if (trib_likely(!trib_links_have_adapter(links))) {
        return TRIB_OK;
    }
    TRIB_CALL(job);
    int status = TRIB_OK;
    trib_links_lock(links);
    for (int i = 0; i < links->count && status == TRIB_OK; i++) {
        struct trib_link *link = links->all[i];
        bool moved;
        if (link->channel != NULL && !link->is_sending && !link->broken) {
            status = trib_link_poll(link, &moved);
        }
        if (status == TRIB_OK && link->channel != NULL && link->places[TRIB_STALLED].in && !link->is_sending) {
            status = trib_link_flush(link);
        }
    }
    trib_links_unlock(links);
    return status;
}

static int poll_all(trib *job, bool *moved) {
    int status = TRIB_OK;
    *moved = false;
    for (int i = 0; i < job->links->count && status == TRIB_OK; i++) {
        bool this_one;
        status = trib_link_poll(job->links->all[i], &this_one);
        *moved |= this_one;
    }
    return status;
}

/**
 * Reads what the kernel says has come. A place may have got another connection since it said so: then nothing is found
 * there. Call with the lock held.
 */
static int poll_ready(trib *job, const struct epoll_event *events, int count, bool *moved) {
    if (trib_unlikely(job->links->broken)) {
        return poll_all(job, moved);
    }
    int status = TRIB_OK;
    *moved = false;
    for (int i = 0; i < count && status == TRIB_OK; i++) {
        bool this_one = false;
        struct trib_link *link = events[i].data.ptr;
        status = link == NULL ? TRIB_OK : trib_link_poll(link, &this_one);
        *moved |= this_one;
    }
    return status;
}

/** Reads what has come anywhere. Asking the kernel where costs about as much as looking at two connections. */
static int poll_any(trib *job, bool *moved) {
    struct epoll_event events[MAX_EVENTS];
    if (job->links->count <= 2) {
        return poll_all(job, moved);
    }
    return poll_ready(job, events, epoll_wait(job->links->epoll, events, MAX_EVENTS, 0), moved);
}

static bool is_adapter_busy(const trib *job) {
    const struct trib_adapter_face *adapter = job->links->adapter;
    return adapter != NULL && (adapter->pieces > 0 || adapter->writes > 0);
}

int trib_links_poll(trib *job) {
    bool moved = false;
    if (trib_unlikely(is_adapter_busy(job))) {
        job->links->adapter->poll(job, &moved);
        TRIB_TRY(job->links->adapter->look(job, trib_now_ns()));
    }
    return poll_any(job, &moved);
}

/** Whether all that was issued up to a phase, which has ended then, is complete. */
static bool are_complete(const struct trib_links *links, int64_t phase) {
    return links->phase > phase + 1 || (links->phase == phase + 1 && links->operations[phase & 1] == 0);
}

static bool is_done(trib *job, const struct trib_awaited *what) {
    if (what->reply != NULL) {
        return what->reply->done;
    }
    if (what->done != NULL) {
        return what->done(job, what->context);
    }
    if (what->handle != NULL) {
        return what->handle->pending == 0 || are_complete(job->links, what->phase);
    }
    return what->counter != NULL ? *what->counter >= what->until : are_complete(job->links, what->phase);
}

/** Whether the phase up to which somebody waits for operations has not ended, and can. */
static bool can_end_phase(const struct trib_links *links, const struct trib_awaited *what) {
    bool for_operations = what->reply == NULL && what->done == NULL && what->counter == NULL;
    return for_operations && links->phase == what->phase && links->operations[(what->phase + 1) & 1] == 0;
}

/**
 * What is issued while somebody waits belongs to a later phase, as soon as the one before has drained, so that a thread
 * that issues for ever makes nobody wait for ever. Who ends a phase hands over what was issued in it, as nobody else
 * may: others can leave something in a buffer until they wait for it themselves. Call with the lock held.
 */
static int end_phase(trib *job, const struct trib_awaited *what) {
    if (!can_end_phase(job->links, what)) {
        return TRIB_OK;
    }
    job->links->phase++;
    return trib_links_flush(job);
}

/** Reads once. Call with the lock held. */
static int read_once(trib *job, const struct trib_awaited *what, bool *moved) {
    bool by_adapter = false;
    if (trib_unlikely(is_adapter_busy(job))) {
        job->links->adapter->poll(job, &by_adapter);
        if (by_adapter && is_done(job, what)) {
            *moved = true;
            return TRIB_OK; /* without a system call */
        }
    }
    int status = what->link != NULL ? trib_link_poll(what->link, moved) : poll_any(job, moved);
    *moved |= by_adapter;
    return status;
}

static void wait_for_news(struct trib_links *links, int64_t most_ns) {
    struct timespec until = trib_timespec(trib_now_ns() + most_ns);
    links->waiting++;
    pthread_cond_timedwait(&links->news, &links->lock, &until);
    links->waiting--;
}

/** How long a sleep may last before it is time to look at hosts again. */
static int sleep_ms(const trib *job) {
    int64_t look_ms = job->settings.silence_timeout_ns / TRIB_LOOKS / 1000000;
    return look_ms < TRIB_BLOCK_MS ? (int) look_ms : TRIB_BLOCK_MS;
}

/** Sleeps, for so long at most, until the kernel has events; epoll_wait itself counts in milliseconds. */
static int await_events(const trib *job, struct epoll_event *events, int64_t most_ns) {
    int epoll = job->links->epoll;
    int ms = sleep_ms(job);
    if (most_ns < ms * 1000000LL) {
        struct pollfd any = {.fd = epoll, .events = POLLIN};
        struct timespec most = trib_timespec(most_ns);
        ppoll(&any, 1, &most, NULL);
        ms = 0;
    }
    return epoll_wait(epoll, events, MAX_EVENTS, ms);
}

/** The kernel cannot tell when to go on, because something is under way by the network adapter. */
static void nap(trib *job, int64_t waited_ns) {
    int64_t nap_ns = waited_ns / TRIB_NAPS_SHARE;
    job->links->adapter->nap(job, nap_ns < TRIB_SHORTEST_NAP_NS ? TRIB_SHORTEST_NAP_NS
                             : nap_ns > TRIB_LONGEST_NAP_NS ? TRIB_LONGEST_NAP_NS : nap_ns);
}

/** Sleeps until any connection has something, at most a second, and at most that long. */
static int block(trib *job, const struct trib_awaited *what, int64_t most_ns) {
    struct trib_links *links = job->links;
    struct epoll_event events[MAX_EVENTS];
    trib_links_lock(links);
    if (is_done(job, what) || can_end_phase(links, what) || is_adapter_busy(job) || trib_has_failed(job)
        || trib_has_to_leave(job)) {
        trib_links_unlock(links);
        return TRIB_OK;
    }
    if (links->sleeping) {
        wait_for_news(links, most_ns < TRIB_BLOCK_MS * 1000000LL ? most_ns : TRIB_BLOCK_MS * 1000000LL);
        trib_links_unlock(links);
        return TRIB_OK;
    }
    links->sleeping = true;
    trib_links_unlock(links);
    int count = await_events(job, events, most_ns);
    bool moved;
    trib_links_lock(links);
    links->sleeping = false;
    uint64_t wakes;
    if (read(links->wake, &wakes, sizeof wakes) < 0 && errno != EAGAIN) {
        trib_links_unlock(links);
        return trib_fail(TRIB_SYSTEM, "waiting for an answer failed: %s", strerror(errno));
    }
    int status = trib_has_failed(job) ? TRIB_OK : poll_ready(job, events, count, &moved);
    pthread_cond_broadcast(&links->news);
    trib_links_unlock(links);
    return status;
}

/**
 * A thread that gives up waiting takes the memory with it that answers would be written to: none must be read any more.
 * When the rank leaves, or the process ends, none is, once the lock has been taken; and goodbyes are yet to be said.
 */
int trib_links_give_up(trib *job, int status) {
    trib_links_lock(job->links);
    for (int i = 0; i < job->links->count && !trib_links_drop(job); i++) {
        job->links->all[i]->broken = true;
        job->links->broken = true;
    }
    if (job->links->adapter != NULL) {
        job->links->adapter->let_go(job);
    }
    trib_links_unlock(job->links);
    return status;
}

static int await(trib *job, const struct trib_awaited *what, int *slot, struct trib_waits *waits) {
    int64_t spin_until_ns = 0;
    bool blocks = false;
    while (true) {
        bool moved = false;
        trib_links_lock(job->links);
        int status = end_phase(job, what);
        bool done = status == TRIB_OK && is_done(job, what);
        bool stalled = !done && status == TRIB_OK && job->links->sets[TRIB_STALLED] != NULL;
        if (trib_unlikely(stalled)) {
            status = push_all(job, TRIB_STALLED);
            done = is_done(job, what);
        }
        if (!done && status == TRIB_OK) {
            status = read_once(job, what, &moved);
            done = moved && is_done(job, what);
        }
        int64_t now_ns = trib_now_ns();
        bool naps = is_adapter_busy(job);
        if (!done && status == TRIB_OK) {
            status = trib_links_look(job, now_ns);
        }
        if (trib_unlikely(naps) && !done && status == TRIB_OK) {
            status = job->links->adapter->look(job, now_ns);
        }
        trib_links_unlock(job->links);
        waits->seen_ns = now_ns;
        if (done) {
            return TRIB_OK;
        }
        waits->since_ns = waits->since_ns == 0 ? now_ns : waits->since_ns;
        int64_t idle_ns = trib_idle(job, &what->wait, now_ns - waits->since_ns);
        if (status == TRIB_OK) {
            status = trib_check(job);
        }
        if (status == TRIB_OK && (spin_until_ns == 0 || moved)) {
            spin_until_ns = now_ns + job->settings.wait_spin_ns;
        } else if (status == TRIB_OK && now_ns > spin_until_ns) {
            if (!blocks) {
                blocks = true;
                *slot = trib_wait_begin(job, &what->wait);
            }
            waits->seen_ns = 0;
            if (stalled) {
                trib_park(TRIB_FULL_PARK_NS); /* nothing tells when a full socket takes something again */
            } else if (naps) {
                nap(job, now_ns - waits->since_ns);
            } else {
                status = block(job, what, idle_ns);
            }
        } else if (status == TRIB_OK && stalled) {
            trib_park(TRIB_FULL_PARK_NS);
        } else {
            trib_yield(job);
        }
        if (status != TRIB_OK) {
            return trib_links_give_up(job, status);
        }
    }
}

int trib_await(trib *job, const struct trib_awaited *what) {
    int slot = TRIB_WAIT_UNSEEN;
    struct trib_waits waits = {0};
    int status = await(job, what, &slot, &waits);
    if (waits.since_ns != 0) {
        trib_wait_end_since(job, slot, &what->wait, waits.since_ns, waits.seen_ns);
    }
    return status;
}

int trib_link_settle(struct trib_link *link, int64_t count) {
    TRIB_TRY(trib_link_fence(link, count));
    if (link->executed >= count) {
        return TRIB_OK;
    }
    struct trib_awaited what = {.counter = &link->executed, .until = count, .link = link,
                                .wait = {.kind = TRIB_WAIT_FENCE, .peer = link->node}};
    trib_links_unlock(link->job->links);
    int status = trib_await(link->job, &what);
    trib_links_lock(link->job->links);
    return status;
}

int trib_await_reply(trib *job, struct trib_link *link, struct trib_reply *reply, const struct trib_cause *wait,
                     int64_t *value) {
    struct trib_awaited what = {.reply = reply, .link = link, .wait = *wait};
    TRIB_TRY(trib_await(job, &what));
    trib_links_lock(job->links);
    trib_error *failure = reply->failure;
    reply->failure = NULL;
    if (value != NULL) {
        *value = reply->value;
    }
    trib_link_give_back(link, reply);
    trib_links_unlock(job->links);
    return failure == NULL ? TRIB_OK : trib_error_raise(failure);
}

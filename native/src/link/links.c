/*
 * A rank's connections, opened at first use, and how its threads wait for them: a waiting thread reads, first in a
 * bounded spin, because an answer usually comes within microseconds, then asleep in the kernel. One thread at a time
 * sleeps in epoll; it wakes the others when there is news.
 */
#include "links.h"
#include "ring.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define BLOCK_MS 1000
#define FULL_PARK_NS 20000
#define FULL_POLLS_BEFORE_PARK 30
#define MAX_EVENTS 16

bool trib_links_watch(struct trib_links *links, int fd, struct trib_link *link) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = link};
    return epoll_ctl(links->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

static void wake_sleeper(const struct trib_links *links) {
    uint64_t one = 1;
    if (links->wake >= 0 && write(links->wake, &one, sizeof one) < 0) {
        return; /* it is awake already */
    }
}

static void wake_all(trib *job) {
    wake_sleeper(job->links);
    pthread_cond_broadcast(&job->links->news);
}

/** Who reads into memory of others does so with the lock. */
static void end_reading(trib *job) {
    trib_links_lock(job->links);
    trib_links_unlock(job->links);
}

static const struct trib_alarm rings = {
    .wake = wake_all,
    .end_reading = end_reading,
    .tell = trib_lifeline_tell,
};

/** What this process needs to encrypt connections between nodes. */
static int load_encryption(const trib *job) {
    switch (job->settings.encryption) {
        case TRIB_ENCRYPTION_AES_GCM:
            return trib_crypto_load(&job->links->crypto, NULL);
        case TRIB_ENCRYPTION_KTLS:
            return trib_ktls_check();
        default:
            return TRIB_OK;
    }
}

int trib_links_init(trib *job) {
    struct trib_links *links = calloc(1, sizeof *links);
    pthread_condattr_t monotonic;
    if (links == NULL) {
        return trib_fail(TRIB_NO_MEMORY, "no memory for the connections of a rank");
    }
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&links->news, &monotonic);
    pthread_cond_init(&links->opened, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&links->lock, NULL);
    links->epoll = epoll_create1(EPOLL_CLOEXEC);
    links->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    job->links = links;
    job->alarm = &rings;
    if (links->epoll < 0 || links->wake < 0 || !trib_links_watch(links, links->wake, NULL)) {
        return trib_fail(TRIB_SYSTEM, "no epoll or eventfd: %s", strerror(errno));
    }
    if (!trib_paths_init(&links->paths, job->settings.cooperation_bulk_threshold,
                         (int) job->settings.cooperation_direct_connections)) {
        return trib_fail(TRIB_NO_MEMORY, "no memory for the connections of a rank");
    }
    TRIB_TRY(trib_routes_set(&links->routes, &job->settings, &job->place.topology));
    trib_handshake_agreement(&job->settings, &job->place.topology, job->place.agreement);
    return load_encryption(job);
}

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

int trib_links_poll(trib *job) {
    bool moved;
    return poll_any(job, &moved);
}

/**
 * Looks, when it is time, whether the hosts at the other ends of connections still answer, and reminds the own server
 * of what is in the ring. Call with the lock held.
 */
static int look_at_hosts(trib *job, int64_t now_ns) {
    struct trib_links *links = job->links;
    if (links->local != NULL && links->local->ring != NULL && now_ns >= links->next_reminder_ns) {
        links->next_reminder_ns = now_ns + BLOCK_MS * 1000000LL;
        if (!links->local->broken && !trib_ring_remind(links->local)) {
            return trib_link_broke(links->local, "%s", strerror(errno));
        }
    }
    if (now_ns < links->next_look_ns) {
        return TRIB_OK;
    }
    links->next_look_ns = now_ns + job->settings.silence_timeout_ns / TRIB_LOOKS;
    int status = TRIB_OK;
    for (int i = 0; i < links->count && status == TRIB_OK; i++) {
        status = trib_link_look(links->all[i], now_ns);
    }
    return status;
}

int trib_links_socket_full(struct trib_link *link) {
    trib *job = link->job;
    if (++link->full_polls <= FULL_POLLS_BEFORE_PARK) {
        trib_pause();
    } else {
        link->full_polls = 0;
        link->is_sending = true;
        int status = look_at_hosts(job, trib_now_ns());
        trib_links_unlock(job->links);
        trib_park(FULL_PARK_NS);
        trib_links_lock(job->links);
        link->is_sending = false;
        if (status != TRIB_OK || link->broken) {
            return status != TRIB_OK ? status : trib_link_is_broken(link);
        }
    }
    return trib_has_failed(job) ? trib_check(job) : TRIB_OK; /* who leaves the job still has something to say */
}

/**
 * Whether all that was issued up to a phase is complete. What is issued while somebody waits belongs to a later one, as
 * soon as the one before has drained, so that a thread that issues for ever makes nobody wait for ever.
 */
static bool are_complete(struct trib_links *links, int64_t phase) {
    if (links->phase == phase && links->operations[(phase + 1) & 1] == 0) {
        links->phase++;
    }
    return links->phase > phase + 1 || (links->phase == phase + 1 && links->operations[phase & 1] == 0);
}

static bool is_done(trib *job, const struct trib_awaited *what) {
    if (what->reply != NULL) {
        return what->reply->done;
    }
    if (what->handle != NULL) {
        return what->handle->pending == 0 || are_complete(job->links, what->phase);
    }
    return what->counter != NULL ? *what->counter >= what->until : are_complete(job->links, what->phase);
}

void trib_links_arrived(trib *job) {
    if (job->links->sleeping) {
        wake_sleeper(job->links);
    } else if (job->links->waiting > 0) {
        pthread_cond_broadcast(&job->links->news);
    }
}

/** Reads once. Call with the lock held. */
static int read_once(trib *job, const struct trib_awaited *what, bool *moved) {
    return what->link != NULL ? trib_link_poll(what->link, moved) : poll_any(job, moved);
}

static void wait_for_news(struct trib_links *links) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += BLOCK_MS / 1000;
    links->waiting++;
    pthread_cond_timedwait(&links->news, &links->lock, &until);
    links->waiting--;
}

/** How long a sleep may last before it is time to look at hosts again. */
static int sleep_ms(const trib *job) {
    int64_t look_ms = job->settings.silence_timeout_ns / TRIB_LOOKS / 1000000;
    return look_ms < BLOCK_MS ? (int) look_ms : BLOCK_MS;
}

/** Sleeps until any connection has something, at most a second. */
static int block(trib *job, const struct trib_awaited *what) {
    struct trib_links *links = job->links;
    struct epoll_event events[MAX_EVENTS];
    trib_links_lock(links);
    if (is_done(job, what) || trib_has_failed(job) || trib_is_leaving(job)) {
        trib_links_unlock(links);
        return TRIB_OK;
    }
    if (links->sleeping) {
        wait_for_news(links);
        trib_links_unlock(links);
        return TRIB_OK;
    }
    links->sleeping = true;
    trib_links_unlock(links);
    int count = epoll_wait(links->epoll, events, MAX_EVENTS, sleep_ms(job));
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
 * A thread that gives up waiting takes away the memory for its answers: none must be read any more. When the rank
 * leaves, none is, once the lock has been taken.
 */
int trib_links_give_up(trib *job, int status) {
    trib_links_lock(job->links);
    for (int i = 0; i < job->links->count && !trib_is_leaving(job); i++) {
        job->links->all[i]->broken = true;
        job->links->broken = true;
    }
    trib_links_unlock(job->links);
    return status;
}

int trib_await(trib *job, const struct trib_awaited *what) {
    int64_t spin_until_ns = 0;
    while (true) {
        bool moved = false;
        trib_links_lock(job->links);
        int status = TRIB_OK;
        bool done = is_done(job, what);
        bool stalled = !done && job->links->sets[TRIB_STALLED] != NULL;
        if (trib_unlikely(stalled)) {
            status = push_all(job, TRIB_STALLED);
            done = is_done(job, what);
        }
        if (!done && status == TRIB_OK) {
            status = read_once(job, what, &moved);
            done = moved && is_done(job, what);
        }
        int64_t now_ns = trib_now_ns();
        if (!done && status == TRIB_OK) {
            status = look_at_hosts(job, now_ns);
        }
        trib_links_unlock(job->links);
        if (done) {
            return TRIB_OK;
        }
        if (status == TRIB_OK) {
            status = trib_check(job);
        }
        if (status == TRIB_OK && (spin_until_ns == 0 || moved)) {
            spin_until_ns = now_ns + job->settings.wait_spin_ns;
        } else if (status == TRIB_OK && stalled) {
            trib_park(FULL_PARK_NS);
        } else if (status == TRIB_OK && now_ns > spin_until_ns) {
            status = block(job, what);
        } else {
            trib_yield(job);
        }
        if (status != TRIB_OK) {
            return trib_links_give_up(job, status);
        }
    }
}

int trib_await_reply(trib *job, struct trib_link *link, struct trib_reply *reply, int64_t *value) {
    struct trib_awaited what = {.reply = reply, .link = link};
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

/** As the rank or, with TRIB_NO_RANK, as one that is not leaving the job. */
static void say_goodbye(struct trib_link *link, int leaving) {
    link->give_up_ns = trib_now_ns() + link->job->settings.attach_timeout_ns;
    if (!link->broken && !link->retired && !link->is_sending && trib_send_goodbye(link, leaving) == TRIB_OK
        && trib_link_flush(link) == TRIB_OK) {
        if (link->records != NULL) {
            trib_records_end(link->records, link->fd);
        }
        trib_out_drain(link, link->job->settings.attach_timeout_ns);
    }
}

/** Waits a moment for connections that are being opened, so that their servers hear a goodbye. */
static void await_openings(struct trib_links *links) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += BLOCK_MS / 1000;
    while (links->attempts > 0 && pthread_cond_timedwait(&links->opened, &links->lock, &until) == 0) {
    }
}

void trib_links_close(trib *job) {
    struct trib_links *links = job->links;
    struct timespec until;
    __atomic_store_n(&links->lifeline.leaving, true, __ATOMIC_RELEASE);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += BLOCK_MS / 1000;
    /* A thread that is stuck in a call holds this up for a moment only. */
    if (pthread_mutex_timedlock(&links->lock, &until) != 0) {
        return;
    }
    links->closed = true;
    await_openings(links);
    /* A rank that could not attach has not left: its server goes on expecting it. */
    int leaving = job->attached ? job->place.rank : TRIB_NO_RANK;
    /* The own server last: when it has heard from all of its ranks, the job may end. */
    for (int i = links->count - 1; i >= 0 && !trib_has_failed(job); i--) {
        say_goodbye(links->all[i], leaving);
    }
    for (int i = 0; i < links->count; i++) {
        if (links->all[i]->fd >= 0) {
            close(links->all[i]->fd);
        }
        links->all[i]->fd = -1;
        links->all[i]->broken = true;
    }
    trib_links_unlock(links);
}

void trib_links_release(trib *job) {
    struct trib_links *links = job->links;
    for (int i = 0; i < links->count; i++) {
        trib_link_free(links->all[i]);
    }
    for (size_t i = 0; i < links->by_node.slots; i++) {
        if (links->by_node.entries[i].used) {
            free((void *) (intptr_t) links->by_node.entries[i].value);
        }
    }
    trib_map_free(&links->by_node);
    trib_map_free(&links->servers);
    trib_paths_free(&links->paths);
    free(links->all);
    links->all = NULL;
    links->count = 0;
    if (links->epoll >= 0) {
        close(links->epoll);
    }
    if (links->wake >= 0) {
        close(links->wake);
    }
    links->epoll = -1;
    links->wake = -1;
}

void trib_links_free(trib *job) {
    struct trib_links *links = job->links;
    trib_links_release(job);
    trib_routes_free(&links->routes);
    pthread_mutex_destroy(&links->lock);
    pthread_cond_destroy(&links->news);
    pthread_cond_destroy(&links->opened);
    job->alarm = NULL;
    job->links = NULL;
    free(links);
}

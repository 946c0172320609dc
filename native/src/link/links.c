/* A rank's connections as a whole: what they need is made before the first, and all of them end together. */
#include "links.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/** For a connection that is being opened, or that a server has not closed yet, those that leave wait no longer. */
#define CLOSE_NS (TRIB_CLOSE_MS * 1000000)

/** A thread that reads into memory of others does so with the lock; the adapter does so at other times, too. */
static void end_reading(trib *job) {
    trib_links_lock(job->links);
    if (job->links->adapter != NULL) {
        job->links->adapter->let_go(job);
    }
    trib_links_unlock(job->links);
}

static const struct trib_alarm rings = {
    .wake = trib_links_wake,
    .end_reading = end_reading,
    .tell = trib_lifeline_tell,
};

/** Loads the cipher for connections between nodes, or checks that the kernel has one. */
static int load_encryption(const trib *job) {
    switch (job->settings.encryption) {
        case TRIB_NETWORK_ENCRYPTION_AES_GCM:
            return trib_crypto_load(&job->links->crypto, NULL);
        case TRIB_NETWORK_ENCRYPTION_KTLS:
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
    links->explain = trib_links_explain;
    job->links = links;
    job->alarm = &rings;
    if (links->epoll < 0 || links->wake < 0 || !trib_links_watch(links, links->wake, NULL)) {
        return trib_fail(TRIB_SYSTEM, "no epoll or eventfd: %s", strerror(errno));
    }
    if (!trib_paths_init(&links->paths, job->settings.cooperation_bulk_threshold,
                         (int) job->settings.cooperation_direct_connections)) {
        return trib_fail(TRIB_NO_MEMORY, "no memory for the connections of a rank");
    }
    if (!trib_adapter_init(job)) {
        return trib_fail(TRIB_NO_MEMORY, "no memory for the network adapter");
    }
    TRIB_TRY(trib_routes_set(&links->routes, &job->settings, &job->place.topology));
    trib_handshake_agreement(&job->settings, &job->place.topology, job->place.agreement);
    return load_encryption(job);
}

int trib_links_leave_channels(trib *job) {
    TRIB_CALL(job);
    trib_links_lock(job->links);
    for (int i = 0; i < job->links->count && !trib_has_failed(job); i++) {
        trib_link_leave_channel(job->links->all[i], job->settings.attach_timeout_ns);
    }
    trib_links_unlock(job->links);
    return TRIB_OK;
}

static bool is_usable(const struct trib_link *link) {
    return !link->broken && !link->retired && !link->is_sending;
}

/** Whether its server has executed what was sent, and is not held up by answers: then it reads whatever comes next. */
static bool is_settled(const struct trib_link *link) {
    return !is_usable(link) || (link->executed >= link->issued && !trib_link_is_data_due(link));
}

/** Reads once on all that are not settled; returns whether there are none. */
static bool settle_once(const struct trib_links *links, bool *moved) {
    bool settled = true;
    *moved = false;
    for (int i = 0; i < links->count; i++) {
        bool this_one = false;
        if (!is_settled(links->all[i])) {
            trib_link_poll(links->all[i], &this_one);
            settled = false;
        }
        *moved |= this_one;
    }
    return settled;
}

/**
 * A server that cannot get rid of answers does not read the goodbye, and what is unread when a socket is closed may
 * keep it from arriving: waits until all is executed and answered, as long as anything comes.
 */
static void settle_all(trib *job) {
    struct trib_links *links = job->links;
    struct trib_deadline deadline = trib_deadline_in(TRIB_CALLS_PATIENCE_NS, NULL);
    for (int i = 0; i < links->count && !trib_has_failed(job); i++) {
        struct trib_link *link = links->all[i];
        link->give_up_ns = trib_now_ns() + TRIB_CALLS_PATIENCE_NS;
        if (is_usable(link)) {
            trib_link_fence(link, link->issued);
        }
    }
    bool moved;
    while (!trib_has_failed(job) && !settle_once(links, &moved) && trib_deadline_left(&deadline) > 0) {
        if (moved) {
            deadline = trib_deadline_in(TRIB_CALLS_PATIENCE_NS, NULL);
        } else {
            trib_links_sleep_unlocked(links, TRIB_SENDER_LOOK_NS);
        }
    }
}

/** As the rank or, with TRIB_FRAME_NO_RANK, as one that is not leaving the job; whether it is on its way. */
static bool say_goodbye(struct trib_link *link, int leaving) {
    link->give_up_ns = trib_now_ns() + TRIB_CALLS_PATIENCE_NS;
    if (!is_usable(link) || trib_send_goodbye(link, leaving) != TRIB_OK || trib_link_flush(link) != TRIB_OK) {
        return false;
    }
    if (link->records != NULL) {
        trib_records_end(link->records, link->fd);
    }
    if (link == link->job->links->local && leaving != TRIB_FRAME_NO_RANK) {
        trib_lifeline_announce_goodbye(link->job);
        trib_wait_left(link->job);
    }
    trib_out_drain(link, TRIB_CALLS_PATIENCE_NS);
    return true;
}

/** Until the servers of other nodes have closed them, as they do after the goodbye; a stopped one for a moment only. */
static void await_ends(struct trib_links *links) {
    struct trib_deadline deadline = trib_deadline_in(CLOSE_NS, NULL);
    for (int i = 0; i < links->count; i++) {
        struct trib_link *link = links->all[i];
        while (link != links->local && link->has_ended && trib_link_skip(link)
               && trib_deadline_left(&deadline) > 0) {
            trib_links_sleep_unlocked(links, TRIB_SENDER_LOOK_NS);
        }
    }
}

/** Until the own server has read the goodbye; one that waits behind requests for longer is read without this rank. */
static void await_heard(trib *job) {
    struct trib_deadline deadline = trib_deadline_in(TRIB_CALLS_PATIENCE_NS, NULL);
    int state = TRIB_ATTACHED;
    while (!trib_has_failed(job) && state != TRIB_DEPARTED && trib_link_skip(job->links->local)
           && trib_deadline_left(&deadline) > 0) {
        trib_links_unlock(job->links);
        trib_park(TRIB_SENDER_LOOK_NS);
        int status = trib_node_state(job, job->place.rank, &state); /* which may find damage, and ends the job then */
        trib_links_lock(job->links);
        if (status != TRIB_OK) {
            return;
        }
    }
}

/**
 * The own server last: when it has heard from all of its ranks, the job may end. Its lifeline tells of a goodbye that is
 * on its way alone: a rank that cannot say it is dead as soon as it ends.
 */
static bool say_goodbyes(trib *job) {
    struct trib_links *links = job->links;
    for (int i = links->count - 1; i >= 0 && !trib_has_failed(job); i--) {
        struct trib_link *link = links->all[i];
        if (link != links->local && say_goodbye(link, job->place.rank)) {
            link->has_ended = shutdown(link->fd, SHUT_WR) == 0;
        }
    }
    await_ends(links);
    if (links->local == NULL || trib_has_failed(job)) {
        return false;
    }
    bool said = say_goodbye(links->local, job->place.rank);
    if (said) {
        await_heard(job);
    }
    return said;
}

/** A rank that could not attach has not left: its server goes on expecting it. */
static void withdraw(trib *job) {
    for (int i = job->links->count - 1; i >= 0 && !trib_has_failed(job); i--) {
        say_goodbye(job->links->all[i], TRIB_FRAME_NO_RANK);
    }
}

/**
 * At the end of a process that does not detach, other threads may be in calls; a rank that leaves has ended these, and
 * has left channels, while it still read.
 */
static void end_sending(trib *job) {
    struct trib_links *links = job->links;
    struct trib_deadline deadline = trib_deadline_in(TRIB_CALLS_PATIENCE_NS, NULL);
    for (int i = 0; i < links->count && !trib_has_failed(job); i++) {
        struct trib_link *link = links->all[i];
        while (link->is_sending && !link->broken && trib_deadline_left(&deadline) > 0) {
            trib_links_sleep_unlocked(links, TRIB_SENDER_LOOK_NS);
        }
        if (!link->is_sending) {
            trib_link_leave_channel(link, TRIB_CALLS_PATIENCE_NS);
        }
    }
}

/** Waits a moment for connections that are being opened, so that their servers hear a goodbye. */
static void await_openings(struct trib_links *links) {
    struct timespec until = trib_timespec(trib_now_ns() + CLOSE_NS);
    while (links->attempts > 0 && pthread_cond_timedwait(&links->opened, &links->lock, &until) == 0) {
    }
}

/**
 * From now on no connection is owed to a thread in line: it may be the one that ends the process, and never look again.
 * Who stands in line, or comes, is refused once nobody is in the middle of a message.
 */
static void begin_closing(struct trib_links *links) {
    links->closed = true;
    for (int i = 0; i < links->count; i++) {
        links->all[i]->is_owed = false;
    }
}

/** Another thread may have it, and without it nobody hears a goodbye. One that is stuck holds this up only so long. */
static bool lock_in_time(struct trib_links *links) {
    struct trib_deadline deadline = trib_deadline_in(TRIB_CALLS_PATIENCE_NS, NULL);
    while (true) {
        struct timespec look;
        clock_gettime(CLOCK_REALTIME, &look); /* a step of this clock is one of a look only */
        look = trib_timespec(look.tv_sec * TRIB_NS_PER_S + look.tv_nsec + TRIB_DEADLINE_LOOK_NS);
        if (pthread_mutex_timedlock(&links->lock, &look) == 0) {
            return true;
        }
        if (trib_deadline_left(&deadline) <= 0) {
            return false;
        }
    }
}

bool trib_links_close(trib *job) {
    struct trib_links *links = job->links;
    bool said = false;
    __atomic_store_n(&links->lifeline.leaving, true, __ATOMIC_RELEASE);
    if (!lock_in_time(links)) {
        return false;
    }
    begin_closing(links);
    if (!trib_is_leaving(job)) {
        end_sending(job);
    }
    if (links->adapter != NULL) {
        links->adapter->shut(job);
    }
    await_openings(links);
    if (job->attached) {
        settle_all(job);
        said = say_goodbyes(job);
    } else {
        withdraw(job);
    }
    for (int i = 0; i < links->count; i++) {
        if (links->all[i]->fd >= 0) {
            close(links->all[i]->fd);
        }
        links->all[i]->fd = -1;
        links->all[i]->broken = true;
    }
    trib_links_unlock(links);
    return said;
}

static void cut(int *fd) {
    if (*fd >= 0) {
        close(*fd);
    }
    *fd = -1;
}

void trib_links_cut(trib *job) {
    struct trib_links *links = job->links;
    if (links->lifeline.open) {
        links->lifeline.open = false;
        close(links->lifeline.fd);
    }
    /* What another thread changed at that moment stays open: servers hear of the end of a rank by its lifeline. */
    if (pthread_mutex_trylock(&links->lock) == 0) {
        for (int i = 0; i < links->count; i++) {
            cut(&links->all[i]->fd);
        }
        cut(&links->epoll);
        cut(&links->wake);
        trib_links_unlock(links);
    }
}

/** A call that begins too late looks for the adapter with the lock: it finds all of it, or none. */
static struct trib_adapter_face *take_adapter(struct trib_links *links) {
    trib_links_lock(links);
    struct trib_adapter_face *adapter = links->adapter;
    __atomic_store_n(&links->adapter, NULL, __ATOMIC_RELAXED); /* for those that only ask whether there is one */
    trib_links_unlock(links);
    return adapter;
}

void trib_links_release(trib *job) {
    struct trib_links *links = job->links;
    struct trib_adapter_face *adapter = take_adapter(links);
    if (adapter != NULL) {
        adapter->release(adapter);
    }
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

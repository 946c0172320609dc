/*
 * Moves large data between this rank and other nodes without messages. A put is complete when it is in the target's
 * memory, a get when its data is here; so what a rank does next with that node, by a message or by the adapter, need
 * only wait for what is under way. As RankAdapter of the Java client. With the lock of the links held, unless it says
 * otherwise.
 */
#include "adapter.h"

#include <stdlib.h>
#include <unistd.h>

#define EVENTS 16
/** Of threads that spin, too, which in Java do not look. */
#define LOOK_NS 5000000

/** Less goes by a message; tests have more of it go by the adapter. */
int64_t trib_adapter_threshold = TRIB_ADAPTER_THRESHOLD;

/** Whether the adapter, here or at the other side, may still use the memory. */
static bool is_busy(const struct trib_adapter *adapter) {
    return adapter->face.pieces > 0 || adapter->face.writes > 0;
}

/**
 * Nothing more can be done with the endpoint: what is under way has failed, and messages carry what comes. Connections
 * whose requests go by channels break.
 */
static void turn_off(trib *job, const char *why) {
    struct trib_adapter *adapter = trib_adapter_of(job);
    bool abandons = is_busy(adapter); /* the other side may still use the memory */
    adapter->is_off = true;
    trib_pieces_fail(job, why);
    trib_blocks_fail(job, why);
    trib_adapter_shut(adapter, abandons);
}

/** Callers take their memory with them. If the adapter uses it, only the end of the endpoint keeps that alone. */
static void let_go(trib *job) {
    if (trib_pieces_let_go(job) && !trib_adapter_of(job)->is_off) {
        turn_off(job, "a thread has not waited for the end of its transfer");
    }
}

/* ---- progress ---- */

/** Something has ended; false when the endpoint cannot be used any more. */
static bool take_event(trib *job, struct trib_adapter *adapter, const int64_t *event) {
    char problem[256];
    if (event[0] == TF_ARRIVED) {
        return true; /* nobody writes to a rank */
    }
    bool is_message = trib_blocks_own(adapter, event[1]);
    bool is_known = is_message || trib_pieces_own(adapter, event[1]);
    if (event[0] == TF_DONE && !is_known) {
        return true;
    }
    if (event[0] != TF_DONE) {
        char said[128] = "";
        adapter->shim->tf_failure(adapter->endpoint, said, sizeof said);
        snprintf(problem, sizeof problem, "%s (%s)", trib_adapter_error(adapter, event[0]), said);
        if (!is_known) {
            turn_off(job, problem);
            return false;
        }
    }
    (is_message ? trib_blocks_ended : trib_pieces_ended)(job, event[1], event[0] == TF_DONE ? NULL : problem);
    return true;
}

static void progress(trib *job, bool *moved) {
    struct trib_adapter *adapter = trib_adapter_of(job);
    int64_t events[EVENTS * TF_EVENT_WORDS];
    if (adapter->is_off || adapter->endpoint == NULL) {
        return;
    }
    if (trib_unlikely(trib_is_leaving(job))) {
        let_go(job); /* threads leave their calls */
        if (adapter->is_off) {
            *moved = true;
            return;
        }
    }
    int64_t count = adapter->shim->tf_poll(adapter->endpoint, events, EVENTS);
    if (count < 0) {
        turn_off(job, trib_adapter_error(adapter, count));
        *moved = true;
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        if (!take_event(job, adapter, events + i * TF_EVENT_WORDS)) {
            break;
        }
    }
    *moved |= count > 0;
    if (!adapter->is_off) {
        trib_pieces_begin_waiting(job);
        trib_blocks_begin_waiting(job);
    }
}

enum {
    NO_DESCRIPTOR = -1,
    NOT_NOW = -2 /* something is to be done */
};

/** The descriptor to sleep on, or one of the above. With the lock. */
static int64_t sleeps_on(const struct trib_adapter *adapter) {
    if (adapter->is_off || adapter->endpoint == NULL) {
        return NOT_NOW;
    }
    int64_t descriptor = adapter->shim->tf_descriptor(adapter->endpoint);
    if (descriptor < 0) {
        return NO_DESCRIPTOR;
    }
    return adapter->shim->tf_may_sleep(adapter->endpoint) == 1 ? descriptor : NOT_NOW;
}

static void nap(trib *job, int64_t longest_ns) {
    trib_links_lock(job->links);
    struct trib_adapter *adapter = trib_adapter_of(job);
    int64_t descriptor = sleeps_on(adapter);
    const struct trib_shim *shim = adapter->shim;
    trib_links_unlock(job->links);
    if (descriptor >= 0) {
        shim->tf_sleep(descriptor, longest_ns);
    } else if (descriptor == NO_DESCRIPTOR) {
        trib_park(longest_ns);
    }
}

/** From time to time: reads connections to servers of such nodes, and asks whether memory is there. */
static int look(trib *job, int64_t now_ns) {
    struct trib_adapter *adapter = trib_adapter_of(job);
    if (now_ns < adapter->next_look_ns) {
        return TRIB_OK;
    }
    adapter->next_look_ns = now_ns + LOOK_NS;
    for (struct trib_target *target = adapter->targets; target != NULL && !adapter->is_off; target = target->next) {
        const struct trib_adapter_piece *piece = trib_pieces_oldest(adapter, target);
        if (piece == NULL) {
            continue;
        }
        bool moved;
        bool hopeless;
        int64_t segment = piece->transfer->segment;
        int rank = piece->transfer->rank;
        TRIB_TRY(trib_link_poll(target->link, &moved));
        TRIB_TRY(trib_target_doubts(job, target, piece->number, segment, rank, now_ns, &hopeless));
        if (hopeless) {
            char problem[256];
            snprintf(problem, sizeof problem, "node %d has freed segment %llx, and the provider %s does not end what"
                     " was on its way there", target->node, (unsigned long long) segment, adapter->provider);
            turn_off(job, problem);
        }
    }
    return TRIB_OK;
}

/* ---- waiting for it ---- */

struct so_far {
    int node;
    int64_t number;
};

static bool has_ended(trib *job, const void *context) {
    const struct so_far *what = context;
    return trib_pieces_have_ended(trib_adapter_of(job), what->node, what->number);
}

static bool has_slot(trib *job, const void *context) {
    (void) context;
    const struct trib_adapter *adapter = trib_adapter_of(job);
    return adapter->free_count > 0 || adapter->is_off;
}

/** Waits without the lock, which is held. */
static int await(trib *job, bool (*done)(trib *job, const void *context), const void *context, int node) {
    struct trib_awaited what = {.done = done, .context = context,
                                .wait = {.kind = TRIB_WAIT_OPERATIONS, .peer = node}};
    trib_links_unlock(job->links);
    int status = trib_await(job, &what);
    trib_links_lock(job->links);
    return status;
}

static int settle(trib *job, int node) {
    struct so_far all = {.node = node, .number = trib_adapter_of(job)->face.begun};
    return has_ended(job, &all) ? TRIB_OK : await(job, has_ended, &all, node);
}

static bool are_written(trib *job, const void *context) {
    return trib_blocks_have_ended(trib_adapter_of(job), *(const int64_t *) context);
}

int trib_adapter_settle(trib *job) {
    if (trib_likely(!trib_links_have_adapter(job->links))) {
        return TRIB_OK;
    }
    TRIB_CALL(job);
    trib_links_lock(job->links);
    int status = trib_links_settle_adapter(job, -1);
    int64_t number = job->links->adapter->written;
    if (status == TRIB_OK && job->links->adapter->writes > 0) {
        status = await(job, are_written, &number, -1);
    }
    for (int i = 0; i < job->links->count && status == TRIB_OK && job->links->broken; i++) {
        bool moved;
        status = trib_link_poll(job->links->all[i], &moved); /* what is broken says so: nobody looks from now on */
    }
    trib_links_unlock(job->links);
    return status;
}

/* ---- beginning a transfer ---- */

/** Whether what comes next could take effect before something that is under way. */
static bool could_overtake(const struct trib_adapter *adapter, const struct trib_target *target, bool reads) {
    return reads ? target->writes > 0 || (target->reads > 0 && !adapter->orders_reads)
        : target->reads > 0 || (target->writes > 0 && !adapter->orders_writes);
}

/**
 * The node, when an operation on a part may begin there by the adapter: nothing of this rank is under way that it could
 * overtake. Gives the lock away while it waits. *target is NULL when it has to be a message.
 */
static int ready(trib *job, int rank, int64_t segment, bool reads, struct trib_target **target,
                 struct trib_remote_region **region, int64_t *part) {
    struct trib_adapter *adapter = trib_adapter_of(job);
    int node = trib_node_of(job, rank);
    bool ended = false;
    bool executed = false;
    while (true) {
        struct trib_link *link;
        bool quiet = false;
        *target = NULL;
        TRIB_TRY(trib_links_connect_unsettled(job, node, 0, false, &link));
        struct trib_target *found = adapter->is_off ? NULL : trib_target_of(adapter, node, link);
        if (found == NULL || found->failed) {
            return TRIB_OK;
        }
        bool asked;
        trib_target_end_doubt(found); /* its answer would pass for one that is due */
        TRIB_TRY(trib_target_part(job, found, segment, rank, region, part, &asked));
        if (*part < 0 || adapter->is_off) {
            return TRIB_OK;
        }
        if (asked) {
            continue; /* others may have had the lock meanwhile */
        }
        if (!ended && could_overtake(adapter, found, reads)) {
            ended = true;
            TRIB_TRY(settle(job, node));
            continue;
        }
        TRIB_TRY(trib_link_quiet_after_poll(link, &quiet));
        if (quiet) {
            *target = found;
            return TRIB_OK;
        }
        if (executed) {
            return TRIB_OK; /* something else takes long, such as a lock that somebody waits for */
        }
        executed = true;
        TRIB_TRY(trib_link_settle(link, link->issued));
    }
}

/** Begins all pieces; waits for slots without the lock. *any is false when messages can still carry all of it. */
static int begin(trib *job, struct trib_transfer *transfer, struct trib_blocks *blocks, bool *any) {
    struct trib_adapter *adapter = trib_adapter_of(job);
    int status = TRIB_OK;
    *any = false;
    while (blocks->left > 0 && status == TRIB_OK && transfer->failure == NULL) {
        if (adapter->is_off) {
            if (*any) {
                trib_transfer_fail(transfer, "it cannot be used any more");
            }
            break;
        }
        if (adapter->free_count == 0) {
            status = await(job, has_slot, NULL, transfer->target->node);
        } else {
            *any = true;
            trib_pieces_begin(job, transfer, blocks);
        }
    }
    trib_transfer_begun(job, transfer);
    return status;
}

bool trib_adapter_exists(const trib *job) {
    return trib_links_have_adapter(job->links);
}

bool trib_adapter_moves(const struct trib_blocks *blocks) {
    return trib_blocks_each(blocks) >= trib_adapter_threshold;
}

/**
 * Less than a piece is copied: the caller goes on while the adapter writes it. So are shapes where memory has to be
 * registered, as most of it then is of no use for one transfer.
 */
bool trib_adapter_puts_directly(const trib *job, const struct trib_blocks *blocks) {
    const struct trib_adapter *adapter = trib_adapter_of(job);
    return blocks->bytes >= TRIB_DIRECT_PIECE_BYTES && __atomic_load_n(&adapter->uses_sources, __ATOMIC_ACQUIRE)
        && (trib_blocks_is_one(blocks) || !__atomic_load_n(&adapter->registers, __ATOMIC_RELAXED));
}

int trib_adapter_move(trib *job, trib_handle *handle, bool reads, int rank, int64_t segment,
                      struct trib_blocks *blocks, bool *moved) {
    struct trib_target *target;
    struct trib_remote_region *region;
    int64_t part;
    *moved = false;
    if (!trib_blocks_are_apart(blocks, !reads)) {
        return TRIB_OK;
    }
    trib_links_lock(job->links);
    int status = ready(job, rank, segment, reads, &target, &region, &part);
    bool begins = status == TRIB_OK && target != NULL;
    struct trib_transfer *transfer = begins ? calloc(1, sizeof *transfer) : NULL;
    trib_error *room = begins ? malloc(sizeof *room) : NULL;
    if (transfer == NULL || room == NULL) { /* messages need less memory */
        free(transfer);
        free(room);
    } else {
        *transfer = (struct trib_transfer) {.reads = reads, .target = target, .region = region, .part = part,
                                            .segment = segment, .rank = rank, .offset = blocks->first,
                                            .bytes = blocks->bytes, .room = room};
        region->users++;
        if (handle != NULL) {
            trib_transfer_use_memory(job, transfer, blocks);
            transfer->has_handle = true;
            transfer->handle = handle;
            transfer->odd = trib_handle_begun(job->links, handle);
        }
        status = begin(job, transfer, blocks, moved);
    }
    trib_links_unlock(job->links);
    return status;
}

/* ---- its end ---- */

void trib_adapter_forget(trib *job, int64_t segment) {
    if (job->links != NULL && trib_links_have_adapter(job->links)) {
        trib_links_lock(job->links);
        trib_targets_forget(trib_adapter_of(job), segment);
        trib_links_unlock(job->links);
    }
}

/** Lets puts that are under way get there, for a bounded time, and closes the endpoint. */
static void shut(trib *job) {
    struct trib_adapter *adapter = trib_adapter_of(job);
    int64_t until_ns = trib_now_ns() + TRIB_ADAPTER_DRAIN_NS;
    let_go(job); /* threads have left their calls */
    while (is_busy(adapter) && !adapter->is_off && !trib_has_failed(job) && trib_now_ns() < until_ns) {
        bool moved = false;
        progress(job, &moved);
        if (!moved) {
            trib_park(TRIB_ADAPTER_DRAIN_PARK_NS);
        }
    }
    if (adapter->endpoint != NULL) {
        turn_off(job, "the rank leaves");
    }
    adapter->is_off = true;
}

static void release(struct trib_adapter_face *face) {
    struct trib_adapter *adapter = (struct trib_adapter *) face;
    trib_adapter_shut(adapter, is_busy(adapter));
    trib_blocks_free(adapter);
    trib_targets_free(adapter);
    trib_registrations_free(adapter);
    free(adapter->pieces);
    free(adapter);
}

/**
 * libfabric's cache of regions would give others access to each of them, also when it is closed (verbs). Nothing is
 * loaded yet, and the program has few threads, if any. What the user has set stays: then memory of callers is copied.
 */
static void turn_off_cache(const struct trib_settings *settings) {
    bool may_be_verbs = settings->fabric == TRIB_NETWORK_FABRIC_VERBS
        || (settings->fabric == TRIB_NETWORK_FABRIC_AUTO && access("/sys/class/infiniband", F_OK) == 0);
    if (may_be_verbs && settings->fabric_channels == 0) {
        setenv("FI_MR_CACHE_MAX_COUNT", "0", 0); /* as tf_cache_no_regions */
    }
}

bool trib_adapter_init(trib *job) {
    const struct trib_settings *settings = &job->settings;
    bool is_wanted = job->place.topology.node_count > 1 && settings->fabric != TRIB_NETWORK_FABRIC_NONE
        && (settings->fabric != TRIB_NETWORK_FABRIC_AUTO || (settings->encryption == TRIB_NETWORK_ENCRYPTION_NONE
            && settings->cooperation_mode == TRIB_COOPERATION_MODE_NONE));
    if (!is_wanted) {
        return true;
    }
    struct trib_adapter *adapter = calloc(1, sizeof *adapter);
    if (adapter == NULL) {
        return false;
    }
    turn_off_cache(settings);
    adapter->face = (struct trib_adapter_face) {.poll = progress, .settle = settle, .look = look, .nap = nap,
                                                .let_go = let_go, .shut = shut, .release = release,
                                                .open_block = trib_target_open_block};
    job->links->adapter = &adapter->face;
    return true;
}

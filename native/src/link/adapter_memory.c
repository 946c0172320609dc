/*
 * Memory of callers that is registered with the adapter. As Registrations of the Java client, but that here anybody can
 * free memory at any time, and what comes to its addresses later cannot be told from it. So registrations are kept of
 * memory alone that nobody but the runtime unmaps or frees: segments of this node, and memory of ARMCI_Malloc_local.
 * Other memory is registered for one transfer, whose caller waits.
 */
#include "adapter.h"

#include <errno.h>
#include <sys/random.h>

/** Tests refuse so many bytes and more. */
int64_t trib_adapter_registrable = INT64_MAX;

int64_t trib_adapter_key(const struct trib_adapter *adapter) {
    uint64_t key = 0;
    ssize_t got = getrandom(&key, sizeof key, 0);
    (void) got; /* nobody is told the key */
    return adapter->key_bytes >= 8 ? (int64_t) key : (int64_t) (key & ((1ULL << (8 * adapter->key_bytes)) - 1));
}

/* ---- whose memory it is ---- */

/** In a process that was forked from the rank, locks may be held by threads that are not there. */
static bool knows_owners(const trib *job) {
    return job != NULL && !job->is_forked && job->links != NULL && trib_links_have_adapter(job->links);
}

void trib_adapter_own(trib *job, const void *memory, size_t bytes) {
    if (!knows_owners(job) || memory == NULL || bytes == 0) {
        return;
    }
    struct trib_owned *owned = malloc(sizeof *owned); /* without which the memory is like any other */
    trib_links_lock(job->links);
    struct trib_adapter *adapter = trib_adapter_of(job);
    if (owned != NULL && adapter != NULL) {
        *owned = (struct trib_owned) {.begin = memory, .bytes = (int64_t) bytes, .next = adapter->owned};
        adapter->owned = owned;
        owned = NULL;
    }
    trib_links_unlock(job->links);
    free(owned);
}

static void drop(struct trib_adapter *adapter, struct trib_registration *registration);

void trib_adapter_disown(trib *job, const void *memory) {
    if (!knows_owners(job) || memory == NULL) {
        return;
    }
    trib_links_lock(job->links);
    struct trib_adapter *adapter = trib_adapter_of(job);
    struct trib_owned **place = adapter == NULL ? NULL : &adapter->owned;
    while (place != NULL && *place != NULL && (*place)->begin != memory) {
        place = &(*place)->next;
    }
    struct trib_owned *owned = place == NULL ? NULL : *place;
    if (owned != NULL) {
        struct trib_registration *next;
        *place = owned->next;
        for (struct trib_registration *each = adapter->registrations; each != NULL; each = next) {
            next = each->next;
            if (each->begin >= owned->begin && each->begin < owned->begin + owned->bytes) {
                drop(adapter, each);
            }
        }
    }
    trib_links_unlock(job->links);
    free(owned);
}

static const struct trib_owned *owner_of(const struct trib_adapter *adapter, const uint8_t *low, const uint8_t *high) {
    const struct trib_owned *owned = adapter->owned;
    while (owned != NULL && !(owned->begin <= low && high <= owned->begin + owned->bytes)) {
        owned = owned->next;
    }
    return owned;
}

/* ---- registrations ---- */

static void close_region(const struct trib_adapter *adapter, struct trib_registration *registration) {
    if (registration->region != NULL) {
        adapter->shim->tf_region_close(registration->region);
    }
    registration->region = NULL;
}

/** No later transfer uses it; it is closed when those under way have ended. */
static void drop(struct trib_adapter *adapter, struct trib_registration *registration) {
    struct trib_registration **place = &adapter->registrations;
    while (*place != registration) {
        place = &(*place)->next;
    }
    *place = registration->next;
    adapter->registration_count--;
    adapter->registered_bytes -= registration->bytes;
    registration->kept = false;
    registration->next = adapter->once;
    adapter->once = registration;
    registration->users++;
    trib_registration_ended(adapter, registration);
}

void trib_registration_ended(struct trib_adapter *adapter, struct trib_registration *registration) {
    if (--registration->users > 0 || registration->kept) {
        return;
    }
    struct trib_registration **place = &adapter->once;
    while (*place != registration) {
        place = &(*place)->next;
    }
    *place = registration->next;
    close_region(adapter, registration);
    free(registration);
}

void trib_registrations_close(struct trib_adapter *adapter) {
    while (adapter->registrations != NULL) {
        drop(adapter, adapter->registrations);
    }
    for (struct trib_registration *each = adapter->once; each != NULL; each = each->next) {
        close_region(adapter, each);
    }
}

void trib_registrations_free(struct trib_adapter *adapter) {
    while (adapter->owned != NULL) {
        struct trib_owned *owned = adapter->owned;
        adapter->owned = owned->next;
        free(owned);
    }
}

static struct trib_registration *oldest_unused(const struct trib_adapter *adapter) {
    struct trib_registration *oldest = NULL;
    for (struct trib_registration *each = adapter->registrations; each != NULL; each = each->next) {
        if (each->users == 0 && (oldest == NULL || each->last_use < oldest->last_use)) {
            oldest = each;
        }
    }
    return oldest;
}

/** Lets those go that were used least recently; false when something small had better wait. */
static bool make_room(struct trib_adapter *adapter, int64_t wanted, bool is_large) {
    while (adapter->registration_count >= TRIB_REGISTRATIONS
           || adapter->registered_bytes + wanted > adapter->most_registered) {
        struct trib_registration *oldest = oldest_unused(adapter);
        if (oldest == NULL || (!is_large && adapter->register_clock - oldest->last_use < TRIB_REGISTERED_PATIENCE)) {
            adapter->register_clock++;
            return false;
        }
        drop(adapter, oldest);
    }
    return true;
}

static bool close_unused(struct trib_adapter *adapter) {
    struct trib_registration *oldest = oldest_unused(adapter);
    bool any = oldest != NULL;
    while (oldest != NULL) {
        drop(adapter, oldest);
        oldest = oldest_unused(adapter);
    }
    return any;
}

static void refuse(trib *job, struct trib_adapter *adapter, int64_t bytes, int64_t error) {
    adapter->too_much = bytes / TRIB_REGISTERED_SMALLER > 1 ? bytes / TRIB_REGISTERED_SMALLER : 1;
    if (adapter->too_much <= TRIB_DIRECT_PIECE_BYTES) {
        /* Partner: the load in trib_adapter_puts_directly, which asks without the lock. */
        __atomic_store_n(&adapter->uses_sources, false, __ATOMIC_RELAXED);
    }
    if (!adapter->has_warned) {
        char text[128];
        adapter->has_warned = true;
        adapter->shim->tf_error_text(error, text, sizeof text);
        fprintf(stderr, "tributary: rank %d cannot register %lld bytes of its memory for the network adapter, so data"
                " of %lld bytes and more are copied: %s. If memory must not be locked, raise the limit (ulimit -l)\n",
                job->place.rank, (long long) bytes, (long long) adapter->too_much, text);
    }
}

static int64_t try_region(const struct trib_adapter *adapter, const uint8_t *begin, int64_t bytes,
                          struct tf_region **region) {
    return bytes >= trib_adapter_registrable ? -ENOMEM : adapter->shim->tf_region_open_local(adapter->endpoint,
        (void *) (uintptr_t) begin, bytes, trib_adapter_key(adapter), region);
}

/** NULL when that cannot be done. */
static struct tf_region *open_region(trib *job, struct trib_adapter *adapter, const uint8_t *begin, int64_t bytes) {
    struct tf_region *region = NULL;
    int64_t before = adapter->registered_bytes;
    int64_t error = try_region(adapter, begin, bytes, &region);
    if (error != 0 && error != -EFAULT && error != TF_NO_SYSTEM_CALL && close_unused(adapter)) {
        error = try_region(adapter, begin, bytes, &region);
        if (error == 0 && before < adapter->most_registered) {
            adapter->most_registered = before; /* more cannot be kept */
        }
    }
    if (error == TF_NO_SYSTEM_CALL) { /* others could reach it */
        adapter->too_much = 0;
        __atomic_store_n(&adapter->uses_sources, false, __ATOMIC_RELAXED); /* partner: as above */
    } else if (error != 0 && error != -EFAULT) { /* that is memory that must not be written */
        refuse(job, adapter, bytes, error);
    }
    return error == 0 ? region : NULL;
}

static struct trib_registration *make(trib *job, struct trib_adapter *adapter, const uint8_t *begin, int64_t bytes,
                                      bool kept) {
    struct trib_registration *made = bytes >= adapter->too_much ? NULL : calloc(1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    struct tf_region *region = open_region(job, adapter, begin, bytes);
    if (region == NULL) {
        free(made);
        return NULL;
    }
    struct trib_registration **list = kept ? &adapter->registrations : &adapter->once;
    *made = (struct trib_registration) {.begin = begin, .bytes = bytes, .region = region, .kept = kept, .next = *list};
    *list = made;
    adapter->registration_count += kept ? 1 : 0;
    adapter->registered_bytes += kept ? bytes : 0;
    adapter->registered++;
    return made;
}

/** Whole chunks, at multiples of their size, as far as the memory reaches. */
static struct trib_registration *make_kept(trib *job, struct trib_adapter *adapter, const struct trib_owned *owned,
                                           const uint8_t *low, const uint8_t *high) {
    uintptr_t first = (uintptr_t) low / TRIB_REGISTERED_CHUNK * TRIB_REGISTERED_CHUNK;
    uintptr_t last = ((uintptr_t) high + TRIB_REGISTERED_CHUNK - 1) / TRIB_REGISTERED_CHUNK * TRIB_REGISTERED_CHUNK;
    uintptr_t begin = (uintptr_t) owned->begin;
    uintptr_t end = begin + (uintptr_t) owned->bytes;
    first = first < begin ? begin : first;
    last = last > end ? end : last;
    int64_t extent = high - low;
    int64_t bytes = (int64_t) (last - first);
    if (bytes >= adapter->too_much || bytes > adapter->most_registered) {
        first = (uintptr_t) low;
        bytes = extent;
    }
    return bytes >= adapter->too_much || !make_room(adapter, bytes, extent >= TRIB_REGISTERED_ONCE) ? NULL
        : make(job, adapter, (const uint8_t *) first, bytes, true);
}

struct trib_registration *trib_registration_take(trib *job, const struct trib_blocks *blocks) {
    struct trib_adapter *adapter = trib_adapter_of(job);
    uint8_t *low;
    uint8_t *high;
    trib_blocks_extent(blocks, &low, &high);
    const struct trib_owned *owned = owner_of(adapter, low, high);
    struct trib_registration *found = owned == NULL ? NULL : adapter->registrations;
    while (found != NULL && !(found->begin <= low && high <= found->begin + found->bytes)) {
        found = found->next;
    }
    bool keeps = owned != NULL && high - low <= adapter->most_registered;
    if (found == NULL && keeps && (high - low) / TRIB_REGISTERED_SPARSE <= blocks->bytes) {
        found = make_kept(job, adapter, owned, low, high);
    } else if (found == NULL && !keeps && trib_blocks_is_one(blocks) && blocks->bytes >= TRIB_REGISTERED_ONCE
               && blocks->bytes <= TRIB_REGISTERED_BYTES) {
        found = make(job, adapter, low, high - low, false);
    }
    if (found != NULL) {
        found->users++;
        found->last_use = ++adapter->register_clock;
        adapter->registration_uses++;
    }
    return found;
}

/*
 * From the address that memory has in its own rank to the memory: for callers that know no other names for it. Each
 * rank's published parts are kept in the order of their addresses. A thread looks first at what it has found last.
 */
#include "memory.h"

struct address {
    uintptr_t base;
    size_t bytes;
    trib_memory *memory;
};

struct trib_address_list {
    struct address *entries; /* ascending, not overlapping */
    size_t count;
    size_t capacity;
};

struct recent {
    const trib *job;
    uint64_t generation;
    int rank;
    struct address found;
};

static _Thread_local struct recent recent;

int trib_addresses_init(trib *job) {
    pthread_rwlock_init(&job->addresses.lock, NULL);
    job->addresses.generation = 1;
    job->addresses.by_rank = calloc((size_t) job->place.topology.rank_count, sizeof(struct trib_address_list));
    return job->addresses.by_rank != NULL ? TRIB_OK
        : trib_fail(TRIB_NO_MEMORY, "no memory for the addresses of %d ranks", job->place.topology.rank_count);
}

void trib_addresses_free(trib *job) {
    for (int rank = 0; job->addresses.by_rank != NULL && rank < job->place.topology.rank_count; rank++) {
        free(job->addresses.by_rank[rank].entries);
    }
    free(job->addresses.by_rank);
    pthread_rwlock_destroy(&job->addresses.lock);
}

/** Number of entries that begin at or before an address. */
static size_t upper(const struct trib_address_list *list, uintptr_t address) {
    size_t low = 0;
    size_t high = list->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list->entries[middle].base <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool add(struct trib_address_list *list, struct address added) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 8 : 2 * list->capacity;
        struct address *entries = realloc(list->entries, capacity * sizeof *entries);
        if (entries == NULL) {
            return false;
        }
        list->entries = entries;
        list->capacity = capacity;
    }
    size_t at = upper(list, added.base);
    memmove(list->entries + at + 1, list->entries + at, (list->count - at) * sizeof *list->entries);
    list->entries[at] = added;
    list->count++;
    return true;
}

static void changed(trib *job) {
    __atomic_add_fetch(&job->addresses.generation, 1, __ATOMIC_SEQ_CST); /* partner: the load in trib_locate */
}

bool trib_addresses_publish(trib_memory *memory) {
    trib *job = memory->job;
    bool added = true;
    pthread_rwlock_wrlock(&job->addresses.lock);
    for (int member = 0; member < memory->members->size && added; member++) {
        int rank = trib_members_rank(memory->members, member);
        int64_t bytes = trib_memory_part_bytes(memory, rank);
        if (bytes > 0) {
            added = add(&job->addresses.by_rank[rank], (struct address) {
                .base = (uintptr_t) memory->bases[member], .bytes = (size_t) bytes, .memory = memory});
        }
    }
    changed(job);
    pthread_rwlock_unlock(&job->addresses.lock);
    return added;
}

static void withdraw(struct trib_address_list *list, const trib_memory *memory) {
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (list->entries[i].memory != memory) {
            list->entries[kept++] = list->entries[i];
        }
    }
    list->count = kept;
}

void trib_addresses_withdraw(trib_memory *memory) {
    trib *job = memory->job;
    if (memory->bases == NULL) {
        return;
    }
    pthread_rwlock_wrlock(&job->addresses.lock);
    for (int member = 0; member < memory->members->size; member++) {
        withdraw(&job->addresses.by_rank[trib_members_rank(memory->members, member)], memory);
    }
    changed(job);
    pthread_rwlock_unlock(&job->addresses.lock);
}

static bool contains(const struct address *entry, uintptr_t address, size_t length) {
    return address >= entry->base && address - entry->base <= entry->bytes
        && length <= entry->bytes - (address - entry->base);
}

/** Which end of which entry is nearest to an address that is in none. */
static int fail_near(const struct trib_address_list *list, int rank, const void *address, size_t length) {
    uintptr_t at = (uintptr_t) address;
    size_t above = upper(list, at);
    const struct address *nearest = above > 0 ? &list->entries[above - 1] : NULL;
    if (above < list->count
        && (nearest == NULL || list->entries[above].base - at < at - (nearest->base + nearest->bytes))) {
        nearest = &list->entries[above];
    }
    if (nearest == NULL) {
        trib_fail_at(TRIB_INVALID_ADDRESS, "the rank has no memory", rank, 0, (int64_t) at, (int64_t) length, 0);
        return trib_fail_prefix("address %p: ", address);
    }
    int64_t offset = (int64_t) (at - nearest->base);
    trib_fail_at(TRIB_INVALID_ADDRESS, "outside all memory of the rank", rank, nearest->memory->id, offset,
                 (int64_t) length, (int64_t) nearest->bytes);
    return trib_fail_prefix("address %p, nearest allocation at %p of %zu bytes: ", address, (void *) nearest->base,
                            nearest->bytes);
}

int trib_locate(trib *job, int rank, const void *address, size_t length, trib_memory **memory, size_t *offset) {
    uintptr_t at = (uintptr_t) address;
    struct recent *last = &recent;
    uint64_t generation = __atomic_load_n(&job->addresses.generation, __ATOMIC_SEQ_CST);
    if (last->job != job || last->rank != rank || last->generation != generation
        || !contains(&last->found, at, length)) {
        TRIB_TRY(trib_check_rank(job, rank));
        pthread_rwlock_rdlock(&job->addresses.lock);
        const struct trib_address_list *list = &job->addresses.by_rank[rank];
        size_t above = upper(list, at);
        int status = TRIB_OK;
        if (above > 0 && contains(&list->entries[above - 1], at, length)) {
            *last = (struct recent) {.job = job, .rank = rank, .found = list->entries[above - 1],
                .generation = __atomic_load_n(&job->addresses.generation, __ATOMIC_SEQ_CST)};
        } else {
            status = fail_near(list, rank, address, length);
        }
        pthread_rwlock_unlock(&job->addresses.lock);
        TRIB_TRY(status);
    }
    *memory = last->found.memory;
    *offset = at - last->found.base;
    return TRIB_OK;
}

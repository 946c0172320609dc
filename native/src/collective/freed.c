/* Segments that a member has freed while others may still use them; see org.tributary.client.segment.ClosedSegments. */
#include "algorithms.h"

void trib_freed_add(trib_group *group, int64_t id) {
    struct trib_freed *freed = &group->freed_segments;
    pthread_mutex_lock(&group->job->lock);
    if (freed->count == freed->capacity) {
        int capacity = 2 * freed->capacity + 4;
        int64_t *grown = realloc(freed->ids, (size_t) capacity * sizeof *grown);
        if (grown != NULL) {
            freed->ids = grown;
            freed->capacity = capacity;
        }
    }
    if (freed->count < freed->capacity) { /* otherwise memory is short, and the segment stays until the job ends */
        freed->ids[freed->count] = id;
        __atomic_store_n(&freed->count, freed->count + 1, __ATOMIC_RELEASE); /* partner: trib_freed_called */
    }
    pthread_mutex_unlock(&group->job->lock);
}

/* One that another thread frees meanwhile may count or not: this member has freed it during the call. */
void trib_freed_called(trib_group *group) {
    /* Partner: the release store of trib_freed_add. Nearly always none, and then a collective takes no lock for it. */
    group->freed_segments.due = __atomic_load_n(&group->freed_segments.count, __ATOMIC_ACQUIRE);
}

/** The oldest of those that are due; false when none is. */
static bool take(trib_group *group, int64_t *id) {
    struct trib_freed *freed = &group->freed_segments;
    if (freed->due == 0) {
        return false;
    }
    pthread_mutex_lock(&group->job->lock);
    int left = freed->count - 1;
    *id = freed->ids[0];
    memmove(freed->ids, freed->ids + 1, (size_t) left * sizeof *id);
    __atomic_store_n(&freed->count, left, __ATOMIC_RELAXED);
    freed->due--;
    pthread_mutex_unlock(&group->job->lock);
    return true;
}

int trib_freed_give_back(trib_group *group) {
    int64_t id;
    int status = TRIB_OK;
    while (status == TRIB_OK && take(group, &id)) {
        status = trib_request_free(group->job, id);
    }
    return status;
}

void trib_freed_move(trib_group *from, trib_group *to) {
    int64_t id;
    trib_freed_called(from);
    while (take(from, &id)) {
        trib_freed_add(to, id);
    }
}

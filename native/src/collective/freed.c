/* What a member has freed while others may still use it; see org.tributary.client.ClosedSegments. */
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
        freed->ids[freed->count++] = id;
    }
    pthread_mutex_unlock(&group->job->lock);
}

void trib_freed_called(trib_group *group) {
    pthread_mutex_lock(&group->job->lock);
    group->freed_segments.due = group->freed_segments.count;
    pthread_mutex_unlock(&group->job->lock);
}

/** The oldest of those that are due; false when none is. */
static bool take(trib_group *group, int64_t *id) {
    struct trib_freed *freed = &group->freed_segments;
    pthread_mutex_lock(&group->job->lock);
    bool any = freed->due > 0;
    if (any) {
        *id = freed->ids[0];
        memmove(freed->ids, freed->ids + 1, (size_t) --freed->count * sizeof *id);
        freed->due--;
    }
    pthread_mutex_unlock(&group->job->lock);
    return any;
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

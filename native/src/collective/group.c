/* A group as an object: its members, and what refers to it; see org.tributary.client.Group. */
#include "algorithms.h"

int trib_group_check(const trib_group *group) {
    if (group->freed) {
        return trib_fail(TRIB_INVALID_ARGUMENT, "the group is freed");
    }
    return group->members.self >= 0 ? TRIB_OK
        : trib_fail(TRIB_INVALID_ARGUMENT, "rank %d is no member of the group", group->job->place.rank);
}

trib_group *trib_group_new(trib *job) {
    trib_group *group = calloc(1, sizeof *group);
    if (group == NULL) {
        trib_fail(TRIB_NO_MEMORY, "no memory for another group");
        return NULL;
    }
    group->job = job;
    group->references = 1;
    group->members.self = -1;
    pthread_mutex_lock(&job->lock);
    group->next = job->groups;
    if (group->next != NULL) {
        group->next->previous = group;
    }
    job->groups = group;
    pthread_mutex_unlock(&job->lock);
    return group;
}

void trib_group_forget(trib_group *group) {
    trib *job = group->job;
    pthread_mutex_lock(&job->lock);
    if (group->previous != NULL) {
        group->previous->next = group->next;
    } else {
        job->groups = group->next;
    }
    if (group->next != NULL) {
        group->next->previous = group->previous;
    }
    pthread_mutex_unlock(&job->lock);
    trib_collectives_free(group->collectives);
    free(group->freed_segments.ids);
    trib_members_free(&group->members);
    free(group);
}

trib_group *trib_group_open(trib_group *group) {
    while (group->freed) {
        group = group->parent;
    }
    return group;
}

void trib_group_hold(trib_group *group) {
    pthread_mutex_lock(&group->job->lock);
    group->references++;
    pthread_mutex_unlock(&group->job->lock);
}

void trib_group_drop(trib_group *group) {
    pthread_mutex_lock(&group->job->lock);
    bool last = --group->references == 0;
    pthread_mutex_unlock(&group->job->lock);
    if (last) {
        trib_group *parent = group->parent;
        trib_group_forget(group);
        if (parent != NULL) {
            trib_group_drop(parent);
        }
    }
}

int trib_group_rank(const trib_group *group) {
    return group->members.self;
}

int trib_group_size(const trib_group *group) {
    return group->members.size;
}

int trib_group_world_rank(const trib_group *group, int member) {
    return trib_members_rank(&group->members, member);
}

int trib_group_member(const trib_group *group, int rank) {
    return trib_members_number(&group->members, rank);
}

int trib_group_translate(const trib_group *from, int count, const int *members, const trib_group *to,
                         int *translated) {
    for (int i = 0; i < count; i++) {
        int rank = trib_members_rank(&from->members, members[i]);
        if (rank < 0) {
            return trib_fail(TRIB_INVALID_ARGUMENT, "no member %d in a group of %d", members[i], from->members.size);
        }
        translated[i] = trib_members_number(&to->members, rank);
    }
    return TRIB_OK;
}

trib *trib_group_job(const trib_group *group) {
    return group->job;
}

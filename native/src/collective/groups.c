/* How groups are made and freed; see org.tributary.client.Group. */
#include "algorithms.h"

int trib_group_world_open(trib *job) {
    struct trib_inbox_layout layout;
    trib_group *world = trib_group_new(job);
    if (world == NULL) {
        return TRIB_NO_MEMORY;
    }
    job->world = world;
    world->members = (struct trib_members) {.self = job->place.rank, .size = job->place.topology.rank_count};
    trib_inbox_layout_set(&layout, world->members.size, job->settings.chunk);
    TRIB_TRY(trib_memory_world(job, &world->members, trib_inbox_bytes(&layout), &world->inboxes));
    return trib_collectives_open(world, &layout);
}

/** Makes the group of those members of the parent; collective over the parent. */
static int make(trib_group *parent, int count, const int *ranks, trib_group **group) {
    trib *job = parent->job;
    struct trib_inbox_layout layout;
    trib_group *made = trib_group_new(job);
    if (made == NULL) {
        return trib_group_give_up(parent, TRIB_PURPOSE_CREATE_GROUP, TRIB_NO_MEMORY);
    }
    trib_group_hold(parent);
    made->parent = parent;
    int status = trib_members_set(&made->members, job->place.rank, count, ranks);
    if (status == TRIB_NO_MEMORY) {
        trib_group_give_up(parent, TRIB_PURPOSE_CREATE_GROUP, status);
    } else if (status == TRIB_OK) {
        trib_inbox_layout_set(&layout, count, job->settings.chunk);
        status = trib_memory_inboxes(parent, made, &layout);
    }
    if (status == TRIB_OK && made->members.self < 0) {
        trib_members_free(&made->members); /* a rank that is no member knows of none */
    }
    if (status != TRIB_OK) {
        trib_group_drop(made);
        return status;
    }
    *group = made;
    return TRIB_OK;
}

int trib_group_create(trib_group *parent, int count, const int *parent_members, trib_group **group) {
    TRIB_CALL(parent->job);
    TRIB_TRY(trib_group_check(parent));
    if (count < 0 || count > parent->members.size) {
        return trib_fail(TRIB_INVALID_ARGUMENT, "a group of %d members of a group of %d", count,
                         parent->members.size);
    }
    int *ranks = malloc(((size_t) count + 1) * sizeof *ranks);
    if (ranks == NULL) {
        return trib_group_give_up(parent, TRIB_PURPOSE_CREATE_GROUP,
                                  trib_fail(TRIB_NO_MEMORY, "no memory for a group of %d members", count));
    }
    int status = TRIB_OK;
    for (int i = 0; i < count && status == TRIB_OK; i++) {
        ranks[i] = trib_members_rank(&parent->members, parent_members[i]);
        if (ranks[i] < 0) {
            status = trib_fail(TRIB_INVALID_ARGUMENT, "no member %d in a group of %d", parent_members[i],
                               parent->members.size);
        }
    }
    if (status == TRIB_OK) {
        status = make(parent, count, ranks, group);
    }
    free(ranks);
    return status;
}

struct choice {
    int key;
    int member;
};

static int by_key_and_member(const void *a, const void *b) {
    const struct choice *one = a;
    const struct choice *other = b;
    if (one->key != other->key) {
        return one->key < other->key ? -1 : 1;
    }
    return one->member < other->member ? -1 : one->member > other->member;
}

/** The ranks of the members of one color, in the order of their keys; returns how many. */
static int choose(const trib_group *parent, const int64_t *all, int color, struct choice *chosen, int *ranks) {
    int count = 0;
    for (int member = 0; member < parent->members.size; member++) {
        if ((int) (all[member] >> TRIB_COLOR_SHIFT) == color) {
            chosen[count++] = (struct choice) {.key = (int) (uint32_t) all[member], .member = member};
        }
    }
    qsort(chosen, (size_t) count, sizeof *chosen, by_key_and_member);
    for (int i = 0; i < count; i++) {
        ranks[i] = trib_members_rank(&parent->members, chosen[i].member);
    }
    return count;
}

int trib_group_split(trib_group *parent, int color, int key, trib_group **group) {
    TRIB_CALL(parent->job);
    TRIB_TRY(trib_group_check(parent));
    size_t size = (size_t) parent->members.size;
    int64_t own = (int64_t) ((uint64_t) (int64_t) color << TRIB_COLOR_SHIFT | (uint32_t) key);
    int64_t *all = malloc(size * sizeof *all);
    struct choice *chosen = malloc(size * sizeof *chosen);
    int *ranks = malloc(size * sizeof *ranks);
    int status;
    if (all == NULL || chosen == NULL || ranks == NULL) {
        status = trib_group_give_up(parent, TRIB_PURPOSE_SPLIT,
                                    trib_fail(TRIB_NO_MEMORY, "no memory to split a group of %zu members", size));
    } else {
        trib_group_during(parent, TRIB_PURPOSE_SPLIT, 0);
        status = trib_allgather(parent, &own, all, sizeof own);
        trib_group_during(parent, TRIB_PURPOSE_ITSELF, 0);
    }
    if (status == TRIB_OK) {
        int count = color < 0 ? 0 : choose(parent, all, color, chosen, ranks);
        status = make(parent, count, ranks, group);
    }
    free(all);
    free(chosen);
    free(ranks);
    return status;
}

int trib_group_free(trib_group *group) {
    TRIB_CALL(group->job);
    if (group == group->job->world) {
        return trib_fail(TRIB_INVALID_ARGUMENT, "the group of all ranks cannot be freed");
    }
    if (group->members.self >= 0) {
        trib_group_give_up(group, TRIB_PURPOSE_CLOSE_GROUP, TRIB_OK);
        trib_trace_flush(group->job, group->collectives->recorded);
        group->freed = true;
        trib_group *open = trib_group_open(group);
        trib_freed_move(group, open);
        trib_memory_close(group->inboxes, open);
        group->inboxes = NULL;
    }
    group->freed = true;
    trib_group_drop(group);
    return TRIB_OK;
}

void trib_groups_flush_trace(trib *job) {
    pthread_mutex_lock(&job->lock);
    for (trib_group *group = job->groups; group != NULL; group = group->next) {
        if (group->collectives != NULL) {
            trib_trace_flush(job, group->collectives->recorded);
        }
    }
    pthread_mutex_unlock(&job->lock);
}

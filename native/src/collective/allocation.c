/*
 * Collective allocation: the members agree on sizes and a number, the lowest member of each node asks its server, and
 * nobody is told of success before every server has reserved its part and every member has mapped it. Whatever goes
 * wrong on one member is everybody's failure; see org.tributary.client.Allocator.
 */
#include "algorithms.h"

/* ---- layout of a node's file ---- */

static void free_layout(struct trib_layout *layout) {
    free(layout->ranks);
    free(layout->lengths);
    free(layout->offsets);
    *layout = (struct trib_layout) {0};
}

/** Sizes of NULL mean that all are uniform. */
static int set_layout(struct trib_layout *layout, const trib *job, const struct trib_members *members,
                      const int64_t *sizes, int64_t uniform) {
    size_t ranks = (size_t) job->node.rank_count;
    *layout = (struct trib_layout) {
        .ranks = malloc(ranks * sizeof(int)),
        .lengths = malloc(ranks * sizeof(int64_t)),
        .offsets = malloc(ranks * sizeof(int64_t)),
    };
    if (layout->ranks == NULL || layout->lengths == NULL || layout->offsets == NULL) {
        free_layout(layout);
        return trib_fail(TRIB_NO_MEMORY, "no memory for a layout of %zu parts", ranks);
    }
    /* More than can be counted no machine has: the server refuses it as it does anything that is too large. */
    int64_t most = INT64_MAX / (int64_t) ranks & -TRIB_PART_ALIGNMENT;
    int64_t end = 0;
    for (int index = 0; index < job->node.rank_count; index++) {
        int rank = trib_topology_rank_at(&job->place.topology, job->place.node, index);
        int member = trib_members_number(members, rank);
        if (member >= 0) {
            int64_t length = sizes == NULL ? uniform : sizes[member];
            layout->ranks[layout->count] = rank;
            layout->lengths[layout->count] = length < most ? length : most;
            layout->offsets[layout->count] = end;
            end += (layout->lengths[layout->count++] + TRIB_PART_ALIGNMENT - 1) & -TRIB_PART_ALIGNMENT;
        }
    }
    return TRIB_OK;
}

/* ---- agreeing ---- */

/** A number that no other segment of the job has or will have. */
static int64_t draw_number(trib *job) {
    pthread_mutex_lock(&job->lock);
    int64_t number = (job->place.rank + 1LL) << TRIB_DRAWN_RANK_SHIFT | ++job->numbers_drawn;
    pthread_mutex_unlock(&job->lock);
    return number;
}

/** Two numbers of each member go to all. */
static int gather(trib_group *group, int64_t bytes, int64_t *id, int64_t *sizes, int64_t *all) {
    int64_t own[2] = {bytes, draw_number(group->job)};
    int status = trib_allgather(group, own, all, sizeof own);
    *id = all[1];
    for (int member = 0; member < group->members.size && status == TRIB_OK; member++) {
        sizes[member] = all[2 * member];
        if (sizes[member] < 0) {
            status = trib_fail(TRIB_INVALID_ARGUMENT, "rank %d asks for %lld bytes",
                               trib_members_rank(&group->members, member), (long long) sizes[member]);
        }
    }
    return status;
}

static bool is_uniform(const int64_t *sizes, int count) {
    bool uniform = true;
    for (int i = 1; i < count; i++) {
        uniform &= sizes[i] == sizes[0];
    }
    return uniform;
}

/** A segment while it is made; see NewSegment of the Java client. */
struct making {
    trib *job;
    trib_group *agreeing;
    const char *what;
    int64_t id;
    struct trib_layout layout;
    bool created;
    trib_memory **memory; /* what this member has of it, or NULL */
};

/** The group may go with it. */
static void forget(trib_memory *memory) {
    trib_group *group = memory->group;
    trib_memory_forget(memory);
    if (group != NULL) {
        trib_group_drop(group);
    }
}

/** After any member has failed. */
static void take_back(void *context) {
    struct making *making = context;
    if (*making->memory != NULL) {
        forget(*making->memory);
        *making->memory = NULL;
    }
    if (making->created) {
        trib_request_free(making->job, making->id); /* what it complains of helps nobody: the failure is told already */
    }
}

/**
 * The leaders of nodes ask their servers; members of NULL: this one agrees and gets nothing. status: what went wrong
 * on this member before.
 */
static int create(struct making *making, int kind, const struct trib_members *members, const int64_t *sizes,
                  int64_t uniform, int status) {
    if (members != NULL && status == TRIB_OK) {
        status = set_layout(&making->layout, making->job, members, sizes, uniform);
        if (status == TRIB_OK && making->layout.ranks[0] == making->job->place.rank) {
            status = trib_request_allocate(making->job, making->id, kind, &making->layout);
            making->created = status == TRIB_OK;
        }
    }
    return trib_agree(making->agreeing, making->what, status, take_back, making);
}

/** kind: TRIB_SEGMENT_DATA or TRIB_SEGMENT_MUTEXES. */
static int allocate(trib_group *group, int64_t bytes, int kind, trib_memory **memory) {
    TRIB_CALL(group->job);
    TRIB_TRY(trib_group_check(group));
    int count = group->members.size;
    int purpose = kind == TRIB_SEGMENT_MUTEXES ? TRIB_PURPOSE_CREATE_MUTEXES : TRIB_PURPOSE_ALLOCATE;
    int64_t *sizes = malloc((size_t) count * sizeof *sizes);
    int64_t *all = malloc((size_t) count * 2 * sizeof *all);
    if (sizes == NULL || all == NULL) {
        free(sizes);
        free(all);
        return trib_group_give_up(group, purpose,
                                  trib_fail(TRIB_NO_MEMORY, "no memory for the sizes of %d members", count));
    }
    trib_group_during(group, purpose, 0);
    trib_memory *made = NULL;
    struct making making = {.job = group->job, .agreeing = group, .what = "the memory", .memory = &made};
    int status = gather(group, bytes, &making.id, sizes, all);
    if (status == TRIB_OK) {
        status = create(&making, kind, &group->members, sizes, 0, TRIB_OK);
    }
    if (status == TRIB_OK) {
        int64_t uniform = sizes[0];
        if (is_uniform(sizes, count)) {
            free(sizes);
            sizes = NULL;
        }
        int mapped = trib_memory_new(group->job, group, &group->members, making.id, sizes, uniform, &making.layout,
                                     &made);
        sizes = NULL; /* taken over */
        if (mapped == TRIB_OK) {
            trib_group_hold(group);
        }
        status = trib_agree(group, making.what, mapped, take_back, &making);
    }
    if (status == TRIB_OK) {
        *memory = made;
    }
    trib_group_during(group, TRIB_PURPOSE_ITSELF, 0);
    free(sizes);
    free(all);
    free_layout(&making.layout);
    return status;
}

int trib_allocate(trib_group *group, size_t bytes, trib_memory **memory) {
    return allocate(group, (int64_t) bytes, TRIB_SEGMENT_DATA, memory);
}

int trib_memory_world(trib *job, const struct trib_members *members, int64_t bytes, trib_memory **memory) {
    struct trib_layout layout;
    TRIB_TRY(set_layout(&layout, job, members, NULL, bytes));
    int status = trib_memory_new(job, NULL, members, TRIB_COLLECTIVE_WORLD_SEGMENT, NULL, bytes, &layout, memory);
    free_layout(&layout);
    return status;
}

/** A number that lists which differ hardly ever share. */
static int64_t digest(const struct trib_members *members) {
    uint64_t digest = (uint64_t) members->size;
    for (int member = 0; member < members->size; member++) {
        digest = digest * (uint64_t) TRIB_DIGEST_FACTOR + (uint64_t) trib_members_rank(members, member) + 1;
    }
    return (int64_t) digest;
}

/** Members of one group name the same ones in the same order; all has two numbers of each of the parent. */
static int check_same(const trib_group *parent, const struct trib_members *members, const int64_t *all) {
    int64_t own = digest(members);
    for (int member = 0; member < members->size; member++) {
        int rank = trib_members_rank(members, member);
        if (all[2 * trib_members_number(&parent->members, rank) + 1] != own) {
            return trib_fail(TRIB_INVALID_ARGUMENT, "rank %d names other members of the group than rank %d", rank,
                             parent->job->place.rank);
        }
    }
    return TRIB_OK;
}

int trib_memory_inboxes(trib_group *parent, trib_group *group, const struct trib_inbox_layout *layout) {
    trib *job = parent->job;
    const struct trib_members *members = &group->members;
    struct making making = {.job = job, .agreeing = parent, .what = "the group", .memory = &group->inboxes};
    bool member = members->self >= 0;
    int64_t own[2] = {draw_number(job), member ? digest(members) : 0};
    int64_t *all = malloc((size_t) parent->members.size * sizeof own);
    if (all == NULL) {
        return trib_group_give_up(parent, TRIB_PURPOSE_CREATE_GROUP,
                                  trib_fail(TRIB_NO_MEMORY, "no memory for the numbers of %d members",
                                            parent->members.size));
    }
    trib_group_during(parent, TRIB_PURPOSE_CREATE_GROUP, 0);
    int status = trib_allgather(parent, own, all, sizeof own);
    int same = TRIB_OK;
    if (status == TRIB_OK && member) {
        making.id = all[2 * trib_members_number(&parent->members, trib_members_rank(members, 0))];
        same = check_same(parent, members, all);
    }
    free(all);
    int64_t bytes = trib_inbox_bytes(layout);
    if (status == TRIB_OK) {
        status = create(&making, TRIB_SEGMENT_DATA, member ? members : NULL, NULL, bytes, same);
    }
    if (status == TRIB_OK) {
        int mapped = !member ? TRIB_OK
            : trib_memory_new(job, NULL, members, making.id, NULL, bytes, &making.layout, &group->inboxes);
        if (member && mapped == TRIB_OK) {
            mapped = trib_collectives_open(group, layout);
        }
        status = trib_agree(parent, making.what, mapped, take_back, &making);
    }
    trib_group_during(parent, TRIB_PURPOSE_ITSELF, 0);
    free_layout(&making.layout);
    return status;
}

void trib_memory_close(trib_memory *memory, trib_group *until) {
    const trib *job = memory->job;
    int leader = job->node.first_rank;
    for (int index = 1; trib_members_number(memory->members, leader) < 0; index++) {
        leader = trib_topology_rank_at(&job->place.topology, job->place.node, index);
    }
    if (leader == job->place.rank) {
        trib_freed_add(until, memory->id);
    }
    forget(memory);
}

int trib_free(trib_memory *memory) {
    TRIB_CALL(memory->job);
    trib_group *group = memory->group;
    int status = trib_fence_all(memory->job);
    if (status == TRIB_ABORTED) {
        return status;
    }
    if (!group->freed) {
        trib_signature_freed(&group->collectives->call, memory->id);
    }
    trib_memory_close(memory, trib_group_open(group));
    return status;
}

int trib_memory_publish(trib_memory *memory, void **bases) {
    TRIB_CALL(memory->job);
    TRIB_TRY(trib_group_check(memory->group));
    bool first = memory->bases == NULL;
    size_t bytes = (size_t) memory->members->size * sizeof(void *);
    void *own = trib_memory_local(memory);
    void **all = first ? malloc(bytes) : memory->bases;
    if (all == NULL) {
        return trib_group_give_up(memory->group, TRIB_PURPOSE_PUBLISH,
                                  trib_fail(TRIB_NO_MEMORY, "no memory for the addresses of %d members",
                                            memory->members->size));
    }
    trib_group_during(memory->group, TRIB_PURPOSE_PUBLISH, memory->id);
    int status = trib_allgather(memory->group, &own, all, sizeof own);
    trib_group_during(memory->group, TRIB_PURPOSE_ITSELF, 0);
    if (status != TRIB_OK) {
        if (first) {
            free(all);
        }
        return status;
    }
    memory->bases = all;
    if (bases != NULL) {
        memcpy(bases, all, bytes);
    }
    return !first || trib_addresses_publish(memory) ? TRIB_OK
        : trib_fail(TRIB_NO_MEMORY, "no memory to note the addresses of %d members", memory->members->size);
}

/* ---- mutexes, which are words of such memory ---- */

int trib_mutexes_create(trib_group *group, int count, trib_mutexes **mutexes) {
    TRIB_CALL(group->job);
    TRIB_TRY(trib_group_check(group));
    trib_mutexes *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return trib_group_give_up(group, TRIB_PURPOSE_CREATE_MUTEXES,
                                  trib_fail(TRIB_NO_MEMORY, "no memory for a set of mutexes"));
    }
    /* A negative count is refused on all members alike. */
    int status = allocate(group, (int64_t) count * TRIB_MUTEX_STRIDE, TRIB_SEGMENT_MUTEXES, &made->words);
    if (status != TRIB_OK) {
        free(made);
        return status;
    }
    pthread_mutex_init(&made->lock, NULL);
    made->words->mutexes = made;
    *mutexes = made;
    return TRIB_OK;
}

int trib_mutexes_free(trib_mutexes *mutexes) {
    TRIB_CALL(mutexes->words->job);
    return trib_free(mutexes->words);
}

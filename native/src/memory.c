/*
 * Collective allocation: the members agree on sizes and a number, the lowest member of each node asks its server, and
 * nobody is told of success before every server has reserved its part and every member has mapped it. Whatever goes
 * wrong on one member is everybody's failure; see org.tributary.client.Allocator.
 */
#include "collective.h"
#include "remote.h"

#include <sys/mman.h>

/* ---- members ---- */

int trib_members_set(struct trib_members *members, int self_rank, int count, const int *ranks) {
    *members = (struct trib_members) {.self = -1, .size = count};
    members->ranks = malloc(((size_t) count + 1) * sizeof(int));
    if (members->ranks == NULL) {
        return trib_fail(TRIB_NO_MEMORY, "no memory for a group of %d members", count);
    }
    for (int i = 0; i < count; i++) {
        members->ranks[i] = ranks[i];
        if (trib_map_get(&members->numbers, ranks[i], -1) >= 0) {
            return trib_fail(TRIB_INVALID_ARGUMENT, "rank %d is named twice", ranks[i]);
        }
        if (!trib_map_put(&members->numbers, ranks[i], i)) {
            return trib_fail(TRIB_NO_MEMORY, "no memory for a group of %d members", count);
        }
    }
    members->self = (int) trib_map_get(&members->numbers, self_rank, -1);
    return TRIB_OK;
}

void trib_members_free(struct trib_members *members) {
    free(members->ranks);
    trib_map_free(&members->numbers);
    *members = (struct trib_members) {.self = -1};
}

int trib_members_rank(const struct trib_members *members, int member) {
    if (member < 0 || member >= members->size) {
        return -1;
    }
    return members->ranks == NULL ? member : members->ranks[member];
}

int trib_members_number(const struct trib_members *members, int rank) {
    if (members->ranks == NULL) {
        return rank >= 0 && rank < members->size ? rank : -1;
    }
    return (int) trib_map_get(&members->numbers, rank, -1);
}

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
    for (int rank = job->node.first_rank; rank < job->node.first_rank + job->node.rank_count; rank++) {
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

/* ---- the object ---- */

static void remember(trib_memory *memory) {
    trib *job = memory->job;
    pthread_mutex_lock(&job->lock);
    memory->next = job->memories;
    if (memory->next != NULL) {
        memory->next->previous = memory;
    }
    job->memories = memory;
    pthread_mutex_unlock(&job->lock);
}

void trib_memory_unmap(trib_memory *memory) {
    trib_node_unmap(memory->file, memory->file_bytes);
    memory->file = NULL;
}

static void free_object(trib_memory *memory) {
    trib_memory_unmap(memory);
    free(memory->parts);
    free(memory->sizes);
    free(memory->bases);
    free(memory);
}

/** Maps the file that the server made by that layout. Takes sizes over. */
static int new_memory(trib *job, trib_group *group, const struct trib_members *members, int64_t id, int64_t *sizes,
                      int64_t uniform, const struct trib_layout *layout, trib_memory **memory) {
    char name[32];
    trib_memory *made = calloc(1, sizeof *made);
    struct trib_part *parts = calloc((size_t) job->node.rank_count, sizeof *parts);
    if (made == NULL || parts == NULL) {
        free(made);
        free(parts);
        free(sizes);
        return trib_fail(TRIB_NO_MEMORY, "no memory for another allocation");
    }
    *made = (trib_memory) {.job = job, .group = group, .members = members, .id = id, .sizes = sizes,
        .uniform_bytes = uniform, .parts = parts};
    for (int i = 0; i < job->node.rank_count; i++) {
        parts[i].bytes = -1;
    }
    snprintf(name, sizeof name, "segment-%llx", (unsigned long long) id);
    int status = trib_node_map(job, name, &made->file, &made->file_bytes);
    for (int i = 0; i < layout->count && status == TRIB_OK; i++) {
        if (layout->offsets[i] + layout->lengths[i] > (int64_t) made->file_bytes) {
            status = trib_fail(TRIB_SYSTEM, "%s/%s has %zu bytes, too few for the parts in it", job->node.directory,
                               name, made->file_bytes);
        } else {
            parts[layout->ranks[i] - job->node.first_rank] = (struct trib_part) {
                .base = made->file == NULL ? NULL : made->file + layout->offsets[i],
                .bytes = layout->lengths[i],
                .file_offset = layout->offsets[i],
            };
        }
    }
    if (status != TRIB_OK) {
        free_object(made);
        return status;
    }
    remember(made);
    *memory = made;
    return TRIB_OK;
}

void trib_memory_forget(trib_memory *memory) {
    trib *job = memory->job;
    trib_addresses_withdraw(memory);
    pthread_mutex_lock(&job->lock);
    if (memory->previous != NULL) {
        memory->previous->next = memory->next;
    } else {
        job->memories = memory->next;
    }
    if (memory->next != NULL) {
        memory->next->previous = memory->previous;
    }
    pthread_mutex_unlock(&job->lock);
    if (memory->mutexes != NULL) {
        trib_mutexes_forget(memory->mutexes);
    }
    if (memory->group != NULL) {
        trib_group_drop(memory->group);
    }
    free_object(memory);
}

int64_t trib_memory_part_bytes(const trib_memory *memory, int rank) {
    int member = trib_members_number(memory->members, rank);
    if (member < 0) {
        return -1;
    }
    return memory->sizes == NULL ? memory->uniform_bytes : memory->sizes[member];
}

int64_t trib_memory_bytes(const trib_memory *memory, int rank) {
    return trib_memory_part_bytes(memory, rank);
}

void *trib_memory_at(const trib_memory *memory, int rank) {
    const struct trib_part *part = trib_memory_part(memory, rank);
    return part == NULL || part->bytes == 0 ? NULL : part->base;
}

void *trib_memory_local(const trib_memory *memory) {
    return trib_memory_at(memory, memory->job->place.rank);
}

trib_group *trib_memory_group(const trib_memory *memory) {
    return memory->group;
}

int64_t trib_memory_id(const trib_memory *memory) {
    return memory->id;
}

/* ---- agreeing ---- */

/** A number that no other segment of the job has or will have. */
static int64_t draw_number(trib *job) {
    pthread_mutex_lock(&job->lock);
    int64_t number = (job->place.rank + 1LL) << 32 | ++job->numbers_drawn;
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

/** After any member has failed. */
static void take_back(void *context) {
    struct making *making = context;
    if (*making->memory != NULL) {
        trib_memory_forget(*making->memory);
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

int trib_memory_allocate(trib_group *group, int64_t bytes, int kind, trib_memory **memory) {
    TRIB_CALL(group->job);
    int status = trib_group_check(group);
    if (status != TRIB_OK) {
        return status;
    }
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
    status = gather(group, bytes, &making.id, sizes, all);
    if (status == TRIB_OK) {
        status = create(&making, kind, &group->members, sizes, 0, TRIB_OK);
    }
    if (status == TRIB_OK) {
        int64_t uniform = sizes[0];
        if (is_uniform(sizes, count)) {
            free(sizes);
            sizes = NULL;
        }
        int mapped = new_memory(group->job, group, &group->members, making.id, sizes, uniform, &making.layout, &made);
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
    return trib_memory_allocate(group, (int64_t) bytes, TRIB_SEGMENT_DATA, memory);
}

int trib_memory_world(trib *job, const struct trib_members *members, int64_t bytes, trib_memory **memory) {
    struct trib_layout layout;
    int status = set_layout(&layout, job, members, NULL, bytes);
    if (status == TRIB_OK) {
        status = new_memory(job, NULL, members, TRIB_WORLD_SEGMENT, NULL, bytes, &layout, memory);
        free_layout(&layout);
    }
    return status;
}

/** A number that lists which differ hardly ever share. */
static int64_t digest(const struct trib_members *members) {
    uint64_t digest = (uint64_t) members->size;
    for (int member = 0; member < members->size; member++) {
        digest = digest * 0x9E3779B97F4A7C15u + (uint64_t) trib_members_rank(members, member) + 1;
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
        int mapped = TRIB_OK;
        if (member) {
            mapped = new_memory(job, NULL, members, making.id, NULL, bytes, &making.layout, &group->inboxes);
        }
        if (member && mapped == TRIB_OK) {
            mapped = trib_collectives_open(group, layout);
        }
        status = trib_agree(parent, making.what, mapped, take_back, &making);
    }
    trib_group_during(parent, TRIB_PURPOSE_ITSELF, 0);
    free_layout(&making.layout);
    return status;
}

int trib_memory_release(trib_memory *memory) {
    trib *job = memory->job;
    int leader = job->node.first_rank;
    while (trib_members_number(memory->members, leader) < 0) {
        leader++;
    }
    int status = leader == job->place.rank ? trib_request_free(job, memory->id) : TRIB_OK;
    trib_memory_forget(memory);
    return status;
}

int trib_free(trib_memory *memory) {
    TRIB_CALL(memory->job);
    int status = trib_group_check(memory->group);
    if (status != TRIB_OK) {
        return status;
    }
    int fenced = trib_fence_all(memory->job);
    trib_error *complaint = fenced == TRIB_OK ? NULL : trib_error_copy();
    status = trib_group_barrier_of(memory->group, TRIB_PURPOSE_FREE, memory->id);
    if (status == TRIB_OK) {
        status = trib_memory_release(memory);
    }
    return complaint == NULL ? status : trib_error_raise(complaint);
}

/* ---- requests to servers ---- */

int trib_request_allocate(trib *job, int64_t id, int kind, const struct trib_layout *layout) {
    TRIB_CALL(job);
    struct trib_link *link;
    int status = trib_remote_begin(job, job->place.node, &link);
    if (status != TRIB_OK) {
        return status;
    }
    struct trib_reply *reply = trib_link_expect(link, NULL);
    status = reply == NULL ? TRIB_NO_MEMORY : trib_send_allocate(link, reply, id, kind, layout);
    return trib_remote_ask(link, reply, status, NULL);
}

int trib_request_free(trib *job, int64_t id) {
    TRIB_CALL(job);
    struct trib_link *link;
    int status = trib_remote_begin(job, job->place.node, &link);
    if (status != TRIB_OK) {
        return status;
    }
    struct trib_reply *reply = trib_link_expect(link, NULL);
    status = reply == NULL ? TRIB_NO_MEMORY : trib_send_free(link, reply, id);
    return trib_remote_ask(link, reply, status, NULL);
}

int trib_request_probe(trib *job, int rank, int64_t *state) {
    TRIB_CALL(job);
    struct trib_link *link;
    int status = trib_remote_begin(job, trib_topology_node_of(&job->place.topology, rank), &link);
    if (status != TRIB_OK) {
        return status;
    }
    struct trib_reply *reply = trib_link_expect(link, NULL);
    status = reply == NULL ? TRIB_NO_MEMORY : trib_send_probe(link, reply, rank);
    return trib_remote_ask(link, reply, status, state);
}

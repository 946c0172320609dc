/* Allocating and freeing. */
#include "internal.h"

#include "link/link.h"

static void note(trib_memory *memory, struct arm_group *group, void *base) {
    struct arm_allocation *added = arm_memory("ARMCI_Malloc", 1, sizeof *added);
    arm_lock();
    *added = (struct arm_allocation) {.memory = memory, .group = group, .base = base, .next = arm.allocations};
    group->references++;
    arm.allocations = added;
    arm_unlock();
}

/**
 * Whether the arguments of all members are good; a message when they are not. Comes before the collective of the
 * runtime, because a late rank may be waiting for a message that MPI delivers only while others are in MPI.
 */
static int agree(const char *function, void **bases, armci_size_t bytes, struct arm_group *group) {
    int good = bases != NULL && bytes >= 0;
    int *all = arm_memory(function, 1, sizeof *all);
    *all = good;
    if (!good) {
        arm_fail(function, TRIB_INVALID_ARGUMENT, "%ld bytes%s", bytes,
                 bases == NULL ? ", and no place for the addresses" : "");
    }
    int status = arm_allreduce(group, all, 1, ARMCI_INT, MPI_MIN);
    bool agreed = *all;
    arm_collective_free(status, all);
    if (status != TRIB_OK) {
        return arm_failed(function, status);
    }
    return agreed ? TRIB_OK
        : good ? arm_fail(function, TRIB_INVALID_ARGUMENT, "another member's arguments are wrong; nothing is allocated")
        : TRIB_INVALID_ARGUMENT;
}

int arm_give_back(const char *function, trib_group *members, int freed) {
    if (freed != TRIB_OK) {
        arm_failed(function, freed);
    }
    if (freed == TRIB_ABORTED) {
        return freed;
    }
    int given = trib_group_barrier(members);
    if (given != TRIB_OK) {
        arm_failed(function, given);
    }
    return freed != TRIB_OK ? freed : given;
}

static int allocate(const char *function, void **bases, armci_size_t bytes, struct arm_group *group) {
    trib_memory *memory;
    ARM_TRY(agree(function, bases, bytes, group));
    int status = trib_allocate(group->members, (size_t) bytes, &memory);
    if (status != TRIB_OK) {
        return arm.limit == 0 ? arm_fail_last(function)
            : arm_fail(function, status, "%s (this rank expected to need %lu bytes, ARMCI_Set_shm_limit)",
                       trib_last_error()->message, arm.limit);
    }
    status = trib_memory_publish(memory, bases);
    if (status != TRIB_OK) {
        arm_fail_last(function);
        arm_must(status == TRIB_NO_MEMORY ? status : TRIB_OK); /* of which this rank alone knows */
        return status;
    }
    bool empty = true;
    for (int member = 0; member < group->size; member++) {
        empty &= bases[member] == NULL;
    }
    if (empty) {
        /* There is no address by which anybody could free it. */
        return arm_give_back(function, group->members, trib_free(memory));
    }
    note(memory, group, bases[group->rank]);
    return TRIB_OK;
}

int PARMCI_Malloc_group(void **bases, armci_size_t bytes, ARMCI_Group *group) {
    struct arm_group *members = arm_group_of(ARM_CURRENT, group);
    return members == NULL ? TRIB_INVALID_ARGUMENT : allocate(ARM_CURRENT, bases, bytes, members);
}
ARM_ALIAS(int, ARMCI_Malloc_group, void **bases, armci_size_t bytes, ARMCI_Group *group);

int PARMCI_Malloc(void **bases, armci_size_t bytes) {
    return PARMCI_Malloc_group(bases, bytes, &arm.world);
}
ARM_ALIAS(int, ARMCI_Malloc, void **bases, armci_size_t bytes);

int PARMCI_Malloc_memdev(void **bases, armci_size_t bytes, const char *device) {
    (void) device;
    return PARMCI_Malloc_group(bases, bytes, &arm.world);
}
ARM_ALIAS(int, ARMCI_Malloc_memdev, void **bases, armci_size_t bytes, const char *device);

int PARMCI_Malloc_group_memdev(void **bases, armci_size_t bytes, ARMCI_Group *group, const char *device) {
    (void) device;
    return PARMCI_Malloc_group(bases, bytes, group);
}
ARM_ALIAS(int, ARMCI_Malloc_group_memdev, void **bases, armci_size_t bytes, ARMCI_Group *group, const char *device);

/** Takes an allocation off the list; NULL when there is none of that number. */
static struct arm_allocation *remove_allocation(int64_t id) {
    arm_lock();
    struct arm_allocation **at = &arm.allocations;
    while (*at != NULL && trib_memory_id((*at)->memory) != id) {
        at = &(*at)->next;
    }
    struct arm_allocation *removed = *at;
    if (removed != NULL) {
        *at = removed->next;
    }
    arm_unlock();
    return removed;
}

/** That with such a base, as it was a moment ago; its memory is NULL when there is none. */
static struct arm_allocation find(const void *base) {
    arm_lock();
    const struct arm_allocation *at = arm.allocations;
    while (at != NULL && at->base != base) {
        at = at->next;
    }
    struct arm_allocation found = at == NULL ? (struct arm_allocation) {.memory = NULL} : *at;
    arm_unlock();
    return found;
}

/** The memory of a base address in this rank: its number, -1 for NULL, -2 for what is no base. */
static int64_t id_of(const char *function, void *base, const struct arm_group *group) {
    if (base == NULL) {
        return -1;
    }
    struct arm_allocation found = find(base);
    if (found.memory != NULL) {
        if (arm_groups_are_alike(found.group, group)) {
            return trib_memory_id(found.memory);
        }
        arm_fail(function, TRIB_INVALID_ARGUMENT, "address %p of rank %d belongs to a group of %d, not to this one"
                 " of %d", base, arm.rank, found.group->size, group->size);
        return -2;
    }
    trib_memory *memory;
    size_t offset;
    if (trib_locate(arm.job, arm_to_job(arm.rank), base, 0, &memory, &offset) == TRIB_OK) {
        arm_fail(function, TRIB_INVALID_ADDRESS, "address %p of rank %d is %zu bytes inside an allocation, not its base",
                 base, arm.rank, offset);
    } else {
        arm_fail_at(function, base, 0, arm.rank);
    }
    return -2;
}

static bool is_alive(const struct arm_group *group) {
    arm_lock();
    const struct arm_group *alive = arm.groups;
    while (alive != NULL && alive != group) {
        alive = alive->next;
    }
    arm_unlock();
    return alive != NULL;
}

static int release(const char *function, void *base, struct arm_group *group) {
    size_t members = (size_t) group->size;
    int64_t *ids = arm_memory(function, members + 1, sizeof *ids); /* the last one is what this member sends */
    int64_t id = ids[members] = id_of(function, base, group);
    int status = arm_allgather(group, ids + members, ids, sizeof id);
    if (status != TRIB_OK) {
        arm_collective_free(status, ids);
        return arm_failed(function, status);
    }
    int64_t agreed = -1;
    for (int member = 0; member < group->size && status == TRIB_OK; member++) {
        if (ids[member] == -2 || (ids[member] >= 0 && agreed >= 0 && ids[member] != agreed)) {
            status = TRIB_INVALID_ADDRESS;
            if (id != -2) {
                arm_fail(function, status, "rank %d gave no address of the same allocation; nothing is freed",
                         group->grp_to_abs[member]);
            }
        } else if (ids[member] >= 0) {
            agreed = ids[member];
        }
    }
    free(ids);
    struct arm_allocation *freed = status == TRIB_OK ? remove_allocation(agreed) : NULL;
    if (freed == NULL) {
        return status; /* NULL everywhere is nothing to free */
    }
    status = trib_free(freed->memory);
    if (is_alive(freed->group)) {
        status = arm_give_back(function, freed->group->members, status);
    } else if (status != TRIB_OK) {
        arm_failed(function, status);
    }
    arm_group_drop(freed->group);
    free(freed);
    return status;
}

int PARMCI_Free_group(void *base, ARMCI_Group *group) {
    struct arm_group *members = arm_group_of(ARM_CURRENT, group);
    return members == NULL ? TRIB_INVALID_ARGUMENT : release(ARM_CURRENT, base, members);
}
ARM_ALIAS(int, ARMCI_Free_group, void *base, ARMCI_Group *group);

int PARMCI_Free(void *base) {
    return PARMCI_Free_group(base, &arm.world);
}
ARM_ALIAS(int, ARMCI_Free, void *base);

int PARMCI_Free_memdev(void *base) {
    return PARMCI_Free_group(base, &arm.world);
}
ARM_ALIAS(int, ARMCI_Free_memdev, void *base);

void *PARMCI_Malloc_local(armci_size_t bytes) {
    void *memory;
    if (bytes < 0 || posix_memalign(&memory, 64, bytes == 0 ? 64 : (size_t) bytes) != 0) {
        arm_fail(ARM_CURRENT, TRIB_NO_MEMORY, "no memory for %ld bytes", bytes);
        return NULL;
    }
    trib_adapter_own(arm.job, memory, (size_t) bytes);
    return memory;
}
ARM_ALIAS(void *, ARMCI_Malloc_local, armci_size_t bytes);

int PARMCI_Free_local(void *memory) {
    trib_adapter_disown(arm.job, memory);
    free(memory);
    return TRIB_OK;
}
ARM_ALIAS(int, ARMCI_Free_local, void *memory);

void PARMCI_Set_shm_limit(unsigned long bytes) {
    arm.limit = bytes;
}
ARM_ALIAS(void, ARMCI_Set_shm_limit, unsigned long bytes);

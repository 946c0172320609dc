/* Read-modify-write, and mutexes. */
#include "internal.h"

#include <armcix.h>

int PARMCI_Rmw(int operation, void *local, void *remote, int value, int proc) {
    bool is_long = operation == ARMCI_FETCH_AND_ADD_LONG || operation == ARMCI_SWAP_LONG;
    size_t bytes = is_long ? sizeof(long) : sizeof(int);
    struct arm_place at;
    int status;
    ARM_TRY(arm_locate(ARM_CURRENT, remote, (long long) bytes, proc, &at));
    ARM_TRY(arm_check_local(ARM_CURRENT, local, remote, proc));
    switch (operation) {
        case ARMCI_FETCH_AND_ADD:
            status = trib_fetch_add_i32(at.memory, at.rank, at.offset, value, local);
            break;
        case ARMCI_FETCH_AND_ADD_LONG:
            status = trib_fetch_add_i64(at.memory, at.rank, at.offset, value, local);
            break;
        case ARMCI_SWAP:
            status = trib_swap_i32(at.memory, at.rank, at.offset, *(int32_t *) local, local);
            break;
        case ARMCI_SWAP_LONG:
            status = trib_swap_i64(at.memory, at.rank, at.offset, *(int64_t *) local, local);
            break;
        default:
            return arm_fail(ARM_CURRENT, TRIB_INVALID_ARGUMENT, "address %p of rank %d: %d is no operation", remote,
                            proc, operation);
    }
    return status == TRIB_OK ? TRIB_OK : arm_fail_at(ARM_CURRENT, remote, (long long) bytes, proc);
}
ARM_ALIAS(int, ARMCI_Rmw, int operation, void *local, void *remote, int value, int proc);

_Static_assert(sizeof(long) == sizeof(int64_t), "long has 64 bits on every system that the runtime knows");

/** Creates mutexes of a group; NULL after a message. */
static trib_mutexes *create(const char *function, int count, struct arm_group *group, int *most) {
    trib_mutexes *mutexes;
    long *counts = arm_memory(function, 2, sizeof *counts);
    counts[0] = count; /* the greatest, and what the least is the negative of */
    counts[1] = -(long) count;
    int status = arm_allreduce(group, counts, 2, ARMCI_LONG, MPI_MAX);
    bool negative = counts[1] > 0;
    *most = (int) counts[0];
    arm_collective_free(status, counts);
    if (status != TRIB_OK) {
        arm_failed(function, status);
        return NULL;
    }
    if (negative || *most == 0) {
        arm_fail(function, TRIB_INVALID_ARGUMENT, "%d mutexes here, and at most %d anywhere", count, *most);
        return NULL;
    }
    if (trib_mutexes_create(group->members, count, &mutexes) != TRIB_OK) {
        arm_fail_last(function);
        return NULL;
    }
    return mutexes;
}

int PARMCI_Create_mutexes(int count) {
    int most;
    struct arm_group *world = arm_group_of(ARM_CURRENT, &arm.world);
    if (world == NULL) {
        return TRIB_INVALID_ARGUMENT;
    }
    if (arm.mutexes != NULL) {
        return arm_fail(ARM_CURRENT, TRIB_MUTEX_STATE, "there are mutexes already; destroy them first");
    }
    arm.mutexes = create(ARM_CURRENT, count, world, &most);
    return arm.mutexes == NULL ? TRIB_INVALID_ARGUMENT : TRIB_OK;
}
ARM_ALIAS(int, ARMCI_Create_mutexes, int count);

int PARMCI_Destroy_mutexes(void) {
    if (arm.inits == 0 || arm.mutexes == NULL) {
        return arm_fail(ARM_CURRENT, TRIB_MUTEX_STATE, "there are no mutexes");
    }
    struct arm_group *world = arm_group_of(ARM_CURRENT, &arm.world);
    int status = arm_barrier(world);
    if (status == TRIB_OK) {
        status = arm_give_back(ARM_CURRENT, world->members, trib_mutexes_free(arm.mutexes));
        arm.mutexes = NULL;
        return status;
    }
    return arm_failed(ARM_CURRENT, status);
}
ARM_ALIAS(int, ARMCI_Destroy_mutexes, void);

static void check(const char *function, int status, int mutex, int proc) {
    if (__builtin_expect(status != TRIB_OK, 0)) {
        arm_fail(function, status, "mutex %d of rank %d: %s", mutex, proc, trib_last_error()->message);
        arm_abort(1);
    }
}

static void check_set(const char *function, const trib_mutexes *mutexes, int proc) {
    arm_must(arm_check_proc(function, proc));
    if (__builtin_expect(mutexes == NULL, 0)) {
        arm_fail(function, TRIB_MUTEX_STATE, "there are no mutexes");
        arm_abort(1);
    }
}

void PARMCI_Lock(int mutex, int proc) {
    check_set(ARM_CURRENT, arm.mutexes, proc);
    check(ARM_CURRENT, trib_lock(arm.mutexes, arm_to_job(proc), mutex), mutex, proc);
}
ARM_ALIAS(void, ARMCI_Lock, int mutex, int proc);

void PARMCI_Unlock(int mutex, int proc) {
    check_set(ARM_CURRENT, arm.mutexes, proc);
    check(ARM_CURRENT, trib_unlock(arm.mutexes, arm_to_job(proc), mutex), mutex, proc);
}
ARM_ALIAS(void, ARMCI_Unlock, int mutex, int proc);

/* ---- of a group; the runtime's are kept in the field `bases` ---- */

static trib_mutexes *mutexes_of(const char *function, armcix_mutex_hdl_t set, int proc) {
    check_set(function, set == NULL ? NULL : (trib_mutexes *) (void *) set->bases, proc);
    return (trib_mutexes *) (void *) set->bases;
}

armcix_mutex_hdl_t ARMCIX_Create_mutexes_hdl(int count, ARMCI_Group *group) {
    int most;
    struct arm_group *members = arm_group_of(__func__, group);
    trib_mutexes *mutexes = members == NULL ? NULL : create(__func__, count, members, &most);
    struct armcix_mutex_hdl_s *set = mutexes == NULL ? NULL : arm_memory(__func__, 1, sizeof *set);
    if (set != NULL) {
        *set = (struct armcix_mutex_hdl_s) {.my_count = count, .max_count = most, .grp = *group,
            .bases = (uint8_t **) (void *) mutexes};
    }
    return set;
}

int ARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t set) {
    trib_mutexes *mutexes = mutexes_of(__func__, set, arm.rank);
    struct arm_group *members = arm_group_of(__func__, &set->grp);
    if (members == NULL) {
        return TRIB_INVALID_ARGUMENT;
    }
    int status = arm_barrier(members);
    if (status != TRIB_OK) {
        return arm_failed(__func__, status);
    }
    int freed = trib_mutexes_free(mutexes);
    status = arm_give_back(__func__, members->members, freed);
    if (freed != TRIB_ABORTED) {
        free(set); /* the mutexes are gone, whatever their fence had to complain of */
    }
    return status;
}

void ARMCIX_Lock_hdl(armcix_mutex_hdl_t set, int mutex, int proc) {
    check(__func__, trib_lock(mutexes_of(__func__, set, proc), arm_to_job(proc), mutex), mutex, proc);
}

int ARMCIX_Trylock_hdl(armcix_mutex_hdl_t set, int mutex, int proc) {
    bool acquired;
    check(__func__, trib_try_lock(mutexes_of(__func__, set, proc), arm_to_job(proc), mutex, &acquired), mutex, proc);
    if (!acquired && arm.mpi) {
        arm_progress(); /* the holder may wait for a message to go here, and the caller try again and again */
    }
    return acquired ? 0 : 1;
}

void ARMCIX_Unlock_hdl(armcix_mutex_hdl_t set, int mutex, int proc) {
    check(__func__, trib_unlock(mutexes_of(__func__, set, proc), arm_to_job(proc), mutex), mutex, proc);
}

/* Fences, barriers, direct access, notifications. */
#include "internal.h"

#include <armci_notify.h>
#include <armcix.h>

#include "link/link.h"

void PARMCI_Fence(int proc) {
    arm_must(arm_check_proc(ARM_CURRENT, proc));
    if (trib_fence(arm.job, arm_to_job(proc)) != TRIB_OK) {
        arm_fail_last(ARM_CURRENT);
        arm_abort(1);
    }
}
ARM_ALIAS(void, ARMCI_Fence, int proc);

static void fence_all(const char *function) {
    arm_must(arm_check_proc(function, 0));
    if (trib_fence_all(arm.job) != TRIB_OK) {
        arm_fail_last(function);
        arm_abort(1);
    }
}

void PARMCI_AllFence(void) {
    fence_all(ARM_CURRENT);
}
ARM_ALIAS(void, ARMCI_AllFence, void);

static void barrier(const char *function, struct arm_group *group) {
    int status = arm_barrier(group);
    if (status != TRIB_OK) {
        arm_failed(function, status);
        arm_abort(1);
    }
}

void PARMCI_Barrier(void) {
    fence_all(ARM_CURRENT);
    barrier(ARM_CURRENT, arm_group_of(ARM_CURRENT, &arm.world));
}
ARM_ALIAS(void, ARMCI_Barrier, void);

void parmci_msg_barrier(void) {
    arm_must(arm_check_proc(ARM_CURRENT, 0));
    barrier(ARM_CURRENT, arm_group_of(ARM_CURRENT, &arm.world));
}
ARM_ALIAS_LOWER(void, armci_msg_barrier, void);

void parmci_msg_group_barrier(ARMCI_Group *group) {
    struct arm_group *members = arm_group_of(ARM_CURRENT, group);
    arm_must(members == NULL);
    barrier(ARM_CURRENT, members);
}
ARM_ALIAS_LOWER(void, armci_msg_group_barrier, ARMCI_Group *group);

static void access_own(const char *function, void *memory, int order) {
    struct arm_place at;
    arm_must(arm_locate(function, memory, 0, arm.rank, &at));
    if (order == __ATOMIC_ACQUIRE) {
        __atomic_thread_fence(__ATOMIC_ACQUIRE); /* partner: whatever told this rank that the data is there */
    } else {
        __atomic_thread_fence(__ATOMIC_RELEASE); /* partner: whatever tells others that the data is there */
    }
}

void PARMCI_Access_begin(void *memory) {
    access_own(ARM_CURRENT, memory, __ATOMIC_ACQUIRE);
}
ARM_ALIAS(void, ARMCI_Access_begin, void *memory);

void PARMCI_Access_end(void *memory) {
    access_own(ARM_CURRENT, memory, __ATOMIC_RELEASE);
}
ARM_ALIAS(void, ARMCI_Access_end, void *memory);

int parmci_notify(int proc) {
    arm_must(arm_check_proc(ARM_CURRENT, proc));
    /* It says that the data is there, which the network adapter may have failed to move. */
    if (trib_adapter_fence(arm.job, arm_to_job(proc)) != TRIB_OK
        || trib_notify(arm.job, arm_to_job(proc)) != TRIB_OK) {
        arm_fail_last(ARM_CURRENT);
        arm_abort(1);
    }
    return __atomic_add_fetch(&arm.notified[proc], 1, __ATOMIC_RELAXED);
}
ARM_ALIAS_LOWER(int, armci_notify, int proc);

int parmci_notify_wait(int proc, int *count) {
    arm_must(arm_check_proc(ARM_CURRENT, proc));
    if (trib_wait_notify(arm.job, arm_to_job(proc)) != TRIB_OK) {
        arm_fail_last(ARM_CURRENT);
        arm_abort(1);
    }
    int heard = __atomic_add_fetch(&arm.heard[proc], 1, __ATOMIC_RELAXED);
    if (count != NULL) {
        *count = heard;
    }
    return heard;
}
ARM_ALIAS_LOWER(int, armci_notify_wait, int proc, int *count);

void ARMCIX_Progress(void) {
    arm_must(arm_check_proc(__func__, 0));
    trib_handle handle;
    bool complete;
    if (trib_handle_init(arm.job, TRIB_PLAIN, &handle) == TRIB_OK) {
        trib_test(&handle, &complete);
    }
    if (arm.mpi) {
        arm_progress();
    }
}

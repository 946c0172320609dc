/* Groups. The content of a group lies behind the field grp_to_abs, so that programs may copy ARMCI_Group as they do. */
#include "internal.h"

#include <armcix.h>

static const ARMCI_Group nobody = {.comm = MPI_COMM_NULL, .noncoll_pgroup_comm = MPI_COMM_NULL, .rank = -1};

struct arm_group *arm_group_of(const char *function, const ARMCI_Group *group) {
    if (arm.inits == 0) {
        arm_fail(function, TRIB_INVALID_ARGUMENT, "ARMCI has not been initialized");
        return NULL;
    }
    if (group == NULL || group->grp_to_abs == NULL) {
        arm_fail(function, TRIB_INVALID_ARGUMENT, group == NULL ? "no group"
            : "this rank is no member of the group, or it has been freed");
        return NULL;
    }
    arm_lock();
    struct arm_group *found = arm.groups;
    while (found != NULL && found->grp_to_abs != group->grp_to_abs) {
        found = found->next;
    }
    arm_unlock();
    if (found == NULL) {
        arm_fail(function, TRIB_INVALID_ARGUMENT, "the group has been freed");
    }
    return found;
}

bool arm_groups_are_alike(const struct arm_group *one, const struct arm_group *other) {
    return one->size == other->size
        && memcmp(one->grp_to_abs, other->grp_to_abs, (size_t) one->size * sizeof *one->grp_to_abs) == 0;
}

/** Ends the job unless MPI has succeeded: on other members it may have. */
static void check_mpi(const char *function, const char *call, int code) {
    if (code != MPI_SUCCESS) {
        arm_fail(function, TRIB_SYSTEM, "%s has failed with code %d", call, code);
        arm_abort(1);
    }
}

/** A communicator where none has the members: programs may copy it and ask it for its size. */
static MPI_Comm alone(void) {
    MPI_Comm comm = MPI_COMM_NULL;
    if (arm_mpi_is_usable()) {
        check_mpi("a group", "MPI_Comm_dup", MPI_Comm_dup(MPI_COMM_SELF, &comm));
    }
    return comm;
}

/** The group of those members; the parent's, by number there, or the ranks of the job when there is none. */
static void make(const char *function, trib_group *members, MPI_Comm comm, ARMCI_Group *group) {
    int size = trib_group_size(members);
    struct arm_group *made = arm_memory(function, 1, sizeof *made + (size_t) size * sizeof(int));
    int *abs_to_grp = arm_memory(function, (size_t) arm.size, sizeof *abs_to_grp);
    int *from_job = arm_memory(function, (size_t) arm.size, sizeof *from_job);
    for (int proc = 0; proc < arm.size; proc++) {
        from_job[arm_to_job(proc)] = proc;
        abs_to_grp[proc] = trib_group_member(members, arm_to_job(proc));
    }
    arm_lock();
    int64_t id = (int64_t) (arm.rank + 1) << 32 | ++arm.groups_made;
    arm_unlock();
    if (arm.mpi) {
        check_mpi(function, "MPI_Bcast", MPI_Bcast(&id, 1, MPI_INT64_T, 0, comm)); /* the first member's */
    }
    *made = (struct arm_group) {.id = id, .members = members, .comm = arm.mpi ? comm : alone(), .size = size,
        .rank = trib_group_rank(members), .references = 1, .abs_to_grp = abs_to_grp};
    for (int member = 0; member < size; member++) {
        made->grp_to_abs[member] = from_job[trib_group_world_rank(members, member)];
    }
    free(from_job);
    arm_lock();
    made->next = arm.groups;
    arm.groups = made;
    arm_unlock();
    *group = (ARMCI_Group) {.comm = made->comm, .noncoll_pgroup_comm = MPI_COMM_NULL, .grp_to_abs = made->grp_to_abs,
        .abs_to_grp = abs_to_grp, .rank = made->rank, .size = size};
}

int arm_world_open(MPI_Comm comm) {
    trib_group *members = trib_world(arm.job);
    if (arm.to_job != NULL && trib_group_create(trib_world(arm.job), arm.size, arm.to_job, &members) != TRIB_OK) {
        return arm_fail_last("ARMCI_Init");
    }
    make("ARMCI_Init", members, comm, &arm.world);
    arm.standard = arm.world;
    return TRIB_OK;
}

void arm_group_drop(struct arm_group *group) {
    arm_lock();
    bool last = --group->references == 0;
    arm_unlock();
    if (last) {
        free(group->abs_to_grp);
        free(group);
    }
}

void arm_world_close(void) {
    bool frees = arm_mpi_is_usable();
    while (arm.allocations != NULL) { /* detaching has freed the memory */
        struct arm_allocation *next = arm.allocations->next;
        arm_group_drop(arm.allocations->group);
        free(arm.allocations);
        arm.allocations = next;
    }
    while (arm.groups != NULL) { /* of all ranks, and those that were never freed */
        struct arm_group *next = arm.groups->next;
        if (frees && arm.groups->comm != MPI_COMM_NULL) {
            MPI_Comm_free(&arm.groups->comm);
        }
        arm_group_drop(arm.groups);
        arm.groups = next;
    }
    arm.world = nobody;
    arm.standard = nobody;
}

/** Finishes a new group of the runtime and, where the ranks are MPI's, its communicator. */
static int finish(const char *function, trib_group *members, MPI_Comm comm, ARMCI_Group *group) {
    *group = nobody;
    if (trib_group_rank(members) < 0) {
        return trib_group_free(members) == TRIB_OK ? TRIB_OK : arm_fail_last(function);
    }
    make(function, members, comm, group);
    return TRIB_OK;
}

static int create(const char *function, int count, int *ranks, ARMCI_Group *group, const ARMCI_Group *parent) {
    struct arm_group *all = arm_group_of(function, parent);
    trib_group *members;
    MPI_Comm comm = MPI_COMM_NULL;
    if (all == NULL) {
        return TRIB_INVALID_ARGUMENT;
    }
    int status = arm_barrier(all);
    if (status != TRIB_OK) {
        return arm_failed(function, status);
    }
    if (trib_group_create(all->members, count, ranks, &members) != TRIB_OK) {
        return arm_fail_last(function);
    }
    if (arm.mpi) {
        MPI_Group everybody;
        MPI_Group chosen;
        check_mpi(function, "MPI_Comm_group", MPI_Comm_group(all->comm, &everybody));
        check_mpi(function, "MPI_Group_incl", MPI_Group_incl(everybody, count, ranks, &chosen));
        check_mpi(function, "MPI_Comm_create", MPI_Comm_create(all->comm, chosen, &comm));
        MPI_Group_free(&everybody);
        MPI_Group_free(&chosen);
    }
    return finish(function, members, comm, group);
}

void PARMCI_Group_create_child(int count, int *ranks, ARMCI_Group *group, ARMCI_Group *parent) {
    arm_must(create(ARM_CURRENT, count, ranks, group, parent));
}
ARM_ALIAS(void, ARMCI_Group_create_child, int count, int *ranks, ARMCI_Group *group, ARMCI_Group *parent);

void PARMCI_Group_create(int count, int *ranks, ARMCI_Group *group) {
    ARMCI_Group parent;
    PARMCI_Group_get_default(&parent);
    arm_must(create(ARM_CURRENT, count, ranks, group, &parent));
}
ARM_ALIAS(void, ARMCI_Group_create, int count, int *ranks, ARMCI_Group *group);

int ARMCIX_Group_split(ARMCI_Group *parent, int color, int key, ARMCI_Group *group) {
    struct arm_group *all = arm_group_of(__func__, parent);
    trib_group *members;
    MPI_Comm comm = MPI_COMM_NULL;
    if (all == NULL) {
        return TRIB_INVALID_ARGUMENT;
    }
    int status = arm_barrier(all);
    if (status != TRIB_OK) {
        return arm_failed(__func__, status);
    }
    if (trib_group_split(all->members, color, key, &members) != TRIB_OK) {
        return arm_fail_last(__func__);
    }
    if (arm.mpi) {
        int its_color = color < 0 ? MPI_UNDEFINED : color;
        check_mpi(__func__, "MPI_Comm_split", MPI_Comm_split(all->comm, its_color, key, &comm));
    }
    return finish(__func__, members, comm, group);
}

int ARMCIX_Group_dup(ARMCI_Group *parent, ARMCI_Group *group) {
    return ARMCIX_Group_split(parent, 0, 0, group);
}

void PARMCI_Group_free(ARMCI_Group *group) {
    if (group == NULL || (group->grp_to_abs == NULL && group->rank < 0)) {
        return; /* this rank was no member */
    }
    struct arm_group *freed = arm_group_of(ARM_CURRENT, group);
    arm_must(freed == NULL);
    if (group->grp_to_abs == arm.world.grp_to_abs) {
        arm_fail(ARM_CURRENT, TRIB_INVALID_ARGUMENT, "the group of all ranks stays until ARMCI_Finalize");
        arm_abort(1);
    }
    arm_lock();
    if (group->grp_to_abs == arm.standard.grp_to_abs) {
        arm.standard = arm.world;
    }
    arm_unlock();
    int status = arm_barrier(freed);
    if (status == TRIB_OK) {
        status = trib_group_free(freed->members);
    }
    if (status != TRIB_OK) {
        arm_failed(ARM_CURRENT, status);
        arm_abort(1);
    }
    if (freed->comm != MPI_COMM_NULL && arm_mpi_is_usable()) {
        MPI_Comm_free(&freed->comm);
    }
    arm_lock();
    for (struct arm_group **at = &arm.groups; *at != NULL; at = &(*at)->next) {
        if (*at == freed) {
            *at = freed->next;
            break;
        }
    }
    arm_unlock();
    arm_group_drop(freed);
    *group = nobody;
}
ARM_ALIAS(void, ARMCI_Group_free, ARMCI_Group *group);

int PARMCI_Group_rank(ARMCI_Group *group, int *rank) {
    *rank = group->rank;
    return group->rank >= 0 ? TRIB_OK : TRIB_INVALID_ARGUMENT;
}
ARM_ALIAS(int, ARMCI_Group_rank, ARMCI_Group *group, int *rank);

void PARMCI_Group_size(ARMCI_Group *group, int *size) {
    *size = group->size;
}
ARM_ALIAS(void, ARMCI_Group_size, ARMCI_Group *group, int *size);

void PARMCI_Group_set_default(ARMCI_Group *group) {
    arm_must(arm_group_of(ARM_CURRENT, group) == NULL);
    arm_lock();
    arm.standard = *group;
    arm_unlock();
}
ARM_ALIAS(void, ARMCI_Group_set_default, ARMCI_Group *group);

void PARMCI_Group_get_default(ARMCI_Group *group) {
    arm_lock();
    *group = arm.standard;
    arm_unlock();
}
ARM_ALIAS(void, ARMCI_Group_get_default, ARMCI_Group *group);

void PARMCI_Group_get_world(ARMCI_Group *group) {
    *group = arm.world;
}
ARM_ALIAS(void, ARMCI_Group_get_world, ARMCI_Group *group);

int PARMCI_Absolute_id(ARMCI_Group *group, int group_rank) {
    struct arm_group *members = arm_group_of(ARM_CURRENT, group);
    if (members == NULL) {
        return -1;
    }
    if (group_rank < 0 || group_rank >= members->size) {
        arm_fail(ARM_CURRENT, TRIB_INVALID_ARGUMENT, "there is no member %d in a group of %d", group_rank,
                 members->size);
        return -1;
    }
    return members->grp_to_abs[group_rank];
}
ARM_ALIAS(int, ARMCI_Absolute_id, ARMCI_Group *group, int group_rank);

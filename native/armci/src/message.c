/* The messages and broadcasts of message.h, and the topology. */
#include "internal.h"

int armci_msg_me(void) {
    return arm.rank;
}

int armci_msg_nproc(void) {
    return arm.size;
}

static void check_message(const char *function, int status, int tag, int bytes, int other) {
    if (status != TRIB_OK) {
        char rank[16] = "any";
        if (other >= 0) {
            snprintf(rank, sizeof rank, "%d", other);
        }
        arm_fail(function, status, "a message with tag %d, of %d bytes at most, with rank %s failed: %s", tag, bytes,
                 rank, arm.mpi ? "see MPI" : trib_last_error()->message);
        arm_abort(1);
    }
}

static int check_length(const char *function, int proc, int bytes) {
    arm_must(arm_check_proc(function, proc));
    return bytes >= 0 ? TRIB_OK : arm_fail(function, TRIB_INVALID_ARGUMENT, "%d bytes with rank %d", bytes, proc);
}

void armci_msg_snd(int tag, void *buffer, int bytes, int to) {
    arm_must(check_length(__func__, to, bytes));
    int status = arm.mpi ? MPI_Send(buffer, bytes, MPI_BYTE, to, tag, arm.world.comm)
        : arm_mail_send(tag, buffer, (size_t) bytes, to);
    check_message(__func__, status, tag, bytes, to);
}

static int receive(const char *function, int tag, void *buffer, int capacity, int *received, int from) {
    if (!arm.mpi) {
        int sender = arm_mail_receive(tag, buffer, (size_t) capacity, received, from);
        check_message(function, sender < 0 ? sender : TRIB_OK, tag, capacity, from);
        return sender;
    }
    MPI_Status message;
    int status = MPI_Recv(buffer, capacity, MPI_BYTE, from < 0 ? MPI_ANY_SOURCE : from, tag, arm.world.comm, &message);
    check_message(function, status, tag, capacity, from);
    if (received != NULL) {
        MPI_Get_count(&message, MPI_BYTE, received);
    }
    return message.MPI_SOURCE;
}

void armci_msg_rcv(int tag, void *buffer, int capacity, int *received, int from) {
    bool any = from == -1 || from == MPI_ANY_SOURCE;
    arm_must(check_length(__func__, any ? 0 : from, capacity));
    receive(__func__, tag, buffer, capacity, received, any ? -1 : from);
}

int armci_msg_rcvany(int tag, void *buffer, int capacity, int *received) {
    arm_must(check_length(__func__, 0, capacity));
    return receive(__func__, tag, buffer, capacity, received, -1);
}

void armci_msg_bintree(int scope, int *root, int *up, int *left, int *right) {
    bool all = scope != SCOPE_NODE;
    int first = 2 * arm.rank + 1;
    *root = all ? 0 : arm.rank;
    *up = all && arm.rank > 0 ? (arm.rank - 1) / 2 : -1;
    *left = all && first < arm.size ? first : -1;
    *right = all && first + 1 < arm.size ? first + 1 : -1;
}

static void broadcast(const char *function, int scope, void *buffer, int bytes, int root, struct arm_group *group) {
    arm_must(group == NULL);
    int member = root < 0 || root >= arm.size ? -1 : group->abs_to_grp[root];
    if (member < 0 || bytes < 0) {
        arm_fail(function, TRIB_INVALID_ARGUMENT, "%d bytes from root %d, which is %s of the group", bytes, root,
                 member < 0 ? "no member" : "a member");
        arm_abort(1);
    }
    int status = scope == SCOPE_NODE ? TRIB_OK : arm_broadcast(group, member, buffer, (size_t) bytes);
    if (status != TRIB_OK) {
        arm_failed(function, status);
        arm_abort(1);
    }
}

void armci_msg_group_bcast_scope(int scope, void *buffer, int bytes, int root, ARMCI_Group *group) {
    broadcast(__func__, scope, buffer, bytes, root, arm_group_of(__func__, group));
}

void armci_msg_bcast_scope(int scope, void *buffer, int bytes, int root) {
    broadcast(__func__, scope, buffer, bytes, root, arm_group_of(__func__, &arm.world));
}

void armci_msg_bcast(void *buffer, int bytes, int root) {
    broadcast(__func__, SCOPE_ALL, buffer, bytes, root, arm_group_of(__func__, &arm.world));
}

void armci_msg_brdcst(void *buffer, int bytes, int root) {
    broadcast(__func__, SCOPE_ALL, buffer, bytes, root, arm_group_of(__func__, &arm.world));
}

void armci_msg_clus_brdcst(void *buffer, int bytes) {
    broadcast(__func__, SCOPE_NODE, buffer, bytes, arm.rank, arm_group_of(__func__, &arm.world));
}

#define CLUSTER_TAG 30111

void armci_grp_clus_brdcst(void *buffer, int bytes, int master, int count, ARMCI_Group *group) {
    struct arm_group *members = arm_group_of(__func__, group);
    arm_must(members == NULL);
    if (master < 0 || count < 1 || count > members->size - master) {
        arm_fail(__func__, TRIB_INVALID_ARGUMENT, "members %d to %d of a group of %d", master, master + count - 1,
                 members->size);
        arm_abort(1);
    }
    if (members->rank < master || members->rank >= master + count) {
        return;
    }
    if (members->rank != master) {
        armci_msg_rcv(CLUSTER_TAG, buffer, bytes, NULL, members->grp_to_abs[master]);
        return;
    }
    for (int member = master + 1; member < master + count; member++) {
        armci_msg_snd(CLUSTER_TAG, buffer, bytes, members->grp_to_abs[member]);
    }
}

/* ---- Each rank is a domain: libga takes it for granted that ranks of a domain share memory. ---- */

static int check_domain(const char *function, int id) {
    arm_must(arm_check_proc(function, 0));
    if (id < 0 || id >= arm.size) {
        arm_fail(function, TRIB_INVALID_ARGUMENT, "there is no domain %d among %d", id, arm.size);
        arm_abort(1);
    }
    return id;
}

int armci_domain_nprocs(armci_domain_t domain, int id) {
    (void) domain;
    check_domain(__func__, id < 0 ? arm.rank : id);
    return 1;
}

int armci_domain_id(armci_domain_t domain, int proc) {
    (void) domain;
    arm_must(arm_check_proc(__func__, proc));
    return proc;
}

int armci_domain_glob_proc_id(armci_domain_t domain, int id, int local_proc) {
    (void) domain;
    check_domain(__func__, id);
    if (local_proc != 0) {
        arm_fail(__func__, TRIB_INVALID_ARGUMENT, "domain %d has rank 0 only, not %d", id, local_proc);
        arm_abort(1);
    }
    return id;
}

int armci_domain_my_id(armci_domain_t domain) {
    (void) domain;
    arm_must(arm_check_proc(__func__, 0));
    return arm.rank;
}

int armci_domain_count(armci_domain_t domain) {
    (void) domain;
    arm_must(arm_check_proc(__func__, 0));
    return arm.size;
}

int armci_domain_same_id(armci_domain_t domain, int proc) {
    (void) domain;
    arm_must(arm_check_proc(__func__, proc));
    return proc == arm.rank;
}

int PARMCI_Same_node(int proc) {
    arm_must(arm_check_proc(ARM_CURRENT, proc));
    return proc == arm.rank;
}
ARM_ALIAS(int, ARMCI_Same_node, int proc);

int PARMCI_Uses_shm(void) {
    return 0;
}
ARM_ALIAS(int, ARMCI_Uses_shm, void);

int PARMCI_Uses_shm_grp(ARMCI_Group *group) {
    (void) group;
    return 0;
}
ARM_ALIAS(int, ARMCI_Uses_shm_grp, ARMCI_Group *group);

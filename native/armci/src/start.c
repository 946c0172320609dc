/* How a process joins a job and leaves it. */
#include "internal.h"

#include "bootstrap/bootstrap.h"

static struct trib_server server;

/** Ranks that have something to say are the same on every rank: all continue, or none does. */
static bool all_succeed(MPI_Comm comm, int status) {
    int good = status == TRIB_OK;
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_LAND, comm, &request);
    arm_mpi_wait(&request); /* servers need the processors while they start */
    return good;
}

/** Addresses by node, each followed by the separator. */
static char *joined(const char *addresses, const struct trib_nodes *nodes, char separator, bool at_end) {
    char *text = arm_memory("ARMCI_Init", (size_t) nodes->count + 1, TRIB_ADDRESS_BYTES + 1);
    size_t used = 0;
    for (int node = 0; node < nodes->count; node++) {
        used += (size_t) sprintf(text + used, "%s", addresses + (size_t) nodes->lowest[node] * TRIB_ADDRESS_BYTES);
        if (at_end || node + 1 < nodes->count) {
            text[used++] = separator;
        }
    }
    return text;
}

static int attach(const struct trib_plan *plan, const struct trib_nodes *nodes, const char *addresses) {
    char *servers = joined(addresses, nodes, ',', false);
    trib_job description = {.job_id = plan->job_id, .secret = plan->secret, .secret_bytes = sizeof plan->secret,
        .secret_file = plan->secret_file, .layout = plan->layout, .rank = arm.rank,
        .servers = servers};
    int status = trib_attach_as(&description, &arm.job);
    free(servers);
    return status == TRIB_OK ? TRIB_OK : arm_fail_last("ARMCI_Init");
}

/** Rank 0 draws what nobody can guess; everything else each rank knows. */
static void make_plan(MPI_Comm comm, const struct trib_nodes *nodes, struct trib_plan *plan) {
    *plan = (struct trib_plan) {.one_machine = nodes->one_machine};
    if (arm.rank == 0 && trib_plan_make(plan, "armci", trib_secret_file() == NULL) != TRIB_OK) {
        arm_fail_last("ARMCI_Init");
        arm_abort(1);
    }
    MPI_Bcast(plan, sizeof *plan, MPI_BYTE, 0, comm);
    plan->secret_file = trib_secret_file();
    plan->layout = nodes->layout;
}

static int start_servers(MPI_Comm comm, const struct trib_nodes *nodes) {
    struct trib_plan plan;
    make_plan(comm, nodes, &plan);
    char own[TRIB_ADDRESS_BYTES] = "";
    char *addresses = arm_memory("ARMCI_Init", (size_t) arm.size, TRIB_ADDRESS_BYTES);
    int status = TRIB_OK;
    int node = nodes->node_of[arm.rank];
    bool starts = nodes->lowest[node] == arm.rank;
    if (starts && trib_server_start(&server, &plan, node, arm.rank, TRIB_START_LIMIT_S, own) != TRIB_OK) {
        status = arm_fail_last("ARMCI_Init");
    }
    if (!all_succeed(comm, status)) {
        explicit_bzero(&plan, sizeof plan);
        free(addresses);
        return status != TRIB_OK ? status : TRIB_ATTACH_FAILED;
    }
    MPI_Allgather(own, TRIB_ADDRESS_BYTES, MPI_BYTE, addresses, TRIB_ADDRESS_BYTES, MPI_BYTE, comm);
    if (starts) {
        char *lines = joined(addresses, nodes, '\n', true);
        status = trib_server_tell(&server, lines) == TRIB_OK ? TRIB_OK : arm_fail_last("ARMCI_Init");
        free(lines);
    }
    if (status == TRIB_OK) {
        status = attach(&plan, nodes, addresses);
    }
    explicit_bzero(&plan, sizeof plan);
    free(addresses);
    return all_succeed(comm, status) ? TRIB_OK : status != TRIB_OK ? status : TRIB_ATTACH_FAILED;
}

/** Notes the job's number of each rank unless all are the same. */
static void number_ranks(const int *position) {
    bool same = true;
    for (int proc = 0; proc < arm.size; proc++) {
        same &= position[proc] == proc;
    }
    if (!same) {
        arm.to_job = arm_memory("ARMCI_Init", (size_t) arm.size, sizeof *arm.to_job);
        memcpy(arm.to_job, position, (size_t) arm.size * sizeof *arm.to_job);
    }
}

static int find_nodes(MPI_Comm comm, struct trib_nodes *nodes) {
    struct trib_self self;
    struct trib_self *all = arm_memory("ARMCI_Init", (size_t) arm.size, sizeof *all);
    trib_self_describe(&self);
    MPI_Allgather(&self, sizeof self, MPI_BYTE, all, sizeof self, MPI_BYTE, comm);
    int status = trib_nodes_find(all, arm.size, nodes);
    free(all);
    if (status == TRIB_NO_MEMORY) { /* here alone: the others go on and wait for this rank */
        arm_fail_last("ARMCI_Init");
        arm_abort(1);
    }
    return status != TRIB_OK && arm.rank == 0 ? arm_fail_last("ARMCI_Init") : status;
}

/** Under mpirun: this job exists in MPI alone, and gets its servers here. */
static int launch(MPI_Comm comm) {
    struct trib_nodes nodes;
    arm.mpi = true;
    MPI_Comm_rank(comm, &arm.rank);
    MPI_Comm_size(comm, &arm.size);
    int status = find_nodes(comm, &nodes); /* the same on all ranks, the first of which has said what is wrong */
    if (status == TRIB_OK) {
        status = start_servers(comm, &nodes);
    }
    trib_nodes_free(&nodes);
    return status;
}

/** The job is described in the environment and has its servers. */
static int join(MPI_Comm comm) {
    int size = 1;
    if (comm != MPI_COMM_NULL) {
        MPI_Comm_size(comm, &size);
        MPI_Comm_rank(comm, &arm.rank);
    }
    arm.mpi = size > 1;
    int status = trib_attach(&arm.job);
    if (status != TRIB_OK) {
        arm_fail("ARMCI_Init", status, "%s (TRIBUTARY_JOB_ID=%s says that there is a job already; unset it to start one"
                 " by mpirun)", trib_last_error()->message, getenv(TRIB_VARIABLE_JOB_ID));
    }
    if (arm.mpi && !all_succeed(comm, status)) {
        return status != TRIB_OK ? status : TRIB_ATTACH_FAILED;
    }
    if (status != TRIB_OK) {
        return status;
    }
    arm.size = trib_size(arm.job);
    if (!arm.mpi) {
        arm.rank = trib_rank(arm.job);
        return TRIB_OK;
    }
    int own = trib_rank(arm.job);
    if (size != arm.size) {
        return arm_fail("ARMCI_Init", TRIB_INVALID_ARGUMENT, "MPI has %d ranks, the job in the environment has %d",
                        size, arm.size);
    }
    int *position = arm_memory("ARMCI_Init", (size_t) size, sizeof *position);
    MPI_Allgather(&own, 1, MPI_INT, position, 1, MPI_INT, comm);
    number_ranks(position);
    free(position);
    return TRIB_OK;
}

/** MPI_Finalize calls this first of all, while MPI still works: a program may have left ARMCI_Finalize out. */
static int end_with_mpi(MPI_Comm comm, int key, void *value, void *context) {
    (void) comm;
    (void) key;
    (void) value;
    (void) context;
    if (arm.inits > 0) {
        arm_stop();
    }
    return MPI_SUCCESS;
}

static void watch_mpi(void) {
    static bool watched;
    int key;
    if (!watched && MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_with_mpi, &key, NULL) == MPI_SUCCESS) {
        watched = MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL) == MPI_SUCCESS;
        MPI_Comm_free_keyval(&key);
    }
}

static int open_all(MPI_Comm comm) {
    arm.inits = 1;
    arm.notified = arm_memory("ARMCI_Init", (size_t) arm.size, sizeof *arm.notified);
    arm.heard = arm_memory("ARMCI_Init", (size_t) arm.size, sizeof *arm.heard);
    if (arm.mpi) {
        arm_progress_open(comm);
    }
    ARM_TRY(arm_world_open(comm));
    ARM_TRY(arm_unaligned_open());
    return arm.mpi ? arm_calls_open() : arm_mail_open();
}

/** comm: of all ranks, which leave together, or null. now: the servers do not wait for those that never came. */
static void leave(MPI_Comm comm, bool now) {
    arm_mail_close();
    arm.calls = NULL;
    if (arm.job == NULL || trib_detach(arm.job) != TRIB_BUSY) { /* calls of other threads may still use handles */
        arm_handles_free();
        arm_progress_close();
    }
    if (comm != MPI_COMM_NULL) {
        MPI_Request request;
        MPI_Ibarrier(comm, &request);
        arm_mpi_wait(&request); /* all have left: the server of this node ends */
        trib_server_end(&server, now);
    }
    arm_world_close();
    free(arm.to_job);
    free(arm.notified);
    free(arm.heard);
    arm = (struct arm_state) {.inits = 0};
}

int arm_start(MPI_Comm comm) {
    const char *job = getenv(TRIB_VARIABLE_JOB_ID);
    bool described = job != NULL && trib_strip(&job) > 0;
    bool has_mpi = arm_mpi_is_usable();
    if (!has_mpi && !described) {
        int finalized = 0;
        MPI_Finalized(&finalized);
        return arm_fail("ARMCI_Init", TRIB_INVALID_ARGUMENT, "MPI %s: call MPI_Init first, or start the program with"
                        " `tributary run`", finalized ? "has been finalized" : "has not been initialized");
    }
    MPI_Comm own = MPI_COMM_NULL;
    if (has_mpi && MPI_Comm_dup(comm, &own) != MPI_SUCCESS) {
        return arm_fail("ARMCI_Init", TRIB_SYSTEM, "MPI_Comm_dup has failed");
    }
    int status = described ? join(own) : launch(own);
    if (status == TRIB_OK) {
        status = open_all(own);
        if (arm.mpi && !all_succeed(own, status)) {
            status = status != TRIB_OK ? status : TRIB_ATTACH_FAILED;
        }
    }
    bool needed = arm.mpi && arm.groups != NULL; /* by the group of all ranks, with which it goes */
    if (status != TRIB_OK) {
        leave(arm.mpi ? own : MPI_COMM_NULL, true);
    } else if (has_mpi) {
        watch_mpi();
    }
    if (own != MPI_COMM_NULL && !needed) {
        MPI_Comm_free(&own);
    }
    return status;
}

void arm_stop(void) {
    struct arm_group *world = arm_group_of("ARMCI_Finalize", &arm.world);
    if (trib_fence_all(arm.job) != TRIB_OK) {
        arm_fail_last("ARMCI_Finalize");
    }
    /* Programs may forget handles: what they are for comes before the memory that it goes to is given back. */
    if (trib_wait_all(arm.job) != TRIB_OK) {
        arm_fail_last("ARMCI_Finalize");
    }
    bool together = !arm.mpi || arm_mpi_is_usable();
    if (together) {
        arm_barrier(world);
    }
    int leaks = 0;
    for (struct arm_allocation *a = arm.allocations; a != NULL; a = a->next) {
        leaks += a->group->rank == 0;
    }
    if (leaks > 0 && arm.rank == 0) {
        fprintf(stderr, "[%d] ARMCI Warning: ARMCI_Finalize freed %d allocation%s that had not been freed\n", arm.rank,
                leaks, leaks == 1 ? "" : "s");
    }
    leave(together && arm.mpi ? arm.world.comm : MPI_COMM_NULL, false);
}

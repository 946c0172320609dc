/*
 * Collectives of groups. Where the ranks are MPI's, MPI does them: while a rank waits there, messages that the program
 * has left to MPI proceed, for which others may be waiting before they come here. Without MPI the runtime does them.
 */
#include "mismatch.h"

#include <sched.h>
#include <time.h>

#define POLLS_BEFORE_YIELD 100
#define POLLS_BEFORE_SLEEP 200
/** Sleeps take this part of the time that has been waited already, and at most that long. */
#define SLEEP_PART 16
#define LONGEST_SLEEP_NS 1000000
#define SHORTEST_SLEEP_NS 20000

size_t arm_type_bytes(int type) {
    switch (type) {
        case ARMCI_INT:
            return sizeof(int);
        case ARMCI_LONG:
            return sizeof(long);
        case ARMCI_LONG_LONG:
            return sizeof(long long);
        case ARMCI_FLOAT:
            return sizeof(float);
        case ARMCI_DOUBLE:
            return sizeof(double);
        default:
            return 0;
    }
}

static MPI_Datatype mpi_type(int type) {
    return type == ARMCI_INT ? MPI_INT : type == ARMCI_LONG ? MPI_LONG : type == ARMCI_LONG_LONG ? MPI_LONG_LONG
        : type == ARMCI_FLOAT ? MPI_FLOAT : MPI_DOUBLE;
}

static int of_mpi(int code) {
    return code == MPI_SUCCESS ? TRIB_OK : TRIB_SYSTEM;
}

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

/** How long a rank has waited that has polled so often in vain; *begun_ns is 0 at first. */
static int64_t waited_ns(int64_t *begun_ns, int polls) {
    if (*begun_ns == 0) {
        *begun_ns = now_ns();
    }
    return polls > POLLS_BEFORE_SLEEP ? now_ns() - *begun_ns : 0;
}

/** TRIB_ABORTED when the job has failed, of which MPI does not know: a member that is gone comes to no collective. */
static int of_job(void) {
    int state;
    return trib_rank_state(arm.job, trib_rank(arm.job), &state);
}

/**
 * Waits; leaves the processor to others meanwhile, to servers that work for late ranks.
 *
 * group: whose latest call this is; NULL for none of ARMCI's
 */
static int await_request(const struct arm_group *group, MPI_Request *request) {
    int complete = 0;
    int status = TRIB_OK;
    int64_t begun_ns = 0;
    struct arm_doubt doubt = {.place = -1};
    for (int polls = 0; status == TRIB_OK && !complete; polls++) {
        status = of_mpi(MPI_Test(request, &complete, MPI_STATUS_IGNORE));
        if (complete || polls < POLLS_BEFORE_YIELD) {
            continue;
        }
        if (begun_ns == 0 && group != NULL) {
            arm_doubt_begin(&doubt, group);
        }
        int64_t so_far_ns = waited_ns(&begun_ns, polls);
        if (group != NULL) {
            arm_doubt_go_on(&doubt, group, so_far_ns);
        }
        int64_t sleep_ns = so_far_ns / SLEEP_PART;
        if (sleep_ns < SHORTEST_SLEEP_NS) {
            sched_yield();
        } else {
            struct timespec time = {.tv_nsec = sleep_ns < LONGEST_SLEEP_NS ? sleep_ns : LONGEST_SLEEP_NS};
            nanosleep(&time, NULL);
            status = group == NULL ? TRIB_OK : of_job();
        }
    }
    arm_doubt_end(&doubt);
    return status;
}

int arm_mpi_wait(MPI_Request *request) {
    return await_request(NULL, request);
}

static int finish(struct arm_group *group, enum arm_kind kind, int code, MPI_Request *request) {
    arm_call_begin(group, kind);
    return code == MPI_SUCCESS ? await_request(group, request) : TRIB_SYSTEM;
}

void arm_collective_free(int status, void *buffer) {
    if (status == TRIB_OK || !arm.mpi) {
        free(buffer);
    }
}

int arm_barrier(struct arm_group *group) {
    if (group->size == 1) {
        return TRIB_OK;
    }
    if (!arm.mpi) {
        return trib_group_barrier(group->members);
    }
    MPI_Request request;
    return finish(group, ARM_BARRIER, MPI_Ibarrier(group->comm, &request), &request);
}

int arm_broadcast(struct arm_group *group, int root, void *buffer, size_t bytes) {
    if (group->size == 1) {
        return TRIB_OK;
    }
    if (!arm.mpi) {
        return trib_broadcast(group->members, root, buffer, bytes);
    }
    MPI_Request request;
    int code = MPI_Ibcast(buffer, (int) bytes, MPI_BYTE, root, group->comm, &request);
    return finish(group, ARM_BROADCAST, code, &request);
}

int arm_allgather(struct arm_group *group, const void *send, void *receive, size_t bytes) {
    if (!arm.mpi) {
        return trib_allgather(group->members, send, receive, bytes);
    }
    MPI_Request request;
    int code = MPI_Iallgather(send, (int) bytes, MPI_BYTE, receive, (int) bytes, MPI_BYTE, group->comm, &request);
    return finish(group, ARM_EXCHANGE, code, &request);
}

static int runtime_type(int type) {
    return type == ARMCI_INT ? TRIB_INT32 : type == ARMCI_FLOAT ? TRIB_FLOAT : type == ARMCI_DOUBLE ? TRIB_DOUBLE
        : TRIB_INT64;
}

/** The runtime has no bitwise reductions: all vectors come here, some at a time, and are combined. */
static int combine_bits(struct arm_group *group, uint8_t *x, size_t bytes, bool is_and) {
    uint8_t all[16384];
    size_t most = sizeof all / (size_t) group->size;
    uint8_t *gathered = most > 0 ? all : arm_memory("a reduction", (size_t) group->size, 1);
    int status = TRIB_OK;
    most = most > 0 ? most : 1;
    for (size_t done = 0; done < bytes && status == TRIB_OK; done += most) {
        size_t now = bytes - done < most ? bytes - done : most;
        status = trib_allgather(group->members, x + done, gathered, now);
        for (int member = 0; member < group->size && status == TRIB_OK; member++) {
            for (size_t i = 0; i < now; i++) {
                uint8_t other = gathered[(size_t) member * now + i];
                x[done + i] = is_and ? x[done + i] & other : x[done + i] | other;
            }
        }
    }
    if (gathered != all) {
        free(gathered);
    }
    return status;
}

int arm_allreduce(struct arm_group *group, void *x, size_t n, int type, MPI_Op op) {
    if (group->size == 1 || n == 0) {
        return TRIB_OK;
    }
    if (arm.mpi) {
        MPI_Request request;
        int code = MPI_Iallreduce(MPI_IN_PLACE, x, (int) n, mpi_type(type), op, group->comm, &request);
        return finish(group, ARM_REDUCTION, code, &request);
    }
    if (op == MPI_BAND || op == MPI_BOR) {
        return combine_bits(group, x, n * arm_type_bytes(type), op == MPI_BAND);
    }
    int operation = op == MPI_SUM ? TRIB_SUM : op == MPI_PROD ? TRIB_PRODUCT : op == MPI_MIN ? TRIB_MIN : TRIB_MAX;
    return trib_allreduce(group->members, operation, runtime_type(type), x, x, n);
}

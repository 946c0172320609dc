/*
 * Collectives of groups. Where the ranks are MPI's, MPI does them: while a rank waits there, messages that the program
 * has left to MPI proceed, for which others may be waiting before they come here. Without MPI the runtime does them.
 *
 * A program in which one rank calls a reduction where the others call a barrier would wait for ever. So each thread
 * that waits notes, where others can read it, the group, the number and the kind of its collective: those of one number
 * of one group must be of one kind.
 */
#include "internal.h"

#include <sched.h>
#include <time.h>

#define POLLS_BEFORE_YIELD 100
#define POLLS_BEFORE_SLEEP 200
/** Sleeps take this part of the time that has been waited already, and at most that long. */
#define SLEEP_PART 16
#define LONGEST_SLEEP_NS 1000000
#define SHORTEST_SLEEP_NS 20000
/** A rank that has waited so long asks whether the others wait in the same collective. */
#define DOUBT_NS 3000000000LL

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

enum kind { BARRIER, BROADCAST, EXCHANGE, REDUCTION };

/* A group's calls: their number, and in the bits below the kinds of the last four, the latest one lowest. */
#define KIND_BITS 2
#define KINDS 4
#define HISTORY_BITS (KIND_BITS * KINDS)

static int64_t with_call(int64_t calls, enum kind kind) {
    return ((calls >> HISTORY_BITS) + 1) << HISTORY_BITS | ((calls << KIND_BITS | kind) & ((1 << HISTORY_BITS) - 1));
}

/** Kind of the call that was made so many calls before the latest one. */
static enum kind kind_before(int64_t calls, int64_t before) {
    return (enum kind) (calls >> KIND_BITS * before & ((1 << KIND_BITS) - 1));
}

int arm_calls_open(void) {
    return trib_allocate(trib_world(arm.job), ARM_CALLS * sizeof(struct arm_call), &arm.calls) == TRIB_OK ? TRIB_OK
        : arm_fail_last("ARMCI_Init");
}

/** Places of arm.calls that threads have, a bit each; atomic. */
static unsigned places;

/** Tells others what this thread waits in. Returns the place, -1 when all are taken. Partner of the stores: look. */
static int note(const struct arm_group *group) {
    struct arm_call *own = arm.calls == NULL ? NULL : trib_memory_local(arm.calls);
    for (int place = 0; place < ARM_CALLS && own != NULL; place++) {
        unsigned bit = 1U << place;
        if ((__atomic_fetch_or(&places, bit, __ATOMIC_SEQ_CST) & bit) == 0) {
            __atomic_store_n(&own[place].group, group->id, __ATOMIC_SEQ_CST);
            __atomic_store_n(&own[place].calls, group->calls, __ATOMIC_SEQ_CST);
            return place;
        }
    }
    return -1;
}

static void withdraw(int place) {
    if (place >= 0) {
        struct arm_call *own = trib_memory_local(arm.calls);
        __atomic_store_n(&own[place].calls, 0, __ATOMIC_SEQ_CST);
        __atomic_fetch_and(&places, ~(1U << place), __ATOMIC_SEQ_CST);
    }
}

/**
 * Reads the call of a group that a rank waits in; false when it waits in none. Seen twice, it is not the half of one
 * and the half of another.
 */
static bool look(int proc, int64_t group, struct arm_call *seen) {
    struct arm_call once[ARM_CALLS];
    struct arm_call again[ARM_CALLS];
    int rank = arm_to_job(proc);
    bool read = trib_get(arm.calls, rank, 0, once, sizeof once) == TRIB_OK
        && trib_get(arm.calls, rank, 0, again, sizeof again) == TRIB_OK;
    for (int place = 0; place < ARM_CALLS && read; place++) {
        *seen = once[place];
        if (seen->calls != 0 && seen->group == group && memcmp(seen, &again[place], sizeof *seen) == 0) {
            return true;
        }
    }
    return false;
}

/** Ends the job when a call of another member that has the number of this one, or is waited in, is of another kind. */
static void find_mismatch(const struct arm_group *group) {
    static const char *const kinds[] = {"a barrier", "a broadcast", "an exchange of values", "a reduction"};
    int64_t own = group->calls;
    for (int member = 0; member < group->size && arm.calls != NULL; member++) {
        struct arm_call its;
        int proc = group->grp_to_abs[member];
        if (!look(proc, group->id, &its)) {
            continue;
        }
        int64_t ahead = (its.calls >> HISTORY_BITS) - (own >> HISTORY_BITS);
        int64_t own_before = ahead < 0 ? -ahead : 0;
        int64_t its_before = ahead > 0 ? ahead : 0;
        if (own_before < KINDS && its_before < KINDS
            && kind_before(own, own_before) != kind_before(its.calls, its_before)) {
            arm_fail("collective call", TRIB_INVALID_ARGUMENT, "rank %d was in %s when rank %d was in %s: the %d ranks"
                     " of the group do not make the same calls", arm.rank, kinds[kind_before(own, own_before)], proc,
                     kinds[kind_before(its.calls, its_before)], group->size);
            arm_abort(1);
        }
    }
}

struct wait {
    int64_t begun_ns;
    int64_t doubts_ns; /* when to look at what the others wait in */
    int place;         /* where they read what this thread waits in, or -1 */
};

/** How long a rank has waited that has polled so often in vain. */
static int64_t waited_ns(struct wait *wait, int polls) {
    if (wait->begun_ns == 0) {
        wait->begun_ns = now_ns();
        wait->doubts_ns = DOUBT_NS;
    }
    return polls > POLLS_BEFORE_SLEEP ? now_ns() - wait->begun_ns : 0;
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
    struct wait wait = {.place = -1};
    for (int polls = 0; status == TRIB_OK && !complete; polls++) {
        status = of_mpi(MPI_Test(request, &complete, MPI_STATUS_IGNORE));
        if (complete || polls < POLLS_BEFORE_YIELD) {
            continue;
        }
        if (wait.begun_ns == 0 && group != NULL) {
            wait.place = note(group);
        }
        int64_t so_far_ns = waited_ns(&wait, polls);
        if (so_far_ns > wait.doubts_ns && group != NULL) {
            find_mismatch(group);
            wait.doubts_ns = so_far_ns + DOUBT_NS;
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
    withdraw(wait.place);
    return status;
}

int arm_mpi_wait(MPI_Request *request) {
    return await_request(NULL, request);
}

static int finish(struct arm_group *group, enum kind kind, int code, MPI_Request *request) {
    group->calls = with_call(group->calls, kind);
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
    return finish(group, BARRIER, MPI_Ibarrier(group->comm, &request), &request);
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
    return finish(group, BROADCAST, code, &request);
}

int arm_allgather(struct arm_group *group, const void *send, void *receive, size_t bytes) {
    if (!arm.mpi) {
        return trib_allgather(group->members, send, receive, bytes);
    }
    MPI_Request request;
    int code = MPI_Iallgather(send, (int) bytes, MPI_BYTE, receive, (int) bytes, MPI_BYTE, group->comm, &request);
    return finish(group, EXCHANGE, code, &request);
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
        return finish(group, REDUCTION, code, &request);
    }
    if (op == MPI_BAND || op == MPI_BOR) {
        return combine_bits(group, x, n * arm_type_bytes(type), op == MPI_BAND);
    }
    int operation = op == MPI_SUM ? TRIB_SUM : op == MPI_PROD ? TRIB_PRODUCT : op == MPI_MIN ? TRIB_MIN : TRIB_MAX;
    return trib_allreduce(group->members, operation, runtime_type(type), x, x, n);
}

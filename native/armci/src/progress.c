/*
 * Open MPI and MPICH move messages only while the process is in a call of theirs. While a rank waits in the runtime,
 * for a mutex, a notification or in a collective, the one that it waits for may be in MPI_Send to it: so the waiting
 * thread has MPI proceed now and then.
 */
#include "internal.h"

#include "rank/rank.h"

/** Of all ranks. There are no messages: a probe that finds one ends before it has MPI proceed. */
static MPI_Comm silent = MPI_COMM_NULL;
/** The thread that has initialized ARMCI: the main one, where MPI allows no other. */
static pthread_t initializer;
/** Of threads, that MPI was initialized with. */
static int level;

/** Whether this thread may call MPI. */
static bool may_call(void) {
    return level == MPI_THREAD_MULTIPLE
        || (level == MPI_THREAD_SERIALIZED ? !arm_is_in_unaligned() : pthread_equal(initializer, pthread_self()));
}

bool arm_progress(void) {
    int found;
    bool may = may_call();
    if (may) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, silent, &found, MPI_STATUS_IGNORE);
    }
    return may;
}

void arm_progress_open(MPI_Comm comm) {
    if (MPI_Comm_dup(comm, &silent) != MPI_SUCCESS) { /* of other members it may have been made */
        arm_fail("ARMCI_Init", TRIB_SYSTEM, "MPI_Comm_dup has failed");
        arm_abort(1);
    }
    MPI_Query_thread(&level);
    initializer = pthread_self();
    arm.job->idle = arm_progress;
}

void arm_progress_close(void) {
    if (silent != MPI_COMM_NULL && arm_mpi_is_usable()) {
        MPI_Comm_free(&silent);
    }
    silent = MPI_COMM_NULL;
}

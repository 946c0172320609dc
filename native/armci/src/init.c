/* Beginning and end, as often as a program and its libraries ask for them. */
#include "internal.h"

#include "bootstrap/bootstrap.h"

int PARMCI_Init_thread_comm(int level, MPI_Comm comm) {
    if (arm.inits > 0) {
        arm.inits++;
        return TRIB_OK;
    }
    int provided = level;
    if (arm_mpi_is_usable()) {
        MPI_Query_thread(&provided);
    }
    if (provided < level) {
        return arm_fail(ARM_CURRENT, TRIB_INVALID_ARGUMENT, "MPI was initialized with thread level %d, less than %d",
                        provided, level);
    }
    arm.has_threads = level > MPI_THREAD_FUNNELED;
    return arm_start(comm);
}
ARM_ALIAS(int, ARMCI_Init_thread_comm, int level, MPI_Comm comm);

int PARMCI_Init_thread(int level) {
    return PARMCI_Init_thread_comm(level, MPI_COMM_WORLD);
}
ARM_ALIAS(int, ARMCI_Init_thread, int level);

int PARMCI_Init(void) {
    return PARMCI_Init_thread_comm(MPI_THREAD_SINGLE, MPI_COMM_WORLD);
}
ARM_ALIAS(int, ARMCI_Init, void);

int PARMCI_Init_args(int *argc, char ***argv) {
    (void) argc;
    (void) argv;
    return PARMCI_Init_thread_comm(MPI_THREAD_SINGLE, MPI_COMM_WORLD);
}
ARM_ALIAS(int, ARMCI_Init_args, int *argc, char ***argv);

int PARMCI_Initialized(void) {
    return arm.inits > 0;
}
ARM_ALIAS(int, ARMCI_Initialized, void);

/** One after the last has nothing to end: libraries that were initialized once may finalize at will. */
int PARMCI_Finalize(void) {
    if (arm.inits > 1) {
        arm.inits--;
    } else if (arm.inits == 1) {
        arm_stop();
    }
    return TRIB_OK;
}
ARM_ALIAS(int, ARMCI_Finalize, void);

void PARMCI_Cleanup(void) {
    trib_servers_sweep();
}
ARM_ALIAS(void, ARMCI_Cleanup, void);

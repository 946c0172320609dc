/* Beginning and ending, more often than once, over communicators of all kinds; replaced functions; leaks. */
#include "check.h"

static int puts_seen;

/** As a profiler does: the library's own ARMCI_Put is weak. */
int ARMCI_Put(void *src, void *dst, int bytes, int proc) {
    puts_seen++;
    return PARMCI_Put(src, dst, bytes, proc);
}

static void use(void) {
    me = armci_msg_me();
    size = armci_msg_nproc();
    void **bases = allocate(8);
    long value = me;
    CHECK(ARMCI_Put(&value, bases[(me + 1) % size], 8, (me + 1) % size) == 0);
    ARMCI_Barrier();
    CHECK(*(long *) bases[me] == (me + size - 1) % size);
    ARMCI_Barrier();
    release(bases);
}

int main(int argc, char **argv) {
    CHECK(ARMCI_Initialized() == 0 && ARMCI_Init() != 0 && ARMCI_Finalize() == 0);
    CHECK(ARMCI_Malloc(NULL, 8) != 0 && ARMCI_WaitAll() != 0 && ARMCI_Create_mutexes(1) != 0);
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    CHECK(provided >= MPI_THREAD_MULTIPLE || ARMCI_Init_thread(MPI_THREAD_MULTIPLE) != 0);
    CHECK(ARMCI_Init_args(&argc, &argv) == 0 && ARMCI_Init() == 0 && ARMCI_Initialized() == 1);
    use();
    CHECK(ARMCI_Finalize() == 0 && ARMCI_Initialized() == 1);
    use();
    CHECK(puts_seen == 2);
    CHECK(ARMCI_Finalize() == 0 && ARMCI_Initialized() == 0 && ARMCI_Finalize() == 0);

    MPI_Comm backwards;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
    CHECK(ARMCI_Init_thread_comm(MPI_THREAD_SINGLE, backwards) == 0);
    use();
    CHECK(me == size - 1 - rank);
    ARMCI_Cleanup();
    ARMCI_Set_shm_limit(1 << 20);
    allocate(64); /* never freed: a warning */
    MPI_Comm_free(&backwards);
    ARMCI_Finalize();
    if (rank == 0) {
        printf("all well\n");
    }
    MPI_Finalize();
    ARMCI_Finalize();
    return 0;
}

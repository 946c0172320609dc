/*
 * Beginning and ending, more often than once, over communicators of all kinds, with MPI, and where the environment
 * tells of another job; replaced functions; leaks.
 */
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

/** Programs that leave ARMCI_Finalize to MPI_Finalize, or call it too late, and ranks that take their time to exit. */
static int careless(int *argc, char ***argv) {
    MPI_Init(argc, argv);
    CHECK(ARMCI_Init() == 0 && ARMCI_Init() == 0);
    use();
    allocate(64);
    ARMCI_Group world;
    ARMCI_Group left;
    int all[64];
    for (int proc = 0; proc < size; proc++) {
        all[proc] = proc;
    }
    ARMCI_Group_get_world(&world);
    ARMCI_Group_create_child(size, all, &left, &world);
    if (me == 0) {
        printf("all well\n");
        fflush(stdout);
    }
    MPI_Finalize();
    if (ARMCI_Initialized() != 0 || (me % 2 == 0 && ARMCI_Finalize() != 0) || ARMCI_Put(&me, &me, 4, me) == 0
        || ARMCI_Init() == 0) {
        return 4;
    }
    usleep((unsigned) (me * 300000));
    return 0;
}

/** Starts with variables that the environment of some other job has left. */
static int dangling(int *argc, char ***argv) {
    const char *const left[] = {"TRIBUTARY_JOB_ID", "TRIBUTARY_SECRET", "TRIBUTARY_LAYOUT", "TRIBUTARY_RANK",
        "TRIBUTARY_NODE", "TRIBUTARY_ATTACH_TIMEOUT"};
    const char *const values[] = {"gone", "00112233445566778899aabbccddeeff", "8", "0", "0", "100ms"};
    MPI_Init(argc, argv);
    setenv(left[0], values[0], 1);
    CHECK(ARMCI_Init() != 0 && ARMCI_Initialized() == 0);
    for (size_t i = 1; i < sizeof left / sizeof *left; i++) {
        setenv(left[i], values[i], 1);
    }
    CHECK(ARMCI_Init() != 0 && ARMCI_Initialized() == 0);
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        unsetenv(left[i]);
    }
    CHECK(ARMCI_Init() == 0);
    use();
    return end();
}

/** A job of the environment, which does without MPI, after MPI or around it; each rank is alone in its MPI. */
static int after_mpi(int *argc, char ***argv) {
    MPI_Init(argc, argv);
    MPI_Finalize();
    CHECK(ARMCI_Init() == 0);
    use();
    return end();
}

static int around_mpi(int *argc, char ***argv) {
    ARMCI_Group world;
    ARMCI_Group pair;
    int first[2] = {0, 1};
    CHECK(ARMCI_Init() == 0);
    MPI_Init(argc, argv);
    use();
    ARMCI_Group_get_world(&world);
    ARMCI_Group_create_child(2, first, &pair, &world);
    MPI_Finalize();
    use();
    ARMCI_Group_free(&pair);
    return end();
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int (*run)(int *argc, char ***argv);
    } others[] = {{"careless", careless}, {"dangling", dangling}, {"after", after_mpi}, {"around", around_mpi}};
    for (size_t i = 0; argc > 1 && i < sizeof others / sizeof *others; i++) {
        if (strcmp(argv[1], others[i].name) == 0) {
            return others[i].run(&argc, &argv);
        }
    }
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

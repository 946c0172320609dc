/*
 * A rank gets no memory in a call that the others are in, too: it says so and ends the job, instead of leaving them
 * where they wait for it. The calls of malloc and calloc are wrapped (ld --wrap): one rank gets no block of a size. So
 * are some of MPI, which fail on all ranks.
 */
#include "check.h"

#include "../../src/base/map.h"
#include "../src/internal.h"

#include <sys/wait.h>

#include <armcix.h>

static size_t refused;

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes) {
    return refused > 0 && bytes == refused ? NULL : __real_malloc(bytes);
}

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes) {
    return refused > 0 && count * bytes == refused ? NULL : __real_calloc(count, bytes);
}

static bool refuses_memory;

int __real_trib_allocate(trib_group *group, size_t bytes, trib_memory **memory);
int __wrap_trib_allocate(trib_group *group, size_t bytes, trib_memory **memory);
int __wrap_trib_allocate(trib_group *group, size_t bytes, trib_memory **memory) {
    trib_handle none;
    return refuses_memory ? trib_handle_init(trib_group_job(group), -1, &none) /* fails, too, and says so */
        : __real_trib_allocate(group, bytes, memory);
}

static bool refuses_mpi;

int __real_MPI_Iallreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                          MPI_Request *request);
int __wrap_MPI_Iallreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                          MPI_Request *request);
int __wrap_MPI_Iallreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                          MPI_Request *request) {
    return refuses_mpi ? MPI_ERR_INTERN : __real_MPI_Iallreduce(send, receive, count, type, op, comm, request);
}

int __real_MPI_Ibarrier(MPI_Comm comm, MPI_Request *request);
int __wrap_MPI_Ibarrier(MPI_Comm comm, MPI_Request *request);
int __wrap_MPI_Ibarrier(MPI_Comm comm, MPI_Request *request) {
    return refuses_mpi ? MPI_ERR_INTERN : __real_MPI_Ibarrier(comm, request);
}

int __real_MPI_Iallgather(const void *send, int count, MPI_Datatype type, void *receive, int each,
                          MPI_Datatype their_type, MPI_Comm comm, MPI_Request *request);
int __wrap_MPI_Iallgather(const void *send, int count, MPI_Datatype type, void *receive, int each,
                          MPI_Datatype their_type, MPI_Comm comm, MPI_Request *request);
int __wrap_MPI_Iallgather(const void *send, int count, MPI_Datatype type, void *receive, int each,
                          MPI_Datatype their_type, MPI_Comm comm, MPI_Request *request) {
    return refuses_mpi ? MPI_ERR_INTERN
        : __real_MPI_Iallgather(send, count, type, receive, each, their_type, comm, request);
}

/** What fails outside the runtime is a failure, too; what can be done with little memory is done. */
static int fail_elsewhere(int *argc, char ***argv) {
    enum { COUNT = 4099 };
    static int32_t ones[COUNT];
    int32_t scale = 3;
    void *more[64];
    ARMCI_Group world;
    ARMCI_Group split;
    begin(argc, argv);
    ARMCI_Group_get_world(&world);
    for (int i = 0; i < COUNT; i++) {
        ones[i] = 1;
    }
    void **bases = allocate(sizeof ones + 1);
    memset(bases[me], 0, sizeof ones + 1);
    CHECK(ARMCI_Create_mutexes(1) == 0);
    ARMCI_Barrier();
    int other = (me + 1) % size;
    refused = sizeof ones;
    CHECK(ARMCI_Acc(ARMCI_ACC_INT, &scale, ones, (char *) bases[other] + 1, sizeof ones, other) == 0);
    refused = 0;
    ARMCI_Barrier();
    for (int i = 0; i < COUNT; i++) {
        int32_t sum;
        memcpy(&sum, (char *) bases[me] + 1 + sizeof sum * (size_t) i, sizeof sum);
        CHECK(sum == scale);
    }
    ARMCI_Barrier();
    if (me == size - 1) { /* asks for nothing that it could not note, so that nobody waits for it */
        refused = 16 * sizeof(struct trib_map_entry);
        CHECK(trib_lock(arm.mutexes, 0, 0) == TRIB_NO_MEMORY);
        refused = 0;
    }
    ARMCI_Barrier();
    bool acquired = me != 0;
    CHECK(me != 0 || (trib_try_lock(arm.mutexes, 0, 0, &acquired) == TRIB_OK && acquired));
    CHECK(me != 0 || trib_unlock(arm.mutexes, 0, 0) == TRIB_OK);
    ARMCI_Barrier(); /* before that, another rank would have the mutex when rank 0 tries it */
    ARMCI_Lock(0, 0);
    ARMCI_Unlock(0, 0);
    refuses_mpi = true;
    CHECK(ARMCI_Malloc(more, 8) != 0);
    CHECK(ARMCI_Destroy_mutexes() != 0);
    CHECK(ARMCI_Free(bases[me]) != 0);
    CHECK(ARMCIX_Group_split(&world, 0, me, &split) != 0);
    refuses_mpi = false;
    CHECK(ARMCI_Destroy_mutexes() == 0);
    release(bases);
    return end();
}

/** A start that has failed leaves neither a server nor a rank behind, and may be tried again. */
static int start_twice(int *argc, char ***argv) {
    MPI_Init(argc, argv);
    refuses_memory = true;
    CHECK(ARMCI_Init() != 0 && ARMCI_Initialized() == 0);
    CHECK(waitpid(-1, NULL, WNOHANG) < 0);
    refuses_memory = false;
    CHECK(ARMCI_Init() == 0);
    me = armci_msg_me();
    size = armci_msg_nproc();
    release(allocate(64));
    return end();
}

/** One rank cannot find out which ranks are on which node. */
static int start_starved(int *argc, char ***argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    refused = me == 1 ? (size_t) size * sizeof(int) : 0;
    return ARMCI_Init();
}

static void starve(size_t bytes) {
    ARMCI_Barrier();
    refused = me == 1 ? bytes : 0;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    ARMCI_Group world;
    ARMCI_Group split;
    if (strcmp(what, "twice") == 0) {
        return start_twice(&argc, &argv);
    }
    if (strcmp(what, "nodes") == 0) {
        return start_starved(&argc, &argv);
    }
    if (strcmp(what, "elsewhere") == 0) {
        return fail_elsewhere(&argc, &argv);
    }
    begin(&argc, &argv);
    void **bases = allocate(64);
    ARMCI_Group_get_world(&world);
    if (strcmp(what, "free") == 0) {
        starve(((size_t) size + 1) * sizeof(int64_t));
        ARMCI_Free(bases[me]);
    } else if (strcmp(what, "split") == 0) {
        starve(sizeof(struct arm_group) + (size_t) size * sizeof(int));
        ARMCIX_Group_split(&world, 0, me, &split);
    } else {
        starve(sizeof(struct armcix_mutex_hdl_s));
        ARMCIX_Create_mutexes_hdl(1, &world);
    }
    sleep(600);
}

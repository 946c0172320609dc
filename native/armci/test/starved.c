/*
 * A rank gets no memory in a call that the others are in, too: it says so and ends the job, instead of leaving them
 * where they wait for it. The calls of malloc and calloc are wrapped (ld --wrap): one rank gets no block of a size.
 */
#include "check.h"

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
    begin(&argc, &argv);
    void **bases = allocate(64);
    ARMCI_Group_get_world(&world);
    if (strcmp(what, "free") == 0) {
        starve((size_t) size * sizeof(int64_t));
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

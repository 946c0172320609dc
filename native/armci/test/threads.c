/* Threads that issue operations, wait for their own handles, and wait for everything, all at the same time. */
#include "check.h"

#include <pthread.h>

#define THREADS 4
#define ROUNDS 40
#define COUNT 100

static void **bases;

static void *work(void *argument) {
    int thread = (int) (long) argument;
    int next = (me + 1) % size;
    long *mine = (long *) bases[next] + (size_t) (me * THREADS + thread) * COUNT;
    long values[COUNT];
    armci_hdl_t handles[COUNT];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < COUNT; i++) {
            ARMCI_INIT_HANDLE(&handles[i]);
            values[i] = 1000L * round + i;
            CHECK(ARMCI_NbPut(&values[i], mine + i, 8, next, &handles[i]) == 0);
        }
        CHECK(thread % 2 == 0 || ARMCI_WaitAll() == 0);
        for (int i = 0; i < COUNT; i++) {
            CHECK(ARMCI_Wait(&handles[i]) == 0);
            values[i] = -1;
            CHECK(ARMCI_NbGet(mine + i, &values[i], 8, next, &handles[i]) == 0);
        }
        for (int i = 0; i < COUNT; i++) {
            while (i % 3 == 0 && ARMCI_Test(&handles[i]) == 1) {
            }
            CHECK(ARMCI_Wait(&handles[i]) == 0 && values[i] == 1000L * round + i);
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    int provided = MPI_THREAD_MULTIPLE;
    if (has_mpi()) {
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    }
    if (provided == MPI_THREAD_MULTIPLE) {
        CHECK(ARMCI_Init_thread(MPI_THREAD_MULTIPLE) == 0);
    } else {
        CHECK(ARMCI_Init() == 0); /* threads call nothing that calls MPI */
    }
    me = armci_msg_me();
    size = armci_msg_nproc();
    bases = allocate((long) sizeof(long) * THREADS * COUNT * size);
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, work, (void *) i) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    ARMCI_Barrier();
    release(bases);
    return end();
}

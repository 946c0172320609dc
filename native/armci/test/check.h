/* Helpers of all test programs: they check themselves, and rank 0 says "all well" at the end. */
#ifndef ARMCI_TEST_CHECK_H
#define ARMCI_TEST_CHECK_H

#include <armci.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int me;
static int size;

#define CHECK(condition) \
    ((condition) ? (void) 0 : check_failed(__FILE__, __LINE__, #condition))

static inline void check_failed(const char *file, int line, const char *condition) {
    fprintf(stderr, "%s:%d: rank %d: not so: %s\n", file, line, me, condition);
    ARMCI_Error("a check failed", 3);
}

/** Under `tributary run` the programs do without MPI. */
static inline bool has_mpi(void) {
    return getenv("TRIBUTARY_JOB_ID") == NULL;
}

static inline void begin(int *argc, char ***argv) {
    if (has_mpi()) {
        MPI_Init(argc, argv);
    }
    CHECK(ARMCI_Init() == 0);
    me = armci_msg_me();
    size = armci_msg_nproc();
}

static inline int end(void) {
    ARMCI_Barrier();
    if (me == 0) {
        printf("all well\n");
        fflush(stdout);
    }
    CHECK(ARMCI_Finalize() == 0);
    if (has_mpi()) {
        MPI_Finalize();
    }
    return 0;
}

static inline void **allocate(long bytes) {
    void **bases = calloc((size_t) size, sizeof *bases);
    CHECK(ARMCI_Malloc(bases, bytes) == 0);
    return bases;
}

static inline void release(void **bases) {
    CHECK(ARMCI_Free(bases[me]) == 0);
    free(bases);
}

/** The same sequence of numbers on every run. */
static inline unsigned next_random(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

#endif

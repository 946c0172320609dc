/*
 * Ranks that wait for long in a collective read what others wait in: of few of them, and without waiting for an answer.
 * The calls of the runtime that read are counted (ld --wrap).
 */
#include "check.h"
#include "stopping.h"

#include <message.h>

#include "link/link.h"

/** Between two questions of a rank. */
#define DOUBT_S 3

static int questions;

int __real_trib_get(trib_memory *memory, int rank, size_t offset, void *to, size_t bytes);
int __wrap_trib_get(trib_memory *memory, int rank, size_t offset, void *to, size_t bytes);
int __wrap_trib_get(trib_memory *memory, int rank, size_t offset, void *to, size_t bytes) {
    questions++;
    return __real_trib_get(memory, rank, offset, to, bytes);
}

int __real_trib_ask_bytes(trib *job, int64_t segment, int rank, int64_t offset, int64_t bytes,
                          struct trib_question *question);
int __wrap_trib_ask_bytes(trib *job, int64_t segment, int rank, int64_t offset, int64_t bytes,
                          struct trib_question *question);
int __wrap_trib_ask_bytes(trib *job, int64_t segment, int rank, int64_t offset, int64_t bytes,
                          struct trib_question *question) {
    questions++;
    return __real_trib_ask_bytes(job, segment, rank, offset, bytes, question);
}

/** However many ranks there are, each asks one at a time. */
static void late_rank(void) {
    if (me == 0) {
        sleep(2 * DOUBT_S + 1);
    }
    questions = 0;
    double begun = armci_timer();
    armci_msg_barrier();
    CHECK(questions <= (armci_timer() - begun) / DOUBT_S);
}

/** Rank 0 asks the server of node 1 while it waits for rank 2, and none that is stopped answers. */
static void stopped_server(void) {
    void **bases = allocate(8);
    int server = server_of(1);
    long value;
    for (int proc = 0; proc < size; proc++) { /* every connection exists */
        CHECK(ARMCI_Get(bases[proc], &value, 8, proc) == 0);
    }
    ARMCI_Barrier();
    if (me == 2) {
        stop(server);
        sleep(DOUBT_S + 2);
    }
    armci_msg_barrier();
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 2) {
        CHECK(kill(server, SIGCONT) == 0);
    }
    ARMCI_Barrier();
    release(bases);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    late_rank();
    if (size == 3) {
        stopped_server();
    }
    return end();
}

/*
 * Two ranks of two nodes that do what a trace is then to say: so many operations, and rank 1 computes while rank 0
 * waits for it in a barrier. With the argument die, rank 0 dies of SIGKILL after that. With the argument node, both are
 * ranks of one node.
 */
#include "testing.h"

#include <signal.h>
#include <string.h>

#define GETS 40
#define PUTS 600
#define ADDS 10
#define EXCHANGES 3000
#define LARGE (2 << 20)
#define LATE_US 800000

static void operate(trib *job, trib_memory *memory) {
    int other = 1 - trib_rank(job);
    static uint8_t block[LARGE];
    int64_t value;
    trib_handle handle;
    OK(trib_handle_init(job, TRIB_PLAIN, &handle));
    for (int i = 0; i < GETS; i++) {
        OK(trib_get_i64(memory, other, 0, &value));
    }
    for (int i = 0; i < PUTS; i++) {
        value = i;
        OK(trib_nb_put(memory, other, 0, &value, sizeof value, &handle));
    }
    OK(trib_wait(&handle));
    OK(trib_put(memory, other, 64, block, sizeof block));
    for (int i = 0; i < ADDS; i++) {
        OK(trib_fetch_add_i64(memory, other, 8, 1, &value));
    }
    OK(trib_put(memory, trib_rank(job), 64, block, sizeof block)); /* on the node, and recorded, for it is large */
    OK(trib_put_i64(memory, trib_rank(job), 16, 1)); /* on the node, and not recorded */
}

/** Rank 1 is late, from when rank 0 is about to wait, which on a busy machine may come late itself. */
static void compute_if_late(const trib *job) {
    char mark[200];
    snprintf(mark, sizeof mark, "tracing-%s", getenv("TRIBUTARY_JOB_ID"));
    if (trib_rank(job) == 0) {
        FILE *file = fopen(mark, "w");
        CHECK(file != NULL && fclose(file) == 0);
        return;
    }
    while (unlink(mark) != 0) {
        usleep(1000);
    }
    usleep(LATE_US);
}

/** Collectives of the node, of a group that is freed and of all: most are short, and rank 1 is late for one. */
static void exchange(trib *job) {
    int64_t words[2] = {0, 0};
    int64_t received[2];
    trib_group *group;
    OK(trib_group_split(trib_world(job), 0, trib_rank(job), &group));
    for (int i = 0; i < EXCHANGES / 2; i++) {
        OK(trib_alltoall(group, words, received, sizeof words[0]));
        OK(trib_alltoall(trib_world(job), words, received, sizeof words[0]));
        OK(trib_group_barrier(group));
        if (i == EXCHANGES / 4) {
            compute_if_late(job);
            OK(trib_group_barrier(group));
        }
    }
    OK(trib_group_free(group));
}

int main(int count, char **arguments) {
    trib *job = attach();
    trib_memory *memory;
    if (count > 1 && strcmp(arguments[1], "node") == 0) {
        exchange(job);
        OK(trib_detach(job));
        return 0;
    }
    OK(trib_allocate(trib_world(job), 64 + LARGE, &memory));
    operate(job, memory);
    OK(trib_barrier(job));
    compute_if_late(job);
    OK(trib_barrier(job));
    if (count > 1 && trib_rank(job) == 0) {
        raise(SIGKILL);
    }
    if (count > 1) {
        OK(trib_barrier(job));
    }
    OK(trib_detach(job));
    return 0;
}

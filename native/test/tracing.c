/*
 * Two ranks of two nodes that do what a trace is then to say: so many operations, and rank 1 computes while rank 0
 * waits for it in a barrier. With an argument, rank 0 dies of SIGKILL after that.
 */
#include "testing.h"

#include <signal.h>
#include <time.h>

#define GETS 40
#define PUTS 600
#define ADDS 10
#define LARGE (2 << 20)
#define LATE_NS 300000000LL

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

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

int main(int count, char **arguments) {
    trib *job = attach();
    trib_memory *memory;
    (void) arguments;
    OK(trib_allocate(trib_world(job), 64 + LARGE, &memory));
    operate(job, memory);
    OK(trib_barrier(job));
    int64_t began_ns = now_ns();
    while (trib_rank(job) == 1 && now_ns() - began_ns < LATE_NS) {
    }
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

/*
 * Ranks that hang, or seem to: every one says that it is ready, then does what the first argument says;
 * HangingProgram.java does the same in Java.
 */
#include "testing.h"

static trib *job;

/** Its name is to be seen in a stack. */
static __attribute__((noinline)) int64_t compute_the_matrix(void) {
    volatile int64_t sum = 0;
    while (sum >= 0) {
        sum = (sum + 1) & INT64_C(0xFFFFFF);
    }
    return sum;
}

int main(int count, char **arguments) {
    CHECK(count > 1);
    const char *how = arguments[1];
    trib_mutexes *mutexes;
    trib_memory *memory;
    trib_group *evens;
    trib_group *odds;
    job = attach();
    int rank = trib_rank(job);
    int other = trib_size(job) - 1 - rank;
    bool plays = rank == 0 || other == 0;
    OK(trib_mutexes_create(trib_world(job), 2, &mutexes));
    OK(trib_allocate(trib_world(job), 64, &memory));
    if (strcmp(how, "deadlock") == 0 && plays) {
        OK(trib_lock(mutexes, rank, 1));
    }
    OK(trib_group_split(trib_world(job), 0, rank, &evens));
    OK(trib_group_split(trib_world(job), 0, rank, &odds));
    OK(trib_barrier(job));
    printf("ready rank %d\n", rank);
    fflush(stdout);
    if (strcmp(how, "deadlock") == 0 && plays) {
        OK(trib_lock(mutexes, other, 1));
    } else if (strcmp(how, "late") == 0 && rank == 1) {
        return compute_the_matrix() == 0;
    } else if (strcmp(how, "groups") == 0) {
        OK(trib_group_barrier(rank == 0 ? evens : odds));
    } else if (strcmp(how, "notification") == 0 && rank == 0) {
        OK(trib_wait_notify(job, other));
    } else if (strcmp(how, "notification") == 0) {
        return compute_the_matrix() == 0;
    } else if (strcmp(how, "leave") == 0 && rank == 2) {
        CHECK(count > 2);
        while (access(arguments[2], F_OK) != 0) {
            usleep(1000);
        }
        return 0;
    } else if (strcmp(how, "leave") == 0) {
        int status = trib_wait_notify(job, 2);
        fprintf(stderr, "%s\n", trib_last_error()->message);
        return status == TRIB_OK ? 1 : 3;
    } else if (strcmp(how, "all-wait") == 0 && rank == 0) {
        OK(trib_await_flag(memory, 8, 1, -1)); /* never set */
    } else if (strcmp(how, "exchange") == 0) {
        while (other >= 0) {
            OK(trib_notify(job, other));
            OK(trib_wait_notify(job, other));
        }
    } else if (strcmp(how, "get") == 0) {
        int64_t value = 0;
        while (value == 0) {
            OK(trib_get_i64(memory, other, 0, &value));
        }
    }
    OK(trib_barrier(job));
    return 0;
}

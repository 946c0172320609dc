/*
 * A rank of the campaign's jobs, which does everything that others can wait in, and checks its own answers. CampaignRank.java
 * (integration-tests) does the same steps in the same order, so that jobs can be of both; a change here needs one there.
 * Arguments: rounds, and milliseconds between two of them.
 */
#include "testing.h"

#include <time.h>

#define COUNTER 0
#define GUARDED 8
#define SUMS 64
#define SUM_COUNT 64
#define BULK 1024
#define BULK_BYTES 20000
#define PART_BYTES (BULK + 2 * BULK_BYTES)

static trib *job;
static trib_memory *memory;
static trib_mutexes *mutexes;
static int rank;
static int size;

static uint8_t pattern(int from, int round, int at) {
    return (uint8_t) (from * 31 + round * 17 + at * 7);
}

static void exchange(int round) {
    static uint8_t bulk[BULK_BYTES];
    size_t half = BULK + (size_t) (round % 2) * BULK_BYTES;
    for (int i = 0; i < BULK_BYTES; i++) {
        bulk[i] = pattern(rank, round, i);
    }
    OK(trib_put(memory, (rank + 1) % size, half, bulk, sizeof bulk));
    OK(trib_barrier(job));
    const uint8_t *mine = (const uint8_t *) trib_memory_local(memory) + half;
    for (int i = 0; i < BULK_BYTES; i++) {
        EQUAL(mine[i], pattern((rank + size - 1) % size, round, i));
    }
}

static void count(int round) {
    double ones[SUM_COUNT];
    double scale = 1;
    int64_t value;
    int home = round % size;
    for (int i = 0; i < SUM_COUNT; i++) {
        ones[i] = 1;
    }
    OK(trib_fetch_add_i64(memory, home, COUNTER, 1, &value));
    OK(trib_accumulate(memory, (home + 1) % size, SUMS, TRIB_DOUBLE, &scale, ones, sizeof ones));
    OK(trib_lock(mutexes, home, 0));
    OK(trib_get_i64(memory, home, GUARDED, &value));
    OK(trib_put_i64(memory, home, GUARDED, value + 1));
    OK(trib_fence(job, home));
    OK(trib_unlock(mutexes, home, 0));
}

static void agree(int round) {
    int64_t own = rank + round;
    int64_t sum = 0;
    OK(trib_allreduce(trib_world(job), TRIB_SUM, TRIB_INT64, &own, &sum, 1));
    EQUAL(sum, (int64_t) size * (size - 1) / 2 + (int64_t) size * round);
}

static void check_all(int64_t expected) {
    int64_t counted = 0;
    int64_t guarded = 0;
    double sums = 0;
    for (int home = 0; home < size; home++) {
        int64_t value;
        double sum[SUM_COUNT];
        OK(trib_get_i64(memory, home, COUNTER, &value));
        counted += value;
        OK(trib_get_i64(memory, home, GUARDED, &value));
        guarded += value;
        OK(trib_get(memory, home, SUMS, sum, sizeof sum));
        for (int i = 0; i < SUM_COUNT; i++) {
            sums += sum[i];
        }
    }
    EQUAL(counted, expected);
    EQUAL(guarded, expected);
    EQUAL(sums, expected * SUM_COUNT);
}

int main(int argc, char **argv) {
    CHECK(argc == 3);
    int rounds = atoi(argv[1]);
    struct timespec pause = {.tv_nsec = atoi(argv[2]) * 1000000L};
    OK(trib_attach(&job));
    rank = trib_rank(job);
    size = trib_size(job);
    OK(trib_allocate(trib_world(job), PART_BYTES, &memory));
    OK(trib_mutexes_create(trib_world(job), 1, &mutexes));
    printf("attached\n");
    fflush(stdout);
    for (int round = 0; round < rounds; round++) {
        exchange(round);
        count(round);
        agree(round);
        nanosleep(&pause, NULL);
    }
    OK(trib_barrier(job));
    check_all((int64_t) rounds * size);
    OK(trib_barrier(job));
    OK(trib_mutexes_free(mutexes));
    OK(trib_free(memory));
    printf("right\n");
    fflush(stdout);
    OK(trib_detach(job));
    return 0;
}

/*
 * A rank of a job of C and Java ranks. InteropRank.java does the same steps in the same order, and both check what the
 * others have done to them; a change here needs one there.
 */
#include "testing.h"

#define BYTES 40000
#define VECTOR 3000

static trib *job;
static trib_memory *memory;
static int rank;
static int size;

static int right(void) {
    return (rank + 1) % size;
}

static int left(void) {
    return (rank + size - 1) % size;
}

static uint8_t pattern(int from, int at) {
    return (uint8_t) (from * 31 + at * 7);
}

static void exchange_bytes(void) {
    uint8_t out[BYTES];
    uint8_t in[BYTES];
    for (int i = 0; i < BYTES; i++) {
        out[i] = pattern(rank, i);
    }
    OK(trib_put(memory, right(), 0, out, BYTES));
    OK(trib_barrier(job));
    const uint8_t *mine = trib_memory_local(memory);
    for (int i = 0; i < BYTES; i++) {
        EQUAL(mine[i], pattern(left(), i));
    }
    OK(trib_get(memory, right(), 0, in, BYTES));
    EQUAL(memcmp(in, out, BYTES), 0);
    OK(trib_barrier(job));
    trib_shape shape = {.block_bytes = 24, .levels = 2, .count = {10, 3}, .local_stride = {24, 240},
        .remote_stride = {100, 2000}};
    OK(trib_put_strided(memory, right(), 5, out, &shape));
    trib_handle handle;
    OK(trib_handle_init(job, TRIB_AGGREGATE, &handle));
    for (int i = 0; i < 50; i++) {
        int64_t word = rank * 1000 + i;
        OK(trib_nb_put(memory, right(), (size_t) (8000 + 16 * i), &word, sizeof word, &handle));
    }
    OK(trib_wait(&handle));
    OK(trib_barrier(job));
    for (int i = 0; i < 720; i++) {
        EQUAL(mine[5 + i / 240 * 2000 + i % 240 / 24 * 100 + i % 24], pattern(left(), i));
    }
    for (int i = 0; i < 50; i++) {
        int64_t word;
        memcpy(&word, mine + 8000 + 16 * i, 8);
        EQUAL(word, left() * 1000 + i);
    }
    OK(trib_barrier(job));
}

static void add_up(void) {
    static double values[VECTOR];
    static double zeros[VECTOR];
    double scale = 0.5;
    float i_times[2] = {0, 1};
    OK(trib_put(memory, rank, 0, zeros, sizeof zeros));
    OK(trib_barrier(job));
    for (int i = 0; i < VECTOR; i++) {
        values[i] = i;
    }
    for (int target = 0; target < size; target++) {
        OK(trib_accumulate(memory, target, 0, TRIB_DOUBLE, &scale, values, sizeof values));
    }
    OK(trib_barrier(job));
    const double *sums = trib_memory_local(memory);
    for (int i = 0; i < VECTOR; i++) {
        CHECK(sums[i] == 0.5 * i * size);
    }
    OK(trib_barrier(job));
    OK(trib_put(memory, rank, 0, zeros, sizeof zeros));
    OK(trib_barrier(job));
    float z[2] = {1, 2};
    for (int target = 0; target < size; target++) {
        OK(trib_accumulate(memory, target, 16380, TRIB_COMPLEX_FLOAT, i_times, z, sizeof z));
    }
    OK(trib_barrier(job));
    float got[2];
    memcpy(got, (const uint8_t *) trib_memory_local(memory) + 16380, sizeof got);
    CHECK(got[0] == -2.0f * (float) size && got[1] == (float) size);
    OK(trib_barrier(job));
}

static void count(void) {
    int64_t old;
    OK(trib_put_i64(memory, rank, 0, 0));
    OK(trib_put_i64(memory, rank, 8, 0));
    OK(trib_barrier(job));
    for (int i = 0; i < 200; i++) {
        for (int target = 0; target < size; target++) {
            OK(trib_fetch_add_i64(memory, target, 0, target + 1, &old));
            int64_t seen = 0;
            do {
                old = seen;
                OK(trib_compare_swap_i64(memory, target, 8, old, old + 1, &seen));
            } while (seen != old);
        }
    }
    OK(trib_barrier(job));
    const int64_t *mine = trib_memory_local(memory);
    EQUAL(mine[0], 200 * size * (rank + 1));
    EQUAL(mine[1], 200 * size);
    OK(trib_barrier(job));
}

static void exclude(void) {
    trib_mutexes *mutexes;
    OK(trib_mutexes_create(trib_world(job), 1, &mutexes));
    OK(trib_put_i64(memory, rank, 0, 0));
    OK(trib_barrier(job));
    for (int i = 0; i < 50; i++) {
        for (int home = 0; home < size; home++) {
            int64_t value;
            OK(trib_lock(mutexes, home, 0));
            OK(trib_get_i64(memory, home, 0, &value));
            OK(trib_put_i64(memory, home, 0, value + 1));
            OK(trib_fence(job, home));
            OK(trib_unlock(mutexes, home, 0));
        }
    }
    OK(trib_barrier(job));
    EQUAL(*(const int64_t *) trib_memory_local(memory), 50 * size);
    OK(trib_mutexes_free(mutexes));
}

static void signal_each_other(void) {
    OK(trib_put_i64(memory, rank, 64, 0));
    OK(trib_put_i64(memory, rank, 72, 0));
    OK(trib_barrier(job));
    for (int64_t round = 1; round <= 100; round++) {
        OK(trib_put_flag(memory, right(), 0, &round, 8, 64, round));
        OK(trib_await_flag(memory, 64, round, left()));
        EQUAL(*(const volatile int64_t *) trib_memory_local(memory), round);
        OK(trib_notify(job, left()));
        OK(trib_wait_notify(job, right()));
        OK(trib_add_flag(memory, left(), 72, 2));
        OK(trib_await_flag_at_least(memory, 72, 2 * round, right()));
    }
    OK(trib_barrier(job));
}

/** All members must have the same bits. */
static void agree(trib_group *group, const double *values, size_t n) {
    int64_t sum = 0;
    int64_t all[64];
    for (size_t i = 0; i < n; i++) {
        int64_t bits;
        memcpy(&bits, &values[i], 8);
        sum = (int64_t) ((uint64_t) sum * 31 + (uint64_t) bits);
    }
    OK(trib_allgather(group, &sum, all, 8));
    for (int member = 0; member < trib_group_size(group); member++) {
        EQUAL(all[member], sum);
    }
}

static void reduce_and_gather(trib_group *group, size_t n) {
    int members = trib_group_size(group);
    int self = trib_group_rank(group);
    double *own = malloc((n + 1) * sizeof *own * (size_t) members);
    double *all = malloc((n + 1) * sizeof *all * (size_t) members);
    for (size_t i = 0; i < n * (size_t) members; i++) {
        own[i] = 0.1 * (self + 1) + 1.0 / (double) (i + 3);
    }
    OK(trib_allreduce(group, TRIB_SUM, TRIB_DOUBLE, own, all, n));
    agree(group, all, n);
    OK(trib_allreduce(group, TRIB_PRODUCT, TRIB_DOUBLE, own, all, n));
    agree(group, all, n);
    int64_t bits = 1LL << self;
    OK(trib_allreduce(group, TRIB_BITWISE_OR, TRIB_INT64, &bits, &bits, 1));
    EQUAL(bits, (1LL << members) - 1);
    OK(trib_reduce(group, members - 1, TRIB_MAX, TRIB_DOUBLE, own, all, n));
    OK(trib_broadcast(group, members - 1, all, n * 8));
    agree(group, all, n);
    OK(trib_reduce_scatter(group, TRIB_SUM, TRIB_DOUBLE, own, all, n));
    double *whole = malloc((n + 1) * sizeof *whole * (size_t) members);
    OK(trib_allgather(group, all, whole, n * 8));
    agree(group, whole, n * (size_t) members);
    int64_t *out = (int64_t *) (void *) own;
    int64_t *in = (int64_t *) (void *) all;
    for (size_t i = 0; i < n * (size_t) members; i++) {
        out[i] = self * 1000000 + (int64_t) i;
    }
    OK(trib_alltoall(group, out, in, n * 8));
    for (size_t i = 0; i < n * (size_t) members; i++) {
        EQUAL(in[i], (int64_t) (i / n) * 1000000 + self * (int64_t) n + (int64_t) (i % n));
    }
    OK(trib_group_barrier(group));
    free(own);
    free(all);
    free(whole);
}

static void work_in_groups(void) {
    static const size_t sizes[] = {1, 100, 1023, 5000, 9000};
    trib_group *group;
    trib_memory *ours;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        reduce_and_gather(trib_world(job), sizes[i]);
    }
    OK(trib_group_split(trib_world(job), rank / 2 % 2, -rank, &group));
    reduce_and_gather(group, 2000);
    OK(trib_allocate(group, 4096, &ours));
    int next = trib_group_world_rank(group, (trib_group_rank(group) + 1) % trib_group_size(group));
    OK(trib_put_i64(ours, next, 8, rank));
    OK(trib_fence_all(job));
    OK(trib_group_barrier(group));
    int before = trib_group_world_rank(group, (trib_group_rank(group) + trib_group_size(group) - 1)
                                       % trib_group_size(group));
    EQUAL(((const int64_t *) trib_memory_local(ours))[1], before);
    OK(trib_free(ours));
    OK(trib_group_free(group));
}

int main(void) {
    trib_memory *none;
    job = attach();
    rank = trib_rank(job);
    size = trib_size(job);
    OK(trib_allocate(trib_world(job), BYTES + 512 * (size_t) rank, &memory));
    for (int other = 0; other < size; other++) {
        EQUAL(trib_memory_bytes(memory, other), BYTES + 512 * other);
    }
    exchange_bytes();
    add_up();
    count();
    exclude();
    signal_each_other();
    work_in_groups();
    FAILS(trib_allocate(trib_world(job), (size_t) 1 << 50, &none), TRIB_NO_SPACE, "free");
    OK(trib_barrier(job));
    OK(trib_free(memory));
    OK(trib_detach(job));
    printf("interop: all well on rank %d in C\n", rank);
    return 0;
}

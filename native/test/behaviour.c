/* Every operation between every two ranks, on whatever layout this is run. */
#include "behaviour.h"

#include <pthread.h>

#define LARGE (3u << 20)

static int rank;
static int size;
static trib *job;

static int right(void) {
    return (rank + 1) % size;
}

static int left(void) {
    return (rank + size - 1) % size;
}

static void should_see_what_was_put(void) {
    static const size_t sizes[] = {1, 7, 8, 100, 4096, 16384, 70000, LARGE};
    trib_memory *memory;
    OK(trib_allocate(trib_world(job), LARGE + 16, &memory));
    uint8_t *out = malloc(LARGE);
    uint8_t *in = malloc(LARGE);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t bytes = sizes[i];
        for (size_t at = 0; at < bytes; at++) {
            out[at] = (uint8_t) (at * 31 + i + (size_t) rank);
        }
        OK(trib_put(memory, right(), 5, out, bytes));
        memset(in, 0, bytes);
        OK(trib_get(memory, right(), 5, in, bytes));
        EQUAL(memcmp(in, out, bytes), 0);
        OK(trib_barrier(job));
        const uint8_t *mine = (const uint8_t *) trib_memory_local(memory) + 5;
        for (size_t at = 0; at < bytes; at++) {
            EQUAL(mine[at], (uint8_t) (at * 31 + i + (size_t) left()));
        }
        OK(trib_barrier(job));
    }
    OK(trib_put(memory, right(), LARGE + 16, out, 0));
    OK(trib_get(memory, right(), 0, in, 0));
    free(out);
    free(in);
    OK(trib_free(memory));
}

static void should_keep_the_order_of_single_values(void) {
    trib_memory *memory;
    OK(trib_allocate(trib_world(job), 64, &memory));
    for (int i = 0; i < 100; i++) {
        int32_t i32;
        int64_t i64;
        float f32;
        double f64;
        OK(trib_put_i32(memory, right(), 1, i));
        OK(trib_put_i64(memory, right(), 8, -i));
        OK(trib_put_f32(memory, right(), 21, (float) i / 2));
        OK(trib_put_f64(memory, right(), 32, i / 4.0));
        OK(trib_get_i32(memory, right(), 1, &i32));
        OK(trib_get_i64(memory, right(), 8, &i64));
        OK(trib_get_f32(memory, right(), 21, &f32));
        OK(trib_get_f64(memory, right(), 32, &f64));
        EQUAL(i32, i);
        EQUAL(i64, -i);
        CHECK(f32 == (float) i / 2);
        CHECK(f64 == i / 4.0);
    }
    OK(trib_free(memory));
}

static void should_allocate_parts_of_different_sizes(void) {
    trib_memory *memory;
    size_t own = rank % 2 == 0 ? 0 : (size_t) rank * 1000;
    OK(trib_allocate(trib_world(job), own, &memory));
    for (int other = 0; other < size; other++) {
        EQUAL(trib_memory_bytes(memory, other), other % 2 == 0 ? 0 : other * 1000);
    }
    EQUAL(trib_memory_bytes(memory, size), -1);
    CHECK((trib_memory_local(memory) == NULL) == (own == 0));
    if (own > 0) {
        const uint8_t *bytes = trib_memory_local(memory);
        for (size_t i = 0; i < own; i++) {
            EQUAL(bytes[i], 0);
        }
    }
    for (int other = 0; other < size; other++) {
        CHECK(trib_same_node(job, other) || trib_memory_at(memory, other) == NULL);
    }
    void **bases = malloc((size_t) size * sizeof *bases);
    OK(trib_memory_publish(memory, bases));
    CHECK(bases[rank] == trib_memory_local(memory));
    for (int other = 1; other < size; other += 2) {
        trib_memory *found = NULL;
        size_t offset = 0;
        OK(trib_locate(job, other, (char *) bases[other] + 10, 20, &found, &offset));
        CHECK(found == memory);
        EQUAL(offset, 10);
        FAILS(trib_locate(job, other, (char *) bases[other] + other * 1000 - 8, 9, &found, &offset),
              TRIB_INVALID_ADDRESS, "nearest allocation");
        FAILS(trib_locate(job, other, (char *) bases[other] - 1, 1, &found, &offset), TRIB_INVALID_ADDRESS, "rank");
    }
    OK(trib_free(memory));
    if (size > 1) {
        trib_memory *found = NULL;
        size_t offset = 0;
        FAILS(trib_locate(job, 1, bases[1], 1, &found, &offset), TRIB_INVALID_ADDRESS, "no memory");
    }
    free(bases);
}

static void should_move_strided_regions(void) {
    enum { ROWS = 12, PITCH = 100, PLANES = 3, PLANE = 2000 };
    trib_memory *memory;
    uint8_t out[PLANES * PLANE];
    uint8_t in[PLANES * PLANE];
    OK(trib_allocate(trib_world(job), sizeof out, &memory));
    for (size_t i = 0; i < sizeof out; i++) {
        out[i] = (uint8_t) (i * 7 + (size_t) rank);
    }
    /* Backwards on the one side and forwards on the other. */
    trib_shape shape = {.block_bytes = 24, .levels = 2, .count = {ROWS, PLANES}, .local_stride = {PITCH, PLANE},
        .remote_stride = {-40, PLANE}};
    size_t offset = 40 * (ROWS - 1);
    OK(trib_put_strided(memory, right(), offset, out, &shape));
    memset(in, 0, sizeof in);
    OK(trib_get_strided(memory, right(), offset, in, &shape));
    for (int plane = 0; plane < PLANES; plane++) {
        for (int row = 0; row < ROWS; row++) {
            EQUAL(memcmp(in + plane * PLANE + row * PITCH, out + plane * PLANE + row * PITCH, 24), 0);
        }
    }
    OK(trib_barrier(job));
    const uint8_t *mine = trib_memory_local(memory);
    for (int row = 0; row < ROWS; row++) {
        EQUAL(mine[40 * (ROWS - 1 - row)], (uint8_t) (row * PITCH * 7 + left()));
    }
    OK(trib_barrier(job));
    OK(trib_free(memory));
}

/** Blocks that travel from and to where they lie, and shapes of more than one message. */
static void should_move_large_strided_regions(void) {
    enum { BLOCK = 20000, ROWS = 150, PITCH = 24000 };
    trib_memory *memory;
    uint8_t *out = malloc((size_t) ROWS * PITCH);
    uint8_t *in = calloc(ROWS, PITCH);
    OK(trib_allocate(trib_world(job), (size_t) ROWS * BLOCK, &memory));
    for (size_t i = 0; i < (size_t) ROWS * PITCH; i++) {
        out[i] = (uint8_t) (i / 3 + (size_t) rank);
    }
    trib_shape shape = {.block_bytes = BLOCK, .levels = 1, .count = {ROWS}, .local_stride = {PITCH},
        .remote_stride = {BLOCK}};
    OK(trib_put_strided(memory, right(), 0, out, &shape));
    OK(trib_get_strided(memory, right(), 0, in, &shape));
    for (int row = 0; row < ROWS; row++) {
        EQUAL(memcmp(in + (size_t) row * PITCH, out + (size_t) row * PITCH, BLOCK), 0);
    }
    OK(trib_barrier(job));
    free(out);
    free(in);
    OK(trib_free(memory));
}

static void should_move_lists_of_ranges(void) {
    enum { RANGES = 5000 };
    trib_memory *memory;
    static int64_t out[RANGES];
    static int64_t in[RANGES];
    static trib_range ranges[RANGES];
    OK(trib_allocate(trib_world(job), RANGES * 24, &memory));
    for (int i = 0; i < RANGES; i++) {
        out[i] = (int64_t) i * size + rank;
        ranges[i] = (trib_range) {.local = &out[i], .offset = (size_t) (RANGES - 1 - i) * 24,
            .bytes = i % 10 == 0 ? 0 : 8};
    }
    OK(trib_put_vector(memory, right(), ranges, RANGES));
    int64_t three = 3;
    OK(trib_accumulate_vector(memory, right(), TRIB_INT64, &three, ranges, RANGES));
    for (int i = 0; i < RANGES; i++) {
        ranges[i].local = &in[i];
    }
    OK(trib_get_vector(memory, right(), ranges, RANGES));
    for (int i = 0; i < RANGES; i++) {
        EQUAL(in[i], i % 10 == 0 ? 0 : 4 * out[i]);
    }
    OK(trib_barrier(job));
    OK(trib_free(memory));
}

static void should_add_every_accumulate(void) {
    enum { N = 5000 };
    trib_memory *memory;
    static double ones[N];
    static const struct { int type; size_t bytes; } types[] = {{TRIB_INT32, 4}, {TRIB_INT64, 8}, {TRIB_FLOAT, 4}};
    OK(trib_allocate(trib_world(job), N * sizeof(double), &memory));
    for (int i = 0; i < N; i++) {
        ones[i] = i;
    }
    double half = 0.5;
    for (int target = 0; target < size; target++) {
        OK(trib_accumulate(memory, target, 0, TRIB_DOUBLE, &half, ones, sizeof ones));
        OK(trib_accumulate(memory, target, 8, TRIB_DOUBLE, NULL, ones, 8 * (N - 1)));
    }
    OK(trib_barrier(job));
    const double *sums = trib_memory_local(memory);
    for (int i = 0; i < N; i++) {
        CHECK(sums[i] == size * (0.5 * i + (i > 0 ? i - 1 : 0)));
    }
    OK(trib_barrier(job));
    memset(trib_memory_local(memory), 0, N * sizeof(double));
    OK(trib_barrier(job));
    /* Complex numbers across the ends of stripes: offset 8 of elements of 16 bytes. */
    double z[2] = {1, 2};
    double i_times[2] = {0, 1};
    for (size_t at = 8; at + 16 <= N * 8; at += 16) {
        OK(trib_accumulate(memory, right(), at, TRIB_COMPLEX_DOUBLE, i_times, z, sizeof z));
    }
    OK(trib_barrier(job));
    CHECK(sums[1] == -2 && sums[2] == 1 && sums[2047] == -2 && sums[2048] == 1);
    OK(trib_barrier(job));
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        static int32_t values[4] = {1, 0, 2, 0};
        memset(trib_memory_local(memory), 0, 64);
        OK(trib_barrier(job));
        for (int target = 0; target < size; target++) {
            OK(trib_accumulate(memory, target, 8, types[t].type, NULL, values, sizeof values));
        }
        OK(trib_barrier(job));
        if (types[t].type != TRIB_FLOAT) {
            EQUAL(((const int32_t *) trib_memory_local(memory))[4], 2 * size);
        }
        OK(trib_barrier(job));
    }
    trib_shape shape = {.block_bytes = 16, .levels = 1, .count = {100}, .local_stride = {16}, .remote_stride = {32}};
    memset(trib_memory_local(memory), 0, N * sizeof(double));
    OK(trib_barrier(job));
    for (int target = 0; target < size; target++) {
        OK(trib_accumulate_strided(memory, target, 0, TRIB_DOUBLE, NULL, ones, &shape));
    }
    OK(trib_barrier(job));
    CHECK(sums[4] == 2 * size && sums[5] == 3 * size && sums[6] == 0);
    OK(trib_barrier(job));
    /* The stride of a single row is not used, whatever it is. */
    shape = (trib_shape) {.block_bytes = 8, .levels = 2, .count = {2, 1}, .local_stride = {8},
        .remote_stride = {16, 3}};
    for (int target = 0; target < size; target++) {
        OK(trib_accumulate_strided(memory, target, 4000, TRIB_DOUBLE, NULL, ones + 1, &shape));
        OK(trib_fence(job, target));
    }
    OK(trib_barrier(job));
    CHECK(sums[500] == size && sums[501] == 0 && sums[502] == 2 * size);
    OK(trib_barrier(job));
    OK(trib_free(memory));
}

static void should_change_words_atomically(void) {
    enum { EACH = 300 };
    trib_memory *memory;
    OK(trib_allocate(trib_world(job), 64, &memory));
    for (int i = 0; i < EACH; i++) {
        for (int target = 0; target < size; target++) {
            OK(trib_fetch_add_i64(memory, target, 0, 1, NULL));
            OK(trib_fetch_add_i32(memory, target, 8, -1, NULL));
        }
    }
    OK(trib_barrier(job));
    EQUAL(*(int64_t *) trib_memory_local(memory), EACH * size);
    EQUAL(((int32_t *) trib_memory_local(memory))[2], -EACH * size);
    OK(trib_barrier(job));
    if (rank == 0) {
        int64_t old64;
        int32_t old32;
        int last = size - 1;
        OK(trib_swap_i64(memory, last, 16, INT64_MIN, &old64));
        EQUAL(old64, 0);
        OK(trib_compare_swap_i64(memory, last, 16, 5, 6, &old64));
        EQUAL(old64, INT64_MIN);
        OK(trib_compare_swap_i64(memory, last, 16, INT64_MIN, 6, &old64));
        EQUAL(old64, INT64_MIN);
        OK(trib_fetch_add_i64(memory, last, 16, -7, &old64));
        EQUAL(old64, 6);
        OK(trib_swap_i32(memory, last, 28, -5, &old32));
        OK(trib_compare_swap_i32(memory, last, 28, -5, INT32_MAX, &old32));
        EQUAL(old32, -5);
        OK(trib_fetch_add_i32(memory, last, 28, 1, &old32));
        EQUAL(old32, INT32_MAX);
        OK(trib_get_i32(memory, last, 28, &old32));
        EQUAL(old32, INT32_MIN);
    }
    OK(trib_barrier(job));
    OK(trib_free(memory));
}

static void should_complete_what_does_not_block(int kind) {
    enum { N = 2000 };
    trib_memory *memory;
    static int64_t out[N];
    static int64_t in[N];
    trib_handle handle;
    trib_handle both[2];
    OK(trib_allocate(trib_world(job), N * 8 + LARGE, &memory));
    OK(trib_handle_init(job, kind, &handle));
    for (int i = 0; i < N; i++) {
        out[i] = rank * 100000 + i;
        OK(trib_nb_put(memory, right(), (size_t) i * 8, &out[i], 8, &handle));
    }
    OK(trib_wait(&handle));
    for (int i = 0; i < N; i++) {
        OK(trib_nb_get(memory, right(), (size_t) i * 8, &in[i], 8, &handle));
    }
    bool complete = false;
    while (!complete) {
        OK(trib_test(&handle, &complete));
    }
    EQUAL(memcmp(in, out, sizeof in), 0);
    int64_t two = 2;
    for (int i = 0; i < N; i++) {
        OK(trib_nb_accumulate(memory, right(), (size_t) i * 8, TRIB_INT64, &two, &out[i], 8, &handle));
    }
    trib_shape shape = {.block_bytes = 8, .levels = 1, .count = {10}, .local_stride = {16}, .remote_stride = {8}};
    OK(trib_nb_put_strided(memory, right(), N * 8, out, &shape, &handle));
    OK(trib_handle_init(job, kind, &both[0]));
    OK(trib_handle_init(job, TRIB_PLAIN, &both[1]));
    OK(trib_nb_get(memory, right(), 0, in, sizeof in, &both[0]));
    int64_t strided[20];
    OK(trib_nb_get_strided(memory, right(), N * 8, strided, &shape, &both[0]));
    uint8_t *large = malloc(LARGE);
    OK(trib_nb_get(memory, right(), N * 8, large, LARGE, &both[1]));
    trib_range range = {.local = &both, .offset = 0, .bytes = 0};
    OK(trib_nb_put_vector(memory, right(), &range, 1, &handle));
    OK(trib_wait_all(job));
    OK(trib_wait_handles(both, 2));
    OK(trib_wait(&handle));
    for (int i = 0; i < N; i++) {
        EQUAL(in[i], 3 * out[i]);
    }
    for (int i = 0; i < 10; i++) {
        EQUAL(strided[2 * i], out[2 * i]);
        EQUAL(((int64_t *) (void *) large)[i], out[2 * i]);
    }
    free(large);
    OK(trib_barrier(job));
    OK(trib_free(memory));
}

static void should_see_data_with_its_flag(void) {
    enum { ROUNDS = 200, WORDS = 100 };
    trib_memory *memory;
    int64_t data[WORDS];
    OK(trib_allocate(trib_world(job), (WORDS + 3) * 8, &memory));
    volatile int64_t *mine = trib_memory_local(memory);
    for (int round = 1; round <= ROUNDS; round++) {
        for (int i = 0; i < WORDS; i++) {
            data[i] = round * 1000 + i;
        }
        if (round % 2 == 0) {
            OK(trib_put_flag(memory, right(), 0, data, sizeof data, WORDS * 8, round));
        } else {
            trib_shape shape = {.block_bytes = 8, .levels = 1, .count = {WORDS}, .local_stride = {8},
                .remote_stride = {8}};
            OK(trib_put_strided_flag(memory, right(), 0, data, &shape, WORDS * 8, round));
        }
        OK(trib_await_flag(memory, WORDS * 8, round, left()));
        for (int i = 0; i < WORDS; i++) {
            EQUAL(mine[i], round * 1000 + i);
        }
        OK(trib_add_flag(memory, left(), (WORDS + 1) * 8, 1));
        OK(trib_await_flag_at_least(memory, (WORDS + 1) * 8, round, right()));
    }
    OK(trib_set_flag(memory, right(), (WORDS + 2) * 8, -3));
    OK(trib_await_flag(memory, (WORDS + 2) * 8, -3, -1));
    OK(trib_barrier(job));
    OK(trib_free(memory));
}

static void should_count_notifications(void) {
    trib_memory *memory;
    OK(trib_allocate(trib_world(job), 8 * (size_t) size, &memory));
    const volatile int64_t *mine = trib_memory_local(memory);
    for (int round = 1; round <= 50; round++) {
        for (int other = 0; other < size; other++) {
            OK(trib_put_i64(memory, other, 8 * (size_t) rank, round));
            OK(trib_notify(job, other));
        }
        for (int other = 0; other < size; other++) {
            OK(trib_wait_notify(job, other));
            CHECK(mine[other] >= round);
        }
    }
    OK(trib_barrier(job));
    OK(trib_free(memory));
}

static void should_exclude_others_by_mutexes(void) {
    enum { EACH = 60 };
    trib_memory *memory;
    trib_mutexes *mutexes;
    OK(trib_allocate(trib_world(job), 8, &memory));
    OK(trib_mutexes_create(trib_world(job), rank == 0 ? 0 : 2, &mutexes));
    EQUAL(trib_mutexes_count(mutexes, 0), 0);
    FAILS(trib_lock(mutexes, 0, 0), TRIB_INVALID_ADDRESS, "no such mutex");
    for (int home = 1; home < size; home++) {
        for (int i = 0; i < EACH; i++) {
            int64_t value;
            OK(trib_lock(mutexes, home, 1));
            OK(trib_get_i64(memory, home, 0, &value));
            OK(trib_put_i64(memory, home, 0, value + 1));
            OK(trib_fence(job, home));
            OK(trib_unlock(mutexes, home, 1));
        }
    }
    OK(trib_barrier(job));
    EQUAL(*(int64_t *) trib_memory_local(memory), rank == 0 ? 0 : EACH * size);
    for (int home = 1; home < size; home++) {
        bool acquired;
        OK(trib_barrier(job));
        if (rank == 0) {
            OK(trib_lock(mutexes, home, 0));
        }
        OK(trib_barrier(job));
        if (rank == 1) {
            OK(trib_try_lock(mutexes, home, 0, &acquired));
            CHECK(!acquired);
            FAILS(trib_unlock(mutexes, home, 0), TRIB_MUTEX_STATE, "not held");
        }
        OK(trib_barrier(job));
        if (rank == 0) {
            FAILS(trib_lock(mutexes, home, 0), TRIB_MUTEX_STATE, "already");
            FAILS(trib_try_lock(mutexes, home, 0, &acquired), TRIB_MUTEX_STATE, "already");
            OK(trib_unlock(mutexes, home, 0));
            FAILS(trib_unlock(mutexes, home, 0), TRIB_MUTEX_STATE, "not held");
            OK(trib_try_lock(mutexes, home, 0, &acquired));
            CHECK(acquired);
            OK(trib_unlock(mutexes, home, 0));
        }
    }
    OK(trib_barrier(job));
    OK(trib_mutexes_free(mutexes));
    OK(trib_free(memory));
}

struct thread {
    pthread_t id;
    trib_memory *memory;
    int number;
};

static void *work(void *argument) {
    struct thread *thread = argument;
    size_t at = 64 + (size_t) thread->number * 8;
    for (int i = 1; i <= 100; i++) {
        for (int other = 0; other < size; other++) {
            int64_t back = 0;
            OK(trib_fetch_add_i64(thread->memory, other, 0, 1, NULL));
            OK(trib_put_i64(thread->memory, other, at + 64 * (size_t) rank, i));
            OK(trib_get_i64(thread->memory, other, at + 64 * (size_t) rank, &back));
            EQUAL(back, i);
        }
    }
    return NULL;
}

static void should_serve_many_threads(void) {
    struct thread threads[4];
    trib_memory *memory;
    OK(trib_allocate(trib_world(job), 64 + 64 * (size_t) size, &memory));
    for (int i = 0; i < 4; i++) {
        threads[i] = (struct thread) {.memory = memory, .number = i};
        EQUAL(pthread_create(&threads[i].id, NULL, work, &threads[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i].id, NULL);
    }
    OK(trib_barrier(job));
    EQUAL(*(int64_t *) trib_memory_local(memory), 4 * 100 * size);
    OK(trib_barrier(job));
    OK(trib_free(memory));
}

int main(void) {
    job = attach();
    rank = trib_rank(job);
    size = trib_size(job);
    should_see_what_was_put();
    should_keep_the_order_of_single_values();
    should_allocate_parts_of_different_sizes();
    should_move_strided_regions();
    should_move_large_strided_regions();
    should_move_lists_of_ranges();
    should_add_every_accumulate();
    should_change_words_atomically();
    should_complete_what_does_not_block(TRIB_PLAIN);
    should_complete_what_does_not_block(TRIB_AGGREGATE);
    should_see_data_with_its_flag();
    should_count_notifications();
    should_exclude_others_by_mutexes();
    should_serve_many_threads();
    check_collectives(job);
    check_groups(job);
    check_misuse(job);
    OK(trib_barrier(job));
    trib_memory *left_behind;
    OK(trib_allocate(trib_world(job), 100, &left_behind));
    OK(trib_detach(job));
    printf("behaviour: all well on rank %d\n", rank);
    return 0;
}

/* Operations, each as its Java counterpart does it, and the clock around them. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WARM_UP_FACTOR 2 /* by default 20,000 operations: the server compiles what they run */
#define WARM_UP_LIMIT_NS 1500000000LL
#define LIMIT_NS 20500000000LL
#define LINE 64

const char *const bench_op_names[BENCH_OPS] = {"put+fence", "get", "accumulate+fence", "fetchAndAdd", "lock+unlock",
    "strided-put+fence", "strided-get", "put-rate", "aggregate-put-rate", "put-bandwidth"};

struct run {
    const struct bench_endpoint *at;
    enum bench_op op;
    size_t bytes;
    trib_shape shape;
    size_t offsets[BENCH_WINDOW];
    trib_handle handles[BENCH_WINDOW];
    int64_t expected;
    int64_t additions;
};

void bench_check(int status) {
    if (status != TRIB_OK) {
        fprintf(stderr, "tributary-bench: %s\n", trib_last_error()->message);
        exit(1);
    }
}

bool bench_is_window(enum bench_op op) {
    return op == PUT_RATE || op == AGGREGATE_PUT_RATE || op == PUT_BANDWIDTH;
}

int64_t bench_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void once_window(struct run *run) {
    const struct bench_endpoint *at = run->at;
    bool aggregate = run->op == AGGREGATE_PUT_RATE;
    for (int i = 0; i < BENCH_WINDOW; i++) {
        bench_check(trib_nb_put(at->memory, at->target, run->offsets[i], at->source + run->offsets[i], run->bytes,
                                &run->handles[aggregate ? 0 : i]));
    }
    bench_check(trib_wait_handles(run->handles, aggregate ? 1 : BENCH_WINDOW));
}

static void once(struct run *run) {
    const struct bench_endpoint *at = run->at;
    switch (run->op) {
        case PUT_FENCE:
            bench_check(trib_put(at->memory, at->target, 0, at->source, run->bytes));
            bench_check(trib_fence(at->job, at->target));
            break;
        case GET:
            bench_check(trib_get(at->memory, at->target, 0, at->sink, run->bytes));
            break;
        case ACCUMULATE_FENCE:
            bench_check(trib_accumulate(at->memory, at->target, 0, TRIB_DOUBLE, NULL, at->source, run->bytes));
            bench_check(trib_fence(at->job, at->target));
            run->additions++;
            break;
        case FETCH_AND_ADD:
            bench_check(trib_fetch_add_i64(at->memory, at->target, 0, 1, NULL));
            run->expected++;
            break;
        case LOCK_UNLOCK:
            bench_check(trib_lock(at->mutexes, at->target, 0));
            bench_check(trib_unlock(at->mutexes, at->target, 0));
            break;
        case STRIDED_PUT_FENCE:
            bench_check(trib_put_strided(at->memory, at->target, 0, at->source, &run->shape));
            bench_check(trib_fence(at->job, at->target));
            break;
        case STRIDED_GET:
            bench_check(trib_get_strided(at->memory, at->target, 0, at->sink, &run->shape));
            break;
        default:
            once_window(run);
            break;
    }
}

static void fill_target(const struct bench_endpoint *at, const uint8_t *from, size_t bytes) {
    bench_check(trib_put(at->memory, at->target, 0, from, bytes));
    bench_check(trib_fence(at->job, at->target));
}

static void clear_rows(uint8_t *buffer, const struct bench_options *options) {
    for (size_t row = 0; row < options->rows; row++) {
        memset(buffer + row * options->pitch, 0, options->row_bytes);
    }
}

static void prepare_window(struct run *run) {
    size_t apart = run->bytes < LINE ? LINE : run->bytes;
    size_t places = (run->at->bytes - run->bytes) / apart + 1;
    places = places > BENCH_WINDOW ? BENCH_WINDOW : places;
    for (size_t i = 0; i < BENCH_WINDOW; i++) {
        run->offsets[i] = i % places * apart;
        bench_check(trib_handle_init(run->at->job, run->op == AGGREGATE_PUT_RATE ? TRIB_AGGREGATE : TRIB_PLAIN,
                                     &run->handles[i]));
    }
}

/** Fills the source with something that no earlier case left at the target, and that as the operation needs it. */
static void prepare(struct run *run, int seed) {
    const struct bench_endpoint *at = run->at;
    const struct bench_options *options = at->options;
    size_t span = options->rows * options->pitch;
    for (size_t i = 0; i < at->bytes; i += 8) {
        uint64_t word = ((uint64_t) seed + 1) * 0x9E3779B97F4A7C15u + i;
        memcpy(at->source + i, &word, 8);
    }
    run->shape = (trib_shape) {.block_bytes = options->row_bytes, .levels = 1, .count = {(int64_t) options->rows},
        .local_stride = {(int64_t) options->pitch}, .remote_stride = {(int64_t) options->pitch}};
    if (run->op == GET) {
        fill_target(at, at->source, run->bytes);
    } else if (run->op == ACCUMULATE_FENCE) {
        double one = 1;
        for (size_t i = 0; i < run->bytes; i += 8) {
            memcpy(at->source + i, &one, 8);
        }
        memset(at->sink, 0, run->bytes);
        fill_target(at, at->sink, run->bytes);
    } else if (run->op == FETCH_AND_ADD) {
        bench_check(trib_get_i64(at->memory, at->target, 0, &run->expected));
    } else if (run->op == STRIDED_PUT_FENCE) {
        fill_target(at, at->source, span);
        clear_rows(at->source, options);
    } else if (run->op == STRIDED_GET) {
        fill_target(at, at->source, span);
        memcpy(at->sink, at->source, at->bytes);
        clear_rows(at->sink, options);
    } else if (bench_is_window(run->op)) {
        prepare_window(run);
    }
}

static void expect_equal(const struct bench_endpoint *at, size_t offset, size_t bytes, bool from_target) {
    if (from_target) {
        bench_check(trib_get(at->memory, at->target, offset, at->sink + offset, bytes));
    }
    if (memcmp(at->sink + offset, at->source + offset, bytes) != 0) {
        fprintf(stderr, "tributary-bench: bytes %zu to %zu of rank %d differ from what was put there\n", offset,
                offset + bytes, at->target);
        exit(1);
    }
}

/** A fast wrong answer is no result. */
static void verify(struct run *run) {
    const struct bench_endpoint *at = run->at;
    size_t span = at->options->rows * at->options->pitch;
    int64_t count;
    bool acquired;
    switch (run->op) {
        case PUT_FENCE:
        case GET:
            expect_equal(at, 0, run->bytes, run->op == PUT_FENCE);
            break;
        case STRIDED_PUT_FENCE:
        case STRIDED_GET:
            expect_equal(at, 0, span, run->op == STRIDED_PUT_FENCE);
            break;
        case ACCUMULATE_FENCE:
            for (size_t i = 0; i < run->bytes; i += 8) {
                double sum = (double) run->additions;
                memcpy(at->source + i, &sum, 8);
            }
            expect_equal(at, 0, run->bytes, true);
            break;
        case FETCH_AND_ADD:
            bench_check(trib_get_i64(at->memory, at->target, 0, &count));
            if (count != run->expected) {
                fprintf(stderr, "tributary-bench: the counter is %lld, not %lld\n", (long long) count,
                        (long long) run->expected);
                exit(1);
            }
            break;
        case LOCK_UNLOCK:
            bench_check(trib_try_lock(at->mutexes, at->target, 0, &acquired));
            bench_check(acquired ? trib_unlock(at->mutexes, at->target, 0) : TRIB_MUTEX_STATE);
            break;
        default:
            for (int i = 0; i < BENCH_WINDOW; i++) {
                expect_equal(at, run->offsets[i], run->bytes, true);
            }
            break;
    }
}

static long timed_iterations(enum bench_op op, size_t bytes, long full) {
    long divisor = bytes <= 8 << 10 ? 1 : bytes < 1 << 20 ? (bench_is_window(op) ? 100 : 10)
        : (bench_is_window(op) ? 1000 : 50);
    return full / divisor < 1 ? 1 : full / divisor;
}

static long repeat(struct run *run, long iterations, int64_t within_ns, int64_t *times, int64_t *total_ns) {
    long count = 0;
    int64_t start = bench_now_ns();
    int64_t before = start;
    while (count < iterations && before - start < within_ns) {
        once(run);
        int64_t after = bench_now_ns();
        times[count++] = after - before;
        before = after;
    }
    if (bench_is_window(run->op)) {
        bench_check(trib_fence(run->at->job, run->at->target));
    }
    *total_ns = bench_now_ns() - start;
    return count;
}

static int ascending(const void *a, const void *b) {
    int64_t one;
    int64_t other;
    memcpy(&one, a, sizeof one);
    memcpy(&other, b, sizeof other);
    return one < other ? -1 : one > other;
}

static int64_t percentile(const int64_t *sorted, long count, int percent) {
    long rank = (count * percent + 99) / 100 - 1;
    return sorted[rank < 0 ? 0 : rank];
}

struct bench_sample bench_measure(const struct bench_endpoint *at, enum bench_op op, size_t bytes, int seed) {
    struct run run = {.at = at, .op = op, .bytes = bytes};
    long iterations = timed_iterations(op, bytes, at->options->iterations);
    long warm_up = WARM_UP_FACTOR * at->options->iterations / (bench_is_window(op) ? BENCH_WINDOW : 1);
    warm_up = iterations / 5 > warm_up ? iterations / 5 : warm_up;
    int64_t *times = malloc((size_t) (iterations > warm_up ? iterations : warm_up) * sizeof *times);
    struct bench_sample sample;
    if (times == NULL) {
        fprintf(stderr, "tributary-bench: no memory for %ld times\n", iterations);
        exit(1);
    }
    prepare(&run, seed);
    repeat(&run, warm_up, WARM_UP_LIMIT_NS, times, &sample.total_ns);
    sample.iterations = repeat(&run, iterations, LIMIT_NS, times, &sample.total_ns);
    qsort(times, (size_t) sample.iterations, sizeof *times, ascending);
    sample.median_ns = percentile(times, sample.iterations, 50);
    sample.p99_ns = percentile(times, sample.iterations, 99);
    sample.max_ns = times[sample.iterations - 1];
    free(times);
    verify(&run);
    return sample;
}

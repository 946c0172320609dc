/* The parts of tributary-bench, which measures the rows of `tributary bench one-sided` with the C client. */
#ifndef TRIB_BENCH_H
#define TRIB_BENCH_H

#include "tributary.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define BENCH_WINDOW 64
#define BENCH_MAX_SIZES 32

/** In the order of the Java benchmark. */
enum bench_op {
    PUT_FENCE, GET, ACCUMULATE_FENCE, FETCH_AND_ADD, LOCK_UNLOCK, STRIDED_PUT_FENCE, STRIDED_GET, PUT_RATE,
    AGGREGATE_PUT_RATE, PUT_BANDWIDTH, BENCH_OPS
};

extern const char *const bench_op_names[BENCH_OPS];

struct bench_options {
    bool ops[BENCH_OPS];
    bool paths[2];  /* node, remote */
    bool states[2]; /* blocked, computing */
    size_t sizes[BENCH_MAX_SIZES];
    int size_count;
    long iterations;
    size_t rows;
    size_t row_bytes;
    size_t pitch;
    long repeat;
    const char *json;
    char **arguments; /* of the command line */
    int argument_count;
};

/** From the command line; exits with a message when that is wrong. */
void bench_options_read(struct bench_options *options, int count, char **arguments);

/** Operands of an operation. */
struct bench_endpoint {
    trib *job;
    trib_memory *memory;
    trib_mutexes *mutexes;
    int target;
    uint8_t *source;
    uint8_t *sink;
    size_t bytes; /* of all three */
    const struct bench_options *options;
};

struct bench_sample {
    long iterations;
    int64_t median_ns;
    int64_t p99_ns;
    int64_t max_ns;
    int64_t total_ns;
};

/** Measures an operation of that size, and verifies what it has left. */
struct bench_sample bench_measure(const struct bench_endpoint *at, enum bench_op op, size_t bytes, int seed);
bool bench_is_window(enum bench_op op);
/** Of the monotonic clock. */
int64_t bench_now_ns(void);
/** Ends the process with a message when a call has failed. */
void bench_check(int status);

#endif

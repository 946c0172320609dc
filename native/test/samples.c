/* Short operations of which a trace has a sample. */
#include "testing.h"

#include "rank/rank.h"
#include "units.h"

#define MANY 4000000
#define APART_US (5 * TRIB_TRACE_SAMPLE_NS / 1000)
#define ROUNDS 20

static int64_t word(const uint8_t *at) {
    int64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/** One more, with its record if it is due; returns whether it was. */
static bool operate(struct trib_traced *traced, struct trib_trace_sample *sample) {
    if (!trib_trace_is_due(sample)) {
        trib_trace_count(sample, traced->bytes);
        return false;
    }
    trib_traced_begin(traced);
    trib_traced_sampled(traced, sample);
    return true;
}

/** How many the records stand for. */
static int64_t counted(const uint8_t *memory) {
    int64_t sum = 0;
    for (int64_t i = 0; i < word(memory + TRIB_TRACE_NEXT_OFFSET); i++) {
        int32_t count;
        memcpy(&count, memory + TRIB_TRACE_RECORDS_OFFSET + i * TRIB_TRACE_RECORD_BYTES + TRIB_TRACE_COUNT_OFFSET,
               sizeof count);
        sum += count;
    }
    return sum;
}

static void should_record_fewer_while_records_would_come_soon(void) {
    trib job = {.trace = {.memory = calloc(1, TRIB_TRACE_FILE_BYTES), .random = 1}};
    struct trib_traced traced = {.job = &job, .operation = 0, .bytes = 8};
    struct trib_trace_sample samples[TRIB_TRACE_OPERATIONS] = {{0}};
    CHECK(job.trace.memory != NULL);
    for (int i = 0; i < MANY; i++) {
        operate(&traced, samples);
    }
    int64_t records = word(job.trace.memory + TRIB_TRACE_NEXT_OFFSET);
    CHECK(records > 10 && records < MANY / (2 * TRIB_TRACE_SAMPLE));
    int64_t operations = MANY;
    int row = 0;
    for (int round = 0; round < ROUNDS; round++) {
        usleep(APART_US);
        for (row = 1; !operate(&traced, samples); row++) {
        }
        operations += row;
    }
    CHECK(row <= 2 * TRIB_TRACE_SAMPLE);
    trib_trace_flush(&job, samples);
    EQUAL(counted(job.trace.memory), operations);
    free(job.trace.memory);
}

static void should_record_each_that_waited_when_they_are_far_apart(void) {
    trib job = {.trace = {.memory = calloc(1, TRIB_TRACE_FILE_BYTES), .random = 1}};
    struct trib_traced traced = {.job = &job, .operation = 0, .bytes = 8, .began_ns = 1, .ended_ns = 2};
    CHECK(job.trace.memory != NULL);
    for (int i = 0; i < MANY; i++) {
        trib_traced_finish(&traced);
    }
    int64_t records = word(job.trace.memory + TRIB_TRACE_NEXT_OFFSET);
    CHECK(records < MANY / TRIB_TRACE_RAREST_SAMPLE + 100);
    for (int i = 0; i < ROUNDS; i++) {
        traced.began_ns += 5L * TRIB_TRACE_SAMPLE_NS;
        traced.ended_ns = traced.began_ns + 1;
        trib_traced_finish(&traced);
    }
    EQUAL(word(job.trace.memory + TRIB_TRACE_NEXT_OFFSET), records + ROUNDS);
    EQUAL(counted(job.trace.memory), MANY + ROUNDS);
    free(job.trace.memory);
}

void test_samples(void) {
    should_record_fewer_while_records_would_come_soon();
    should_record_each_that_waited_when_they_are_far_apart();
}

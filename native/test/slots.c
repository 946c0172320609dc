/* More threads of a rank are blocked than there are places in which it says so. */
#include "testing.h"

#include "rank/rank.h"
#include "units.h"

#include <pthread.h>

#define THREADS (2 * TRIB_WAIT_SLOTS)
#define ROUNDS 20000

static trib *new_rank(void) {
    trib *job = calloc(1, sizeof *job);
    CHECK(job != NULL);
    job->node.control = calloc(1, TRIB_CONTROL_RANK_BLOCKS_OFFSET + TRIB_CONTROL_RANK_NOTIFY_OFFSET);
    CHECK(job->node.control != NULL && pthread_mutex_init(&job->node.further_lock, NULL) == 0);
    return job;
}

static void free_rank(trib *job) {
    pthread_mutex_destroy(&job->node.further_lock);
    free(job->node.further);
    free(job->node.control);
    free(job);
}

static const uint8_t *slot_of(const trib *job, int slot) {
    return trib_rank_block(&job->node, 0) + TRIB_CONTROL_RANK_WAITS_OFFSET + (size_t) slot * TRIB_WAIT_SLOT_BYTES;
}

static int kind(const trib *job, int slot) {
    int32_t kind;
    memcpy(&kind, slot_of(job, slot) + TRIB_WAIT_KIND_OFFSET, sizeof kind);
    return kind;
}

static int64_t number(const trib *job, int slot, int offset) {
    int64_t number;
    memcpy(&number, slot_of(job, slot) + offset, sizeof number);
    return number;
}

static int64_t counted(const trib *job) {
    int64_t sum = number(job, 0, TRIB_WAIT_HIDDEN_OFFSET);
    for (int slot = 0; slot < TRIB_WAIT_SLOTS; slot++) {
        sum += number(job, slot, TRIB_WAIT_COUNT_OFFSET);
    }
    return sum;
}

static int begin(trib *job, int kind) {
    struct trib_cause wait = {.kind = kind, .peer = 1};
    return trib_wait_begin(job, &wait);
}

static void should_show_a_further_thread_when_a_slot_is_free(void) {
    trib *job = new_rank();
    int64_t began_ns = trib_now_ns();
    for (int slot = 0; slot < TRIB_WAIT_SLOTS; slot++) {
        EQUAL(begin(job, TRIB_WAIT_FENCE), slot);
    }
    int longest = begin(job, TRIB_WAIT_MUTEX);
    int over = begin(job, TRIB_WAIT_ROOM);
    int last = begin(job, TRIB_WAIT_FLAG);
    trib_wait_end(job, over);
    int64_t ends_ns = trib_now_ns();
    trib_wait_end(job, 2);
    EQUAL(kind(job, 2), TRIB_WAIT_MUTEX);
    int64_t since_ns = number(job, 2, TRIB_WAIT_SINCE_OFFSET);
    CHECK(since_ns >= began_ns && since_ns <= ends_ns);
    trib_wait_end(job, longest);
    EQUAL(kind(job, 2), TRIB_WAIT_FLAG);
    trib_wait_end(job, 0);
    trib_wait_end(job, 1);
    trib_wait_end(job, 3);
    EQUAL(kind(job, 0) + kind(job, 1) + kind(job, 3), TRIB_WAIT_NONE);
    EQUAL(kind(job, 2), TRIB_WAIT_FLAG);
    trib_wait_end(job, last);
    EQUAL(kind(job, 2), TRIB_WAIT_NONE);
    EQUAL(counted(job), 1); /* the others were within the first */
    free_rank(job);
}

static void should_tell_that_the_rank_has_left_when_a_slot_is_free(void) {
    trib *job = new_rank();
    for (int slot = 0; slot < TRIB_WAIT_SLOTS; slot++) {
        begin(job, TRIB_WAIT_FENCE);
    }
    trib_wait_left(job);
    for (int slot = 0; slot < TRIB_WAIT_SLOTS; slot++) {
        trib_wait_end(job, slot);
    }
    EQUAL(kind(job, 0), TRIB_WAIT_LEFT);
    free_rank(job);
}

static void *block_often(void *argument) {
    trib *job = argument;
    for (int round = 0; round < ROUNDS; round++) {
        int wait = begin(job, TRIB_WAIT_MUTEX);
        trib_wait_end(job, begin(job, TRIB_WAIT_ANSWER)); /* within the other */
        trib_wait_end(job, wait);
    }
    return NULL;
}

static void should_show_and_count_all_waits_when_many_threads_block(void) {
    trib *job = new_rank();
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, block_often, job) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    EQUAL(counted(job), (int64_t) ROUNDS * THREADS);
    EQUAL(job->node.hidden, 0);
    for (int slot = 0; slot < TRIB_WAIT_SLOTS; slot++) {
        EQUAL(kind(job, slot), TRIB_WAIT_NONE);
        EQUAL(begin(job, TRIB_WAIT_FENCE), slot);
    }
    free_rank(job);
}

void test_wait_slots(void) {
    should_show_a_further_thread_when_a_slot_is_free();
    should_tell_that_the_rank_has_left_when_a_slot_is_free();
    should_show_and_count_all_waits_when_many_threads_block();
}

/*
 * Requests that go by channels of the network adapter, among transfers by the adapter itself, in a job of several
 * nodes. The first argument says what is done; fabric.channels, whether requests can go so.
 */
#include "testing.h"

#include "link/channel.h"
#include "link/links.h"

#include <pthread.h>
#include <time.h>

#define WINDOW (256 << 10) /* of a thread, at each rank */
#define LARGEST (200 << 10)
#define SHARED_WORDS 64
#define STEPS 3000
#define THREADS 3
#define PATIENCE_S 100

static trib *job;
static int rank;
static int size;
static trib_memory *memory; /* windows of all threads of all ranks, and behind them what they share */
static int64_t shared_added; /* atomic; by this rank, to words of each rank */

/** How many messages this rank has written to blocks so far. */
static int64_t written(void) {
    struct trib_adapter_face *adapter = job->links->adapter;
    trib_links_lock(job->links);
    int64_t count = adapter == NULL ? 0 : adapter->written;
    trib_links_unlock(job->links);
    return count;
}

static bool has_channel(int node) {
    trib_links_lock(job->links);
    struct trib_path *path = trib_links_path(job, node);
    bool has = path != NULL && path->route->channel != NULL && path->route->channel->block != NULL;
    trib_links_unlock(job->links);
    return has;
}

static time_t now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static size_t window_of(int thread) {
    return (size_t) (rank * THREADS + thread) * WINDOW;
}

static size_t shared(void) {
    return (size_t) (size * THREADS) * WINDOW;
}

static void fill(uint8_t *bytes, size_t count, uint32_t *random) {
    for (size_t i = 0; i < count; i++) {
        *random = trib_next_random(*random);
        bytes[i] = (uint8_t) (*random >> 8);
    }
}

/** Adds to 8-byte words of the model what an accumulate adds at the target. */
static void add(uint8_t *model, const uint8_t *from, size_t bytes, int64_t scale) {
    for (size_t at = 0; at < bytes; at += 8) {
        uint64_t word;
        uint64_t more;
        memcpy(&word, model + at, 8);
        memcpy(&more, from + at, 8);
        word += more * (uint64_t) scale;
        memcpy(model + at, &word, 8);
    }
}

struct thread {
    pthread_t id;
    int number;
    uint32_t random;
    uint8_t **models; /* of its windows, by rank */
    uint8_t *data;
};

static uint32_t draw(struct thread *thread, uint32_t below) {
    thread->random = trib_next_random(thread->random);
    return (thread->random >> 4) % below;
}

/** Mostly little, sometimes more than a message of a channel, rarely so much that the adapter moves it. */
static size_t draw_bytes(struct thread *thread) {
    uint32_t kind = draw(thread, 40);
    return 8 * (1 + (size_t) draw(thread, kind < 32 ? 40 : kind < 39 ? 3000 : LARGEST / 8));
}

/** One of the operations on a window of its own; what it does there is done to the model as well. */
static void step(struct thread *thread, trib_handle *handle) {
    int target = (int) draw(thread, (uint32_t) size);
    size_t bytes = draw_bytes(thread);
    size_t at = 8 * (size_t) draw(thread, (uint32_t) (WINDOW - bytes) / 8 + 1);
    size_t offset = window_of(thread->number) + at;
    uint8_t *model = thread->models[target] + at;
    int64_t scale = (int64_t) draw(thread, 7) - 3;
    int64_t old;
    trib_shape shape = {.block_bytes = bytes / 16 * 8, .levels = 1, .count = {2},
                        .local_stride = {(int64_t) bytes / 16 * 8}, .remote_stride = {(int64_t) bytes / 16 * 8}};
    fill(thread->data, bytes, &thread->random);
    switch (draw(thread, 10)) {
        case 0:
            OK(trib_put(memory, target, offset, thread->data, bytes));
            memcpy(model, thread->data, bytes);
            break;
        case 1:
        case 2:
        case 3:
            OK(trib_nb_put(memory, target, offset, thread->data, bytes, handle));
            memcpy(model, thread->data, bytes);
            break;
        case 4:
            OK(trib_accumulate(memory, target, offset, TRIB_INT64, &scale, thread->data, bytes));
            add(model, thread->data, bytes, scale);
            break;
        case 5:
            OK(trib_nb_accumulate(memory, target, offset, TRIB_INT64, &scale, thread->data, bytes, handle));
            add(model, thread->data, bytes, scale);
            break;
        case 6:
            if (shape.block_bytes > 0) {
                OK(trib_put_strided(memory, target, offset, thread->data, &shape));
                memcpy(model, thread->data, 2 * shape.block_bytes);
            }
            break;
        case 7:
            OK(trib_get(memory, target, offset, thread->data, bytes));
            CHECK(memcmp(thread->data, model, bytes) == 0);
            break;
        case 8:
            OK(trib_nb_get(memory, target, offset, thread->data, bytes, handle));
            OK(trib_wait(handle));
            CHECK(memcmp(thread->data, model, bytes) == 0);
            break;
        default:
            OK(trib_fetch_add_i64(memory, target, offset, scale, &old));
            CHECK(memcmp(&old, model, sizeof old) == 0);
            old = (int64_t) ((uint64_t) old + (uint64_t) scale);
            memcpy(model, &old, sizeof old);
    }
}

/** To words that all ranks add to; accumulates are atomic among themselves only. */
static void step_together(struct thread *thread) {
    size_t place = draw(thread, SHARED_WORDS / 2);
    int64_t one = 1;
    int64_t old;
    for (int target = 0; target < size; target++) {
        if (draw(thread, 2) == 0) {
            OK(trib_fetch_add_i64(memory, target, shared() + 16 * place, 1, &old));
        } else {
            OK(trib_accumulate(memory, target, shared() + 16 * place + 8, TRIB_INT64, &one, &one, sizeof one));
        }
    }
    __atomic_fetch_add(&shared_added, 1, __ATOMIC_RELAXED);
}

static void *work(void *argument) {
    struct thread *thread = argument;
    trib_handle handles[2];
    OK(trib_handle_init(job, TRIB_PLAIN, &handles[0]));
    OK(trib_handle_init(job, TRIB_AGGREGATE, &handles[1]));
    for (int i = 0; i < STEPS; i++) {
        step(thread, &handles[i % 2]);
        if (i % 16 == 0) {
            step_together(thread);
        }
        if (i % 500 == 0) {
            OK(trib_fence(job, (int) draw(thread, (uint32_t) size)));
        }
    }
    OK(trib_wait_handles(handles, 2));
    OK(trib_fence_all(job));
    uint8_t *seen = malloc(WINDOW);
    CHECK(seen != NULL);
    for (int target = 0; target < size; target++) {
        OK(trib_get(memory, target, window_of(thread->number), seen, WINDOW));
        CHECK(memcmp(seen, thread->models[target], WINDOW) == 0);
    }
    free(seen);
    return NULL;
}

static void begin(struct thread *thread, int number) {
    *thread = (struct thread) {.number = number, .random = (uint32_t) (rank * 100 + number + 1)};
    thread->data = malloc(WINDOW);
    thread->models = calloc((size_t) size, sizeof *thread->models);
    CHECK(thread->data != NULL && thread->models != NULL);
    for (int target = 0; target < size; target++) {
        thread->models[target] = calloc(1, WINDOW);
        CHECK(thread->models[target] != NULL);
    }
}

static void end(struct thread *thread) {
    for (int target = 0; target < size; target++) {
        free(thread->models[target]);
    }
    free(thread->models);
    free(thread->data);
}

/** What all ranks have added has arrived everywhere. */
static void check_shared(void) {
    int64_t sum = 0;
    int64_t all = 0;
    OK(trib_barrier(job));
    OK(trib_reduce(trib_world(job), 0, TRIB_SUM, TRIB_INT64, &shared_added, &all, 1));
    OK(trib_broadcast(trib_world(job), 0, &all, sizeof all));
    const int64_t *words = (const int64_t *) trib_memory_at(memory, rank);
    words = (const int64_t *) ((uintptr_t) words + shared());
    for (int i = 0; i < SHARED_WORDS; i++) {
        sum += words[i];
    }
    EQUAL(sum, all);
    OK(trib_barrier(job));
}

/** Sends much to another node until it has a channel there. */
static void earn(int node) {
    time_t until_s = now_s() + PATIENCE_S;
    int64_t old;
    for (int i = 0; !has_channel(node); i++) {
        OK(trib_fetch_add_i64(memory, trib_first_rank(job, node), shared() + 8 * SHARED_WORDS, 1, &old));
        CHECK(i % 100 != 0 || now_s() < until_s);
    }
}

/** Everything that a rank does takes effect in its order, whichever way it goes. */
static void should_match_a_model(void) {
    int64_t others = size - trib_node_size(job, trib_node(job));
    int64_t channels = job->links->adapter == NULL ? 0 : job->settings.fabric_channels;
    struct thread alone;
    struct thread threads[THREADS - 1];
    if (channels >= others) {
        for (int node = 0; node < trib_node_count(job); node++) {
            if (node != trib_node(job)) {
                earn(node);
            }
        }
    }
    int64_t before = written();
    begin(&alone, 0);
    work(&alone);
    end(&alone);
    check_shared();
    for (int i = 0; i < THREADS - 1; i++) {
        begin(&threads[i], i + 1);
        EQUAL(pthread_create(&threads[i].id, NULL, work, &threads[i]), 0);
    }
    for (int i = 0; i < THREADS - 1; i++) {
        pthread_join(threads[i].id, NULL);
        end(&threads[i]);
    }
    check_shared();
    CHECK(channels < others || written() - before > STEPS / 2);
    CHECK(channels > 0 || written() == 0);
}

/** Ranks of nodes 1 and 2 send to node 0 in turns, which gives one channel. */
static void should_take_turns(void) {
    enum { TURNS = 4 };
    size_t turn_word = shared() + 8 * SHARED_WORDS + 8;
    int64_t old;
    EQUAL(trib_node_count(job), 3);
    int node = trib_node(job);
    OK(trib_barrier(job));
    for (int turn = 0; turn < TURNS && node != 0; turn++) {
        int other = trib_first_rank(job, 3 - node);
        if (node == 1 + turn % 2) {
            int64_t before = written();
            earn(0);
            step_together(&(struct thread) {.random = (uint32_t) turn + 1});
            CHECK(written() > before);
            OK(trib_fetch_add_i64(memory, trib_first_rank(job, 0), turn_word, 1, &old));
            EQUAL(old, turn);
            OK(trib_notify(job, other));
        } else {
            int64_t now;
            OK(trib_wait_notify(job, other)); /* it sends nothing to node 0, and leaves its channel there */
            OK(trib_get_i64(memory, trib_first_rank(job, 0), turn_word, &now)); /* when that has all been taken */
            EQUAL(now, turn + 1);
            CHECK(!has_channel(0));
        }
    }
    OK(trib_barrier(job));
    check_shared();
}

/** Ends the process without leaving the job, in the middle of requests that nobody waits for. */
static void should_leave_channels_at_the_end_of_the_process(void) {
    int other = trib_node(job) == 0 ? 1 : 0;
    int64_t one = 1;
    earn(other);
    for (int i = 0; i < 1000; i++) {
        OK(trib_accumulate(memory, trib_first_rank(job, other), shared(), TRIB_INT64, &one, &one, sizeof one));
    }
    printf("channels: all well on rank %d\n", rank);
    fflush(stdout);
    exit(0);
}

int main(int count, char **arguments) {
    job = attach();
    rank = trib_rank(job);
    size = trib_size(job);
    CHECK(count == 2 && trib_node_count(job) > 1);
    OK(trib_allocate(trib_world(job), shared() + 8 * (SHARED_WORDS + 2), &memory));
    OK(trib_barrier(job));
    if (strcmp(arguments[1], "exit") == 0) {
        should_leave_channels_at_the_end_of_the_process();
    } else if (strcmp(arguments[1], "turns") == 0) {
        should_take_turns();
    } else {
        EQUAL(strcmp(arguments[1], "model"), 0);
        trib_much_for_a_channel = 1; /* however busy the machine is */
        should_match_a_model();
    }
    OK(trib_barrier(job));
    OK(trib_free(memory));
    printf("channels: rank %d has written %" PRId64 " messages\n", rank, written());
    OK(trib_detach(job));
    printf("channels: all well on rank %d\n", rank);
    return 0;
}

/*
 * Large transfers that a network adapter moves, between two ranks on two nodes. What goes by the adapter is counted
 * by its pieces, of 128 KiB or 32 blocks each, or 1 MiB where the adapter itself uses the memory of the caller.
 */
#include "testing.h"

#include "link/adapter.h"
#include "link/links.h"
#include "memory/remote.h"

#include <dirent.h>
#include <pthread.h>

#define LARGE 300000
#define WINDOW (3 << 20)
#define STEPS 400
#define THREADS 4

extern int64_t trib_adapter_threshold;

static trib *job;
static int rank;

static int64_t moved(void) {
    return job->links->adapter->begun;
}

/** Whether the adapter uses memory that nobody has registered; tcp and shm do. */
static bool is_direct(void) {
    return trib_adapter_of(job)->direct != NULL;
}

/** Whether it uses memory of 1 MiB itself, or when it is registered; verbs does. */
static bool uses_much(void) {
    return is_direct() || trib_adapter_of(job)->registers;
}

static bool is_shm(void) {
    return strcmp(trib_adapter_of(job)->provider, "shm") == 0;
}

/** Aligned so that provider shm, too, reads to it itself. */
static uint8_t *empty(int64_t bytes) {
    void *made = NULL;
    CHECK(posix_memalign(&made, 64, (size_t) bytes) == 0);
    memset(made, 0, (size_t) bytes);
    return made;
}

static uint8_t *filled(int64_t bytes, unsigned seed) {
    uint8_t *made = malloc((size_t) bytes);
    uint32_t random = seed * 2654435761u + 1;
    for (int64_t i = 0; i < bytes; i++) {
        random = trib_next_random(random);
        made[i] = (uint8_t) random;
    }
    return made;
}

static void should_move_what_is_large(void) {
    trib_memory *memory;
    trib_handle handle;
    OK(trib_allocate(trib_world(job), 2 * LARGE, &memory));
    OK(trib_handle_init(job, TRIB_PLAIN, &handle));
    uint8_t *out = filled(LARGE, (unsigned) rank + 1);
    uint8_t *in = empty(LARGE);
    for (int round = 0; round < 20; round++) {
        int64_t before = moved();
        OK(trib_put(memory, 1 - rank, (size_t) round, out, LARGE));
        EQUAL(moved() - before, 3);
        OK(trib_nb_put(memory, 1 - rank, (size_t) round, out, LARGE, &handle));
        memset(in, 0, LARGE);
        OK(trib_nb_get(memory, 1 - rank, (size_t) round, in, LARGE, &handle));
        OK(trib_wait(&handle));
        CHECK(memcmp(in, out, LARGE) == 0);
        memset(in, 0, LARGE);
        OK(trib_get(memory, 1 - rank, (size_t) round, in, LARGE));
        CHECK(memcmp(in, out, LARGE) == 0);
        EQUAL(moved() - before, is_direct() ? 8 : 12);
        OK(trib_put(memory, 1 - rank, 0, out, 4095));
        EQUAL(moved() - before, is_direct() ? 8 : 12);
    }
    OK(trib_fence(job, 1 - rank));
    OK(trib_barrier(job));
    uint8_t *theirs = filled(LARGE, (unsigned) (1 - rank) + 1);
    CHECK(memcmp((uint8_t *) trib_memory_local(memory) + 4095, theirs + 4095 - 19, LARGE - 4095) == 0);
    free(theirs);
    free(out);
    free(in);
    OK(trib_barrier(job));
    OK(trib_free(memory));
}

static void should_move_large_blocks(void) {
    const trib_shape shape = {.block_bytes = 5000, .levels = 2, .count = {7, 5}, .local_stride = {5000, 40000},
                              .remote_stride = {-6000, 100000}};
    const trib_shape on_one = {.block_bytes = 5000, .levels = 1, .count = {3}, .local_stride = {5000},
                               .remote_stride = {0}};
    trib_memory *memory;
    OK(trib_allocate(trib_world(job), 3 * LARGE, &memory));
    uint8_t *out = filled(LARGE, 7);
    uint8_t *in = calloc(1, LARGE);
    int64_t before = moved();
    OK(trib_put_strided(memory, 1 - rank, 50000, out, &shape));
    OK(trib_get_strided(memory, 1 - rank, 50000, in, &shape));
    EQUAL(moved() - before, 4);
    for (int row = 0; row < 5; row++) {
        CHECK(memcmp(in + 40000 * row, out + 40000 * row, 35000) == 0);
    }
    trib_range to[] = {{out, 16, 10000}, {out + 10000, 8, 0}, {out + 150000, 200000, 140000}};
    trib_range back[] = {{in, 16, 10000}, {in + 10000, 8, 0}, {in + 150000, 200000, 140000}};
    memset(in, 0, LARGE);
    OK(trib_put_vector(memory, 1 - rank, to, 3));
    OK(trib_get_vector(memory, 1 - rank, back, 3));
    int64_t pieces = is_direct() && !is_shm() ? 7 : 8;
    EQUAL(moved() - before, pieces);
    CHECK(memcmp(in, out, 10000) == 0 && memcmp(in + 150000, out + 150000, 140000) == 0 && in[10000] == 0);
    OK(trib_put_strided(memory, 1 - rank, 0, out, &on_one)); /* the last is to stay, which messages see to */
    EQUAL(moved() - before, pieces);
    OK(trib_get(memory, 1 - rank, 0, in, 4000));
    CHECK(memcmp(in, out + 10000, 4000) == 0);
    free(out);
    free(in);
    OK(trib_barrier(job));
    OK(trib_free(memory));
}

/** The caller frees its memory as soon as it has it back. */
static void should_use_memory_of_callers_until_they_have_it_back(void) {
    trib_memory *memory;
    OK(trib_allocate(trib_world(job), WINDOW, &memory));
    uint8_t *warm = filled(LARGE, 1);
    OK(trib_put(memory, 1 - rank, 0, warm, LARGE));
    free(warm);
    for (int round = 0; round < 10; round++) {
        int64_t bytes = WINDOW - 100 * round;
        uint8_t *out = filled(bytes, (unsigned) round);
        int64_t before = moved();
        OK(trib_put(memory, 1 - rank, (size_t) (100 * round), out, (size_t) bytes));
        free(out);
        uint8_t *in = empty(bytes);
        OK(trib_get(memory, 1 - rank, (size_t) (100 * round), in, (size_t) bytes));
        EQUAL(moved() - before, uses_much() ? 6 : 48);
        out = filled(bytes, (unsigned) round);
        CHECK(memcmp(in, out, (size_t) bytes) == 0);
        free(out);
        free(in);
    }
    OK(trib_barrier(job));
    OK(trib_free(memory));
}

static void should_be_there_when_the_flag_is(void) {
    trib_memory *memory;
    OK(trib_allocate(trib_world(job), LARGE + 16, &memory));
    const trib_shape shape = {.block_bytes = LARGE / 4, .levels = 1, .count = {4}, .local_stride = {LARGE / 4},
                              .remote_stride = {LARGE / 4}};
    for (int round = 1; round <= 40; round++) {
        uint8_t *data = filled(LARGE, (unsigned) round);
        if (rank == 0 && round % 2 == 0) {
            OK(trib_put_flag(memory, 1, 0, data, LARGE, LARGE, round));
        } else if (rank == 0) {
            OK(trib_put_strided_flag(memory, 1, 0, data, &shape, LARGE, round));
        }
        if (rank == 0) {
            OK(trib_await_flag(memory, LARGE + 8, round, 1));
        } else {
            OK(trib_await_flag(memory, LARGE, round, 0));
            CHECK(memcmp(trib_memory_local(memory), data, LARGE) == 0);
            OK(trib_put_flag(memory, 0, 0, data, 8, LARGE + 8, round));
        }
        free(data);
    }
    OK(trib_barrier(job));
    OK(trib_free(memory));
}

/** One step of a random mix; what it does to the other rank's part is done to the model as well. */
static void step(trib_memory *memory, trib_handle *handle, uint8_t *model, uint32_t *random) {
    *random = trib_next_random(*random);
    int64_t bytes = 8 * (1 + (int64_t) (*random % (1u << (3 + *random % 15))));
    *random = trib_next_random(*random);
    size_t offset = 8 * (*random % (uint32_t) ((WINDOW - bytes) / 8));
    uint8_t *data = filled(bytes, *random);
    uint8_t *place = model + offset;
    int64_t old;
    switch (*random % 6) {
        case 0:
            OK(trib_put(memory, 1 - rank, offset, data, (size_t) bytes));
            memcpy(place, data, (size_t) bytes);
            break;
        case 1:
        case 2:
            OK(trib_nb_put(memory, 1 - rank, offset, data, (size_t) bytes, handle));
            memcpy(place, data, (size_t) bytes);
            break;
        case 3:
            OK(trib_get(memory, 1 - rank, offset, data, (size_t) bytes));
            CHECK(memcmp(data, place, (size_t) bytes) == 0);
            break;
        case 4: {
            trib_shape shape = {.block_bytes = (size_t) bytes / 2, .levels = 1, .count = {2},
                                .local_stride = {bytes / 2}, .remote_stride = {bytes / 2}};
            OK(trib_put_strided(memory, 1 - rank, offset, data, &shape));
            memcpy(place, data, (size_t) bytes / 2 * 2);
            break;
        }
        default:
            OK(trib_fetch_add_i64(memory, 1 - rank, offset, 5, &old));
            CHECK(memcmp(&old, place, sizeof old) == 0);
            old = (int64_t) ((uint64_t) old + 5);
            memcpy(place, &old, sizeof old);
    }
    free(data);
}

/** Everything that a rank does takes effect in its order, whichever way it goes. */
static void should_match_a_model(int64_t threshold) {
    trib_memory *memory;
    trib_handle handles[2];
    uint32_t random = (uint32_t) rank + 77;
    uint8_t *model = calloc(1, WINDOW);
    uint8_t *seen = malloc(WINDOW);
    int64_t before = moved();
    trib_adapter_threshold = threshold;
    OK(trib_allocate(trib_world(job), WINDOW, &memory));
    OK(trib_handle_init(job, TRIB_PLAIN, &handles[0]));
    OK(trib_handle_init(job, TRIB_AGGREGATE, &handles[1]));
    for (int i = 0; i < STEPS; i++) {
        step(memory, &handles[i % 2], model, &random);
    }
    OK(trib_wait_handles(handles, 2));
    OK(trib_fence_all(job));
    OK(trib_get(memory, 1 - rank, 0, seen, WINDOW));
    CHECK(memcmp(seen, model, WINDOW) == 0);
    CHECK(moved() - before > STEPS / 8);
    trib_adapter_threshold = 4096;
    free(model);
    free(seen);
    OK(trib_barrier(job));
    OK(trib_free(memory));
}

struct thread {
    pthread_t id;
    trib_memory *memory;
    int number;
};

static void *work(void *argument) {
    struct thread *thread = argument;
    size_t base = (size_t) thread->number * LARGE;
    uint8_t *in = malloc(LARGE - 8);
    trib_handle handle;
    OK(trib_handle_init(job, TRIB_PLAIN, &handle));
    for (int round = 0; round < 40; round++) {
        uint8_t *out = filled(LARGE - 8, (unsigned) (round + 100 * thread->number + 1000 * rank));
        int64_t old;
        OK(trib_nb_put(thread->memory, 1 - rank, base, out, LARGE - 8, &handle));
        OK(trib_fetch_add_i64(thread->memory, 1 - rank, base + LARGE - 8, 1, &old));
        EQUAL(old, round);
        OK(trib_nb_get(thread->memory, 1 - rank, base, in, LARGE - 8, &handle));
        OK(trib_wait(&handle));
        CHECK(memcmp(in, out, LARGE - 8) == 0);
        if (round % 10 == 0) {
            OK(trib_fence(job, 1 - rank));
        }
        free(out);
    }
    free(in);
    return NULL;
}

static void should_keep_threads_apart(void) {
    struct thread threads[THREADS];
    trib_memory *memory;
    OK(trib_allocate(trib_world(job), THREADS * LARGE, &memory));
    for (int i = 0; i < THREADS; i++) {
        threads[i] = (struct thread) {.memory = memory, .number = i};
        EQUAL(pthread_create(&threads[i].id, NULL, work, &threads[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i].id, NULL);
    }
    OK(trib_barrier(job));
    OK(trib_free(memory));
}

/** As if a member had freed what another one still writes, which no program can. */
static void should_say_what_failed_and_go_on_with_messages(bool reads) {
    trib_memory *memory;
    trib_handle handle;
    uint8_t *data = filled(LARGE, 3);
    OK(trib_allocate(trib_world(job), LARGE, &memory));
    OK(trib_handle_init(job, TRIB_PLAIN, &handle));
    OK(trib_put(memory, 1 - rank, 0, data, LARGE));
    OK(trib_fence_all(job));
    OK(trib_barrier(job));
    if (rank == 1) {
        OK(trib_request_free(job, trib_memory_id(memory)));
    }
    OK(trib_barrier(job));
    if (rank == 0) {
        if (reads) {
            FAILS(trib_get(memory, 1, 16, data, LARGE - 16), TRIB_ADAPTER_FAILED,
                  "get of 299984 bytes failed in the network adapter: rank 1, segment ");
        } else {
            OK(trib_nb_put(memory, 1, 16, data, LARGE - 16, &handle));
            OK(trib_wait(&handle));
            FAILS(trib_fence(job, 1), TRIB_ADAPTER_FAILED,
                  "put of 299984 bytes failed in the network adapter: rank 1, segment ");
        }
        EQUAL(trib_last_error()->rank, 1);
        EQUAL(trib_last_error()->offset, 16);
        EQUAL(trib_last_error()->length, LARGE - 16);
        OK(trib_fence(job, 1));
        int64_t before = moved();
        OK(trib_put(memory, 1, 16, data, LARGE - 16));
        FAILS(trib_fence(job, 1), TRIB_INVALID_ADDRESS, "segment does not exist");
        EQUAL(moved() - before, 0);
    }
    OK(trib_barrier(job));
    free(data);
}

/** The other rank is one in Java; see AdapterTest. */
static void should_share_memory_with_ranks_in_java(void) {
    enum { BYTES = 200000 };
    trib_memory *memory;
    OK(trib_allocate(trib_world(job), BYTES, &memory));
    OK(trib_barrier(job));
    const uint8_t *own = trib_memory_local(memory);
    uint8_t *data = malloc(BYTES);
    for (int i = 0; i < BYTES; i++) {
        EQUAL(own[i], (uint8_t) (3 * i));
        data[i] = (uint8_t) (5 * i);
    }
    int64_t before = moved();
    OK(trib_put(memory, 1, 0, data, BYTES));
    EQUAL(moved() - before, 2);
    OK(trib_fence(job, 1));
    OK(trib_barrier(job));
    free(data);
    OK(trib_barrier(job));
    OK(trib_free(memory));
}

static int files_of_the_provider(void) {
    char own[24];
    snprintf(own, sizeof own, "%d:", (int) getpid());
    int found = 0;
    DIR *entries = opendir("/dev/shm");
    CHECK(entries != NULL);
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        found += strncmp(entry->d_name, own, strlen(own)) == 0;
    }
    closedir(entries);
    return found;
}

/** Provider shm has files then; see AdapterTest. */
static void end_the_job(void) {
    trib_memory *memory;
    OK(trib_allocate(trib_world(job), LARGE, &memory));
    uint8_t *data = filled(LARGE, 1);
    OK(trib_put(memory, 1 - rank, 0, data, LARGE));
    free(data);
    CHECK(files_of_the_provider() > 0);
    printf("adapter: rank %d has files\n", rank);
    fflush(stdout);
    OK(trib_barrier(job));
    if (rank == 0) {
        trib_abort(job, "the end of this test");
    }
    trib_barrier(job);
    CHECK(false);
}

static void run(const char *what) {
    if (strcmp(what, "moves") == 0) {
        should_move_what_is_large();
        should_move_large_blocks();
        should_use_memory_of_callers_until_they_have_it_back();
        should_be_there_when_the_flag_is();
        should_match_a_model(4096);
        should_match_a_model(8);
        should_keep_threads_apart();
    } else if (strcmp(what, "ends") == 0) {
        end_the_job();
    } else if (strcmp(what, "other") == 0) {
        should_share_memory_with_ranks_in_java();
    } else {
        should_say_what_failed_and_go_on_with_messages(strcmp(what, "reads") == 0);
    }
}

int main(int count, char **arguments) {
    job = attach();
    rank = trib_rank(job);
    CHECK(count == 2 && trib_size(job) == 2 && job->links->adapter != NULL);
    run(arguments[1]);
    OK(trib_detach(job));
    printf("adapter: all well on rank %d\n", rank);
    return 0;
}

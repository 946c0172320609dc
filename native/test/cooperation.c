/* A rank of a job whose nodes cooperate; the first argument says what it does. */
#include "testing.h"

#include <dirent.h>
#include <pthread.h>

#define LARGE 40000 /* more than a request that is passed on, and than cooperation.bulk-threshold */
#define AREA (LARGE + 4096)
#define THREADS 3

static trib *job;
static trib_memory *memory;
static int rank;
static int size;

/** How many connections this process has. */
static int connections(void) {
    int count = 0;
    DIR *descriptors = opendir("/proc/self/fd");
    CHECK(descriptors != NULL);
    for (struct dirent *entry = readdir(descriptors); entry != NULL; entry = readdir(descriptors)) {
        char target[64];
        ssize_t length = readlinkat(dirfd(descriptors), entry->d_name, target, sizeof target - 1);
        count += length > 0 && strncmp(target, "socket:", 7) == 0;
    }
    closedir(descriptors);
    return count;
}

static uint8_t byte_of(int thread, int round, int at) {
    return (uint8_t) (rank * 31 + thread * 57 + round * 7 + at);
}

static void fill(uint8_t *bytes, int thread, int round, int count) {
    for (int i = 0; i < count; i++) {
        bytes[i] = byte_of(thread, round, i);
    }
}

/** Large and small operations on one target, by every kind of handle, see what precedes them on either path. */
static void one_round(int target, int thread, int round, uint8_t *out, uint8_t *in) {
    size_t mine = (size_t) (rank * THREADS + thread) * AREA;
    int bytes = round % 3 == 0 ? LARGE : 20000 + round;
    int64_t back = -1;
    int64_t word = round;
    trib_handle handle;
    fill(out, thread, round, bytes);
    OK(trib_put(memory, target, mine, out, (size_t) bytes));
    OK(trib_put_i64(memory, target, mine + 8, round));
    OK(trib_get_i64(memory, target, mine + 8, &back));
    EQUAL(back, round);
    OK(trib_get(memory, target, mine, in, (size_t) bytes));
    EQUAL(memcmp(in, out, 8), 0);
    EQUAL(memcmp(in + 16, out + 16, (size_t) bytes - 16), 0);
    OK(trib_handle_init(job, round % 2 == 0 ? TRIB_AGGREGATE : TRIB_PLAIN, &handle));
    OK(trib_nb_put(memory, target, mine + LARGE, &word, sizeof word, &handle));
    OK(trib_nb_put(memory, target, mine, in + 100, 30000 - 100, &handle));
    word = round + 1;
    OK(trib_nb_put(memory, target, mine + LARGE + 8, &word, sizeof word, &handle));
    OK(trib_nb_get(memory, target, mine + LARGE, in, 16, &handle));
    OK(trib_wait(&handle));
    memcpy(&back, in, sizeof back);
    EQUAL(back, round);
    memcpy(&back, in + 8, sizeof back);
    EQUAL(back, round + 1);
    OK(trib_get(memory, target, mine, in, 64));
    EQUAL(memcmp(in, out + 100, 64), 0);
    if (round % 3 == 1) {
        OK(trib_fence(job, target));
    }
}

struct thread {
    pthread_t id;
    int number;
};

static void *work(void *argument) {
    const struct thread *thread = argument;
    uint8_t *out = malloc(LARGE);
    uint8_t *in = malloc(LARGE);
    for (int round = 0; round < 40; round++) {
        one_round((rank + 1 + round / 2 % (size - 1)) % size, thread->number, round, out, in);
    }
    free(out);
    free(in);
    return NULL;
}

static void keep_order(void) {
    struct thread threads[THREADS];
    OK(trib_allocate(trib_world(job), (size_t) (size * THREADS) * AREA, &memory));
    for (int i = 0; i < THREADS; i++) {
        threads[i].number = i;
        EQUAL(pthread_create(&threads[i].id, NULL, work, &threads[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i].id, NULL);
    }
    OK(trib_barrier(job));
}

/** All ranks want rank 0: its server sends ranks with direct connections back to their routes. */
static void contend(void) {
    size_t mine = 8 * (size_t) (1 + rank);
    OK(trib_allocate(trib_world(job), 8 * (size_t) (1 + size), &memory));
    OK(trib_barrier(job));
    for (int64_t i = 0; i < 600; i++) {
        int64_t back = -1;
        OK(trib_put_i64(memory, 0, mine, i));
        if (i % 7 == 0) {
            OK(trib_get_i64(memory, 0, mine, &back));
            EQUAL(back, i);
        }
        OK(trib_fetch_add_i64(memory, 0, 0, 1, &back));
    }
    OK(trib_fence(job, 0));
    OK(trib_barrier(job));
    int64_t total;
    OK(trib_get_i64(memory, 0, 0, &total));
    EQUAL(total, 600 * size);
    OK(trib_get_i64(memory, 0, mine, &total));
    EQUAL(total, 599);
    OK(trib_barrier(job));
}

/** Until everybody has had a direct connection to rank 0's server, and has given it up, because that is contended. */
static void give_up_direct(void) {
    int64_t words[64];
    int most = 0;
    int64_t given_up = 0;
    trib_handle handle;
    OK(trib_allocate(trib_world(job), sizeof words * (size_t) size, &memory));
    memset(words, 0, sizeof words);
    OK(trib_handle_init(job, TRIB_PLAIN, &handle));
    OK(trib_barrier(job));
    bool goes_on = rank > 0;
    for (int64_t round = 1; given_up < size - 1; round++) {
        for (size_t i = 1; i < 64 && rank > 0; i++) {
            words[i] = round;
            OK(trib_nb_put(memory, 0, sizeof words * (size_t) rank + 8 * i, &words[i], sizeof words[i], &handle));
        }
        OK(trib_wait(&handle));
        int now = connections();
        most = now > most ? now : most;
        OK(trib_fetch_add_i64(memory, 0, 0, goes_on && now < most ? 1 : 0, &given_up));
        goes_on &= now == most;
    }
    OK(trib_fence(job, 0));
    OK(trib_barrier(job));
    printf("connections: %d\n", most);
    int64_t back[64];
    OK(trib_get(memory, 0, sizeof back * (size_t) rank, back, sizeof back));
    EQUAL(rank == 0 ? 0 : memcmp(back + 1, words + 1, sizeof back - sizeof *back), 0);
}

/**
 * Reaches every rank, with large transfers too; prints how many connections that took. One rank after the other: a
 * server that hears from many at once sends them back to their routes.
 */
static void connect_to_all(void) {
    uint8_t *out = malloc(LARGE);
    uint8_t *in = malloc(LARGE);
    OK(trib_allocate(trib_world(job), (size_t) (size * THREADS) * AREA, &memory));
    for (int turn = 0; turn < size; turn++) {
        for (int target = 0; target < size && turn == rank; target++) {
            for (int round = 0; round < 5 && target != rank; round++) {
                one_round(target, 0, round, out, in);
            }
        }
        if (turn == rank) {
            printf("connections: %d\n", connections());
        }
        OK(trib_barrier(job));
    }
    free(out);
    free(in);
}

int main(int count, char **arguments) {
    CHECK(count > 1);
    job = attach();
    rank = trib_rank(job);
    size = trib_size(job);
    if (strcmp(arguments[1], "order") == 0) {
        keep_order();
    } else if (strcmp(arguments[1], "contend") == 0) {
        contend();
    } else if (strcmp(arguments[1], "give-up-direct") == 0) {
        give_up_direct();
    } else {
        CHECK(strcmp(arguments[1], "connect") == 0);
        connect_to_all();
    }
    OK(trib_free(memory));
    OK(trib_detach(job));
    printf("cooperation: all well on rank %d\n", rank);
    return 0;
}

/*
 * Times operations of rank 0 on rank 1, by what every ARMCI declares: rows.c is built once with each library that is
 * compared. Writes "row<tab>nanoseconds": medians, means where the row says so, or for a computing target the time an
 * operation takes on average.
 */
#include <armci.h>
#include <arpa/inet.h>
#include <mpi.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { ROWS = 64, ROW_BYTES = 512, PITCH = 1024, WINDOW = 1000, PHASES = 3, FIRST = 200, FIRST_LARGE = 20 };
enum { LARGE = 256 * 1024, LARGEST = 4 * 1024 * 1024 };

#define WARM_UP_NS 200000000LL
#define ROW_NS 500000000LL
#define COMPUTE_NS 300000000LL
#define MOST_SAMPLES 20000

static int me;
static char *target; /* of rank 1 */
static char *local;

static long long now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void put(void) {
    ARMCI_Put(local, target, 8, 1);
}

static void put_fence(void) {
    ARMCI_Put(local, target, 8, 1);
    ARMCI_Fence(1);
}

static void get(void) {
    ARMCI_Get(target, local, 8, 1);
}

static void fetch_and_add(void) {
    long old;
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, target, 1, 1);
}

static void lock_unlock(void) {
    ARMCI_Lock(0, 1);
    ARMCI_Unlock(0, 1);
}

static void large_put_fence(void) {
    ARMCI_Put(local, target, LARGE, 1);
    ARMCI_Fence(1);
}

static void large_get(void) {
    ARMCI_Get(target, local, LARGE, 1);
}

static void largest_put_fence(void) {
    ARMCI_Put(local, target, LARGEST, 1);
    ARMCI_Fence(1);
}

static void largest_get(void) {
    ARMCI_Get(target, local, LARGEST, 1);
}

static void accumulate_fence(int bytes) {
    double one = 1;
    ARMCI_Acc(ARMCI_ACC_DBL, &one, local, target, bytes, 1);
    ARMCI_Fence(1);
}

static void small_accumulate_fence(void) {
    accumulate_fence(8);
}

static void large_accumulate_fence(void) {
    accumulate_fence(LARGE);
}

static void largest_accumulate_fence(void) {
    accumulate_fence(LARGEST);
}

static int pitch = PITCH;
static int counts[2] = {ROW_BYTES, ROWS};

static void strided_put_fence(void) {
    ARMCI_PutS(local, &pitch, target, &pitch, counts, 1, 1);
    ARMCI_Fence(1);
}

static void strided_get(void) {
    ARMCI_GetS(target, &pitch, local, &pitch, counts, 1, 1);
}

static void window_of_puts(void) {
    static armci_hdl_t handles[WINDOW];
    for (int i = 0; i < WINDOW; i++) {
        ARMCI_INIT_HANDLE(&handles[i]);
        ARMCI_NbPut(local + i * 8L, target + i * 8L, 8, 1, &handles[i]);
    }
    for (int i = 0; i < WINDOW; i++) {
        ARMCI_Wait(&handles[i]);
    }
    ARMCI_Fence(1);
}

struct row {
    const char *name;
    void (*once)(void);
    int batch;   /* so often between two looks at the clock */
    int divisor; /* operations in one */
};

static bool is_large(const struct row *row) {
    return strstr(row->name, "iB ") != NULL;
}

static const struct row on_node[] = {
    {"8-byte put", put, 100, 1}, {"8-byte get", get, 100, 1}, {"fetch-and-add", fetch_and_add, 100, 1},
    {"lock+unlock", lock_unlock, 100, 1}, {"256 KiB put", large_put_fence, 1, 1}, {"256 KiB get", large_get, 1, 1},
};
static const struct row across[] = {
    {"8-byte put+fence", put_fence, 1, 1}, {"8-byte get", get, 1, 1},
    {"8-byte accumulate+fence", small_accumulate_fence, 1, 1}, {"fetch-and-add", fetch_and_add, 1, 1},
    {"lock+unlock", lock_unlock, 1, 1}, {"strided put+fence, 64 x 512 bytes", strided_put_fence, 1, 1},
    {"strided get, 64 x 512 bytes", strided_get, 1, 1}, {"non-blocking 8-byte put", window_of_puts, 1, WINDOW},
    {"256 KiB put+fence", large_put_fence, 1, 1}, {"256 KiB get", large_get, 1, 1},
    {"256 KiB accumulate+fence", large_accumulate_fence, 1, 1}, {"4 MiB put+fence", largest_put_fence, 1, 1},
    {"4 MiB get", largest_get, 1, 1}, {"4 MiB accumulate+fence", largest_accumulate_fence, 1, 1},
};

static int ascending(const void *a, const void *b) {
    double one = *(const double *) a;
    double other = *(const double *) b;
    return one < other ? -1 : one > other;
}

static void print(const char *where, const char *row, double ns) {
    printf("%s: %s\t%.1f\n", where, row, ns);
    fflush(stdout);
}

/** Prints the median, and if wanted the mean, of what takes place until the time is over. */
static void sample(const char *where, const struct row *row, bool with_mean) {
    static double times[MOST_SAMPLES];
    long long until = now_ns() + WARM_UP_NS;
    int count = 0;
    double sum = 0;
    while (now_ns() < until) {
        row->once();
    }
    until = now_ns() + ROW_NS;
    for (long long before = now_ns(); count < MOST_SAMPLES && before < until; count++) {
        for (int i = 0; i < row->batch; i++) {
            row->once();
        }
        long long after = now_ns();
        times[count] = (double) (after - before) / row->batch / row->divisor;
        sum += times[count];
        before = after;
    }
    qsort(times, (size_t) count, sizeof *times, ascending);
    print(where, row->name, times[count / 2]);
    if (with_mean) {
        char name[100];
        snprintf(name, sizeof name, "%s, mean", row->name);
        print(where, name, sum / count);
    }
}

/** The target waits in a barrier. */
static void blocked(const char *where, const struct row *row) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) {
        sample(where, row, false);
    }
    ARMCI_Barrier();
}

/** The target waits in MPI for a message, as programs do that use both libraries. */
static void receiving(const struct row *row) {
    int word = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) {
        sample("receiving", row, true);
        MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    ARMCI_Barrier();
}

/** The first calls of a job; the target waits in a barrier. */
static void first(const struct row *row) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) {
        int count = row->divisor > 1 ? 1 : is_large(row) ? FIRST_LARGE : FIRST;
        long long before = now_ns();
        for (int i = 0; i < count; i++) {
            row->once();
        }
        print("first", row->name, (double) (now_ns() - before) / count / row->divisor);
    }
    ARMCI_Barrier();
}

/** Whether all of it has come, or gone. */
static bool transfer(int connection, char *bytes, long count, bool sends) {
    for (long done = 0; done < count;) {
        long some = sends ? send(connection, bytes + done, count - done, MSG_NOSIGNAL)
            : recv(connection, bytes + done, count - done, 0);
        if (some <= 0) {
            return false;
        }
        done += some;
    }
    return true;
}

static int limit_connection;
static long limit_bytes;

/** The limit: one connection without any library, on which rank 1 answers with a byte when it has all of it. */
static void limit_once(void) {
    if (!transfer(limit_connection, local, limit_bytes, true) || !transfer(limit_connection, local, 1, false)) {
        ARMCI_Error("the connection for the limit has ended", 1);
    }
}

static void limit(const char *name, long bytes) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int on = 1;
    struct row row = {name, limit_once, 1, 1};
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    limit_bytes = bytes;
    if (me == 1 && (bind(listener, (struct sockaddr *) &address, length) != 0 || listen(listener, 1) != 0
        || getsockname(listener, (struct sockaddr *) &address, &length) != 0)) {
        ARMCI_Error("no listener for the limit", 1);
    }
    MPI_Bcast(&address, sizeof address, MPI_BYTE, 1, MPI_COMM_WORLD);
    if (me == 0) {
        limit_connection = listener;
        if (connect(listener, (struct sockaddr *) &address, sizeof address) != 0) {
            ARMCI_Error("no connection for the limit", 1);
        }
        setsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        sample("limit", &row, false);
    } else if (me == 1) {
        int connection = accept(listener, NULL, NULL);
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        while (transfer(connection, local, bytes, false) && transfer(connection, local, 1, true)) {
        }
        close(connection);
    }
    close(listener);
    MPI_Barrier(MPI_COMM_WORLD);
}

/** The target is in no call of any library for a while. */
static void computing(const char *where, const struct row *row) {
    double means[PHASES];
    for (int phase = 0; phase < PHASES; phase++) {
        MPI_Barrier(MPI_COMM_WORLD);
        long long begun = now_ns();
        if (me == 1) {
            volatile double sum = 0;
            while (now_ns() < begun + COMPUTE_NS) {
                for (int i = 0; i < 1000; i++) {
                    sum += i;
                }
            }
        } else if (me == 0) {
            int count = 0;
            while (now_ns() < begun + COMPUTE_NS / 10) {
            }
            long long before = now_ns();
            do {
                row->once();
                count++;
            } while (now_ns() < begun + COMPUTE_NS * 9 / 10);
            means[phase] = (double) (now_ns() - before) / count / row->divisor;
        }
        ARMCI_Barrier();
    }
    if (me == 0) {
        qsort(means, PHASES, sizeof *means, ascending);
        print(where, row->name, means[PHASES / 2]);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    ARMCI_Init();
    void *bases[2];
    int ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != 2 || argc != 2) {
        ARMCI_Error("two ranks and one word, node or across", ranks);
    }
    ARMCI_Malloc(bases, LARGEST);
    target = bases[1];
    local = ARMCI_Malloc_local(LARGEST);
    memset(local, 0, LARGEST);
    ARMCI_Create_mutexes(1);
    bool node = strcmp(argv[1], "node") == 0;
    const struct row *rows = node ? on_node : across;
    size_t count = node ? sizeof on_node / sizeof *on_node : sizeof across / sizeof *across;
    for (size_t i = 0; i < count && !node; i++) {
        first(&rows[i]);
    }
    for (size_t i = 0; i < count; i++) {
        blocked(node ? "node" : "across", &rows[i]);
    }
    for (size_t i = 0; i < count && !node; i++) {
        receiving(&rows[i]);
    }
    for (size_t i = 0; i < count && !node; i++) {
        computing("computing", &rows[i]);
    }
    if (!node) {
        limit("256 KiB", LARGE);
        limit("4 MiB", LARGEST);
    }
    ARMCI_Destroy_mutexes();
    ARMCI_Free_local(local);
    ARMCI_Free(bases[me]);
    ARMCI_Finalize();
    MPI_Finalize();
    return 0;
}

/*
 * Non-blocking operations. On three nodes the test stops the server of the first one (given a word "stop"), to see that
 * ARMCI_Test and ARMCI_Wait of another handle do not wait for it, and ARMCI_Finalize does.
 */
#include "check.h"
#include "stopping.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>

#define COUNT 500

static void many_handles(void) {
    void **bases = allocate(8L * COUNT * size);
    static armci_hdl_t handles[COUNT];
    static long values[COUNT];
    int next = (me + 1) % size;
    long *mine = (long *) bases[next] + (size_t) me * COUNT;
    for (int i = 0; i < COUNT; i++) {
        ARMCI_INIT_HANDLE(&handles[i]);
        values[i] = me * 1000 + i;
        CHECK(ARMCI_NbPut(&values[i], mine + i, 8, next, &handles[i]) == 0);
    }
    for (int i = 0; i < COUNT; i += 2) {
        CHECK(ARMCI_Wait(&handles[i]) == 0 && ARMCI_Wait(&handles[i]) == 0 && ARMCI_Test(&handles[i]) == 0);
    }
    CHECK(ARMCI_WaitAll() == 0);
    for (int i = 0; i < COUNT; i++) {
        CHECK(ARMCI_Test(&handles[i]) == 0);
        values[i] = 0;
        CHECK(ARMCI_NbGet(mine + i, &values[i], 8, next, i % 3 == 0 ? NULL : &handles[i]) == 0);
    }
    CHECK(ARMCI_WaitProc(next) == 0);
    for (int i = 0; i < COUNT; i++) {
        CHECK(values[i] == me * 1000 + i);
    }
    ARMCI_Barrier();
    release(bases);
}

/** Handles that nobody ever waits for do not use the table up. */
static void forgotten_handles(void) {
    void **bases = allocate(8);
    int next = (me + 1) % size;
    for (int i = 0; i < 70000; i++) {
        armci_hdl_t handle;
        long value = i;
        ARMCI_INIT_HANDLE(&handle);
        CHECK(ARMCI_NbPut(&value, bases[next], 8, next, &handle) == 0);
    }
    ARMCI_Barrier();
    CHECK(*(long *) bases[me] == 69999);
    ARMCI_Barrier();
    release(bases);
}

static void every_form(void) {
    enum { N = 64 };
    void **bases = allocate((long) 8 * N * size);
    double source[N];
    double target[N];
    double one = 1;
    int strides[1] = {64};
    int count[2] = {32, N / 8};
    for (int aggregate = 0; aggregate < 2; aggregate++) {
        for (int proc = 0; proc < size; proc++) {
            double *mine = (double *) bases[proc] + me * N;
            armci_hdl_t handle;
            ARMCI_INIT_HANDLE(&handle);
            if (aggregate) {
                ARMCI_SET_AGGREGATE_HANDLE(&handle);
            }
            for (int i = 0; i < N; i++) {
                source[i] = i + me;
                target[i] = 0;
            }
            void *from = source;
            void *to = mine;
            void *back = target;
            armci_giov_t out = {&from, &to, 8 * N, 1};
            armci_giov_t in = {&to, &back, 8 * N, 1};
            CHECK(ARMCI_NbPut(source, mine, 8 * N, proc, &handle) == 0);
            CHECK(ARMCI_NbAcc(ARMCI_ACC_DBL, &one, source, mine, 8 * N, proc, &handle) == 0);
            CHECK(ARMCI_NbPutS(source, strides, mine, strides, count, 1, proc, &handle) == 0);
            CHECK(ARMCI_NbAccS(ARMCI_ACC_DBL, &one, source, strides, mine, strides, count, 1, proc, &handle) == 0);
            CHECK(ARMCI_NbAccV(ARMCI_ACC_DBL, &one, &out, 1, proc, &handle) == 0);
            CHECK(ARMCI_Wait(&handle) == 0);
            CHECK(ARMCI_NbGetV(&in, 1, proc, &handle) == 0 && ARMCI_Wait(&handle) == 0);
            for (int i = 0; i < N; i++) {
                CHECK(target[i] == 3 * source[i]);
            }
            CHECK(ARMCI_NbPutV(&out, 1, proc, &handle) == 0);
            CHECK(ARMCI_NbGetS(mine, strides, target, strides, count, 1, proc, &handle) == 0);
            while (ARMCI_Test(&handle) == 1) {
            }
            for (int i = 0; i < N; i++) {
                CHECK(target[i] == (i % 8 < 4 ? 1 : 3) * source[i]);
            }
            ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
            CHECK(handle.aggregate == 0);
        }
    }
    ARMCI_Barrier();
    release(bases);
}

/** The sum of a metric of the server that serves metrics at a port. */
static long metric(int port, const char *name) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t) port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(connect(fd, (struct sockaddr *) &to, sizeof to) == 0);
    const char request[] = "GET /metrics HTTP/1.0\r\n\r\n";
    CHECK(write(fd, request, sizeof request - 1) == (ssize_t) sizeof request - 1);
    static char text[1 << 20];
    size_t used = 0;
    for (ssize_t got; used < sizeof text - 1 && (got = read(fd, text + used, sizeof text - 1 - used)) > 0;) {
        used += (size_t) got;
    }
    text[used] = '\0';
    close(fd);
    double sum = 0;
    for (char *at = strstr(text, name); at != NULL; at = strstr(at + 1, name)) {
        char *value = strstr(at, "} ");
        sum += value == NULL ? 0 : strtod(value + 2, NULL);
    }
    return (long) sum;
}

/** A hundred puts of an aggregate handle are one request of the server of the last node. */
static void merging(int port, int node) {
    void **bases = allocate(8 * 100);
    int last = size - 1;
    ARMCI_Barrier(); /* what others put to allocate has come */
    if (me == 0) {
        char puts[80]; /* in whatever form */
        snprintf(puts, sizeof puts, "tributary_requests_total{node=\"%d\",operation=\"put", node);
        long values[100];
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_SET_AGGREGATE_HANDLE(&handle);
        ARMCI_AllFence();
        long before = metric(port, puts);
        for (int i = 0; i < 100; i++) {
            values[i] = i;
            CHECK(ARMCI_NbPut(&values[i], (long *) bases[last] + i, 8, last, &handle) == 0);
        }
        CHECK(ARMCI_Wait(&handle) == 0);
        ARMCI_Fence(last);
        CHECK(metric(port, puts) - before == 1); /* others send no puts now */
        CHECK(ARMCI_GetValueLong((long *) bases[last] + 99, last) == 99);
    }
    ARMCI_Barrier();
    release(bases);
}

static void stopped_server(void) {
    void **bases = allocate(64);
    *(long *) bases[me] = 10 + me;
    ARMCI_Barrier();
    if (me == 1) { /* whose way to rank 2 does not lead over node 0, in whatever way nodes cooperate */
        int server = server_of(0);
        long slow = 0;
        long fast = 0;
        armci_hdl_t stuck;
        armci_hdl_t other;
        ARMCI_INIT_HANDLE(&stuck);
        ARMCI_INIT_HANDLE(&other);
        for (int i = 0; i < 20; i++) { /* so often that every connection that is worth it exists */
            CHECK(ARMCI_GetValueLong(bases[0], 0) == 10 && ARMCI_GetValueLong(bases[2], 2) == 12);
        }
        stop(server);
        CHECK(ARMCI_NbGet(bases[0], &slow, 8, 0, &stuck) == 0);
        CHECK(ARMCI_Test(&stuck) == 1);
        CHECK(ARMCI_NbGet(bases[2], &fast, 8, 2, &other) == 0 && ARMCI_Wait(&other) == 0 && fast == 12);
        CHECK(ARMCI_Test(&stuck) == 1 && slow == 0);
        CHECK(kill(server, SIGCONT) == 0);
        CHECK(ARMCI_Wait(&stuck) == 0 && slow == 10);
    }
    ARMCI_Barrier();
    release(bases);
}

static void *continue_soon(void *server) {
    sleep(1);
    kill(*(int *) server, SIGCONT);
    return NULL;
}

/** The data comes while ARMCI_Finalize is under way, to memory that the program still has. */
static int end_with_a_handle_that_nobody_waits_for(void) {
    void **bases = allocate(8);
    *(long *) bases[me] = 20 + me;
    ARMCI_Barrier();
    static long late = 20;
    int server;
    pthread_t thread;
    if (me == 1) {
        armci_hdl_t forgotten;
        ARMCI_INIT_HANDLE(&forgotten);
        late = 0;
        server = server_of(0);
        stop(server);
        CHECK(ARMCI_NbGet(bases[0], &late, 8, 0, &forgotten) == 0);
        CHECK(pthread_create(&thread, NULL, continue_soon, &server) == 0);
    }
    free(bases);
    CHECK(ARMCI_Finalize() == 0);
    if (me == 1) {
        pthread_join(thread, NULL);
    }
    if (me == 0) {
        printf("all well\n");
    }
    MPI_Finalize();
    return late == 20 ? 0 : 1;
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    if (argc > 1 && strcmp(argv[1], "stop") == 0) {
        stopped_server();
        return end_with_a_handle_that_nobody_waits_for();
    }
    const char *port = getenv("TRIBUTARY_SERVER_METRICS_PORT");
    const char *nodes = getenv("TRIBUTARY_NODES");
    if (port != NULL && nodes != NULL && atoi(nodes) > 1) {
        int last = atoi(nodes) - 1;
        merging(atoi(port) + last, last);
    }
    many_handles();
    every_form();
    forgotten_handles();
    return end();
}

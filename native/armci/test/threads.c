/* Threads that issue operations, wait for their own handles, and wait for everything, all at the same time. */
#include "check.h"

#include <pthread.h>

#define THREADS 4
#define ROUNDS 40
#define COUNT 100
#define MESSAGES 100
#define MESSAGE_BYTES 3000

static void **bases;
static void **sums;
static ARMCI_Group group_of[THREADS]; /* each thread's own */
static bool has_collectives;

/** Into doubles that are not aligned, the same ones from all threads. */
static void add_unaligned(void) {
    double one = 1;
    double values[2] = {1, 2};
    for (int round = 0; round < ROUNDS; round++) {
        for (int proc = 0; proc < size; proc++) {
            CHECK(ARMCI_Acc(ARMCI_ACC_DBL, &one, values, (char *) sums[proc] + 4, sizeof values, proc) == 0);
        }
    }
}

/** Of a group of the thread's own: groups, memory and collectives, while other threads do the same. */
static void act_together(ARMCI_Group *group, int thread) {
    int everybody[64];
    void *parts[64];
    for (int proc = 0; proc < size; proc++) {
        everybody[proc] = proc;
    }
    for (int round = 0; round < ROUNDS / 4; round++) {
        ARMCI_Group made;
        ARMCI_Group_create_child(size, everybody, &made, group);
        long sum = me + thread;
        armci_msg_group_lgop(&sum, 1, "+", &made);
        CHECK(sum == (long) size * (size - 1) / 2 + (long) size * thread);
        CHECK(ARMCI_Malloc_group(parts, 64, &made) == 0);
        CHECK(ARMCI_PutValueLong(sum + me, parts[(me + 1) % size], (me + 1) % size) == 0);
        ARMCI_AllFence();
        armci_msg_group_barrier(&made);
        CHECK(*(long *) parts[me] == sum + (me + size - 1) % size);
        armci_msg_group_bcast_scope(SCOPE_ALL, &sum, sizeof sum, round % size, group);
        CHECK(ARMCI_Free_group(parts[me], &made) == 0);
        ARMCI_Group_free(&made);
    }
}

/* ---- messages around the ring: some threads send, others receive, each with a tag of its own ---- */

static void *send_around(void *argument) {
    int tag = (int) (long) argument;
    char text[MESSAGE_BYTES];
    for (int round = 0; round < MESSAGES; round++) {
        memset(text, tag * MESSAGES + round, sizeof text);
        armci_msg_snd(tag, text, MESSAGE_BYTES - round, (me + 1) % size);
    }
    return NULL;
}

static void *receive_around(void *argument) {
    int tag = (int) (long) argument;
    int before = (me + size - 1) % size;
    for (int round = 0; round < MESSAGES; round++) {
        char text[MESSAGE_BYTES];
        int received;
        if (tag == 1) {
            CHECK(armci_msg_rcvany(tag, text, sizeof text, &received) == before);
        } else {
            armci_msg_rcv(tag, text, sizeof text, &received, before);
        }
        CHECK(received == MESSAGE_BYTES - round);
        for (int i = 0; i < received; i++) {
            CHECK(text[i] == (char) (tag * MESSAGES + round));
        }
    }
    return NULL;
}

static void send_and_receive(void) {
    pthread_t senders[THREADS];
    pthread_t receivers[THREADS];
    for (long tag = 0; tag < THREADS; tag++) {
        CHECK(pthread_create(&senders[tag], NULL, send_around, (void *) tag) == 0);
        CHECK(pthread_create(&receivers[tag], NULL, receive_around, (void *) tag) == 0);
    }
    for (int tag = 0; tag < THREADS; tag++) {
        CHECK(pthread_join(senders[tag], NULL) == 0);
        CHECK(pthread_join(receivers[tag], NULL) == 0);
    }
}

static void *work(void *argument) {
    int thread = (int) (long) argument;
    int next = (me + 1) % size;
    long *mine = (long *) bases[next] + (size_t) (me * THREADS + thread) * COUNT;
    long values[COUNT];
    armci_hdl_t handles[COUNT];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < COUNT; i++) {
            ARMCI_INIT_HANDLE(&handles[i]);
            values[i] = 1000L * round + i;
            CHECK(ARMCI_NbPut(&values[i], mine + i, 8, next, &handles[i]) == 0);
        }
        CHECK(thread % 2 == 0 || ARMCI_WaitAll() == 0);
        for (int i = 0; i < COUNT; i++) {
            CHECK(ARMCI_Wait(&handles[i]) == 0);
            values[i] = -1;
            CHECK(ARMCI_NbGet(mine + i, &values[i], 8, next, &handles[i]) == 0);
        }
        for (int i = 0; i < COUNT; i++) {
            while (i % 3 == 0 && ARMCI_Test(&handles[i]) == 1) {
            }
            CHECK(ARMCI_Wait(&handles[i]) == 0 && values[i] == 1000L * round + i);
        }
    }
    add_unaligned();
    if (has_collectives) {
        act_together(&group_of[thread], thread);
    }
    return NULL;
}

int main(int argc, char **argv) {
    int provided = MPI_THREAD_MULTIPLE;
    if (has_mpi()) {
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    }
    has_collectives = provided == MPI_THREAD_MULTIPLE;
    if (has_collectives) {
        CHECK(ARMCI_Init_thread(MPI_THREAD_MULTIPLE) == 0);
    } else {
        CHECK(ARMCI_Init() == 0); /* threads call nothing that calls MPI */
    }
    me = armci_msg_me();
    size = armci_msg_nproc();
    bases = allocate((long) sizeof(long) * THREADS * COUNT * size);
    sums = allocate(64);
    memset(sums[me], 0, 64);
    ARMCI_Barrier();
    pthread_t threads[THREADS];
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    for (int i = 0; i < THREADS; i++) {
        int everybody[64];
        for (int proc = 0; proc < size; proc++) {
            everybody[proc] = proc;
        }
        ARMCI_Group_create_child(size, everybody, &group_of[i], &world);
    }
    for (long i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, work, (void *) i) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    if (has_collectives) {
        send_and_receive();
    }
    ARMCI_Barrier();
    double sum[2];
    memcpy(sum, (char *) sums[me] + 4, sizeof sum);
    CHECK(sum[0] == size * THREADS * ROUNDS && sum[1] == 2 * sum[0]);
    for (int i = 0; i < THREADS; i++) {
        ARMCI_Group_free(&group_of[i]);
    }
    release(sums);
    release(bases);
    return end();
}

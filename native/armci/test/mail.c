/*
 * Messages without MPI, under `tributary run`: long ones that cross, with MPI a deadlock; and some that do not come, or
 * were overwritten: the job ends with a message.
 */
#include "check.h"
#include "stopping.h"

#include "../src/internal.h"

#include <message.h>

#define AWAITED 7
#define OTHER 8
#define OWN 9

static bool is_stray;
static bool is_half; /* only the first piece of a message is sent */
static size_t largest; /* block of memory */

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes) {
    largest = count * bytes > largest ? count * bytes : largest;
    return __real_calloc(count, bytes);
}

/* A piece for a box: a tag, a length, and so many bytes. */
int __real_trib_put_flag(trib_memory *memory, int rank, size_t offset, const void *source, size_t bytes,
                         size_t flag_offset, int64_t flag_value);
int __wrap_trib_put_flag(trib_memory *memory, int rank, size_t offset, const void *source, size_t bytes,
                         size_t flag_offset, int64_t flag_value);
int __wrap_trib_put_flag(trib_memory *memory, int rank, size_t offset, const void *source, size_t bytes,
                         size_t flag_offset, int64_t flag_value) {
    int64_t words[2048];
    CHECK(bytes <= sizeof words);
    memcpy(words, source, bytes);
    if (is_stray) {
        words[1] = -8;
    }
    int status = __real_trib_put_flag(memory, rank, offset, words, bytes, flag_offset, flag_value);
    if (is_half) {
        trib_fence_all(arm.job);
        sleep(600);
    }
    return status;
}

static long *refused; /* questions, where others can read it; NULL when servers are asked */

struct trib_question;
int __wrap_trib_ask_state(trib *job, int rank, struct trib_question *question);
int __real_trib_ask_state(trib *job, int rank, struct trib_question *question);
int __wrap_trib_ask_state(trib *job, int rank, struct trib_question *question) {
    if (refused != NULL) {
        __atomic_fetch_add(refused, 1, __ATOMIC_SEQ_CST);
        return TRIB_ATTACH_FAILED;
    }
    return __real_trib_ask_state(job, rank, question);
}

static char fill_of(int from, int tag, int i) {
    return (char) (from * 31 + tag * 7 + i);
}

static void send_long(int tag, int bytes, int to) {
    char *text = malloc((size_t) bytes);
    for (int i = 0; i < bytes; i++) {
        text[i] = fill_of(me, tag, i);
    }
    armci_msg_snd(tag, text, bytes, to);
    free(text);
}

static void receive_long(int tag, int bytes, int from, bool any) {
    int received = -1;
    char *text = malloc((size_t) bytes);
    if (any) {
        CHECK(armci_msg_rcvany(tag, text, bytes, &received) == from);
    } else {
        armci_msg_rcv(tag, text, bytes, &received, from);
    }
    CHECK(received == bytes);
    for (int i = 0; i < bytes; i++) {
        CHECK(text[i] == fill_of(from, tag, i));
    }
    free(text);
}

/** All send, and receive afterwards: to itself, around the ring, to all, with tags in another order. */
static void cross(void) {
    const int lengths[] = {0, 1, 1024, 1025, 3000, 100000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        send_long(OWN, lengths[i], me);
        receive_long(OWN, lengths[i], me, true);
        send_long(AWAITED, lengths[i], (me + 1) % size);
        receive_long(AWAITED, lengths[i], (me + size - 1) % size, false);
        for (int to = 0; to < size; to++) {
            send_long(OTHER, lengths[i] + 1, to);
            send_long(AWAITED, lengths[i], to);
        }
        for (int from = 0; from < size; from++) {
            receive_long(AWAITED, lengths[i], from, false);
            receive_long(OTHER, lengths[i] + 1, from, false);
        }
    }
}

/** Rank 1 waits for rank 2, that for rank 0, and rank 0 for room at rank 1, which takes what comes from anybody. */
static void wait_in_a_ring(void) {
    ARMCI_Barrier(); /* nobody sends any more, and takes what comes meanwhile */
    if (me == 0) {
        send_long(AWAITED, 3000, 1);
        send_long(AWAITED, 8, 2);
    } else if (me == 1) {
        receive_long(AWAITED, 8, 2, false);
        receive_long(AWAITED, 3000, 0, false);
    } else if (me == 2) {
        receive_long(AWAITED, 8, 0, false);
        send_long(AWAITED, 8, 1);
    }
}

/** A message that is waited for comes to its buffer, but not before an earlier one with its tag that was set aside. */
static void receive_in_place(void) {
    const int bytes = 1 << 20;
    for (int round = 0; round < 2; round++) {
        ARMCI_Barrier();
        largest = 0;
        if (me == 1) {
            send_long(AWAITED, bytes, 0);
        } else if (me == 0) {
            receive_long(AWAITED, bytes, 1, round == 1);
            CHECK(largest < (size_t) bytes);
        }
    }
    if (me == 1) {
        send_long(AWAITED, 7, 0);
        send_long(OTHER, 8, 0);
        send_long(AWAITED, 9, 0);
    } else if (me == 0) {
        receive_long(OTHER, 8, 1, false);
        receive_long(AWAITED, 7, 1, false);
        receive_long(AWAITED, 9, 1, true);
    }
}

/** Rank 0 asks the server of node 1 whether rank 1 is there, but does not wait for the answer. */
static void stopped_server(void) {
    char text[8] = "late";
    int server = server_of(1);
    if (me == 0) { /* every connection exists */
        armci_msg_snd(OTHER, text, sizeof text, 1);
    } else if (me == 1) {
        armci_msg_rcv(OTHER, text, sizeof text, NULL, 0);
    }
    ARMCI_Barrier();
    if (me != 2) { /* has left the barrier, for which the server is needed */
        armci_msg_snd(OTHER, text, sizeof text, 2);
    }
    if (me == 2) {
        armci_msg_rcv(OTHER, text, sizeof text, NULL, 0);
        armci_msg_rcv(OTHER, text, sizeof text, NULL, 1);
        stop(server);
        sleep(3);
        armci_msg_snd(AWAITED, text, sizeof text, 0);
        armci_msg_rcv(AWAITED, text, sizeof text, NULL, 0);
        CHECK(kill(server, SIGCONT) == 0);
    } else if (me == 0) {
        CHECK(armci_msg_rcvany(AWAITED, text, sizeof text, NULL) == 2);
        armci_msg_snd(AWAITED, text, sizeof text, 2);
    }
}

/** Rank 0 cannot ask whether rank 1 is there, and gets its message from the last rank all the same. */
static void refused_questions(void) {
    void **bases = allocate(8);
    long count = 0;
    refused = bases[me];
    *refused = 0;
    ARMCI_Barrier();
    if (me == 0) {
        receive_long(AWAITED, 8, size - 1, true);
    } else if (me == size - 1) {
        while (count < 2) { /* the first one is no reason to give up */
            usleep(10000);
            CHECK(ARMCI_Get(bases[0], &count, 8, 0) == 0);
        }
        send_long(AWAITED, 8, 0);
    }
    refused = NULL;
    ARMCI_Barrier();
    release(bases);
}

static void *send_late(void *unused) {
    char text[8] = "late";
    (void) unused;
    sleep(3); /* the receiver has looked for others by then */
    armci_msg_snd(AWAITED, text, sizeof text, me);
    return NULL;
}

/** The only rank waits for a message that another thread of it sends. */
static int own_thread(void) {
    char text[8];
    pthread_t thread;
    CHECK(ARMCI_Init_thread(MPI_THREAD_MULTIPLE) == 0);
    me = armci_msg_me();
    size = armci_msg_nproc();
    CHECK(pthread_create(&thread, NULL, send_late, NULL) == 0);
    CHECK(armci_msg_rcvany(AWAITED, text, sizeof text, NULL) == me && strcmp(text, "late") == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    return end();
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "own") == 0) {
        return own_thread();
    }
    begin(&argc, &argv);
    CHECK(argc == 2);
    if (strcmp(argv[1], "cross") == 0) {
        cross();
        wait_in_a_ring();
        receive_in_place();
        return end();
    }
    if (strcmp(argv[1], "refused") == 0) {
        refused_questions();
        return end();
    }
    if (strcmp(argv[1], "stopped") == 0) {
        stopped_server();
        return end();
    }
    char text[64] = {0};
    int bytes;
    if (me > 0 && strcmp(argv[1], "stray") == 0) {
        is_stray = true;
        armci_msg_snd(OTHER, text, sizeof text, 0);
        sleep(600);
    } else if (strcmp(argv[1], "long") == 0) { /* the message has more bytes than the buffer */
        is_half = me == 1;
        if (me == 1) {
            send_long(AWAITED, 1 << 20, 0);
        }
        armci_msg_rcv(AWAITED, text, sizeof text, &bytes, 1);
    } else if (me > 0 && strcmp(argv[1], "alone") == 0) {
        armci_msg_snd(OTHER, text, sizeof text, 0);
        return 0; /* without ARMCI_Finalize, in which it would wait for rank 0 */
    } else if (me == size - 1 && strcmp(argv[1], "failed") == 0) {
        trib_abort(arm.job, "rank 3 has had enough"); /* and is there, so that the launcher ends nobody yet */
    }
    armci_msg_rcvany(AWAITED, text, sizeof text, &bytes);
}

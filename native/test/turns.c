/* Threads that need one connection at once. */
#include "linked.h"

#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

#include "wire/abort.h"
#include "wire/fence.h"
#include "wire/getVector.h"
#include "wire/probe.h"

/* ---- turns ---- */

#define WAITERS 2

static const char *const words[WAITERS] = {"word0", "word1"};
static bool has_streamed_enough;
static bool has_ended;

/** Sends one large message after the other. */
static void *stream(void *argument) {
    (void) argument;
    struct trib_link *link;
    for (bool ends = false; !ends;) {
        trib_links_lock(job->links);
        OK(trib_links_connect_to(job, 1, 0, false, &link));
        ends = has_streamed_enough;
        OK(ends ? TRIB_OK : trib_out_payload(link, large, LARGE));
        has_ended = ends;
        trib_links_unlock(job->links);
    }
    return NULL;
}

static void *send_word(void *argument) {
    struct trib_link *link;
    trib_links_lock(job->links);
    OK(trib_links_connect_to(job, 1, 0, false, &link));
    OK(trib_out_payload(link, argument, 5));
    OK(trib_link_flush(link));
    trib_links_unlock(job->links);
    return NULL;
}

static int line_length(void) {
    int length = 0;
    trib_links_lock(job->links);
    for (struct trib_turn *turn = link_to[1]->line; turn != NULL; turn = turn->next) {
        length++;
    }
    trib_links_unlock(job->links);
    return length;
}

/** Until the first in line has looked often enough, if there is any. */
static void await_patience(void) {
    while (line_length() > 0 && !sees(&link_to[1]->is_owed)) {
        usleep(200);
    }
}

/** What follows so many bytes of a large message. */
static void receive_rest(int done) {
    uint8_t got[LARGE / 1024];
    while (done < LARGE) {
        int most = LARGE - done < (int) sizeof got ? LARGE - done : (int) sizeof got;
        receive(server[1], got, (size_t) most);
        EQUAL(memcmp(got, large + done, (size_t) most), 0);
        done += most;
    }
}

/** The next word that node 1 receives; *passed is how many large messages come before it. */
static int receive_word(int *passed) {
    uint8_t got[5];
    for (*passed = 0;; ++*passed) {
        receive(server[1], got, sizeof got);
        for (int word = 0; word < WAITERS; word++) {
            if (memcmp(got, words[word], sizeof got) == 0) {
                return word;
            }
        }
        EQUAL(memcmp(got, large, sizeof got), 0);
        CHECK(*passed < 100);
        receive_rest(sizeof got);
    }
}

static void should_give_each_thread_its_turn_when_another_streams(void) {
    pthread_t streamer;
    pthread_t waiters[WAITERS];
    int passed;
    begin(ADDRESSES, NULL);
    connect_all();
    has_streamed_enough = false;
    has_ended = false;
    CHECK(pthread_create(&streamer, NULL, stream, NULL) == 0);
    await(&link_to[1]->is_sending);
    for (int i = 0; i < WAITERS; i++) {
        CHECK(pthread_create(&waiters[i], NULL, send_word, (void *) (uintptr_t) words[i]) == 0);
        while (line_length() <= i) {
            usleep(200);
        }
    }
    await_patience();
    EQUAL(receive_word(&passed), 0);
    EQUAL(passed, 1); /* which was under way */
    await_patience();
    EQUAL(receive_word(&passed), 1);
    CHECK(passed <= 1);
    trib_links_lock(job->links);
    has_streamed_enough = true;
    trib_links_unlock(job->links);
    while (!sees(&has_ended)) {
        uint8_t rest[4096];
        CHECK(recv(server[1], rest, sizeof rest, MSG_DONTWAIT) != 0);
    }
    pthread_join(streamer, NULL);
    for (int i = 0; i < WAITERS; i++) {
        pthread_join(waiters[i], NULL);
    }
    finish(true);
}

/* ---- the end of the process ---- */

/** Begins each message before any other thread has the lock again, until one fails. */
static void *stream_without_a_break(void *argument) {
    int node = *(const int *) argument;
    struct trib_link *link;
    int status = TRIB_OK;
    trib_links_lock(job->links);
    while (status == TRIB_OK) {
        status = trib_links_connect_to(job, node, 0, false, &link);
        status = status == TRIB_OK ? trib_out_payload(link, large, LARGE) : status;
    }
    EQUAL(status, TRIB_ABORTED);
    trib_links_unlock(job->links);
    return NULL;
}

static void *be_refused(void *argument) {
    struct trib_link *link;
    trib_links_lock(job->links);
    FAILS(trib_links_connect_to(job, *(const int *) argument, 0, false, &link), TRIB_ABORTED, "its process ends");
    trib_links_unlock(job->links);
    return NULL;
}

/** Reads what has come on a connection that is closed meanwhile, as a thread does that waits for an answer. */
static void *read_until_it_ends(void *argument) {
    int status = TRIB_OK;
    bool moved;
    await(&job->links->closed);
    trib_links_lock(job->links);
    while (status == TRIB_OK) {
        status = trib_link_poll(link_to[*(const int *) argument], &moved);
        trib_links_sleep_unlocked(job->links, TRIB_SENDER_LOOK_NS);
    }
    FAILS(status, TRIB_ABORTED, "its process ends");
    trib_links_unlock(job->links);
    return NULL;
}

static void *close_all(void *argument) {
    (void) argument;
    trib_links_close(job);
    return NULL;
}

static void read_to_the_end(int fd) {
    uint8_t rest[4096];
    struct pollfd poller = {.fd = fd, .events = POLLIN};
    ssize_t count;
    do {
        CHECK(poll(&poller, 1, -1) == 1);
        count = recv(fd, rest, sizeof rest, 0);
        CHECK(count >= 0);
    } while (count > 0);
}

static void should_refuse_all_in_line_when_the_process_ends(void) {
    static int node = 1;
    pthread_t threads[4];
    begin(ADDRESSES, NULL);
    connect_all();
    CHECK(pthread_create(&threads[0], NULL, stream_without_a_break, &node) == 0);
    await(&link_to[1]->is_sending);
    CHECK(pthread_create(&threads[1], NULL, be_refused, &node) == 0);
    await(&link_to[1]->is_owed);
    CHECK(pthread_create(&threads[3], NULL, read_until_it_ends, &node) == 0);
    CHECK(pthread_create(&threads[2], NULL, close_all, NULL) == 0);
    await(&job->links->closed);
    for (int i = 0; i < SERVERS; i += 2) {
        CHECK(shutdown(server[i], SHUT_WR) == 0); /* as servers do that have read a goodbye */
    }
    read_to_the_end(server[1]);
    CHECK(shutdown(server[1], SHUT_WR) == 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    finish(true);
}

/* ---- the reason of a failure ---- */

#define REASON "had enough"

static void *abort_job(void *argument) {
    int *status = argument;
    *status = trib_abort(job, REASON);
    return NULL;
}

/** The own server reads nothing else while another thread streams to it, nor would it where that has to wait. */
static void should_tell_the_reason_when_another_thread_streams(void) {
    static int node = 0;
    int status;
    pthread_t streamer;
    pthread_t ender;
    begin(ADDRESSES, NULL);
    connect_all();
    CHECK(pthread_create(&streamer, NULL, stream_without_a_break, &node) == 0);
    await(&link_to[0]->is_sending);
    CHECK(pthread_create(&ender, NULL, abort_job, &status) == 0);
    EQUAL(receive_frame(lifeline_server), wire_abort_sbe_template_id());
    trib_job_failed(job, REASON); /* as the server says it to all */
    pthread_join(ender, NULL);
    pthread_join(streamer, NULL);
    EQUAL(status, TRIB_OK);
    finish(true);
}

/* ---- fences ---- */

static void *fence(void *argument) {
    (void) argument;
    OK(trib_fence_all(job));
    return NULL;
}

static bool has_begun(int64_t fences) {
    trib_links_lock(job->links);
    bool begun = job->links->fences >= fences;
    trib_links_unlock(job->links);
    return begun;
}

/** Whichever ends last: one that looks again at a link for which it has waited may wait for requests of others. */
static void should_remember_the_latest_fence_when_two_wait_at_once(void) {
    begin(ADDRESSES, NULL);
    connect_all();
    for (int round = 1; round <= 20; round++) {
        pthread_t fences[2];
        struct trib_link *link;
        OK(trib_request_begin(job, 1, 0, false, &link));
        OK(trib_out_payload(link, (const uint8_t *) "x", 1));
        trib_link_issued(link, false, true);
        OK(trib_request_end(link, TRIB_OK, true));
        for (int i = 0; i < 2; i++) {
            CHECK(pthread_create(&fences[i], NULL, fence, NULL) == 0);
            while (!has_begun(2 * round - 1 + i)) {
                usleep(200);
            }
        }
        uint8_t taken[1];
        receive(server[1], taken, sizeof taken);
        EQUAL(receive_frame(server[1]), wire_fence_sbe_template_id());
        acknowledge(server[1], round);
        pthread_join(fences[0], NULL);
        pthread_join(fences[1], NULL);
        EQUAL(link->fenced_by[false], 2 * round);
    }
    finish(true);
}

/* ---- waiting for what all threads have issued ---- */

static void *wait_for_handle(void *argument) {
    OK(trib_wait(argument));
    return NULL;
}

static void *wait_for_all(void *argument) {
    (void) argument;
    OK(trib_wait_all(job));
    return NULL;
}

/** Waits until so many threads do nothing but wait: one asleep in the kernel, the others for its news. */
static void await_waiters(int count) {
    int waiting = 0;
    while (waiting < count) {
        usleep(200);
        trib_links_lock(job->links);
        waiting = job->links->waiting + (job->links->sleeping ? 1 : 0);
        trib_links_unlock(job->links);
    }
}

/** Its thread may wait in turn for the one that waits for all. */
static void should_hand_over_what_others_left_in_a_buffer_when_a_phase_ends_late(void) {
    struct trib_link *link;
    pthread_t waiters[2];
    trib_handle early;
    trib_handle late;
    uint8_t got[8] = {0};
    begin(ADDRESSES, NULL);
    connect_all();
    OK(trib_handle_init(job, TRIB_PLAIN, &early));
    OK(trib_handle_init(job, TRIB_AGGREGATE, &late));
    OK(trib_request_begin(job, 2, 0, false, &link));
    struct trib_reply *reply = trib_link_expect(link, &early);
    CHECK(reply != NULL);
    OK(trib_request_end(link, trib_send_probe(link, reply, 2), true));
    EQUAL(receive_frame(server[2]), wire_probe_sbe_template_id());
    CHECK(pthread_create(&waiters[0], NULL, wait_for_handle, &early) == 0);
    await_waiters(1);
    CHECK(pthread_create(&waiters[1], NULL, wait_for_all, NULL) == 0);
    await_waiters(2);
    OK(trib_request_begin(job, 1, sizeof got, true, &link));
    OK(trib_request_end(link, trib_send_get_entry(link, &late, 7, 1, 0, got, sizeof got), false));
    answer_done(server[2], 0);
    EQUAL(receive_frame(server[1]), wire_getVector_sbe_template_id());
    answer_data(server[1], 0, "answered", sizeof got);
    pthread_join(waiters[0], NULL);
    pthread_join(waiters[1], NULL);
    EQUAL(memcmp(got, "answered", sizeof got), 0);
    finish(true);
}

void turns(void) {
    should_hand_over_what_others_left_in_a_buffer_when_a_phase_ends_late();
    should_remember_the_latest_fence_when_two_wait_at_once();
    should_give_each_thread_its_turn_when_another_streams();
    should_refuse_all_in_line_when_the_process_ends();
    should_tell_the_reason_when_another_thread_streams();
}

/* Threads that want a connection on which another streams. */
#include "linked.h"

#include <pthread.h>
#include <sys/socket.h>

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

void turns(void) {
    should_give_each_thread_its_turn_when_another_streams();
}

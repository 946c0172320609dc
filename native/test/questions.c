/* A thread that waits for a word of shared memory, and asks servers that do not answer meanwhile. */
#include "linked.h"

#include "memory/memory.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

#include "wire/get.h"
#include "wire/probe.h"

#define BYTES 16

static int64_t word;

/** The rank 0 alone on its node, with a control file that nobody else sees. */
static void begin_with_control(const char *servers, const char *const *more) {
    begin(servers, more);
    connect_all();
    job->node.rank_count = 1;
    job->node.rank_block_bytes = 4096;
    job->node.control_bytes = TRIB_CONTROL_RANK_BLOCKS_OFFSET + 4096;
    job->node.control = aligned_alloc(64, (job->node.control_bytes + 63) / 64 * 64);
    CHECK(job->node.control != NULL);
    memset(job->node.control, 0, job->node.control_bytes);
    __atomic_store_n(&word, 0, __ATOMIC_SEQ_CST);
}

static void finish_with_control(void) {
    free(job->node.control);
    finish(true);
}

static void come(void) {
    __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
    trib_node_ring(&job->node, 0);
}

static bool has_come(void *context) {
    return __atomic_load_n((int64_t *) context, __ATOMIC_ACQUIRE) == 1;
}

static void *wait_for_node(void *argument) {
    struct trib_cause wait = {.kind = TRIB_WAIT_FLAG, .peer = (int) (long) argument};
    OK(trib_await_word(job, &word, 1, true, &wait));
    return NULL;
}

/** The rank that is to store the word has another way to this node than through its own server. */
static void should_end_a_wait_when_the_word_comes_and_no_server_answers(void) {
    pthread_t waiter;
    begin_with_control(ADDRESSES, NULL);
    for (int round = 0; round < 3; round++) {
        CHECK(pthread_create(&waiter, NULL, wait_for_node, (void *) 2L) == 0);
        EQUAL(receive_frame(server[2]), wire_probe_sbe_template_id());
        come();
        pthread_join(waiter, NULL);
        __atomic_store_n(&word, 0, __ATOMIC_SEQ_CST);
    }
    EQUAL(link_to[2]->replies_made, 3);
    EQUAL(link_to[2]->free_count, 0);
    for (int request = 0; request < 3; request++) {
        answer_done(server[2], request);
    }
    trib_links_lock(job->links);
    while (link_to[2]->free_count < 3) {
        OK(trib_links_poll(job));
    }
    trib_links_unlock(job->links);
    finish_with_control();
}

static void ask_for_bytes(struct trib_question *question) {
    OK(trib_ask_bytes(job, 7, 2, 0, BYTES, question));
    EQUAL(receive_frame(server[2]), wire_get_sbe_template_id());
}

/** What comes late goes to no memory of the caller, and to no other question. */
static void should_keep_answers_apart_when_one_comes_late(void) {
    const struct trib_cause wait = {.kind = TRIB_WAIT_COLLECTIVE, .peer = 2};
    const struct trib_enough enough = {.condition = has_come, .context = &word, .wait = &wait};
    struct trib_question late;
    struct trib_question question;
    bool answered;
    uint8_t bytes[BYTES] = "none";
    begin_with_control(ADDRESSES, NULL);
    ask_for_bytes(&late);
    come();
    OK(trib_await_answer(job, &late, &enough, &answered, NULL, bytes));
    CHECK(!answered && late.reply == NULL);
    __atomic_store_n(&word, 0, __ATOMIC_SEQ_CST);
    ask_for_bytes(&question);
    answer_data(server[2], 0, "the late answer", BYTES);
    OK(trib_question_look(job, &question, &answered, NULL, bytes));
    CHECK(!answered);
    EQUAL(strcmp((char *) bytes, "none"), 0);
    answer_data(server[2], 1, "the next answer", BYTES);
    OK(trib_await_answer(job, &question, &enough, &answered, NULL, bytes));
    CHECK(answered);
    EQUAL(strcmp((char *) bytes, "the next answer"), 0);
    EQUAL(link_to[2]->free_count, 2);
    finish_with_control();
}

/* ---- nodes to which there is no connection ---- */

static int listening_at;

/** The server of node 3 admits nobody; ranks have 30 s to connect, longer than anything here takes. */
static void begin_unadmitted(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    char servers[100];
    const char *const patient[] = {"connect.timeout=30s", "attach.timeout=30s", NULL};
    listening_at = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(bind(listening_at, (struct sockaddr *) &address, length) == 0 && listen(listening_at, 8) == 0);
    CHECK(getsockname(listening_at, (struct sockaddr *) &address, &length) == 0);
    snprintf(servers, sizeof servers, "127.0.0.1:1,127.0.0.1:1,127.0.0.1:1,127.0.0.1:%d", ntohs(address.sin_port));
    begin_with_control(servers, patient);
}

/** The threads that connect end when the rank leaves. */
static void finish_unadmitted(void) {
    CHECK(trib_calls_stop(job));
    close(listening_at);
    finish_with_control();
}

static void should_not_wait_for_a_connection_when_a_question_needs_one(void) {
    struct trib_question first;
    struct trib_question second;
    bool answered;
    begin_unadmitted();
    OK(trib_ask_bytes(job, 7, 3, 0, BYTES, &first));
    OK(trib_ask_state(job, 3, &second));
    int attempt = accept(listening_at, NULL, NULL); /* one for both */
    OK(trib_question_look(job, &first, &answered, NULL, NULL));
    CHECK(!answered);
    trib_question_drop(job, &first);
    OK(trib_question_look(job, &second, &answered, NULL, NULL));
    CHECK(!answered);
    trib_question_drop(job, &second);
    struct pollfd another = {.fd = listening_at, .events = POLLIN};
    EQUAL(poll(&another, 1, 0), 0);
    close(attempt);
    finish_unadmitted();
}

static void should_end_a_wait_when_the_word_comes_and_there_is_no_connection(void) {
    pthread_t waiter;
    begin_unadmitted();
    CHECK(pthread_create(&waiter, NULL, wait_for_node, (void *) 3L) == 0);
    int attempt = accept(listening_at, NULL, NULL);
    come();
    pthread_join(waiter, NULL);
    close(attempt);
    finish_unadmitted();
}

/** Nobody listens there. */
static void should_fail_a_wait_when_there_is_no_server(void) {
    struct trib_cause wait = {.kind = TRIB_WAIT_FLAG, .peer = 3};
    begin_with_control(ADDRESSES, NULL);
    EQUAL(trib_await_word(job, &word, 1, true, &wait), TRIB_ATTACH_FAILED);
    CHECK(strstr(trib_last_error()->message, "no communication server of node 3") != NULL);
    CHECK(trib_calls_stop(job));
    finish_with_control();
}

static int come_and_fail(void *context, int from, const struct trib_enough *enough) {
    (void) context;
    (void) from;
    CHECK(!enough->condition(enough->context));
    come();
    return trib_fail(TRIB_ATTACH_FAILED, "who was asked does not answer");
}

static void should_end_a_wait_when_the_word_has_come_before_a_question_has_failed(void) {
    struct trib_cause wait = {.kind = TRIB_WAIT_FLAG, .peer = 2};
    begin_with_control(ADDRESSES, NULL);
    OK(trib_await_doubting(job, &word, 1, true, &wait, come_and_fail, NULL, NULL));
    finish_with_control();
}

void questions(void) {
    should_end_a_wait_when_the_word_has_come_before_a_question_has_failed();
    should_not_wait_for_a_connection_when_a_question_needs_one();
    should_end_a_wait_when_the_word_comes_and_there_is_no_connection();
    should_fail_a_wait_when_there_is_no_server();
    should_end_a_wait_when_the_word_comes_and_no_server_answers();
    should_keep_answers_apart_when_one_comes_late();
}

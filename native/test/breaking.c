/* Connections that break, and memory that runs out, at a moment that the test chooses. */
#include "linked.h"

#include "memory/remote.h"
#include "net/connection.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "wire/get.h"
#include "wire/getVector.h"

/* ---- what the library calls instead; see CMakeLists.txt ---- */

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
ssize_t __real_sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags);
int __real_epoll_wait(int epoll, struct epoll_event *events, int most, int timeout_ms);
int __wrap_epoll_wait(int epoll, struct epoll_event *events, int most, int timeout_ms);
int __real_trib_connection_admit(struct trib_connection *connection, const struct trib_place *place, int role,
                                 int wanted, int *max_payload);
int __wrap_trib_connection_admit(struct trib_connection *connection, const struct trib_place *place, int role,
                                 int wanted, int *max_payload);
int __wrap_trib_connection_join(struct trib_connection *connection);

static _Thread_local int callocs_left = -1; /* -1: any number */

void *__wrap_calloc(size_t count, size_t bytes) {
    if (callocs_left == 0) {
        return NULL;
    }
    callocs_left -= callocs_left > 0;
    return __real_calloc(count, bytes);
}

static _Thread_local int sends_left; /* 2: takes a byte, 1: breaks, 0: does as it should */

ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags) {
    struct iovec first = {.iov_base = message->msg_iov->iov_base, .iov_len = 1};
    struct msghdr byte = {.msg_iov = &first, .msg_iovlen = 1};
    switch (sends_left) {
        case 2:
            sends_left = 1;
            return __real_sendmsg(fd, &byte, flags);
        case 1:
            sends_left = 0;
            errno = EPIPE;
            return -1;
        default:
            return __real_sendmsg(fd, message, flags);
    }
}

static bool has_woken; /* atomic: a thread has heard of something, and has not looked yet */

int __wrap_epoll_wait(int epoll, struct epoll_event *events, int most, int timeout_ms) {
    int count = __real_epoll_wait(epoll, events, most, timeout_ms);
    for (int i = 0; i < count; i++) {
        if (events[i].data.ptr != NULL) {
            __atomic_store_n(&has_woken, true, __ATOMIC_RELEASE);
        }
    }
    return count;
}

static int listening_at = -1; /* a server that admits whatever connects */

int __wrap_trib_connection_admit(struct trib_connection *connection, const struct trib_place *place, int role,
                                 int wanted, int *max_payload) {
    if (listening_at < 0) {
        return __real_trib_connection_admit(connection, place, role, wanted, max_payload);
    }
    *max_payload = LARGE;
    return TRIB_OK;
}

static int joins;

/** It breaks, and a thread that sleeps in epoll hears of it. */
int __wrap_trib_connection_join(struct trib_connection *connection) {
    (void) connection;
    joins++;
    int64_t until_ns = trib_now_ns() + 10 * TRIB_NS_PER_S;
    close(accept(listening_at, NULL, NULL));
    while (!__atomic_load_n(&has_woken, __ATOMIC_ACQUIRE) && trib_now_ns() < until_ns) {
        usleep(200);
    }
    return trib_fail(TRIB_ATTACH_FAILED, "it broke");
}

bool __wrap_trib_await_reason(const trib *of);

static bool is_patient; /* atomic: who looks for the reason waits for it, however long it takes; else not at all */

bool __wrap_trib_await_reason(const trib *of) {
    while (__atomic_load_n(&is_patient, __ATOMIC_ACQUIRE) && !trib_has_failed(of)) {
        usleep(200);
    }
    return trib_has_failed(of);
}

static void set_patient(bool patient) {
    __atomic_store_n(&is_patient, patient, __ATOMIC_RELEASE);
}

/* ---- direct connections ---- */

static void *wait_for_handle(void *handle) {
    OK(trib_wait(handle));
    return NULL;
}

static void should_take_the_route_when_a_connection_breaks_before_it_joins(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    const char *const routes[] = {"cooperation.mode=forward", "cooperation.group-size=4", NULL};
    char servers[100];
    struct trib_link *link;
    trib_handle handle;
    pthread_t waiter;
    listening_at = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(bind(listening_at, (struct sockaddr *) &address, length) == 0 && listen(listening_at, 8) == 0);
    CHECK(getsockname(listening_at, (struct sockaddr *) &address, &length) == 0);
    snprintf(servers, sizeof servers, "127.0.0.1:1,127.0.0.1:%d,127.0.0.1:1,127.0.0.1:1", ntohs(address.sin_port));
    begin(servers, routes);
    connect_all();
    OK(trib_handle_init(job, TRIB_PLAIN, &handle));
    trib_links_lock(job->links);
    struct trib_reply *reply = trib_link_expect(link_to[0], &handle);
    CHECK(reply != NULL);
    trib_links_unlock(job->links);
    CHECK(pthread_create(&waiter, NULL, wait_for_handle, &handle) == 0);
    await(&job->links->sleeping);
    trib_links_lock(job->links);
    OK(trib_links_connect_to(job, 1, LARGE, false, &link));
    CHECK(link == link_to[0]);
    EQUAL(joins, 1);
    EQUAL(job->links->paths.count, 0);
    trib_links_unlock(job->links);
    answer_done(server[0], reply->slot);
    pthread_join(waiter, NULL);
    CHECK(job->links->sets[TRIB_RETIRED] != NULL); /* for the next one */
    close(listening_at);
    listening_at = -1;
    finish(true);
}

/* ---- what is half-sent ---- */

/** A fence as another thread may call it while the reason is looked for. */
static void fence_broken(struct trib_link *link, const char *problem) {
    CHECK(strstr(problem, "Broken pipe") != NULL);
    FAILS(trib_link_fence(link, link->issued), TRIB_ABORTED, "is broken");
}

static void should_keep_its_buffer_when_a_connection_breaks_half_way(void) {
    bool all;
    begin(ADDRESSES, NULL);
    connect_all();
    job->links->explain = fence_broken;
    trib_links_lock(job->links);
    OK(trib_out_payload(link_to[1], (const uint8_t *) "abc", 3));
    sends_left = 2;
    FAILS(trib_out_push(link_to[1], &all), TRIB_ABORTED, "Broken pipe");
    EQUAL(link_to[1]->out_position, 3);
    trib_links_unlock(job->links);
    finish(true);
}

/* ---- memory of callers ---- */

#define PIECE 8
#define PIECES 3

static int get_contiguous(trib_memory *memory, uint8_t *target) {
    return trib_remote_get(memory, NULL, 1, 0, target, PIECES * PIECE);
}

static int get_strided(trib_memory *memory, uint8_t *target) {
    const trib_shape shape = {.block_bytes = PIECE, .levels = 1, .count = {PIECES}, .local_stride = {PIECE},
        .remote_stride = {PIECE}};
    return trib_remote_get_strided(memory, NULL, 1, 0, target, &shape);
}

static int get_vector(trib_memory *memory, uint8_t *target) {
    trib_range ranges[PIECES];
    for (int i = 0; i < PIECES; i++) {
        ranges[i] = (trib_range) {.local = target + i * PIECE, .offset = (size_t) i * PIECE, .bytes = PIECE};
    }
    return trib_remote_get_vector(memory, NULL, 1, ranges, PIECES);
}

/** The first of three pieces has been asked for when there is no memory for the second. */
static void get_part(int (*get)(trib_memory *memory, uint8_t *target), int template) {
    trib_memory memory = {.job = job, .id = 7};
    uint8_t target[PIECES * PIECE] = {0};
    answer_data(server[1], 0, "answered", PIECE);
    callocs_left = link_to[1]->replies_made == 0 ? 1 : 0;
    FAILS(get(&memory, target), TRIB_NO_MEMORY, "no memory for another request");
    callocs_left = -1;
    EQUAL(memcmp(target, "answered", PIECE), 0);
    EQUAL(receive_frame(server[1]), template);
    EQUAL(link_to[1]->replies_made, 1);
    EQUAL(link_to[1]->free_count, 1);
    CHECK(!link_to[1]->broken);
}

static void should_have_been_answered_when_memory_runs_out_within_a_get(void) {
    struct trib_link *link;
    begin(ADDRESSES, NULL);
    connect_all();
    link_to[1]->max_executed = PIECE;
    OK(trib_request_begin(job, 1, 0, false, &link)); /* makes the path */
    OK(trib_request_end(link, TRIB_OK, false));
    get_part(get_contiguous, wire_get_sbe_template_id());
    get_part(get_strided, wire_get_sbe_template_id());
    get_part(get_vector, wire_getVector_sbe_template_id());
    finish(true);
}

static int get_entry(trib_handle *handle, uint8_t *target) {
    struct trib_link *link;
    OK(trib_request_begin(job, 1, PIECE, true, &link));
    return trib_request_end(link, trib_send_get_entry(link, handle, 7, 1, 0, target, PIECE), false);
}

/** What it would have been added to has been sent, to make room for a message for which there was no memory. */
static void should_begin_another_list_when_memory_runs_out_between_two(void) {
    trib_handle handle;
    uint8_t target[PIECES * PIECE];
    begin(ADDRESSES, NULL);
    connect_all();
    OK(trib_handle_init(job, TRIB_AGGREGATE, &handle));
    int64_t list_bytes = TRIB_FRAME_HEADER_BYTES + (int64_t) wire_getVector_sbe_block_length();
    link_to[1]->out_capacity = list_bytes + 2 * TRIB_FRAME_VECTOR_ENTRY_BYTES;
    OK(get_entry(&handle, target));
    OK(get_entry(&handle, target + PIECE));
    callocs_left = 0;
    FAILS(get_entry(&handle, target), TRIB_NO_MEMORY, "no memory for another request");
    callocs_left = -1;
    EQUAL(receive_frame(server[1]), wire_getVector_sbe_template_id());
    OK(get_entry(&handle, target + 2 * PIECE));
    OK(trib_links_flush_all(job));
    EQUAL(receive_frame(server[1]), wire_getVector_sbe_template_id());
    answer_data(server[1], 0, "answered, twice.", 2 * PIECE);
    answer_data(server[1], 1, "and more", PIECE);
    OK(trib_wait(&handle));
    EQUAL(memcmp(target, "answered, twice.and more", sizeof target), 0);
    finish(true);
}

static void should_read_no_answer_when_a_wait_for_all_fails(void) {
    struct trib_link *link;
    trib_handle handle;
    begin(ADDRESSES, NULL);
    connect_all();
    OK(trib_handle_init(job, TRIB_PLAIN, &handle));
    OK(trib_request_begin(job, 2, 0, false, &link));
    CHECK(trib_link_expect(link, &handle) != NULL);
    OK(trib_request_end(link, TRIB_OK, false));
    OK(trib_request_begin(job, 1, 0, false, &link));
    OK(trib_request_end(link, trib_out_payload(link, (const uint8_t *) "!", 1), false));
    link_to[1]->broken = true;
    FAILS(trib_wait_all(job), TRIB_ABORTED, "node 1 is broken");
    CHECK(link_to[2]->broken);
    finish(true);
}

/* ---- why they broke ---- */

static void *poll_broken(void *argument) {
    (void) argument;
    struct trib_awaited what = {.counter = &link_to[1]->executed, .until = 1, .link = link_to[1]};
    EQUAL(trib_await(job, &what), TRIB_ABORTED);
    return NULL;
}

static void *use_broken(void *argument) {
    (void) argument;
    struct trib_link *link;
    trib_links_lock(job->links);
    FAILS(trib_links_connect_to(job, 1, 0, false, &link), TRIB_ABORTED, "the reason");
    trib_links_unlock(job->links);
    return NULL;
}

/** While one thread waits for a process that knows the reason, the lock is free; the others hear the reason. */
static void should_give_the_lock_away_while_the_reason_is_awaited(void) {
    pthread_t finder;
    pthread_t user;
    begin(ADDRESSES, NULL);
    connect_all();
    close(server[1]);
    set_patient(true);
    CHECK(pthread_create(&finder, NULL, poll_broken, NULL) == 0);
    await(&job->links->explaining);
    CHECK(!trib_has_failed(job));
    CHECK(pthread_create(&user, NULL, use_broken, NULL) == 0);
    trib_job_failed(job, "the reason");
    pthread_join(finder, NULL);
    pthread_join(user, NULL);
    set_patient(false);
    CHECK(recv(lifeline_server, got_rid_of, 1, 0) < 0); /* and the own server, which knows, is told nothing */
    finish(true);
}

/** If nobody does, the own server is told. */
static void should_tell_the_own_server_when_nobody_knows_better(void) {
    pthread_t finder;
    begin(ADDRESSES, NULL);
    connect_all();
    close(server[1]);
    CHECK(pthread_create(&finder, NULL, poll_broken, NULL) == 0);
    pthread_join(finder, NULL);
    FAILS(trib_check(job), TRIB_ABORTED, "of node 1 broke: connection closed");
    int32_t length;
    receive(lifeline_server, (uint8_t *) &length, sizeof length);
    CHECK(length > 0 && (size_t) length - sizeof length <= sizeof got_rid_of);
    receive(lifeline_server, got_rid_of, (size_t) length - sizeof length);
    CHECK(memmem(got_rid_of, (size_t) length - sizeof length, "of node 1 broke", 15) != NULL);
    finish(true);
}

/** The own server, which reads nothing, holds up neither who finds the reason nor who leaves. */
static void should_end_when_the_own_server_reads_nothing(void) {
    pthread_t finder;
    struct trib_link *link;
    begin(ADDRESSES, NULL);
    connect_all();
    fill(link_to[0]->fd);
    fill(job->links->lifeline.fd);
    close(server[1]);
    set_patient(true);
    CHECK(pthread_create(&finder, NULL, poll_broken, NULL) == 0);
    await(&job->links->explaining);
    __atomic_store_n(&job->calls.leaving, true, __ATOMIC_SEQ_CST);
    trib_links_lock(job->links);
    FAILS(trib_links_connect_to(job, 1, 0, false, &link), TRIB_ABORTED, "node 1");
    trib_links_unlock(job->links);
    set_patient(false);
    pthread_join(finder, NULL);
    FAILS(trib_check(job), TRIB_ABORTED, "of node 1 broke: connection closed");
    finish(true);
}

void breaking(void) {
    should_take_the_route_when_a_connection_breaks_before_it_joins();
    should_keep_its_buffer_when_a_connection_breaks_half_way();
    should_have_been_answered_when_memory_runs_out_within_a_get();
    should_begin_another_list_when_memory_runs_out_between_two();
    should_read_no_answer_when_a_wait_for_all_fails();
    should_give_the_lock_away_while_the_reason_is_awaited();
    should_tell_the_own_server_when_nobody_knows_better();
    should_end_when_the_own_server_reads_nothing();
}

/* Connections of a rank without a job: what stands at their other ends is a socket that the test reads, or does not. */
#include "linked.h"

#include "memory/remote.h"
#include "net/resolve.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "wire/probe.h"
#include "wire/refused.h"
#include "wire/role.h"

/* ---- a server that reads nothing ---- */

/** Sends on the connection to node 1 what its server does not take. */
static void *send_large(void *argument) {
    (void) argument;
    struct trib_link *link;
    trib_links_lock(job->links);
    OK(trib_links_connect_to(job, 1, 0, false, &link));
    OK(trib_out_payload(link, large, LARGE));
    trib_links_unlock(job->links);
    return NULL;
}

/** Wants to send on the same connection. */
static void *send_small(void *argument) {
    (void) argument;
    struct trib_link *link;
    trib_links_lock(job->links);
    OK(trib_links_connect_to(job, 1, 0, false, &link));
    OK(trib_out_payload(link, (const uint8_t *) "small", 5));
    OK(trib_link_flush(link));
    trib_links_unlock(job->links);
    return NULL;
}

static void should_use_other_connections_while_a_server_reads_nothing(void) {
    pthread_t sender;
    pthread_t other;
    uint8_t got[5];
    struct trib_link *link;
    begin(ADDRESSES, NULL);
    connect_all();
    CHECK(pthread_create(&sender, NULL, send_large, NULL) == 0);
    await(&link_to[1]->is_sending);
    CHECK(pthread_create(&other, NULL, send_small, NULL) == 0);
    for (int i = 0; i < 100; i++) {
        trib_links_lock(job->links);
        OK(trib_links_connect_to(job, 2, 0, false, &link));
        OK(trib_out_payload(link, (const uint8_t *) "other", 5));
        trib_link_enter(link, TRIB_UNFLUSHED);
        OK(trib_links_flush(job));
        trib_links_unlock(job->links);
        receive(server[2], got, 5);
        EQUAL(memcmp(got, "other", 5), 0);
    }
    receive_large(1); /* whole, and before the other message */
    receive(server[1], got, 5);
    EQUAL(memcmp(got, "small", 5), 0);
    pthread_join(sender, NULL);
    pthread_join(other, NULL);
    finish(true);
}

/** A request to node 2. */
static void ask(trib_handle *handle) {
    struct trib_link *link;
    OK(trib_request_begin(job, 2, 0, false, &link));
    struct trib_reply *reply = trib_link_expect(link, handle);
    CHECK(reply != NULL);
    OK(trib_request_end(link, trib_send_probe(link, reply, 2), true));
    EQUAL(receive_frame(server[2]), wire_probe_sbe_template_id());
}

static void *wait_for_node_2(void *argument) {
    OK(trib_wait(argument));
    return NULL;
}

/** Requests buffered for node 1, whose server reads nothing, are sent as soon as it does, by who waits for another. */
static void should_test_and_wait_for_a_handle_while_another_server_reads_nothing(void) {
    struct trib_link *link;
    trib_handle handle;
    bool complete = true;
    pthread_t waiter;
    char last = ' ';
    begin(ADDRESSES, NULL);
    connect_all();
    OK(trib_handle_init(job, TRIB_PLAIN, &handle));
    fill(link_to[1]->fd);
    OK(trib_request_begin(job, 1, 0, false, &link));
    OK(trib_request_end(link, trib_out_payload(link, (const uint8_t *) "!", 1), false));
    ask(&handle);
    OK(trib_test(&handle, &complete));
    CHECK(!complete);
    CHECK(link_to[1]->places[TRIB_STALLED].in);
    answer_done(server[2], 0);
    OK(trib_wait(&handle));
    ask(&handle);
    job->node.control = calloc(1, TRIB_CONTROL_RANK_BLOCKS_OFFSET + TRIB_CONTROL_RANK_NOTIFY_OFFSET);
    CHECK(job->node.control != NULL);
    CHECK(pthread_create(&waiter, NULL, wait_for_node_2, &handle) == 0);
    while (__atomic_load_n(&job->node.waits_taken, __ATOMIC_ACQUIRE) == 0) { /* it says that it waits, and for what */
        usleep(200);
    }
    for (ssize_t count = 0; last != '!'; count = recv(server[1], got_rid_of, sizeof got_rid_of, 0)) {
        last = count > 0 ? (char) got_rid_of[count - 1] : ' ';
    }
    answer_done(server[2], 0);
    pthread_join(waiter, NULL);
    EQUAL(job->node.waits_taken, 0);
    free(job->node.control);
    job->node.control = NULL;
    CHECK(!link_to[1]->places[TRIB_STALLED].in && !link_to[1]->places[TRIB_UNFLUSHED].in);
    finish(true);
}

/** Else a get would have succeeded, with what was in its memory before. */
static void should_refuse_an_answer_without_data_to_a_request_for_some(void) {
    trib_handle handle;
    begin(ADDRESSES, NULL);
    connect_all();
    OK(trib_handle_init(job, TRIB_PLAIN, &handle));
    ask(&handle);
    trib_link_waiting(link_to[2], 0)->expected = 8;
    answer_done(server[2], 0);
    FAILS(trib_wait(&handle), TRIB_ABORTED, "node 2 answered without data, not with 8 bytes");
    finish(true);
}

/** A thread that sends, or waits until another has, hears that the job has failed, whatever the server does. */
static void *send_in_vain(void *argument) {
    (void) argument;
    struct trib_link *link;
    trib_links_lock(job->links);
    int status = trib_links_connect_to(job, 1, 0, false, &link);
    FAILS(status == TRIB_OK ? trib_out_payload(link, large, LARGE) : status, TRIB_ABORTED, "enough");
    trib_links_unlock(job->links);
    return NULL;
}

static void should_end_waits_for_a_full_socket_when_the_job_fails(void) {
    pthread_t sender;
    pthread_t other;
    begin(ADDRESSES, NULL);
    connect_all();
    CHECK(pthread_create(&sender, NULL, send_in_vain, NULL) == 0);
    await(&link_to[1]->is_sending);
    CHECK(pthread_create(&other, NULL, send_in_vain, NULL) == 0);
    trib_job_failed(job, "enough");
    pthread_join(sender, NULL);
    pthread_join(other, NULL);
    CHECK(link_to[1]->broken); /* for nothing may follow the half of a message */
    finish(true);
}

/* ---- fences and flushes ---- */

static int members(int set) {
    int count = 0;
    for (struct trib_link *link = job->links->sets[set]; link != NULL; link = link->places[set].next) {
        count++;
    }
    return count;
}

static void should_meet_only_connections_with_something_under_way(void) {
    struct trib_link *link;
    begin(ADDRESSES, NULL);
    connect_all();
    for (int node = 1; node < SERVERS; node++) {
        trib_links_lock(job->links);
        OK(trib_links_connect_to(job, node, 0, false, &link));
        OK(trib_out_payload(link, (const uint8_t *) "x", 1));
        trib_link_issued(link, false, true);
        OK(trib_request_end(link, TRIB_OK, false));
        EQUAL(members(TRIB_UNFLUSHED), node);
        EQUAL(members(TRIB_UNSETTLED), node);
    }
    OK(trib_links_flush_all(job));
    EQUAL(members(TRIB_UNFLUSHED), 0);
    for (int node = SERVERS - 1; node > 0; node--) {
        link_to[node]->executed = 1; /* as if it had been acknowledged */
    }
    link_to[2]->issued = 2; /* by the runtime, whose requests users' fences need not wait for */
    OK(trib_fence_links(job, false));
    EQUAL(members(TRIB_UNSETTLED), 1);
    CHECK(job->links->sets[TRIB_UNSETTLED] == link_to[2]);
    link_to[2]->executed = 2;
    OK(trib_fence_links(job, true));
    EQUAL(members(TRIB_UNSETTLED), 0);
    finish(true);
}

/* ---- connections that are being opened ---- */

/** A server that says the same to everybody, and closes. */
static struct {
    int listening_at;
    uint16_t refusal; /* 0 for none */
    int accepted;
    bool closed;
} door;

static void refuse(int fd) {
    char frame[200] = {0};
    struct wire_messageHeader header;
    struct wire_refused refused;
    wire_refused_wrap_and_apply_header(&refused, frame + TRIB_FRAME_LENGTH_BYTES, 0,
                                       sizeof frame - TRIB_FRAME_LENGTH_BYTES, &header);
    wire_refused_set_code(&refused, (enum wire_refusalCode) door.refusal);
    wire_refused_put_detail(&refused, "no", 2);
    int32_t length = (int32_t) (TRIB_FRAME_HEADER_BYTES + wire_refused_encoded_length(&refused));
    memcpy(frame, &length, sizeof length);
    if (send(fd, frame, (size_t) length, MSG_NOSIGNAL) == length) { /* or the rank has given up */
        while (recv(fd, frame, sizeof frame, 0) > 0) {
            /* so that what was sent arrives */
        }
    }
}

static int openers; /* threads that have begun to connect */

static void *open_route(void *argument) {
    (void) argument;
    struct trib_link *link;
    trib_links_lock(job->links);
    openers++;
    FAILS(trib_links_connect_to(job, 1, 0, false, &link), TRIB_ATTACH_FAILED, "WRONG_RANK, no");
    trib_links_unlock(job->links);
    return NULL;
}

/** Returns the attempts that are under way when so many threads have begun, and have given the lock away since. */
static int attempts_of(int threads) {
    while (true) {
        trib_links_lock(job->links);
        int begun = openers;
        int attempts = job->links->attempts;
        trib_links_unlock(job->links);
        if (begun == threads) {
            return attempts;
        }
        usleep(200);
    }
}

/** Two threads need the connection, and make one attempt, which ends when its server says so. Nobody else waits. */
static void should_give_the_lock_away_while_a_connection_is_opened(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    char servers[100];
    pthread_t threads[2];
    int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(bind(listening, (struct sockaddr *) &address, sizeof address) == 0 && listen(listening, 8) == 0);
    CHECK(getsockname(listening, (struct sockaddr *) &address, &length) == 0);
    snprintf(servers, sizeof servers, "127.0.0.1:1,127.0.0.1:%d,127.0.0.1:1", ntohs(address.sin_port));
    begin(servers, (const char *const[]) {"connect.timeout=1h", "attach.timeout=1h", NULL});
    for (int i = 0; i < 2; i++) {
        CHECK(pthread_create(&threads[i], NULL, open_route, NULL) == 0);
    }
    int accepted = accept(listening, NULL, NULL);
    CHECK(accepted >= 0);
    EQUAL(attempts_of(2), 1);
    door.refusal = wire_refusalCode_WRONG_RANK;
    refuse(accepted);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    close(accepted);
    EQUAL(job->links->attempts, 0);
    CHECK(job->links->openings == NULL);
    close(listening);
    finish(false);
}

static void *leave_soon(void *argument) {
    (void) argument;
    usleep(100000);
    __atomic_store_n(&job->calls.leaving, true, __ATOMIC_SEQ_CST);
    return NULL;
}

/* ---- names ---- */

static sem_t stalled;
static sem_t resumed;

/** A server of names that does not answer for a while. */
static int stall(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
    (void) host;
    CHECK(sem_post(&stalled) == 0 && sem_wait(&resumed) == 0);
    return getaddrinfo("127.0.0.1", service, hints, found);
}

static int answer(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
    EQUAL(strcmp(host, "a-name"), 0);
    return getaddrinfo("127.0.0.7", service, hints, found);
}

static int unknown(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
    (void) host;
    (void) service;
    (void) hints;
    (void) found;
    return EAI_NONAME;
}

static int busy(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
    unknown(host, service, hints, found);
    return EAI_AGAIN;
}

static void should_give_up_a_name_that_is_not_resolved_in_time(void) {
    struct addrinfo *found;
    pthread_t thread;
    struct trib_deadline soon = trib_deadline_in(30000000, NULL);
    struct trib_deadline later = trib_deadline_in(60 * TRIB_NS_PER_S, NULL);
    bool temporary;
    CHECK(sem_init(&stalled, 0, 0) == 0 && sem_init(&resumed, 0, 0) == 0);
    FAILS(trib_resolve("a-name", "1", &soon, NULL, stall, &temporary, &found), TRIB_ATTACH_FAILED,
          "a-name was not resolved within");
    begin(ADDRESSES, NULL);
    CHECK(pthread_create(&thread, NULL, leave_soon, NULL) == 0);
    FAILS(trib_resolve("a-name", "1", &later, job, stall, &temporary, &found), TRIB_ABORTED, "leaves the job");
    pthread_join(thread, NULL);
    finish(false);
    for (int i = 0; i < 2; i++) {
        CHECK(sem_wait(&stalled) == 0 && sem_post(&resumed) == 0); /* those left behind free what they have found */
    }
    OK(trib_resolve("a-name", "80", &later, NULL, answer, &temporary, &found));
    EQUAL(ntohl(((struct sockaddr_in *) (void *) found->ai_addr)->sin_addr.s_addr), 0x7f000007);
    EQUAL(ntohs(((struct sockaddr_in *) (void *) found->ai_addr)->sin_port), 80);
    freeaddrinfo(found);
    OK(trib_resolve("::1", "80", &later, NULL, unknown, &temporary, &found)); /* asks nobody */
    EQUAL(found->ai_family, AF_INET6);
    freeaddrinfo(found);
    FAILS(trib_resolve("a-name", "80", &later, NULL, unknown, &temporary, &found), TRIB_ATTACH_FAILED,
          "a-name cannot be");
    CHECK(!temporary);
    FAILS(trib_resolve("a-name", "80", &later, NULL, busy, &temporary, &found), TRIB_ATTACH_FAILED, "a-name cannot be");
    CHECK(temporary);
}

/* ---- a server that accepts nothing ---- */

/** A server that was stopped accepts nothing; its socket still takes so many that wait. */
static void should_give_up_a_socket_at_which_nobody_accepts(void) {
    char path[] = "/tmp/tributary-links-XXXXXX";
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct trib_connection connection;
    int waiting[3];
    bool refused;
    CHECK(mkdtemp(path) != NULL);
    snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", path);
    int listening_at = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(bind(listening_at, (struct sockaddr *) &address, sizeof address) == 0 && listen(listening_at, 0) == 0);
    for (int i = 0; i < 3; i++) {
        waiting[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
        connect(waiting[i], (struct sockaddr *) &address, sizeof address); /* the last ones in vain */
    }
    CHECK(errno == EAGAIN);
    begin(ADDRESSES, NULL);
    FAILS(trib_connection_open(&connection, address.sun_path, NULL, &job->settings, NULL, NULL, &refused),
          TRIB_ATTACH_FAILED, "accepts no connection in time");
    finish(false);
    for (int i = 0; i < 3; i++) {
        close(waiting[i]);
    }
    close(listening_at);
    CHECK(unlink(address.sun_path) == 0 && rmdir(path) == 0);
}

/* ---- the own server, which has no patience ---- */

static void *answer_all(void *argument) {
    (void) argument;
    struct pollfd poller = {.fd = door.listening_at, .events = POLLIN};
    while (!__atomic_load_n(&door.closed, __ATOMIC_ACQUIRE)) {
        if (poll(&poller, 1, 5) == 1) {
            int fd = accept(door.listening_at, NULL, NULL);
            __atomic_fetch_add(&door.accepted, 1, __ATOMIC_RELAXED);
            if (door.refusal != 0) {
                refuse(fd);
            }
            close(fd);
        }
    }
    return NULL;
}

/** Returns how many connections there were. */
static int fail_to_connect(uint16_t refusal, const char *text) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct trib_connection *connection;
    pthread_t thread;
    begin(ADDRESSES, NULL);
    snprintf(job->node.directory, sizeof job->node.directory, "/tmp/tributary-links-XXXXXX");
    CHECK(mkdtemp(job->node.directory) != NULL);
    CHECK(snprintf(address.sun_path, sizeof address.sun_path, "%.80s/socket", job->node.directory) > 0);
    door.listening_at = socket(AF_UNIX, SOCK_STREAM, 0);
    door.refusal = refusal;
    door.accepted = 0;
    door.closed = false;
    CHECK(bind(door.listening_at, (struct sockaddr *) &address, sizeof address) == 0
          && listen(door.listening_at, 9) == 0);
    CHECK(pthread_create(&thread, NULL, answer_all, NULL) == 0);
    job->settings.attach_timeout_ns = 2 * TRIB_NS_PER_S;
    FAILS(trib_links_connect_own(job, wire_role_LIFELINE, &connection), TRIB_ATTACH_FAILED, text);
    CHECK(connection == NULL);
    __atomic_store_n(&door.closed, true, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    close(door.listening_at);
    /* Nobody is there any more: there is nothing to wait for. */
    job->settings.attach_timeout_ns = 1000 * TRIB_NS_PER_S;
    FAILS(trib_links_connect_own(job, wire_role_LOCAL_RANK, &connection), TRIB_ATTACH_FAILED, "cannot connect to");
    CHECK(unlink(address.sun_path) == 0 && rmdir(job->node.directory) == 0);
    finish(false);
    return door.accepted;
}

static void should_try_the_own_server_again_when_it_has_no_patience(void) {
    CHECK(fail_to_connect(0, "has not admitted rank 0 within attach.timeout: ") > 1);
    CHECK(fail_to_connect(wire_refusalCode_TOO_MANY, "within attach.timeout: ") > 1);
    EQUAL(fail_to_connect(wire_refusalCode_WRONG_RANK, "refused the connection: WRONG_RANK, no"), 1);
}

static void should_count_only_time_in_which_somebody_looks(void) {
    struct trib_deadline whole = trib_deadline_in(300 * TRIB_NS_PER_S, NULL);
    struct trib_deadline part = trib_deadline_in(200 * TRIB_NS_PER_S, &whole);
    for (int look = 1; look <= 3; look++) {
        whole.looked_ns -= 1000 * TRIB_NS_PER_S; /* the process was stopped for so long */
        part.looked_ns -= 1000 * TRIB_NS_PER_S;
        int64_t left_ns = trib_deadline_left(&part);
        CHECK(left_ns == 200 * TRIB_NS_PER_S - look * TRIB_DEADLINE_COUNTED_NS);
        CHECK(whole.left_ns == 300 * TRIB_NS_PER_S - look * TRIB_DEADLINE_COUNTED_NS);
    }
    CHECK(trib_deadline_look_ms(&part) > 0 && trib_deadline_look_ms(&part) <= 101);
    whole.left_ns = 0;
    CHECK(trib_deadline_left(&part) <= 0);
    EQUAL(trib_deadline_look_ms(&part), 0);
}

/* ---- calls ---- */

static void count_calls(const char *reason, void *context) {
    CHECK(strstr(reason, "enough") != NULL);
    *(int *) context = job->calls.inside;
}

/** A thread in a call that finds the failure is one call, not two. */
static void should_count_a_listener_once(void) {
    int inside = 0;
    begin(ADDRESSES, NULL);
    job->failure.listener = count_calls;
    job->failure.context = &inside;
    OK(trib_call_begin(job));
    trib_job_failed(job, "enough");
    trib_call_end(&job);
    EQUAL(inside, 1);
    EQUAL(job->calls.inside, 0);
    finish(false);
}

/** Time of a flush, a poll and a fence of one put, beside so many connections that have nothing to do with it. */
static double microseconds(int unused) {
    enum { ROUNDS = 20000 };
    struct trib_link *link;
    begin(ADDRESSES, NULL);
    connect_all();
    job->links->all = realloc(job->links->all, (size_t) (SERVERS + unused) * sizeof(struct trib_link *));
    CHECK(job->links->all != NULL);
    add_unused(unused);
    int64_t began_ns = trib_now_ns();
    for (int i = 0; i < ROUNDS; i++) {
        uint8_t taken[16];
        trib_links_lock(job->links);
        OK(trib_links_connect_to(job, 1, 0, false, &link));
        OK(trib_out_payload(link, (const uint8_t *) "x", 1));
        trib_link_issued(link, false, true);
        OK(trib_request_end(link, TRIB_OK, false));
        OK(trib_links_flush_all(job));
        CHECK(recv(server[1], taken, sizeof taken, 0) == 1);
        trib_links_lock(job->links);
        OK(trib_links_poll(job));
        link->executed = link->issued; /* as if it had been acknowledged */
        trib_links_unlock(job->links);
        OK(trib_fence_all(job));
    }
    double each = (double) (trib_now_ns() - began_ns) / ROUNDS / 1000;
    finish(true);
    return each;
}

static int print_costs(void) {
    for (int unused = 0; unused <= 400; unused += unused == 0 ? 100 : unused * 3) {
        printf("%d other connections: %.2f us\n", unused, microseconds(unused));
    }
    return 0;
}

/** With the argument "cost": figures instead. */
int main(int count, char **arguments) {
    alarm(deadline_s());
    if (count > 1 && strcmp(arguments[1], "cost") == 0) {
        return print_costs();
    }
    should_use_other_connections_while_a_server_reads_nothing();
    should_test_and_wait_for_a_handle_while_another_server_reads_nothing();
    should_refuse_an_answer_without_data_to_a_request_for_some();
    should_end_waits_for_a_full_socket_when_the_job_fails();
    should_meet_only_connections_with_something_under_way();
    should_give_the_lock_away_while_a_connection_is_opened();
    should_give_up_a_name_that_is_not_resolved_in_time();
    should_give_up_a_socket_at_which_nobody_accepts();
    should_try_the_own_server_again_when_it_has_no_patience();
    should_count_only_time_in_which_somebody_looks();
    should_count_a_listener_once();
    turns();
    router();
    blocks();
    finding();
    breaking();
    questions();
    farewell();
    puts("links: all well");
    return 0;
}

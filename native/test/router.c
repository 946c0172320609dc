/* Changes between routes and direct connections while other threads are in the middle of messages. */
#include "linked.h"

#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>

#include "wire/fence.h"
#include "wire/goodbye.h"
#include "wire/lock.h"
#include "wire/probe.h"

/** The route to every node leads through the own server; there is room for one direct connection. */
static void begin_with_routes(void) {
    const char *const routes[] = {"cooperation.mode=forward", "cooperation.group-size=4",
        "cooperation.direct-connections=1", NULL};
    begin(ADDRESSES, routes);
    connect_all();
}

/** The connection to node 1 is a direct one, as if it had just been opened. */
static struct trib_path *open_direct(bool taken) {
    struct trib_link *link;
    trib_links_lock(job->links);
    if (trib_links_path(job, 1) == NULL) {
        OK(trib_links_connect_to(job, 1, 0, false, &link));
        CHECK(link == link_to[0]);
    }
    struct trib_path *path = trib_links_path(job, 1);
    link_to[1]->direct = true;
    trib_paths_opened(&job->links->paths, path, link_to[1], trib_now_ns());
    path->takes_direct = taken;
    trib_links_unlock(job->links);
    return path;
}

/** A message to node 1 that its server does not take at once, and a fence. */
static void *send_and_fence(void *argument) {
    struct trib_link *expected = argument;
    struct trib_link *link;
    OK(trib_request_begin(job, 1, 0, false, &link));
    CHECK(link == expected);
    int status = trib_out_payload(link, large, LARGE);
    OK(status);
    trib_link_issued(link, false, true);
    OK(trib_request_end(link, status, true));
    OK(trib_fence(job, 1));
    trib_links_lock(job->links);
    EQUAL(expected->executed, 1);
    trib_links_unlock(job->links);
    return NULL;
}

static bool has_chosen;

/** Changes from the route to node 1 to the direct connection, or back. */
static void *change(void *argument) {
    struct trib_link *from = argument;
    struct trib_link *link;
    trib_links_lock(job->links);
    OK(trib_links_connect_to(job, 1, LARGE, false, &link));
    has_chosen = true;
    CHECK(link == (from == link_to[0] ? link_to[1] : link_to[0]));
    EQUAL(from->executed, 1);
    trib_links_unlock(job->links);
    return NULL;
}

/** Until that thread has found that it must wait, or has not. */
static void await_change(void) {
    bool waits = false;
    while (!waits && !sees(&has_chosen)) {
        trib_links_lock(job->links);
        waits = job->links->paths.waited_ns != 0;
        trib_links_unlock(job->links);
    }
}

static void should_keep_a_connection_in_the_middle_of_a_message_when_another_wants_its_place(void) {
    pthread_t sender;
    struct trib_link *link;
    begin_with_routes();
    open_direct(true);
    CHECK(pthread_create(&sender, NULL, send_and_fence, link_to[1]) == 0);
    await(&link_to[1]->is_sending);
    trib_links_lock(job->links);
    OK(trib_links_connect_to(job, 2, LARGE, false, &link));
    CHECK(link == link_to[0]);
    CHECK(!link_to[1]->retired);
    trib_links_unlock(job->links);
    receive_large(1);
    EQUAL(receive_frame(server[1]), wire_fence_sbe_template_id());
    acknowledge(server[1], 1);
    pthread_join(sender, NULL);
    finish(true);
}

static void should_take_the_route_after_a_message_that_is_under_way(void) {
    pthread_t sender;
    pthread_t other;
    uint8_t byte;
    begin_with_routes();
    struct trib_path *path = open_direct(true);
    has_chosen = false;
    CHECK(pthread_create(&sender, NULL, send_and_fence, link_to[1]) == 0);
    await(&link_to[1]->is_sending);
    trib_links_lock(job->links);
    trib_links_take_route(job, 1);
    path->refused_until_ns = INT64_MAX;
    trib_links_unlock(job->links);
    CHECK(pthread_create(&other, NULL, change, link_to[1]) == 0);
    await_change();
    receive_large(1);
    EQUAL(receive_frame(server[1]), wire_fence_sbe_template_id());
    CHECK(!sees(&has_chosen));
    acknowledge(server[1], 1);
    pthread_join(sender, NULL);
    pthread_join(other, NULL);
    EQUAL(receive_frame(server[1]), wire_goodbye_sbe_template_id());
    EQUAL(recv(server[1], &byte, 1, 0), 0);
    finish(true);
}

static void should_leave_the_route_after_a_message_that_is_under_way(void) {
    pthread_t sender;
    pthread_t other;
    begin_with_routes();
    has_chosen = false;
    CHECK(pthread_create(&sender, NULL, send_and_fence, link_to[0]) == 0);
    await(&link_to[0]->is_sending);
    open_direct(false); /* by a thread that has come back meanwhile */
    CHECK(pthread_create(&other, NULL, change, link_to[0]) == 0);
    await_change();
    receive_large(0);
    EQUAL(receive_frame(server[0]), wire_fence_sbe_template_id());
    CHECK(!sees(&has_chosen));
    acknowledge(server[0], 1);
    pthread_join(sender, NULL);
    pthread_join(other, NULL);
    finish(true);
}

/** Goes to node 2, for which the connection to node 1 has to be closed; there is none to be had. */
static void *take_the_place(void *argument) {
    (void) argument;
    struct trib_link *link;
    trib_links_lock(job->links);
    OK(trib_links_connect_to(job, 2, LARGE, false, &link));
    CHECK(link == link_to[0]);
    trib_links_unlock(job->links);
    return NULL;
}

static void should_open_one_connection_at_a_time_while_another_is_closed(void) {
    pthread_t thread;
    struct trib_link *link;
    begin_with_routes();
    open_direct(true);
    while (send(link_to[1]->fd, large, LARGE / 1024, MSG_NOSIGNAL | MSG_DONTWAIT) > 0) {
    }
    while (send(link_to[1]->fd, large, 1, MSG_NOSIGNAL | MSG_DONTWAIT) > 0) {
    }
    CHECK(errno == EAGAIN);
    CHECK(pthread_create(&thread, NULL, take_the_place, NULL) == 0);
    await(&link_to[1]->is_sending);
    CHECK(sees(&job->links->opens_direct));
    trib_links_lock(job->links);
    OK(trib_links_connect_to(job, 3, LARGE, false, &link));
    CHECK(link == link_to[0]);
    EQUAL(job->links->attempts, 0);
    trib_links_unlock(job->links);
    while (recv(server[1], got_rid_of, sizeof got_rid_of, 0) != 0) {
    }
    pthread_join(thread, NULL);
    EQUAL(job->links->paths.count, 0);
    finish(true);
}

/** The server of node 1 may hold a mutex for this rank, and hears of its departure only where requests have gone. */
static void should_use_the_route_when_a_connection_is_closed_on_which_a_mutex_was_asked_for(void) {
    pthread_t thread;
    begin_with_routes();
    open_direct(true);
    trib_links_lock(job->links);
    struct trib_reply *reply = trib_link_expect(link_to[1], NULL);
    OK(trib_send_lock(link_to[1], reply, 3, 1, 0, false));
    OK(trib_link_flush(link_to[1]));
    trib_link_give_back(link_to[1], reply); /* as if it had been granted */
    trib_links_unlock(job->links);
    EQUAL(receive_frame(server[1]), wire_lock_sbe_template_id());
    CHECK(pthread_create(&thread, NULL, take_the_place, NULL) == 0);
    EQUAL(receive_frame(server[0]), wire_probe_sbe_template_id());
    answer_done(server[0], 0);
    EQUAL(receive_frame(server[1]), wire_goodbye_sbe_template_id());
    pthread_join(thread, NULL);
    EQUAL(job->links->paths.count, 0);
    finish(true);
}

void router(void) {
    should_use_the_route_when_a_connection_is_closed_on_which_a_mutex_was_asked_for();
    should_keep_a_connection_in_the_middle_of_a_message_when_another_wants_its_place();
    should_take_the_route_after_a_message_that_is_under_way();
    should_leave_the_route_after_a_message_that_is_under_way();
    should_open_one_connection_at_a_time_while_another_is_closed();
}

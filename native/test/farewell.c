/* What the own server hears of a rank that leaves, and who is the last of a node. */
#include "linked.h"

#include <pthread.h>
#include <sys/socket.h>

#include "rank/rank.h"

#include "wire/goodbye.h"

/** Of nodes 1 and 2, as servers end connections that have read a goodbye. */
static void end_others(void) {
    for (int node = 1; node < SERVERS; node++) {
        CHECK(shutdown(server[node], SHUT_WR) == 0);
    }
}

static void should_announce_the_goodbye_behind_what_was_sent(void) {
    begin(ADDRESSES, NULL);
    connect_all();
    end_others();
    CHECK(shutdown(server[0], SHUT_WR) == 0);
    CHECK(trib_links_close(job));
    EQUAL(receive_frame(server[0]), wire_goodbye_sbe_template_id());
    EQUAL(receive_frame(lifeline_server), wire_goodbye_sbe_template_id());
    finish(true);
}

static void *hold_the_lock(void *held) {
    trib_links_lock(job->links);
    __atomic_store_n((bool *) held, true, __ATOMIC_RELEASE);
    usleep(1500000);
    trib_links_unlock(job->links);
    return NULL;
}

/** As a thread that has it, and that a busy machine does not let run. Without a goodbye, the job would fail. */
static void should_say_goodbye_when_another_thread_has_the_lock_for_a_while(void) {
    pthread_t holder;
    bool held = false;
    begin(ADDRESSES, NULL);
    connect_all();
    end_others();
    CHECK(shutdown(server[0], SHUT_WR) == 0);
    CHECK(pthread_create(&holder, NULL, hold_the_lock, &held) == 0);
    while (!__atomic_load_n(&held, __ATOMIC_ACQUIRE)) {
        usleep(200);
    }
    CHECK(trib_links_close(job));
    EQUAL(receive_frame(server[0]), wire_goodbye_sbe_template_id());
    pthread_join(holder, NULL);
    finish(true);
}

/** The server, which was stopped, would not take it for dead when its lifeline ends. */
static void should_announce_no_goodbye_for_which_there_is_no_room(void) {
    begin(ADDRESSES, NULL);
    connect_all();
    end_others();
    fill(link_to[0]->fd);
    CHECK(!trib_links_close(job));
    CHECK(recv(lifeline_server, got_rid_of, 1, 0) < 0 && errno == EAGAIN);
    finish(true);
}

static void should_announce_no_goodbye_in_the_middle_of_a_message(void) {
    begin(ADDRESSES, NULL);
    connect_all();
    end_others();
    link_to[0]->is_sending = true; /* by another thread, which is stuck there */
    CHECK(!trib_links_close(job));
    CHECK(recv(lifeline_server, got_rid_of, 1, 0) < 0 && errno == EAGAIN);
    finish(true);
}

#define BLOCK_BYTES 256

static bool is_last(int own, int second, int third) {
    const int states[] = {own, second, third};
    for (int i = 0; i < 3; i++) {
        memcpy(trib_rank_block(&job->node, i) + TRIB_CONTROL_RANK_STATE_OFFSET, &states[i], sizeof(int32_t));
    }
    return trib_node_is_last_to_leave(job);
}

static void should_be_last_when_the_goodbyes_of_others_wait_behind_their_requests(void) {
    begin(ADDRESSES, NULL);
    trib_topology_free(&job->place.topology);
    OK(trib_topology_parse(&job->place.topology, "3,1"));
    job->node.rank_count = 3;
    job->node.rank_block_bytes = BLOCK_BYTES;
    job->node.control = aligned_alloc(64, TRIB_CONTROL_RANK_BLOCKS_OFFSET + 3 * BLOCK_BYTES);
    CHECK(job->node.control != NULL);
    CHECK(is_last(TRIB_DEPARTED, TRIB_DEPARTED, TRIB_DEPARTED));
    CHECK(is_last(TRIB_LEAVING, TRIB_DEPARTED, TRIB_LEAVING));
    CHECK(!is_last(TRIB_LEAVING, TRIB_LEAVING, TRIB_ATTACHED));
    CHECK(!is_last(TRIB_DEPARTED, TRIB_EXPECTED, TRIB_DEPARTED));
    CHECK(is_last(TRIB_ATTACHED, TRIB_ATTACHED, TRIB_ATTACHED)); /* for all that its server has heard */
    free(job->node.control);
    finish(false);
}

void farewell(void) {
    should_announce_the_goodbye_behind_what_was_sent();
    should_say_goodbye_when_another_thread_has_the_lock_for_a_while();
    should_announce_no_goodbye_for_which_there_is_no_room();
    should_announce_no_goodbye_in_the_middle_of_a_message();
    should_be_last_when_the_goodbyes_of_others_wait_behind_their_requests();
}

/* What the own server hears of a rank that leaves. */
#include "linked.h"

#include <sys/socket.h>

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

/** The server, which was stopped, would not take it for dead when its lifeline ends. */
static void should_announce_no_goodbye_for_which_there_is_no_room(void) {
    begin(ADDRESSES, NULL);
    connect_all();
    end_others();
    fill(link_to[0]->fd);
    CHECK(!trib_links_close(job));
    CHECK(recv(lifeline_server, large, 1, 0) < 0 && errno == EAGAIN);
    finish(true);
}

static void should_announce_no_goodbye_in_the_middle_of_a_message(void) {
    begin(ADDRESSES, NULL);
    connect_all();
    end_others();
    link_to[0]->is_sending = true; /* by another thread, which is stuck there */
    CHECK(!trib_links_close(job));
    CHECK(recv(lifeline_server, large, 1, 0) < 0 && errno == EAGAIN);
    finish(true);
}

void farewell(void) {
    should_announce_the_goodbye_behind_what_was_sent();
    should_announce_no_goodbye_for_which_there_is_no_room();
    should_announce_no_goodbye_in_the_middle_of_a_message();
}

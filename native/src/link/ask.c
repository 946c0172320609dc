/* One request to a server, from the choice of its link to the answer. */
#include "links.h"

int trib_request_begin(trib *job, int node, int64_t bytes, bool joins, struct trib_link **link) {
    trib_links_lock(job->links);
    int status = trib_links_connect_to(job, node, bytes, joins, link);
    if (status != TRIB_OK) {
        trib_links_unlock(job->links);
        return status;
    }
    (*link)->begun_in = job->links->phase;
    return TRIB_OK;
}

int trib_request_end(struct trib_link *link, int status, bool flush) {
    /* Who ended the phase meanwhile has handed over only what was buffered then, and waits for this, too. */
    if (status == TRIB_OK && (flush || trib_unlikely(link->begun_in != link->job->links->phase))) {
        status = trib_link_flush(link);
    }
    if (link->out_position > 0) {
        trib_link_enter(link, TRIB_UNFLUSHED);
    }
    trib_links_unlock(link->job->links);
    return status;
}

int trib_request_expect(trib *job, int node, struct trib_link **link, struct trib_reply **reply) {
    TRIB_TRY(trib_request_begin(job, node, 0, false, link));
    *reply = trib_link_expect(*link, NULL);
    return *reply != NULL ? TRIB_OK : trib_request_end(*link, TRIB_NO_MEMORY, false);
}

int trib_request_await_for(struct trib_link *link, struct trib_reply *reply, int status,
                           const struct trib_cause *wait, int64_t *value) {
    if (status != TRIB_OK && !link->broken) {
        trib_link_give_back(link, reply); /* nothing was sent */
    }
    status = trib_request_end(link, status, true);
    return status == TRIB_OK ? trib_await_reply(link->job, link, reply, wait, value) : status;
}

int trib_request_await(struct trib_link *link, struct trib_reply *reply, int status, int64_t *value) {
    struct trib_cause wait = {.kind = TRIB_WAIT_ANSWER, .peer = link->node};
    return trib_request_await_for(link, reply, status, &wait, value);
}

int trib_request_allocate(trib *job, int64_t id, int kind, const struct trib_layout *layout) {
    TRIB_CALL(job);
    struct trib_link *link;
    struct trib_reply *reply;
    TRIB_TRY(trib_request_expect(job, job->place.node, &link, &reply));
    return trib_request_await(link, reply, trib_send_allocate(link, reply, id, kind, layout), NULL);
}

int trib_request_free(trib *job, int64_t id) {
    TRIB_CALL(job);
    struct trib_link *link;
    struct trib_reply *reply;
    TRIB_TRY(trib_request_expect(job, job->place.node, &link, &reply));
    return trib_request_await(link, reply, trib_send_free(link, reply, id), NULL);
}

int trib_request_probe(trib *job, int rank, int64_t *state) {
    TRIB_CALL(job);
    struct trib_link *link;
    struct trib_reply *reply;
    TRIB_TRY(trib_request_expect(job, trib_node_of(job, rank), &link, &reply));
    return trib_request_await(link, reply, trib_send_probe(link, reply, rank), state);
}

/*
 * Questions, which nobody need wait for: a server may be slow to admit a connection, or to answer, and what the asking
 * thread waits for may come from elsewhere. An answer that nobody waits for any more finds a place, and memory, that are the question's own.
 */
#include "links.h"

/** Memory for so many bytes, which the place of the answer keeps for the next question. */
static int keep(struct trib_reply *reply, int64_t bytes) {
    uint8_t *kept = realloc(reply->kept, (size_t) bytes);
    if (kept == NULL) {
        return trib_fail(TRIB_NO_MEMORY, "no memory for an answer of %lld bytes", (long long) bytes);
    }
    reply->kept = kept;
    trib_reply_to_range(reply, kept, bytes);
    return TRIB_OK;
}

static int encode(const struct trib_question *question) {
    if (question->bytes == 0) {
        return trib_send_probe(question->link, question->reply, question->rank);
    }
    TRIB_TRY(keep(question->reply, question->bytes));
    return trib_send_get(question->link, question->reply, question->segment, question->rank, question->offset,
                         question->bytes);
}

/** Sends the question as far as the socket takes it at once. Call with the lock held; gives it away. */
static int send_on(struct trib_link *link, struct trib_question *question) {
    link->begun_in = link->job->links->phase;
    question->reply = trib_link_expect(link, NULL);
    if (question->reply == NULL) {
        return trib_request_end(link, TRIB_NO_MEMORY, false);
    }
    int status = encode(question);
    if (status != TRIB_OK) {
        if (!link->broken) {
            trib_link_give_back(link, question->reply); /* nothing was sent */
        }
        question->reply = NULL;
    }
    return trib_request_end(link, status == TRIB_OK ? trib_link_push(link) : status, false);
}

/** Sends the question, or has the connection made on which it is to be sent. */
static int ask(trib *job, struct trib_question *question) {
    int node = trib_node_of(job, question->rank);
    trib_links_lock(job->links);
    int status = trib_links_find(job, node, &question->link);
    if (status == TRIB_OK && question->link != NULL) {
        return send_on(question->link, question);
    }
    if (status == TRIB_OK) {
        int hop = trib_first_hop(&job->links->routes, job->place.rank, node);
        status = trib_links_open_aside(job, hop, &question->opening);
    }
    trib_links_unlock(job->links);
    return status;
}

int trib_ask_state(trib *job, int rank, struct trib_question *question) {
    *question = (struct trib_question) {.rank = rank};
    return ask(job, question);
}

int trib_ask_bytes(trib *job, int64_t segment, int rank, int64_t offset, int64_t bytes,
                   struct trib_question *question) {
    *question = (struct trib_question) {.rank = rank, .segment = segment, .offset = offset, .bytes = bytes};
    return ask(job, question);
}

/** Hands over what the socket has not taken, and reads. Call with the lock held. */
static int go_on(struct trib_link *link) {
    bool moved;
    bool is_left = link->places[TRIB_STALLED].in || link->places[TRIB_UNFLUSHED].in;
    TRIB_TRY(is_left && !link->is_sending ? trib_link_push(link) : TRIB_OK);
    TRIB_TRY(trib_link_poll(link, &moved));
    return trib_links_look(link->job, trib_now_ns());
}

static int take(struct trib_question *question, int64_t *value, void *bytes) {
    struct trib_reply *reply = question->reply;
    trib_error *failure = reply->failure;
    reply->failure = NULL;
    question->reply = NULL;
    if (value != NULL) {
        *value = reply->value;
    }
    if (bytes != NULL && failure == NULL) {
        memcpy(bytes, reply->kept, (size_t) reply->expected);
    }
    trib_link_give_back(question->link, reply);
    return failure == NULL ? TRIB_OK : trib_error_raise(failure);
}

int trib_question_look(trib *job, struct trib_question *question, bool *answered, int64_t *value, void *bytes) {
    trib_links_lock(job->links);
    if (question->opening != NULL) {
        *answered = false;
        int opened = trib_opening_look(&question->opening);
        trib_links_unlock(job->links);
        return opened == TRIB_OK && question->opening == NULL ? ask(job, question) : opened;
    }
    int status = question->reply->done ? TRIB_OK : go_on(question->link);
    *answered = question->reply->done;
    if (*answered) {
        status = take(question, value, bytes);
    }
    trib_links_unlock(job->links);
    return status;
}

void trib_question_drop(trib *job, struct trib_question *question) {
    struct trib_reply *reply = question->reply;
    if (!trib_question_is_open(question)) {
        return;
    }
    trib_links_lock(job->links);
    if (reply == NULL) {
        trib_opening_drop(&question->opening);
    } else if (reply->done) {
        free(reply->failure);
        reply->failure = NULL;
        trib_link_give_back(question->link, reply);
    } else {
        reply->abandoned = true;
    }
    trib_links_unlock(job->links);
    question->reply = NULL;
}

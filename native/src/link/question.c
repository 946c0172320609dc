/*
 * Questions, which nobody need wait for: a server may be slow to answer, and what the asking thread waits for may come
 * from elsewhere. An answer that nobody waits for any more finds a place, and memory, that are the question's own.
 */
#include "links.h"

/** Sends the question, unless encoding it failed, as far as the socket takes it at once. */
static int ask(struct trib_question *question, int status) {
    struct trib_link *link = question->link;
    if (status != TRIB_OK) {
        if (!link->broken) {
            trib_link_give_back(link, question->reply); /* nothing was sent */
        }
        question->reply = NULL;
    }
    return trib_request_end(link, status == TRIB_OK ? trib_link_push(link) : status, false);
}

int trib_ask_state(trib *job, int rank, struct trib_question *question) {
    question->reply = NULL;
    TRIB_TRY(trib_request_expect(job, trib_node_of(job, rank), &question->link, &question->reply));
    return ask(question, trib_send_probe(question->link, question->reply, rank));
}

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

int trib_ask_bytes(trib *job, int64_t segment, int rank, int64_t offset, int64_t bytes,
                   struct trib_question *question) {
    question->reply = NULL;
    TRIB_TRY(trib_request_expect(job, trib_node_of(job, rank), &question->link, &question->reply));
    int status = keep(question->reply, bytes);
    if (status == TRIB_OK) {
        status = trib_send_get(question->link, question->reply, segment, rank, offset, bytes);
    }
    return ask(question, status);
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
    if (reply == NULL) {
        return;
    }
    trib_links_lock(job->links);
    if (reply->done) {
        free(reply->failure);
        reply->failure = NULL;
        trib_link_give_back(question->link, reply);
    } else {
        reply->abandoned = true;
    }
    trib_links_unlock(job->links);
    question->reply = NULL;
}

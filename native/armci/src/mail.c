/*
 * Messages between ranks without MPI. Each rank has a box for each other one, in which one piece of a message fits; the
 * sender puts the next piece when the receiver has said that the last one is out. A message of one piece is thus sent
 * before anybody receives it. Who waits, to send or to receive, takes what has come from anybody: to the buffer of a
 * thread that waits for it, else aside, until somebody asks for it. So long messages may cross, and a rank may send one
 * to itself.
 *
 * A lock guards what the threads of a rank share. It is given away while a thread waits or puts a piece. Messages of
 * several threads to one rank are sent one after the other.
 */
#include "internal.h"

#include <limits.h>

#include "link/link.h"
#include "memory/memory.h"

#define PIECE 1024
/** A rank that waits for any other one looks this often whether there is one left. */
#define DOUBT_S 1
/** And so often, at most, whether the answer has come. */
#define ANSWER_NS 1000000

/** In the receiver's part, at the sender's number: what has come; in the sender's, at the receiver's: what is out. */
struct box {
    int64_t full; /* pieces put into this box so far; a flag, partner: arm_mail_send */
    int64_t out;  /* pieces taken from the box at the other rank so far; a flag, partner: take_piece */
    int64_t tag;
    int64_t bytes; /* of the whole message */
    char data[PIECE];
};

struct message {
    struct message *next; /* of those aside, which have their data behind them */
    int tag;
    int from;
    size_t bytes;
    size_t taken;
    char *data;
};

/** A thread that waits for a message. */
struct receiver {
    struct receiver *next;
    int tag;
    int from; /* or -1 for any */
    char *buffer;
    size_t capacity;
    bool has_begun;         /* its message comes */
    struct message message; /* to the buffer */
};

struct arm_mail {
    pthread_mutex_t lock;
    trib_memory *memory;
    struct box *boxes; /* own part */
    int64_t *sent;     /* pieces, by rank; as the next, also read without the lock */
    int64_t *taken;
    bool *is_sending;  /* by rank: a thread is in the middle of a message to it */
    struct message **coming; /* by rank: of which pieces are still to come, or NULL */
    struct message *first; /* aside */
    struct message **last;
    struct receiver *receivers; /* the one that came first in front */
    int64_t moves; /* what threads of this rank did for which others may wait; also read without the lock */
    int waiting;   /* threads */
    int present; /* those below have left, for all that is known, and do not come back */
    struct trib_question question; /* to the server of that rank */
};

static void free_all(struct arm_mail *mail) {
    pthread_mutex_destroy(&mail->lock);
    free(mail->is_sending);
    free(mail->coming);
    free(mail->sent);
    free(mail);
}

int arm_mail_open(void) {
    struct arm_mail *mail = arm_memory("ARMCI_Init", 1, sizeof *mail);
    mail->sent = arm_memory("ARMCI_Init", 2 * (size_t) arm.size, sizeof *mail->sent);
    mail->taken = mail->sent + arm.size;
    mail->coming = arm_memory("ARMCI_Init", (size_t) arm.size, sizeof *mail->coming);
    mail->is_sending = arm_memory("ARMCI_Init", (size_t) arm.size, sizeof *mail->is_sending);
    mail->last = &mail->first;
    pthread_mutex_init(&mail->lock, NULL);
    if (trib_allocate(trib_world(arm.job), (size_t) arm.size * sizeof(struct box), &mail->memory) != TRIB_OK) {
        free_all(mail);
        return arm_fail_last("ARMCI_Init");
    }
    mail->boxes = trib_memory_local(mail->memory);
    arm.mail = mail;
    return TRIB_OK;
}

static int drop_question(struct arm_mail *mail) {
    TRIB_CALL(arm.job);
    trib_question_drop(arm.job, &mail->question);
    return TRIB_OK;
}

void arm_mail_close(void) {
    if (arm.mail == NULL) {
        return;
    }
    drop_question(arm.mail);
    while (arm.mail->first != NULL) {
        struct message *next = arm.mail->first->next;
        free(arm.mail->first);
        arm.mail->first = next;
    }
    free_all(arm.mail);
    arm.mail = NULL;
}

/* ---- what has come; with the lock held ---- */

static size_t offset_of(int other, size_t field) {
    return (size_t) other * sizeof(struct box) + field;
}

/** Something has changed for which other threads of this rank may wait. */
static void moved(struct arm_mail *mail) {
    __atomic_fetch_add(&mail->moves, 1, __ATOMIC_RELEASE); /* partner: can_go_on */
    if (mail->waiting > 0) {
        trib_node_ring(&arm.job->node, arm.job->node.index);
    }
}

/** The length of a message as its sender has stored it; ends the job when a stray store has made it impossible. */
static size_t bytes_of(const struct arm_mail *mail, int from) {
    int64_t bytes = __atomic_load_n(&mail->boxes[from].bytes, __ATOMIC_RELAXED); /* once: others may store here */
    if (bytes < 0 || bytes > INT_MAX) {
        arm_fail("armci_msg_rcv", TRIB_INVALID_ADDRESS, "the box of rank %d at rank %d tells of a message of %lld"
                 " bytes: look for stores out of bounds in the programs of the ranks", from, arm.rank,
                 (long long) bytes);
        arm_abort(1);
    }
    return (size_t) bytes;
}

static size_t piece_of(size_t bytes) {
    return bytes < PIECE ? bytes : PIECE;
}

/** Also without the lock. */
static bool has_come(const struct arm_mail *mail, int from) {
    return __atomic_load_n(&mail->boxes[from].full, __ATOMIC_ACQUIRE)
        > __atomic_load_n(&mail->taken[from], __ATOMIC_RELAXED);
}

static bool is_complete(const struct message *message) {
    return message->taken == message->bytes; /* it is there only once its first piece has been taken */
}

static bool is_for(const struct message *message, const struct receiver *receiver) {
    return message->tag == receiver->tag && (receiver->from < 0 || message->from == receiver->from);
}

/** A message that the buffer has no room for ends the job. */
static void check_room(const struct message *message, const struct receiver *receiver) {
    if (message->bytes > receiver->capacity) {
        arm_fail("armci_msg_rcv", TRIB_INVALID_ARGUMENT, "a message of rank %d has %zu bytes, the buffer %zu",
                 message->from, message->bytes, receiver->capacity);
        arm_abort(1);
    }
}

/** The receiver that waits for a message that begins; NULL when none does, or an earlier one with its tag is aside. */
static struct receiver *receiver_of(const struct arm_mail *mail, const struct message *begins) {
    for (const struct message *earlier = mail->first; earlier != NULL; earlier = earlier->next) {
        if (earlier->from == begins->from && earlier->tag == begins->tag) {
            return NULL;
        }
    }
    struct receiver *receiver = mail->receivers;
    while (receiver != NULL && (receiver->has_begun || !is_for(begins, receiver))) {
        receiver = receiver->next;
    }
    return receiver;
}

static struct message *begin_message(struct arm_mail *mail, int from) {
    struct message begins = {.tag = (int) mail->boxes[from].tag, .from = from, .bytes = bytes_of(mail, from)};
    struct receiver *receiver = receiver_of(mail, &begins);
    if (receiver != NULL) {
        check_room(&begins, receiver);
        begins.data = receiver->buffer;
        receiver->message = begins;
        receiver->has_begun = true;
        return &receiver->message;
    }
    struct message *aside = arm_memory("armci_msg_rcv", 1, sizeof *aside + begins.bytes);
    begins.data = (char *) (aside + 1);
    *aside = begins;
    *mail->last = aside;
    mail->last = &aside->next;
    return aside;
}

/** Takes the piece that has come from a rank. */
static int take_piece(struct arm_mail *mail, int from) {
    struct message *message = mail->coming[from] == NULL ? begin_message(mail, from) : mail->coming[from];
    size_t now = piece_of(message->bytes - message->taken);
    if (now > 0) {
        memcpy(message->data + message->taken, mail->boxes[from].data, now);
    }
    message->taken += now;
    mail->coming[from] = is_complete(message) ? NULL : message;
    if (is_complete(message)) {
        moved(mail);
    }
    __atomic_store_n(&mail->taken[from], mail->taken[from] + 1, __ATOMIC_RELAXED);
    return trib_set_flag(mail->memory, from, offset_of(arm.rank, offsetof(struct box, out)), mail->taken[from]);
}

/** Takes what has come from anybody. */
static int take_all(struct arm_mail *mail, bool *any) {
    *any = false;
    for (int from = 0; from < arm.size; from++) {
        if (has_come(mail, from)) {
            *any = true;
            ARM_TRY(take_piece(mail, from));
        }
    }
    return TRIB_OK;
}

/* ---- waiting ---- */

/** What a thread waits for, besides pieces, which it takes then: the rank that is to empty a box may wait for that. */
struct news {
    const struct arm_mail *mail;
    int64_t moves; /* that the thread has seen */
    int peer;      /* or -1 for any */
    bool for_room; /* the thread wants the box at the peer to be empty */
    double until;  /* when it goes on in any case, or 0 */
    int64_t look_ns; /* after which it looks whether that is so; 0: when something comes, and every second */
};

/** Whether the box at the other rank is empty. */
static bool is_free(const struct arm_mail *mail, int to) {
    return __atomic_load_n(&mail->boxes[to].out, __ATOMIC_ACQUIRE)
        >= __atomic_load_n(&mail->sent[to], __ATOMIC_RELAXED);
}

static bool has_room(const struct news *news) {
    return news->for_room && is_free(news->mail, news->peer);
}

static bool has_peer_sent(const struct news *news) {
    return news->peer >= 0 && has_come(news->mail, news->peer);
}

static bool can_go_on(void *context) {
    const struct news *news = context;
    bool can = has_room(news) || has_peer_sent(news)
        || __atomic_load_n(&news->mail->moves, __ATOMIC_ACQUIRE) != news->moves
        || (news->until > 0 && armci_timer() >= news->until);
    for (int from = 0; from < arm.size && !can; from++) {
        can = has_come(news->mail, from);
    }
    return can;
}

static int await_news(struct news *news) {
    size_t field = news->for_room ? offsetof(struct box, out) : offsetof(struct box, full);
    TRIB_CALL(arm.job);
    ARM_TRY(trib_links_flush_all(arm.job));
    struct trib_cause wait = {.kind = TRIB_WAIT_FLAG, .peer = news->peer, .segment = news->mail->memory->id,
                              .number = (int64_t) offset_of(news->peer < 0 ? 0 : news->peer, field),
                              .look_ns = news->look_ns};
    return trib_await_condition(arm.job, can_go_on, news, &wait);
}

/**
 * Waits, and gives the lock away meanwhile. Then takes what has come from anybody, but does not look at all boxes when
 * there is what it waits for.
 */
static int wait_and_take(struct arm_mail *mail, struct news news) {
    bool any;
    news.mail = mail;
    news.moves = mail->moves;
    mail->waiting++;
    pthread_mutex_unlock(&mail->lock);
    int status = await_news(&news);
    pthread_mutex_lock(&mail->lock);
    mail->waiting--;
    return status != TRIB_OK || has_room(&news) ? status
        : has_peer_sent(&news) ? take_piece(mail, news.peer) : take_all(mail, &any);
}

/* ---- sending ---- */

static int put_piece(struct arm_mail *mail, const struct box *piece, size_t bytes, int to) {
    __atomic_store_n(&mail->sent[to], mail->sent[to] + 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&mail->lock);
    int status = trib_put_flag(mail->memory, to, offset_of(arm.rank, offsetof(struct box, tag)), &piece->tag,
                               offsetof(struct box, data) - offsetof(struct box, tag) + bytes,
                               offset_of(arm.rank, offsetof(struct box, full)), mail->sent[to]);
    pthread_mutex_lock(&mail->lock);
    return status;
}

static int send_pieces(struct arm_mail *mail, struct box *piece, const char *buffer, int to) {
    size_t bytes = (size_t) piece->bytes;
    size_t at = 0;
    do {
        size_t now = piece_of(bytes - at);
        while (!is_free(mail, to)) {
            ARM_TRY(wait_and_take(mail, (struct news) {.peer = to, .for_room = true}));
        }
        if (now > 0) {
            memcpy(piece->data, buffer + at, now);
        }
        ARM_TRY(put_piece(mail, piece, now, to));
        at += now;
    } while (at < bytes);
    return TRIB_OK;
}

static int send_message(struct arm_mail *mail, struct box *piece, const char *buffer, int to) {
    while (mail->is_sending[to]) { /* a message of another thread */
        ARM_TRY(wait_and_take(mail, (struct news) {.peer = to}));
    }
    mail->is_sending[to] = true;
    int status = send_pieces(mail, piece, buffer, to);
    mail->is_sending[to] = false;
    moved(mail);
    return status;
}

int arm_mail_send(int tag, const void *buffer, size_t bytes, int to) {
    struct box piece = {.tag = tag, .bytes = (int64_t) bytes};
    pthread_mutex_lock(&arm.mail->lock);
    int status = send_message(arm.mail, &piece, buffer, to);
    pthread_mutex_unlock(&arm.mail->lock);
    return status;
}

/* ---- receiving ---- */

/**
 * Whether that rank has left, as the own one has for a rank without threads; not *known before its server, for which
 * nobody waits, has answered, or if it cannot.
 */
static int find_state(struct arm_mail *mail, int rank, bool *known, bool *departed) {
    *known = true;
    *departed = rank == arm.rank && !arm.has_threads;
    if (rank == arm.rank) {
        return TRIB_OK;
    }
    TRIB_CALL(arm.job);
    int64_t state = TRIB_ATTACHED;
    if (trib_node_is_local(&arm.job->node, rank)) {
        int of_node;
        ARM_TRY(trib_node_state(arm.job, rank, &of_node));
        state = of_node;
    } else {
        int status = trib_question_is_open(&mail->question) ? TRIB_OK
            : trib_ask_state(arm.job, rank, &mail->question);
        *known = false;
        status = status != TRIB_OK ? status : trib_question_look(arm.job, &mail->question, known, &state, NULL);
        if (status != TRIB_OK) { /* of the job's failure the caller finds out by itself */
            *known = false;
            trib_question_drop(arm.job, &mail->question);
        }
    }
    *departed = *known && state == TRIB_DEPARTED;
    return TRIB_OK;
}

/** Whether another rank may still send: asks one, and the next when that has left. One that has died ends the job. */
static int look_for_others(struct arm_mail *mail) {
    bool known = true;
    bool departed = true;
    while (departed && mail->present < arm.size) {
        ARM_TRY(find_state(mail, mail->present, &known, &departed));
        mail->present += departed;
    }
    return trib_check(arm.job);
}

/**
 * Whether the receiver's message is there: one that has come to its buffer, or a complete one of those aside, of which
 * it gets the first.
 */
static bool find(struct arm_mail *mail, struct receiver *receiver) {
    if (receiver->has_begun) {
        return is_complete(&receiver->message);
    }
    for (struct message **at = &mail->first; *at != NULL; at = &(*at)->next) {
        struct message *found = *at;
        bool is_next = is_for(found, receiver) && (receiver->from >= 0 || is_complete(found));
        if (is_next) {
            check_room(found, receiver);
        }
        if (is_next && is_complete(found)) {
            if (found->bytes > 0) {
                memcpy(receiver->buffer, found->data, found->bytes);
            }
            receiver->message = *found;
            *at = found->next;
            mail->last = found->next == NULL ? at : mail->last;
            free(found);
            return true;
        }
    }
    return false;
}

/** Who waits for any rank asks now and then whether there is one left. */
static int doubt(struct arm_mail *mail, double *doubts_at) {
    if (mail->present == arm.size) { /* and everything of the others has been looked at since then */
        arm_fail("armci_msg_rcvany", TRIB_ABORTED, "every other rank has left the job while rank %d waits for a"
                 " message", arm.rank);
        arm_abort(1);
    }
    if (trib_question_is_open(&mail->question) || armci_timer() >= *doubts_at) {
        *doubts_at = armci_timer() + DOUBT_S;
        ARM_TRY(look_for_others(mail));
    }
    return TRIB_OK;
}

/** Waits for news, unless something has come already. */
static int wait_for(struct arm_mail *mail, int from, double *doubts_at) {
    if (from >= 0) {
        return wait_and_take(mail, (struct news) {.peer = from});
    }
    bool any;
    ARM_TRY(take_all(mail, &any));
    if (any) {
        return TRIB_OK;
    }
    ARM_TRY(doubt(mail, doubts_at));
    if (trib_question_is_open(&mail->question)) { /* nothing rings when it is answered */
        return wait_and_take(mail, (struct news) {.peer = -1, .until = armci_timer() + ANSWER_NS * 1e-9,
                                                  .look_ns = ANSWER_NS});
    }
    double until = mail->present == arm.size ? armci_timer() : *doubts_at;
    return wait_and_take(mail, (struct news) {.peer = -1, .until = until});
}

static int receive_message(struct arm_mail *mail, struct receiver *receiver) {
    double doubts_at = armci_timer() + DOUBT_S;
    struct receiver **last = &mail->receivers;
    int status = TRIB_OK;
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = receiver;
    while (status == TRIB_OK && !find(mail, receiver)) {
        status = wait_for(mail, receiver->from, &doubts_at);
    }
    struct receiver **at = &mail->receivers;
    while (*at != receiver) {
        at = &(*at)->next;
    }
    *at = receiver->next;
    return status;
}

int arm_mail_receive(int tag, void *buffer, size_t capacity, int *received, int from) {
    struct receiver receiver = {.tag = tag, .from = from, .buffer = buffer, .capacity = capacity};
    pthread_mutex_lock(&arm.mail->lock);
    int status = receive_message(arm.mail, &receiver);
    if (status != TRIB_OK) {
        return status; /* keeps the lock: the job ends, and nobody writes to the buffer and this place any more */
    }
    pthread_mutex_unlock(&arm.mail->lock);
    if (received != NULL) {
        *received = (int) receiver.message.bytes;
    }
    return receiver.message.from;
}

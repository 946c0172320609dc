/*
 * Messages between ranks without MPI. Each rank has a box for each other one, in which one piece of a message fits; the
 * sender puts the next piece when the receiver has said that the last one is out. A message of one piece is thus sent
 * before anybody receives it. Pieces are taken aside until a message is complete and somebody asks for it: by ranks
 * that receive, and by those that wait to send, so that long messages may cross, and a rank may send one to itself.
 */
#include "internal.h"

#include <limits.h>
#include <time.h>

#include "link/link.h"
#include "memory/memory.h"

#define PIECE 1024
#define NAP_NS 20000
/** A rank that waits for any other one looks this often whether there is one left. */
#define DOUBT_S 1

/** In the receiver's part, at the sender's number: what has come; in the sender's, at the receiver's: what is out. */
struct box {
    int64_t full; /* pieces put into this box so far; a flag, partner: arm_mail_send */
    int64_t out;  /* pieces taken from the box at the other rank so far; a flag, partner: take_piece */
    int64_t tag;
    int64_t bytes; /* of the whole message */
    char data[PIECE];
};

/** Taken aside. */
struct message {
    struct message *next;
    int tag;
    int from;
    size_t bytes;
    size_t taken;
    char data[];
};

struct arm_mail {
    trib_memory *memory;
    struct box *boxes; /* own part */
    int64_t *sent;     /* pieces, by rank */
    int64_t *taken;
    struct message **coming; /* by rank: of which pieces are still to come, or NULL */
    struct message *first;
    struct message **last;
    int present; /* those below have left, for all that is known, and do not come back */
    struct trib_question question; /* to the server of that rank */
};

int arm_mail_open(void) {
    struct arm_mail *mail = arm_memory("ARMCI_Init", 1, sizeof *mail);
    mail->sent = arm_memory("ARMCI_Init", 2 * (size_t) arm.size, sizeof *mail->sent);
    mail->taken = mail->sent + arm.size;
    mail->coming = arm_memory("ARMCI_Init", (size_t) arm.size, sizeof *mail->coming);
    mail->last = &mail->first;
    if (trib_allocate(trib_world(arm.job), (size_t) arm.size * sizeof(struct box), &mail->memory) != TRIB_OK) {
        free(mail->coming);
        free(mail->sent);
        free(mail);
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
    free(arm.mail->coming);
    free(arm.mail->sent);
    free(arm.mail);
    arm.mail = NULL;
}

static size_t offset_of(int other, size_t field) {
    return (size_t) other * sizeof(struct box) + field;
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

static bool has_come(const struct arm_mail *mail, int from) {
    return __atomic_load_n(&mail->boxes[from].full, __ATOMIC_ACQUIRE) > mail->taken[from];
}

/** Takes the piece that has come from a rank aside. */
static int take_piece(struct arm_mail *mail, int from) {
    const struct box *box = &mail->boxes[from];
    struct message *message = mail->coming[from];
    if (message == NULL) {
        size_t bytes = bytes_of(mail, from);
        message = arm_memory("armci_msg_rcv", 1, sizeof *message + bytes);
        *message = (struct message) {.tag = (int) box->tag, .from = from, .bytes = bytes};
        *mail->last = message;
        mail->last = &message->next;
    }
    size_t now = piece_of(message->bytes - message->taken);
    memcpy(message->data + message->taken, box->data, now);
    message->taken += now;
    mail->coming[from] = message->taken < message->bytes ? message : NULL;
    return trib_set_flag(mail->memory, from, offset_of(arm.rank, offsetof(struct box, out)), ++mail->taken[from]);
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

/* ---- sending ---- */

struct turn {
    const struct arm_mail *mail;
    int to;
};

/** Whether the box at the other rank is empty. */
static bool is_free(const struct turn *turn) {
    return __atomic_load_n(&turn->mail->boxes[turn->to].out, __ATOMIC_ACQUIRE) >= turn->mail->sent[turn->to];
}

/** Whether it is, or a piece has come: the rank that is to empty it may wait to send more to this one. */
static bool can_go_on(void *context) {
    const struct turn *turn = context;
    bool can = is_free(turn);
    for (int from = 0; from < arm.size && !can; from++) {
        can = has_come(turn->mail, from);
    }
    return can;
}

static int await_turn(struct turn *turn) {
    TRIB_CALL(arm.job);
    ARM_TRY(trib_links_flush_all(arm.job));
    struct trib_cause wait = {.kind = TRIB_WAIT_FLAG, .peer = turn->to, .segment = turn->mail->memory->id,
                              .number = (int64_t) offset_of(turn->to, offsetof(struct box, out))};
    return trib_await_condition(arm.job, can_go_on, turn, &wait);
}

int arm_mail_send(int tag, const void *buffer, size_t bytes, int to) {
    struct arm_mail *mail = arm.mail;
    struct turn turn = {.mail = mail, .to = to};
    struct box piece = {.tag = tag, .bytes = (int64_t) bytes};
    size_t at = 0;
    do {
        size_t now = piece_of(bytes - at);
        while (!is_free(&turn)) {
            bool any;
            ARM_TRY(await_turn(&turn));
            ARM_TRY(take_all(mail, &any));
        }
        memcpy(piece.data, (const char *) buffer + at, now);
        ARM_TRY(trib_put_flag(mail->memory, to, offset_of(arm.rank, offsetof(struct box, tag)), &piece.tag,
                              offsetof(struct box, data) - offsetof(struct box, tag) + now,
                              offset_of(arm.rank, offsetof(struct box, full)), ++mail->sent[to]));
        at += now;
    } while (at < bytes);
    return TRIB_OK;
}

/* ---- receiving ---- */

static int too_long(size_t bytes, size_t capacity, int from) {
    arm_fail("armci_msg_rcv", TRIB_INVALID_ARGUMENT, "a message of rank %d has %zu bytes, the buffer %zu", from, bytes,
             capacity);
    arm_abort(1);
}

/** The first message that is asked for, if it is complete; its sender, or -1. */
static int find(struct arm_mail *mail, int tag, char *buffer, size_t capacity, int *received, int from) {
    for (struct message **at = &mail->first; *at != NULL; at = &(*at)->next) {
        struct message *found = *at;
        if (found->tag == tag && (from < 0 || found->from == from) && mail->coming[found->from] != found) {
            int sender = found->from;
            if (found->bytes > capacity) {
                return too_long(found->bytes, capacity, sender);
            }
            memcpy(buffer, found->data, found->bytes);
            *received = (int) found->bytes;
            *at = found->next;
            mail->last = found->next == NULL ? at : mail->last;
            free(found);
            return sender;
        }
    }
    return -1;
}

/** Whether that rank has left; not *known before its server, for which nobody waits, has answered, or if it cannot. */
static int find_state(struct arm_mail *mail, int rank, bool *known, bool *departed) {
    *known = true;
    *departed = rank == arm.rank;
    if (*departed) {
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

/** When nothing has come. */
static int rest(struct arm_mail *mail, double *doubts_at) {
    if (mail->present == arm.size) { /* and everything of the others has been looked at since then */
        arm_fail("armci_msg_rcvany", TRIB_ABORTED, "every other rank has left the job while rank %d waits for a"
                 " message", arm.rank);
        arm_abort(1);
    }
    if (trib_question_is_open(&mail->question) || armci_timer() >= *doubts_at) {
        *doubts_at = armci_timer() + DOUBT_S;
        ARM_TRY(look_for_others(mail));
    }
    nanosleep(&(struct timespec) {.tv_nsec = NAP_NS}, NULL);
    return TRIB_OK;
}

int arm_mail_receive(int tag, void *buffer, size_t capacity, int *received, int from) {
    struct arm_mail *mail = arm.mail;
    int ignored;
    int *bytes = received == NULL ? &ignored : received;
    double doubts_at = armci_timer() + DOUBT_S;
    int sender;
    while ((sender = find(mail, tag, buffer, capacity, bytes, from)) < 0) {
        bool any = from >= 0;
        if (any) {
            ARM_TRY(trib_await_flag_at_least(mail->memory, offset_of(from, offsetof(struct box, full)),
                                             mail->taken[from] + 1, from));
            ARM_TRY(take_piece(mail, from));
        } else {
            ARM_TRY(take_all(mail, &any));
        }
        if (!any) {
            ARM_TRY(rest(mail, &doubts_at));
        }
    }
    return sender;
}

/*
 * Messages between ranks without MPI. Each rank has a box for each other one, in which one piece of a message fits; the
 * sender puts the next piece when the receiver has said that the last one is out. A message of one piece is thus sent
 * before anybody receives it. Messages that nobody has asked for yet are kept aside.
 */
#include "internal.h"

#include <limits.h>
#include <time.h>

#define PIECE 1024
#define NAP_NS 20000
/** A rank that waits for any other one looks this often whether there is one left. */
#define DOUBT_S 1

/** In the receiver's part, at the sender's number: what has come; in the sender's, at the receiver's: what is out. */
struct box {
    int64_t full; /* pieces put into this box so far; a flag, partner: arm_mail_send */
    int64_t out;  /* pieces taken from the box at the other rank so far; a flag, partner: take */
    int64_t tag;
    int64_t bytes; /* of the whole message */
    char data[PIECE];
};

struct unexpected {
    struct unexpected *next;
    int tag;
    int from;
    size_t bytes;
    char data[];
};

struct arm_mail {
    trib_memory *memory;
    struct box *boxes; /* own part */
    int64_t *sent;     /* pieces, by rank */
    int64_t *taken;
    struct unexpected *first;
    struct unexpected **last;
    int present; /* those below have left, for all that is known, and do not come back */
};

int arm_mail_open(void) {
    struct arm_mail *mail = arm_memory("ARMCI_Init", 1, sizeof *mail);
    mail->sent = arm_memory("ARMCI_Init", 2 * (size_t) arm.size, sizeof *mail->sent);
    mail->taken = mail->sent + arm.size;
    mail->last = &mail->first;
    if (trib_allocate(trib_world(arm.job), (size_t) arm.size * sizeof(struct box), &mail->memory) != TRIB_OK) {
        free(mail->sent);
        free(mail);
        return arm_fail_last("ARMCI_Init");
    }
    mail->boxes = trib_memory_local(mail->memory);
    arm.mail = mail;
    return TRIB_OK;
}

void arm_mail_close(void) {
    if (arm.mail == NULL) {
        return;
    }
    while (arm.mail->first != NULL) {
        struct unexpected *next = arm.mail->first->next;
        free(arm.mail->first);
        arm.mail->first = next;
    }
    free(arm.mail->sent);
    free(arm.mail);
    arm.mail = NULL;
}

static size_t offset_of(int other, size_t field) {
    return (size_t) other * sizeof(struct box) + field;
}

int arm_mail_send(int tag, const void *buffer, size_t bytes, int to) {
    struct arm_mail *mail = arm.mail;
    struct box piece = {.tag = tag, .bytes = (int64_t) bytes};
    size_t at = 0;
    do {
        size_t now = bytes - at < PIECE ? bytes - at : PIECE;
        ARM_TRY(trib_await_flag_at_least(mail->memory, offset_of(to, offsetof(struct box, out)), mail->sent[to], to));
        memcpy(piece.data, (const char *) buffer + at, now);
        ARM_TRY(trib_put_flag(mail->memory, to, offset_of(arm.rank, offsetof(struct box, tag)), &piece.tag,
                              offsetof(struct box, data) - offsetof(struct box, tag) + now,
                              offset_of(arm.rank, offsetof(struct box, full)), ++mail->sent[to]));
        at += now;
    } while (at < bytes);
    return TRIB_OK;
}

static bool has_come(const struct arm_mail *mail, int from) {
    return __atomic_load_n(&mail->boxes[from].full, __ATOMIC_ACQUIRE) > mail->taken[from];
}

/** Takes the rest of a message whose first piece is in its box. */
static int take(struct arm_mail *mail, int from, char *buffer, size_t bytes) {
    size_t at = 0;
    do {
        size_t now = bytes - at < PIECE ? bytes - at : PIECE;
        ARM_TRY(trib_await_flag_at_least(mail->memory, offset_of(from, offsetof(struct box, full)),
                                         mail->taken[from] + 1, from));
        memcpy(buffer + at, mail->boxes[from].data, now);
        ARM_TRY(trib_set_flag(mail->memory, from, offset_of(arm.rank, offsetof(struct box, out)), ++mail->taken[from]));
        at += now;
    } while (at < bytes);
    return TRIB_OK;
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

static int too_long(size_t bytes, size_t capacity, int from) {
    arm_fail("armci_msg_rcv", TRIB_INVALID_ARGUMENT, "a message of rank %d has %zu bytes, the buffer %zu", from, bytes,
             capacity);
    arm_abort(1);
}

/** The message in a box: to the buffer when it is the one that is waited for, else aside. */
static int open_box(struct arm_mail *mail, int from, int tag, char *buffer, size_t capacity, int *received) {
    size_t bytes = bytes_of(mail, from);
    int its_tag = (int) mail->boxes[from].tag;
    if (its_tag == tag) {
        if (bytes > capacity) {
            return too_long(bytes, capacity, from);
        }
        *received = (int) bytes;
        int status = take(mail, from, buffer, bytes);
        return status == TRIB_OK ? 1 : status;
    }
    struct unexpected *aside = arm_memory("armci_msg_rcv", 1, sizeof *aside + bytes);
    *aside = (struct unexpected) {.tag = its_tag, .from = from, .bytes = bytes};
    int status = take(mail, from, aside->data, bytes);
    *mail->last = aside;
    mail->last = &aside->next;
    return status;
}

/** A message that was put aside; its sender, or -1. */
static int find_aside(struct arm_mail *mail, int tag, char *buffer, size_t capacity, int *received, int from) {
    for (struct unexpected **at = &mail->first; *at != NULL; at = &(*at)->next) {
        struct unexpected *found = *at;
        if (found->tag == tag && (from < 0 || found->from == from)) {
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

/** Whether another rank may still send: asks one, and the next when that has left. One that has died ends the job. */
static int look_for_others(struct arm_mail *mail) {
    for (; mail->present < arm.size; mail->present++) {
        int state = TRIB_DEPARTED;
        ARM_TRY(mail->present == arm.rank ? TRIB_OK : trib_rank_state(arm.job, mail->present, &state));
        if (state != TRIB_DEPARTED) {
            break;
        }
    }
    return TRIB_OK;
}

/** When nothing has come. */
static int rest(struct arm_mail *mail, double *doubts_at) {
    if (mail->present == arm.size) { /* and everything of the others has been looked at since then */
        arm_fail("armci_msg_rcvany", TRIB_ABORTED, "every other rank has left the job while rank %d waits for a"
                 " message", arm.rank);
        arm_abort(1);
    }
    if (armci_timer() >= *doubts_at) {
        *doubts_at = armci_timer() + DOUBT_S;
        return look_for_others(mail);
    }
    nanosleep(&(struct timespec) {.tv_nsec = NAP_NS}, NULL);
    return TRIB_OK;
}

int arm_mail_receive(int tag, void *buffer, size_t capacity, int *received, int from) {
    struct arm_mail *mail = arm.mail;
    int ignored;
    int *bytes = received == NULL ? &ignored : received;
    int sender = find_aside(mail, tag, buffer, capacity, bytes, from);
    double doubts_at = armci_timer() + DOUBT_S;
    while (sender < 0) {
        if (from >= 0) {
            ARM_TRY(trib_await_flag_at_least(mail->memory, offset_of(from, offsetof(struct box, full)),
                                             mail->taken[from] + 1, from));
        }
        bool none = true;
        for (int other = from < 0 ? 0 : from; other < (from < 0 ? arm.size : from + 1) && sender < 0; other++) {
            if (has_come(mail, other)) {
                none = false;
                int status = open_box(mail, other, tag, buffer, capacity, bytes);
                if (status < 0) {
                    return status;
                }
                sender = status == 1 ? other : -1;
            }
        }
        if (none) {
            ARM_TRY(rest(mail, &doubts_at));
        }
    }
    return sender;
}

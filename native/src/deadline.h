/*
 * When to give up waiting, as org.tributary.wire.Deadline: time counts only while the caller looks now and then. A
 * process that was stopped has its time left when it goes on, and finds what has come for it meanwhile.
 */
#ifndef TRIB_DEADLINE_H
#define TRIB_DEADLINE_H

#include "internal.h"

/** How long to sleep at most between two looks. */
#define TRIB_DEADLINE_LOOK_NS 100000000LL
/** What counts at most of the time between two looks. */
#define TRIB_DEADLINE_COUNTED_NS 500000000LL

struct trib_deadline {
    struct trib_deadline *whole; /* with which this one ends at the latest, or NULL; looked at with it */
    int64_t left_ns;
    int64_t looked_ns;
};

/** Begins now. */
static inline struct trib_deadline trib_deadline_in(int64_t timeout_ns, struct trib_deadline *whole) {
    return (struct trib_deadline) {.whole = whole, .left_ns = timeout_ns, .looked_ns = trib_now_ns()};
}

/** The time that is left, in nanoseconds; negative or 0 when it is over. */
static inline int64_t trib_deadline_left(struct trib_deadline *deadline) {
    int64_t now_ns = trib_now_ns();
    int64_t passed_ns = now_ns - deadline->looked_ns;
    deadline->left_ns -= passed_ns < TRIB_DEADLINE_COUNTED_NS ? passed_ns : TRIB_DEADLINE_COUNTED_NS;
    deadline->looked_ns = now_ns;
    int64_t whole_ns = deadline->whole == NULL ? deadline->left_ns : trib_deadline_left(deadline->whole);
    return whole_ns < deadline->left_ns ? whole_ns : deadline->left_ns;
}

/** How long to sleep until the next look, in milliseconds; 0 when it is over, for a last one. */
static inline int trib_deadline_look_ms(struct trib_deadline *deadline) {
    int64_t left_ns = trib_deadline_left(deadline);
    return left_ns <= 0 ? 0
        : (int) ((left_ns < TRIB_DEADLINE_LOOK_NS ? left_ns : TRIB_DEADLINE_LOOK_NS) / 1000000) + 1;
}

#endif

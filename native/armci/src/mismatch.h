/* How members of a group find out that they do not make the same calls; of collectives that MPI does. */
#ifndef ARM_MISMATCH_H
#define ARM_MISMATCH_H

#include "internal.h"

#include "link/link.h"

#pragma GCC visibility push(hidden)

enum arm_kind { ARM_BARRIER, ARM_BROADCAST, ARM_EXCHANGE, ARM_REDUCTION };

/** The next call of the group, before this thread waits in it. */
void arm_call_begin(struct arm_group *group, enum arm_kind kind);

/** Of a thread that waits in the latest call of a group, whether the others do. */
struct arm_doubt {
    int place;       /* where they read what this thread waits in, or -1 */
    int distance;    /* in the group, of the member that it has asked last; 0 before the first */
    int odd;         /* what the distance is a power of two times */
    int64_t next_ns; /* when it asks again, since it began to wait */
    int proc;        /* that it has asked */
    struct trib_question question;
    struct arm_call answer[ARM_CALLS];
};

/** Tells the others what this thread waits in. */
void arm_doubt_begin(struct arm_doubt *doubt, const struct arm_group *group);
/**
 * Asks a member now and then, without waiting for the answer, and looks for that at the next calls. Ends the job when
 * it is in a call of another kind.
 */
void arm_doubt_go_on(struct arm_doubt *doubt, const struct arm_group *group, int64_t waited_ns);
void arm_doubt_end(struct arm_doubt *doubt);

#pragma GCC visibility pop

#endif

/*
 * What a thread does while it waits for another rank, which may itself wait for something that this process does only
 * in calls of another library: for a message of MPI, of a program on libarmci.
 */
#include "rank.h"

/** When, in the present wait of this thread, `idle` is to be called again. */
static _Thread_local int64_t due_ns;

int64_t trib_idle(const trib *job, const struct trib_cause *wait, int64_t waited_ns) {
    bool for_rank = wait->kind == TRIB_WAIT_MUTEX || wait->kind == TRIB_WAIT_NOTIFICATION
        || wait->kind == TRIB_WAIT_COLLECTIVE;
    if (trib_likely(job->idle == NULL) || !for_rank) {
        return INT64_MAX;
    }
    if (waited_ns < TRIB_SHORTEST_NAP_NS) {
        return TRIB_SHORTEST_NAP_NS;
    }
    int64_t left_ns = due_ns - waited_ns;
    if (left_ns > 0 && left_ns <= TRIB_LONGEST_NAP_NS) { /* more is of an earlier wait */
        return left_ns;
    }
    int64_t nap_ns = waited_ns / TRIB_NAPS_SHARE;
    nap_ns = nap_ns < TRIB_SHORTEST_NAP_NS ? TRIB_SHORTEST_NAP_NS
        : nap_ns > TRIB_LONGEST_NAP_NS ? TRIB_LONGEST_NAP_NS : nap_ns;
    due_ns = waited_ns + nap_ns;
    return job->idle() ? nap_ns : INT64_MAX;
}

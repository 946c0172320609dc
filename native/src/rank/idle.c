/*
 * What a thread does while it waits for another rank, which may itself wait for something that this process does only
 * in calls of another library: for a message of MPI, of a program on libarmci.
 */
#include "rank.h"

int64_t trib_idle(const trib *job, const struct trib_cause *wait, int64_t waited_ns) {
    bool for_rank = wait->kind == TRIB_WAIT_MUTEX || wait->kind == TRIB_WAIT_NOTIFICATION
        || wait->kind == TRIB_WAIT_COLLECTIVE;
    if (trib_likely(job->idle == NULL) || !for_rank) {
        return INT64_MAX;
    }
    if (waited_ns < TRIB_SHORTEST_NAP_NS) {
        return TRIB_SHORTEST_NAP_NS;
    }
    int64_t nap_ns = waited_ns / TRIB_NAPS_SHARE;
    return !job->idle() ? INT64_MAX : nap_ns < TRIB_SHORTEST_NAP_NS ? TRIB_SHORTEST_NAP_NS
        : nap_ns > TRIB_LONGEST_NAP_NS ? TRIB_LONGEST_NAP_NS : nap_ns;
}

/* Threads that are in calls of a rank while another makes it leave its job. */
#include "rank.h"

/* Partner of the order in both: the thread that leaves sees the call, or the call sees that it leaves. */
int trib_call_begin(trib *job) {
    __atomic_fetch_add(&job->calls.inside, 1, __ATOMIC_SEQ_CST);
    if (trib_likely(!__atomic_load_n(&job->calls.leaving, __ATOMIC_SEQ_CST))) {
        return TRIB_OK;
    }
    if (job->alarm != NULL) {
        job->alarm->end_reading(job); /* another thread may be reading an answer into memory of this caller */
    }
    return trib_check(job);
}

void trib_call_end(trib *const *job) {
    __atomic_fetch_sub(&(*job)->calls.inside, 1, __ATOMIC_RELEASE); /* partner: the acquire in trib_calls_stop */
}

bool trib_calls_stop(trib *job) {
    struct trib_deadline deadline = trib_deadline_in(TRIB_CALLS_PATIENCE_NS, NULL);
    job->calls.leaver = pthread_self();
    __atomic_store_n(&job->calls.leaving, true, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&job->calls.inside, __ATOMIC_SEQ_CST) > 0) {
        if (trib_deadline_left(&deadline) <= 0) {
            return false;
        }
        /* Again and again: a thread may have looked just before it fell asleep. */
        if (job->alarm != NULL) {
            job->alarm->wake(job);
        }
        trib_node_ring(&job->node, job->node.index);
        trib_park(TRIB_CALLS_LOOK_NS);
    }
    return true;
}

void trib_calls_refuse_forked(trib *job) {
    job->is_forked = true;
    job->alarm = NULL; /* threads that it would wake, and locks that these may have had, are not here */
    job->trace.memory = NULL;
    __atomic_store_n(&job->calls.leaving, true, __ATOMIC_SEQ_CST);
    trib_calls_refuse_all(job);
}

void trib_calls_refuse_all(trib *job) {
    __atomic_store_n(&job->calls.left, true, __ATOMIC_RELEASE); /* partner: the acquire in trib_has_to_leave */
}

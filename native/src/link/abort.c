/* A rank that ends its job, because the program says so or because a connection broke, tells its server why. */
#include "links.h"
#include "ring.h"

/**
 * Waits for a process that knows the reason; if none speaks, the own server hears of it before this rank ends. No
 * thread waits for the lock meanwhile; threads that find the connection broken wait for the reason.
 */
void trib_links_explain(struct trib_link *link, const char *problem) {
    trib *job = link->job;
    struct trib_links *links = job->links;
    char reason[TRIB_FRAME_MAX_REASON_BYTES + 1];
    snprintf(reason, sizeof reason, "the connection of rank %d to the communication server of node %d broke: %s",
             job->place.rank, link->node, problem);
    bool hears = links->lifeline.open;
    links->explaining = true;
    links->explainer = pthread_self();
    trib_links_unlock(links);
    if (link->ring != NULL && trib_ring_problem(link->ring) != NULL) {
        trib_job_damaged(job, TRIB_RINGS_FILE, "%s", problem);
    }
    trib_job_find_cause(job, reason, sizeof reason);
    if (!hears || !trib_await_reason(job)) {
        trib_job_end(job, reason);
    } else {
        trib_job_failed(job, "%s", reason); /* which ends this thread where the process ends */
    }
    trib_links_lock(links);
    links->explaining = false;
}

int trib_abort(trib *job, const char *reason) {
    if (job == NULL || reason == NULL) {
        return trib_fail(TRIB_INVALID_ARGUMENT, "trib_abort needs a %s", job == NULL
                         ? "job: NULL is none, as after a trib_attach that has failed" : "reason: it is NULL");
    }
    TRIB_CALL(job);
    return trib_job_end(job, reason) ? TRIB_OK
        : trib_fail(TRIB_ABORTED, "the communication server of node %d does not take what its rank has to say",
                    job->place.node);
}

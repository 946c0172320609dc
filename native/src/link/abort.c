/* A rank that ends its job, because the program says so or because a connection broke, tells its server why. */
#include "links.h"
#include "ring.h"

/** Tells the own server why the job fails, if that can still be told within a bounded time. */
static int tell(struct trib_link *local, const char *reason) {
    const struct trib_place *place = &local->job->place;
    int64_t until_ns = trib_now_ns() + TRIB_NS_PER_S;
    if (!trib_link_claim_until(local, until_ns)) {
        return trib_fail(TRIB_ABORTED, "the communication server of node %d does not take what its rank has to say",
                         local->node);
    }
    local->give_up_ns = until_ns;
    int status = trib_send_abort(local, place->rank, place->node, reason);
    status = status == TRIB_OK ? trib_link_flush(local) : status;
    local->give_up_ns = 0;
    return status == TRIB_OK ? trib_out_drain(local, TRIB_NS_PER_S) : status; /* the process may end now */
}

/**
 * Waits for a process that knows the reason; if none speaks, the own server hears of it before this rank ends. No
 * thread waits for the lock meanwhile; threads that find the connection broken wait for the reason.
 */
void trib_links_explain(struct trib_link *link, const char *problem) {
    trib *job = link->job;
    struct trib_links *links = job->links;
    struct trib_link *local = links->local;
    char reason[TRIB_FRAME_MAX_REASON_BYTES + 1];
    snprintf(reason, sizeof reason, "the connection of rank %d to the communication server of node %d broke: %s",
             job->place.rank, link->node, problem);
    bool tells = local != NULL && local != link && !local->broken;
    bool hears = tells || links->lifeline.running;
    links->explaining = true;
    links->explainer = pthread_self();
    trib_links_unlock(links);
    if (link->ring != NULL && trib_ring_problem(link->ring) != NULL) {
        trib_job_damaged(job, TRIB_RINGS_FILE, "%s", problem);
    }
    trib_job_find_cause(job, reason, sizeof reason);
    if (hears && !trib_await_reason(job) && tells) {
        trib_links_lock(links);
        tell(local, reason);
        trib_links_unlock(links);
    }
    trib_job_failed(job, "%s", reason);
    trib_links_lock(links);
    links->explaining = false;
}

/** The server says on the lifeline that it knows; this process, which ends then, would pass for the reason before. */
static void await_failure(const trib *job) {
    int64_t until_ns = trib_now_ns() + TRIB_REASON_ECHO_NS;
    while (!trib_has_failed(job) && trib_now_ns() < until_ns) {
        trib_park(TRIB_REASON_LOOK_NS);
    }
}

int trib_abort(trib *job, const char *reason) {
    if (job == NULL || reason == NULL) {
        return trib_fail(TRIB_INVALID_ARGUMENT, "trib_abort needs a %s", job == NULL
                         ? "job: NULL is none, as after a trib_attach that has failed" : "reason: it is NULL");
    }
    TRIB_CALL(job);
    trib_links_lock(job->links);
    int status = tell(job->links->local, reason);
    trib_links_unlock(job->links);
    if (status == TRIB_OK) {
        await_failure(job);
    }
    trib_job_failed(job, "%s", reason);
    return status;
}

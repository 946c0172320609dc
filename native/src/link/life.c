/* Whether a link is open, in use or broken, and its sets; see LinkLife and LinkSet of the Java client. */
#include "links.h"

#include <stdarg.h>

/* ---- sets of links ---- */

void trib_link_insert(struct trib_link *link, int set) {
    struct trib_link **first = &link->job->links->sets[set];
    link->places[set].in = true;
    link->places[set].previous = NULL;
    link->places[set].next = *first;
    if (*first != NULL) {
        (*first)->places[set].previous = link;
    }
    *first = link;
}

void trib_link_remove(struct trib_link *link, int set) {
    struct trib_link *previous = link->places[set].previous;
    struct trib_link *next = link->places[set].next;
    link->places[set].in = false;
    if (previous == NULL) {
        link->job->links->sets[set] = next;
    } else {
        previous->places[set].next = next;
    }
    if (next != NULL) {
        next->places[set].previous = previous;
    }
}

/* ---- its life ---- */

/** Why a call fails that finds its connection ended by the rank's goodbye, perhaps before the thread that said it. */
static int fail_leaving(const trib *job) {
    return trib_fail(TRIB_ABORTED, "rank %d leaves the job: %s", job->place.rank,
                     trib_is_leaving(job) ? "another thread has called trib_detach" : "its process ends");
}

int trib_link_fail_broken(const struct trib_link *link) {
    trib *job = link->job;
    struct trib_links *links = job->links;
    while (links->explaining && !pthread_equal(links->explainer, pthread_self()) && !trib_has_failed(job)
           && !trib_has_to_leave(job)) {
        trib_links_sleep_unlocked(links, TRIB_SENDER_LOOK_NS);
    }
    return trib_has_failed(job) ? trib_check(job) : links->closed ? fail_leaving(job)
        : trib_fail(TRIB_ABORTED, "the connection to node %d is broken", link->node);
}

static bool has_to_wait(const struct trib_link *link, const struct trib_turn *turn) {
    return !link->broken && (link->is_sending || (link->is_owed && link->line != turn));
}

static void leave_line(struct trib_link *link, const struct trib_turn *turn) {
    struct trib_turn **at = &link->line;
    while (*at != turn) {
        at = &(*at)->next;
    }
    link->is_owed &= link->line != turn;
    *at = turn->next;
}

/**
 * Waits in line, where whoever comes later may go first until the connection is owed to the first. Fails when the job
 * does.
 */
static int wait_in_line(struct trib_link *link) {
    trib *job = link->job;
    struct trib_turn turn = {.next = NULL};
    struct trib_turn **end = &link->line;
    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = &turn;
    int status = TRIB_OK;
    while (status == TRIB_OK && has_to_wait(link, &turn)) {
        trib_links_unlock(job->links);
        status = trib_check(job);
        trib_park(TRIB_SENDER_LOOK_NS);
        trib_links_lock(job->links);
        turn.looks += link->line == &turn && link->is_sending;
        link->is_owed |= turn.looks >= TRIB_LOOKS_BEFORE_TURN;
        /* The first may be the thread that ends the process, or that tells the program of the failure. */
        link->is_owed &= !job->links->closed && !trib_has_failed(job);
    }
    leave_line(link, &turn);
    return status;
}

int trib_link_claim(struct trib_link *link) {
    TRIB_TRY(trib_link_is_taken(link) ? wait_in_line(link) : TRIB_OK);
    return trib_unlikely(link->broken) ? trib_link_fail_broken(link) : TRIB_OK;
}

int trib_link_goes_on(const struct trib_link *link) {
    const trib *job = link->job;
    if (trib_likely(!trib_has_failed(job) && !trib_is_leaving(job) && !job->links->closed)) {
        return TRIB_OK;
    }
    TRIB_TRY(trib_check(job));
    return job->links->closed ? fail_leaving(job) : TRIB_OK;
}

int trib_link_broke(struct trib_link *link, const char *format, ...) {
    char problem[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem, sizeof problem, format, arguments);
    va_end(arguments);
    bool first = !link->broken;
    link->broken = true;
    link->job->links->broken = true;
    if (first && link->job->links->explaining) {
        return trib_link_fail_broken(link); /* why the first one broke is what counts */
    }
    if (link->job->links->closed) {
        return fail_leaving(link->job);
    }
    if (first) {
        link->job->links->explain(link, problem);
    }
    return trib_fail(TRIB_ABORTED, "the connection to node %d broke: %s", link->node, problem);
}

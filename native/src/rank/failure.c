/*
 * Whether the job has failed, and what that means for this rank: the process ends at once, as users of batch systems
 * expect, or every operation returns TRIB_ABORTED.
 */
#include "rank.h"

#include "mapping.h"

#include <stdarg.h>
#include <unistd.h>

/** Of what was found in shared memory. */
#define DETAIL_BYTES 128

static _Thread_local bool listening;

void trib_hold_end(trib *job) {
    __atomic_fetch_add(&job->failure.holds, 1, __ATOMIC_SEQ_CST);
}

void trib_let_end(trib *job) {
    __atomic_fetch_sub(&job->failure.holds, 1, __ATOMIC_RELEASE); /* partner: the acquire load in end_now */
}

/** Ends the process, once no thread holds that up, within a bounded time. */
_Noreturn static void end_now(const trib *job) {
    int64_t until_ns = trib_now_ns() + TRIB_ENDING_NS;
    while (__atomic_load_n(&job->failure.holds, __ATOMIC_ACQUIRE) > 0 && trib_now_ns() < until_ns) {
        trib_park(TRIB_REASON_LOOK_NS);
    }
    if (__atomic_load_n(&job->failure.has_provider_files, __ATOMIC_ACQUIRE)) {
        trib_sweep_provider_files();
    }
    _exit(TRIB_EXIT_CODE);
}

/** Another thread ends this process: nothing that would be said or done here helps anybody. */
static void end(const trib *job) {
    if (!job->settings.throws) {
        sleep((unsigned) (2 * TRIB_ENDING_NS / TRIB_NS_PER_S));
        _exit(TRIB_EXIT_CODE);
    }
}

/**
 * A thread that finds a failure is in a call, the lifeline included: leaving waits for it, for a bounded time, and
 * frees nothing before.
 */
static void listen_to(trib *job, const char *reason) {
    if (!__atomic_load_n(&job->calls.leaving, __ATOMIC_SEQ_CST)) { /* as in trib_call_begin */
        listening = true;
        job->failure.listener(reason, job->failure.context);
        listening = false;
    }
}

void trib_job_find_cause(const trib *job, char *reason, size_t bytes) {
    char problem[sizeof(((trib_error *) NULL)->message)];
    if (trib_mapping_problem(job->node.directory, problem, sizeof problem) && strstr(reason, problem) == NULL) {
        size_t length = strlen(problem);
        snprintf(problem + length, sizeof problem - length, " (%s)", reason);
        snprintf(reason, bytes, "%s", problem);
    }
}

int trib_job_damaged(trib *job, const char *where, const char *found, ...) {
    char detail[DETAIL_BYTES];
    char reason[sizeof(((trib_error *) NULL)->message)];
    va_list arguments;
    va_start(arguments, found);
    vsnprintf(detail, sizeof detail, found, arguments);
    va_end(arguments);
    int length = snprintf(reason, sizeof reason, "rank %d cannot go on: %.200s/%s is damaged: %.*s; a process of the"
                          " node has stored where it must not: look for stores out of bounds in the programs of its"
                          " ranks",
                          job->place.rank, job->node.directory, where, DETAIL_BYTES, detail);
    (void) length; /* what does not fit is left out */
    trib_job_end(job, reason);
    return trib_fail(TRIB_ABORTED, "%s", reason);
}

/** Wakes threads that wait for servers, or for words on the node. */
static void wake(trib *job) {
    if (job->alarm != NULL) {
        job->alarm->wake(job);
    }
    if (job->node.control != NULL) {
        trib_node_ring(&job->node, job->node.index);
    }
}

void trib_job_failed(trib *job, const char *format, ...) {
    char *reason = malloc(sizeof(((trib_error *) NULL)->message));
    if (reason == NULL) {
        _exit(TRIB_EXIT_CODE);
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof(((trib_error *) NULL)->message), format, arguments);
    va_end(arguments);
    trib_job_find_cause(job, reason, sizeof(((trib_error *) NULL)->message));
    char *none = NULL;
    /* Partner: the acquire load in trib_has_failed and trib_check. */
    if (!__atomic_compare_exchange_n(&job->failure.reason, &none, reason, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        free(reason);
        end(job);
        return;
    }
    if (job->settings.throws) {
        wake(job); /* the listener may wait for other threads */
    }
    if (job->failure.listener != NULL) {
        listen_to(job, reason);
    }
    if (!job->settings.throws) {
        if (!job->place.supervised) {
            dprintf(STDERR_FILENO, "tributary: rank %d ends: %s\n", job->place.rank, reason);
        }
        end_now(job);
    }
}

bool trib_is_in_listener(void) {
    return listening;
}

static int fail_leaving(const trib *job) {
    return job->is_forked
        ? trib_fail(TRIB_ABORTED, "this process was forked from rank %d, and is no rank of the job", job->place.rank)
        : trib_fail(TRIB_ABORTED, "rank %d leaves the job: another thread has called trib_detach", job->place.rank);
}

int trib_check(const trib *job) {
    const char *reason = __atomic_load_n(&job->failure.reason, __ATOMIC_ACQUIRE);
    if (reason == NULL) {
        return trib_likely(!trib_has_to_leave(job)) ? TRIB_OK : fail_leaving(job);
    }
    end(job);
    return trib_fail(TRIB_ABORTED, "%s", reason);
}

static bool has_failed_within(const trib *job, int64_t timeout_ns) {
    int64_t until_ns = trib_now_ns() + timeout_ns;
    while (!trib_has_failed(job) && trib_now_ns() < until_ns) {
        trib_park(TRIB_REASON_LOOK_NS);
    }
    return trib_has_failed(job);
}

bool trib_await_reason(const trib *job) {
    return has_failed_within(job, TRIB_BETTER_REASON_NS);
}

bool trib_job_end(trib *job, const char *reason) {
    bool told = job->alarm != NULL && job->alarm->tell(job, reason);
    if (told) {
        has_failed_within(job, TRIB_REASON_ECHO_NS); /* the end of this process would pass for the reason before */
    }
    trib_job_failed(job, "%s", reason);
    return told;
}

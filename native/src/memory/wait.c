/* How a rank waits for words in the shared memory of its node, and finds out when the wait is in vain. */
#include "memory.h"

/** How long a thread sleeps before it looks for an answer again: what it really waits for wakes it. */
#define LONGEST_ANSWER_NAP_NS 50000000

int trib_rank_state(trib *job, int rank, int *state) {
    TRIB_CALL(job);
    TRIB_TRY(trib_check(job));
    int status = trib_check_rank(job, rank);
    if (status == TRIB_OK && trib_node_is_local(&job->node, rank)) {
        return trib_node_state(job, rank, state);
    }
    int64_t value = 0;
    if (status == TRIB_OK) {
        status = trib_request_probe(job, rank, &value);
    }
    if (status == TRIB_OK) {
        *state = (int) value;
    }
    return status;
}

static bool look(trib_condition condition, void *context) {
    for (int look = 0; look < TRIB_LOOKS_BEFORE_CLOCK; look++) {
        if (condition(context)) {
            return true;
        }
        trib_pause();
    }
    return false;
}

/** Returns the time at the last look at the clock before the condition was true; 0 when it did not become so. */
static int64_t spin(trib *job, trib_condition condition, void *context, const struct trib_cause *wait,
                    int64_t since_ns) {
    int64_t spun_ns = 0;
    trib_yield(job);
    while ((spun_ns = trib_now_ns() - since_ns) < job->settings.wait_spin_ns && !trib_has_failed(job)
           && !trib_is_leaving(job)) {
        if (look(condition, context)) {
            return since_ns + spun_ns;
        }
        trib_idle(job, wait, spun_ns);
        trib_yield(job);
    }
    return 0;
}

/** A line on standard error when the wait for a rank that is not there yet gets long, and whenever it has doubled. */
static void notice(const trib *job, int from, int64_t waited_ns, int64_t *notice_after_ns) {
    if (waited_ns >= *notice_after_ns) {
        fprintf(stderr, "tributary: rank %d still waits for rank %d, which has not attached (%lld s of %lld s)\n",
                job->place.rank, from, (long long) (waited_ns / TRIB_NS_PER_S),
                (long long) (job->settings.attach_timeout_ns / TRIB_NS_PER_S));
        *notice_after_ns = 2 * waited_ns;
    }
}

int trib_await_answer(trib *job, struct trib_question *question, const struct trib_enough *enough, bool *answered,
                      int64_t *value, void *bytes) {
    int64_t began_ns = trib_now_ns();
    int64_t nap_ns = TRIB_SHORTEST_NAP_NS;
    while (true) {
        int status = trib_question_look(job, question, answered, value, bytes);
        status = status == TRIB_OK && !*answered ? trib_check(job) : status;
        if (status != TRIB_OK || *answered || enough->condition(enough->context)) {
            trib_question_drop(job, question);
            return status;
        }
        int64_t idle_ns = trib_idle(job, enough->wait, trib_now_ns() - began_ns);
        trib_node_sleep(job, enough->condition, enough->context, idle_ns < nap_ns ? idle_ns : nap_ns);
        nap_ns = 2 * nap_ns < LONGEST_ANSWER_NAP_NS ? 2 * nap_ns : LONGEST_ANSWER_NAP_NS;
        status = trib_links_answer_servers(job);
        if (status != TRIB_OK) {
            trib_question_drop(job, question);
            return status;
        }
    }
}

/** The state of a rank; not *known when there was enough before its server has told. */
static int find_state(trib *job, int rank, const struct trib_enough *enough, int *state, bool *known) {
    *known = true;
    if (trib_node_is_local(&job->node, rank)) {
        return trib_node_state(job, rank, state);
    }
    TRIB_CALL(job);
    struct trib_question question;
    int64_t value = 0;
    TRIB_TRY(trib_ask_state(job, rank, &question));
    TRIB_TRY(trib_await_answer(job, &question, enough, known, &value, NULL));
    *state = (int) value;
    return TRIB_OK;
}

static int check_presence(trib *job, const struct trib_enough *enough, int64_t waited_ns, int64_t *notice_after_ns,
                          bool *is_expected) {
    int state = TRIB_ATTACHED;
    bool known;
    int from = enough->wait->peer;
    TRIB_TRY(find_state(job, from, enough, &state, &known));
    *is_expected = known && state == TRIB_EXPECTED;
    /* A rank that has left did everything it did before it left: look once more. */
    if (known && (state == TRIB_DEPARTED || state == TRIB_DEAD) && !enough->condition(enough->context)) {
        /* Its server says more than that in a moment, when the job ends with it. */
        return trib_await_reason(job) ? trib_check(job) : enough->condition(enough->context) ? TRIB_OK
            : trib_fail(TRIB_ABORTED, "rank %d has left the job while rank %d waits for it", from, job->place.rank);
    }
    if (*is_expected && waited_ns > job->settings.attach_timeout_ns) {
        return trib_fail(TRIB_ABORTED, "rank %d has not attached within %lld s while rank %d waits for it;"
                         " attach.timeout", from, (long long) (job->settings.attach_timeout_ns / TRIB_NS_PER_S),
                         job->place.rank);
    }
    if (*is_expected) {
        notice(job, from, waited_ns, notice_after_ns);
    }
    return TRIB_OK;
}

/** How long to sleep before a look whether the job goes on: a failure wakes the thread. */
static int64_t slice(int64_t waited_ns) {
    int64_t longest_ns = waited_ns < TRIB_LONGEST_SLICE_NS ? waited_ns : TRIB_LONGEST_SLICE_NS;
    return longest_ns > TRIB_WAIT_SLICE_NS ? longest_ns : TRIB_WAIT_SLICE_NS;
}

static int block(trib *job, trib_condition condition, void *context, const struct trib_cause *wait, trib_doubt doubt,
                 void *doubt_context) {
    int from = wait->peer;
    int64_t looked_ns = trib_now_ns();
    int64_t ask_at_ns = looked_ns + TRIB_FIRST_DOUBT_NS;
    int64_t waited_ns = 0; /* while this process ran: it may have been stopped */
    int64_t notice_after_ns = TRIB_NOTICE_AFTER_NS;
    const struct trib_enough enough = {.condition = condition, .context = context, .wait = wait};
    while (!condition(context)) {
        TRIB_TRY(trib_check(job));
        int64_t slice_ns = slice(waited_ns);
        int64_t left_ns = ask_at_ns - trib_now_ns();
        if (from >= 0 && left_ns < slice_ns) {
            slice_ns = left_ns > 0 ? left_ns : 1;
        }
        slice_ns = wait->look_ns > 0 && wait->look_ns < slice_ns ? wait->look_ns : slice_ns;
        int64_t idle_ns = trib_idle(job, wait, waited_ns);
        slice_ns = idle_ns < slice_ns ? idle_ns : slice_ns;
        trib_node_sleep(job, condition, context, slice_ns);
        int64_t now_ns = trib_now_ns();
        int64_t most_ns = slice_ns + TRIB_WAIT_SLICE_NS;
        waited_ns += now_ns - looked_ns < most_ns ? now_ns - looked_ns : most_ns;
        looked_ns = now_ns;
        if (!condition(context)) {
            TRIB_TRY(trib_links_answer_servers(job)); /* not on the way of a thread that is woken */
        }
        if (from >= 0 && now_ns >= ask_at_ns && !condition(context)) {
            bool is_expected = false;
            int status = doubt == NULL ? TRIB_OK : doubt(doubt_context, from, &enough);
            status = status != TRIB_OK ? status
                : check_presence(job, &enough, waited_ns, &notice_after_ns, &is_expected);
            if (status != TRIB_OK) { /* which took long, perhaps */
                return condition(context) ? TRIB_OK : status;
            }
            /* One that is still to come has a time-out, of which only time counts in which this process runs. */
            ask_at_ns = trib_now_ns() + (is_expected ? TRIB_WAIT_SLICE_NS : slice(waited_ns));
        }
    }
    return TRIB_OK;
}

static int await(trib *job, trib_condition condition, void *context, const struct trib_cause *wait, trib_doubt doubt,
                 void *doubt_context, struct trib_waits *waits) {
    if (condition(context)) {
        return TRIB_OK;
    }
    int status = TRIB_OK;
    int slot = TRIB_WAIT_UNSEEN;
    int64_t since_ns = trib_now_ns();
    if (look(condition, context)) {
        return TRIB_OK; /* a look at the clock would take long beside such a wait */
    }
    TRIB_TRY(trib_adapter_settle(job)); /* others may wait for that */
    int64_t seen_ns = spin(job, condition, context, wait, since_ns);
    if (seen_ns == 0) {
        slot = trib_wait_begin(job, wait);
        status = block(job, condition, context, wait, doubt, doubt_context);
    }
    trib_wait_end_since(job, slot, wait, since_ns, seen_ns);
    if (waits != NULL) {
        waits->since_ns = waits->since_ns == 0 ? since_ns : waits->since_ns;
        waits->seen_ns = seen_ns == 0 && job->trace.memory != NULL ? trib_now_ns() : seen_ns;
    }
    return status;
}

int trib_await_condition(trib *job, trib_condition condition, void *context, const struct trib_cause *wait) {
    return await(job, condition, context, wait, NULL, NULL, NULL);
}

struct word {
    const int64_t *at;
    int64_t value;
    bool exactly;
};

/** Partner of the acquire load: the release store or full-fence addition that sets the word. */
static bool reached(void *context) {
    const struct word *word = context;
    int64_t now = __atomic_load_n(word->at, __ATOMIC_ACQUIRE);
    return word->exactly ? now == word->value : now >= word->value;
}

int trib_await_word(trib *job, const int64_t *word, int64_t value, bool exactly, const struct trib_cause *wait) {
    struct word awaited = {.at = word, .value = value, .exactly = exactly};
    return trib_await_condition(job, reached, &awaited, wait);
}

int trib_await_doubting(trib *job, const int64_t *word, int64_t value, bool exactly, const struct trib_cause *wait,
                        trib_doubt doubt, void *context, struct trib_waits *waits) {
    struct word awaited = {.at = word, .value = value, .exactly = exactly};
    return await(job, reached, &awaited, wait, doubt, context, waits);
}

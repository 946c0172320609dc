/*
 * A program in which one rank calls a reduction where the others call a barrier would wait for ever. So each thread
 * that waits notes, where others can read it, the group, the number and the kind of its collective: those of one number
 * of one group must be of one kind.
 *
 * One that waits for long reads what another member has noted, and after a while what the next one has. It waits
 * neither for a connection nor for the answer: MPI is to proceed, and what the member calls may be over before its
 * server has answered.
 */
#include "mismatch.h"

#include "memory/memory.h"

/** A thread that has waited so long asks whether the others wait in the same collective, and so long after, again. */
#define DOUBT_NS 3000000000LL

/* A group's calls: their number, and in the bits below the kinds of the last four, the latest one lowest. */
#define KIND_BITS 2
#define KINDS 4
#define HISTORY_BITS (KIND_BITS * KINDS)

void arm_call_begin(struct arm_group *group, enum arm_kind kind) {
    int64_t number = (group->calls >> HISTORY_BITS) + 1;
    int64_t kinds = (group->calls << KIND_BITS | kind) & ((1 << HISTORY_BITS) - 1);
    group->calls = number << HISTORY_BITS | kinds;
}

/** Kind of the call that was made so many calls before the latest one. */
static enum arm_kind kind_before(int64_t calls, int64_t before) {
    return (enum arm_kind) (calls >> KIND_BITS * before & ((1 << KIND_BITS) - 1));
}

int arm_calls_open(void) {
    return trib_allocate(trib_world(arm.job), ARM_CALLS * sizeof(struct arm_call), &arm.calls) == TRIB_OK ? TRIB_OK
        : arm_fail_last("ARMCI_Init");
}

/* ---- notes ---- */

/** Places of arm.calls that threads have, a bit each; atomic. */
static unsigned places;

/** Of a call; words of several calls, read while they changed, have another one. */
static int64_t check_of(int64_t group, int64_t calls) {
    return (int64_t) ((uint64_t) group * 0x9e3779b97f4a7c15u + (uint64_t) calls);
}

/** Partner of the stores: the server or the rank that reads all words, and finds out by the last whether they fit. */
static void note(int place, int64_t group, int64_t calls) {
    struct arm_call *own = (struct arm_call *) trib_memory_local(arm.calls) + place;
    __atomic_store_n(&own->group, group, __ATOMIC_SEQ_CST);
    __atomic_store_n(&own->calls, calls, __ATOMIC_SEQ_CST);
    __atomic_store_n(&own->check, check_of(group, calls), __ATOMIC_SEQ_CST);
}

void arm_doubt_begin(struct arm_doubt *doubt, const struct arm_group *group) {
    *doubt = (struct arm_doubt) {.place = -1, .next_ns = DOUBT_NS};
    for (int place = 0; place < ARM_CALLS && arm.calls != NULL; place++) {
        unsigned bit = 1U << place;
        if ((__atomic_fetch_or(&places, bit, __ATOMIC_SEQ_CST) & bit) == 0) {
            note(place, group->id, group->calls);
            doubt->place = place;
            return;
        }
    }
}

/* ---- what others have noted ---- */

/** Ends the job when a call of the member that has the number of this one, or is waited in, is of another kind. */
static void compare(const struct arm_group *group, int proc, int64_t its) {
    static const char *const kinds[] = {"a barrier", "a broadcast", "an exchange of values", "a reduction"};
    int64_t own = group->calls;
    int64_t ahead = (its >> HISTORY_BITS) - (own >> HISTORY_BITS);
    int64_t own_before = ahead < 0 ? -ahead : 0;
    int64_t its_before = ahead > 0 ? ahead : 0;
    if (own_before < KINDS && its_before < KINDS && kind_before(own, own_before) != kind_before(its, its_before)) {
        arm_fail("collective call", TRIB_INVALID_ARGUMENT, "rank %d was in %s when rank %d was in %s: the %d ranks"
                 " of the group do not make the same calls", arm.rank, kinds[kind_before(own, own_before)], proc,
                 kinds[kind_before(its, its_before)], group->size);
        arm_abort(1);
    }
}

/** Looks for the group among the calls that threads of the member wait in. */
static void judge(const struct arm_doubt *doubt, const struct arm_group *group) {
    for (int place = 0; place < ARM_CALLS; place++) {
        const struct arm_call *seen = &doubt->answer[place];
        if (seen->calls != 0 && seen->group == group->id && seen->check == check_of(seen->group, seen->calls)) {
            compare(group, doubt->proc, seen->calls);
        }
    }
}

/** At distance 1, 2, 4 and so on, then at 3, 6, 12, at 5, 10: members of all parts of the group soon, all at last. */
static int next_member(struct arm_doubt *doubt, const struct arm_group *group) {
    doubt->distance *= 2;
    if (doubt->distance == 0 || doubt->distance >= group->size) {
        doubt->odd = doubt->distance == 0 || doubt->odd + 2 >= group->size ? 1 : doubt->odd + 2;
        doubt->distance = doubt->odd;
    }
    return (group->rank + doubt->distance) % group->size;
}

/** *answered: by a rank of the node, whose memory this one sees. */
static int ask(struct arm_doubt *doubt, bool *answered) {
    TRIB_CALL(arm.job);
    int rank = arm_to_job(doubt->proc);
    *answered = trib_node_is_local(&arm.job->node, rank);
    return *answered ? trib_get(arm.calls, rank, 0, doubt->answer, sizeof doubt->answer)
        : trib_ask_bytes(arm.job, arm.calls->id, rank, 0, sizeof doubt->answer, &doubt->question);
}

static int look(struct arm_doubt *doubt, bool *answered) {
    TRIB_CALL(arm.job);
    int status = trib_question_look(arm.job, &doubt->question, answered, NULL, doubt->answer);
    if (status != TRIB_OK) {
        trib_question_drop(arm.job, &doubt->question);
    }
    return status;
}

void arm_doubt_go_on(struct arm_doubt *doubt, const struct arm_group *group, int64_t waited_ns) {
    int status = TRIB_OK;
    bool answered = false;
    if (trib_question_is_open(&doubt->question)) {
        status = look(doubt, &answered);
    } else if (waited_ns >= doubt->next_ns && arm.calls != NULL) {
        doubt->next_ns = waited_ns + DOUBT_NS;
        doubt->proc = group->grp_to_abs[next_member(doubt, group)];
        status = ask(doubt, &answered);
    }
    if (status == TRIB_OK && answered) { /* of a failure the waiting thread finds out by itself */
        judge(doubt, group);
    }
}

static int drop(struct arm_doubt *doubt) {
    TRIB_CALL(arm.job);
    trib_question_drop(arm.job, &doubt->question);
    return TRIB_OK;
}

void arm_doubt_end(struct arm_doubt *doubt) {
    if (trib_question_is_open(&doubt->question)) {
        drop(doubt);
    }
    if (doubt->place >= 0) {
        note(doubt->place, 0, 0);
        __atomic_fetch_and(&places, ~(1U << doubt->place), __ATOMIC_SEQ_CST);
    }
}

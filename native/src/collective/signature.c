/*
 * The call of a member, for the others to compare with, and how members find out that they have not called the same;
 * see the classes Call and Mismatch of org.tributary.client.collective, whose words these are.
 */
#include "algorithms.h"

#include <stdarg.h>

#define WORDS (TRIB_CALL_LENGTH_OFFSET / 8)
#define MAX_TEXT (TRIB_CALL_BYTES - TRIB_CALL_TEXT_OFFSET)
#define DESCRIPTION_BYTES 160

static const char *const purposes[] = {TRIB_PURPOSE_WORDS};
static const char *const types[] = {TRIB_TYPE_WORDS};
static const char *const operations[] = {TRIB_OPERATION_WORDS};

static uint64_t mix(uint64_t value) {
    uint64_t mixed = (value ^ value >> TRIB_FIRST_MIX_SHIFT) * (uint64_t) TRIB_FIRST_MIX_FACTOR;
    mixed = (mixed ^ mixed >> TRIB_SECOND_MIX_SHIFT) * (uint64_t) TRIB_SECOND_MIX_FACTOR;
    return mixed ^ mixed >> TRIB_LAST_MIX_SHIFT;
}

static int64_t key_of(int64_t what, int64_t bytes, int64_t subject, int64_t number) {
    return (int64_t) mix((uint64_t) what * (uint64_t) TRIB_WHAT_FACTOR + (uint64_t) bytes * (uint64_t) TRIB_BYTES_FACTOR
                         + (uint64_t) subject * (uint64_t) TRIB_SUBJECT_FACTOR
                         + (uint64_t) number * (uint64_t) TRIB_NUMBER_FACTOR);
}

/** Plain stores: a reader finds out by the key whether it has seen all of them. */
static void publish(struct trib_signature *call) {
    int64_t words[WORDS] = {[TRIB_CALL_NUMBER_OFFSET / 8] = call->number, [TRIB_CALL_KEY_OFFSET / 8] = call->key,
        [TRIB_CALL_WHAT_OFFSET / 8] = call->what, [TRIB_CALL_BYTES_OFFSET / 8] = call->bytes,
        [TRIB_CALL_SUBJECT_OFFSET / 8] = call->subject};
    memcpy(call->memory, words, sizeof words);
}

void trib_signature_during(struct trib_signature *call, int purpose, int64_t subject) {
    call->purpose = purpose;
    call->of_purpose = subject;
}

void trib_signature_freed(struct trib_signature *call, int64_t segment) {
    call->closings += segment + (1LL << TRIB_CLOSINGS_SHIFT);
}

void trib_signature_set(struct trib_signature *call, int kind, int op, int type, int root, int64_t bytes) {
    call->what = (int64_t) ((uint64_t) kind | (uint64_t) call->purpose << TRIB_CALL_PURPOSE_SHIFT
                            | (uint64_t) op << TRIB_CALL_OPERATION_SHIFT | (uint64_t) type << TRIB_CALL_TYPE_SHIFT
                            | (uint64_t) (uint32_t) root << TRIB_CALL_ROOT_SHIFT);
    call->bytes = bytes;
}

void trib_signature_begin(struct trib_signature *call, int64_t sequence) {
    call->number = sequence;
    if (call->purpose == TRIB_PURPOSE_PUBLISH) {
        call->subject = call->of_purpose;
    } else {
        call->subject = call->of_purpose ^ call->closings;
        call->closings = 0;
    }
    call->key = key_of(call->what, call->bytes, call->subject, sequence);
    publish(call);
}

void trib_signature_give_up(struct trib_signature *call) {
    call->what |= TRIB_CALL_GAVE_UP;
    call->key = key_of(call->what, call->bytes, call->subject, call->number);
    publish(call);
}

/** Takes over what the memory says; false when it was read while it changed. */
static bool read_call(struct trib_signature *call) {
    int64_t words[WORDS];
    memcpy(words, call->memory, sizeof words);
    call->number = words[TRIB_CALL_NUMBER_OFFSET / 8];
    call->key = words[TRIB_CALL_KEY_OFFSET / 8];
    call->what = words[TRIB_CALL_WHAT_OFFSET / 8];
    call->bytes = words[TRIB_CALL_BYTES_OFFSET / 8];
    call->subject = words[TRIB_CALL_SUBJECT_OFFSET / 8];
    return call->key == key_of(call->what, call->bytes, call->subject, call->number);
}

/* ---- words ---- */

struct text {
    char *at;
    size_t room;
};

static void append(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void append(struct text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->at, text->room, format, arguments);
    va_end(arguments);
    size_t taken = length < 0 ? 0 : (size_t) length < text->room ? (size_t) length : text->room - 1;
    text->at += taken;
    text->room -= taken;
}

static void append_reduction(struct text *text, const char *name, const struct trib_signature *call) {
    size_t op = (size_t) (call->what >> TRIB_CALL_OPERATION_SHIFT & TRIB_CALL_FIELD_MASK);
    size_t type = (size_t) (call->what >> TRIB_CALL_TYPE_SHIFT & TRIB_CALL_NONE);
    if (op >= sizeof operations / sizeof *operations || type >= sizeof types / sizeof *types) {
        append(text, "%s of %lld bytes", name, (long long) call->bytes);
    } else {
        append(text, "%s %s of %lld %s", name, operations[op],
               (long long) (call->bytes / (int64_t) trib_type_bytes((int) type)), types[type]);
    }
}

static void append_itself(struct text *text, const struct trib_signature *call) {
    int root = (int) (call->what >> TRIB_CALL_ROOT_SHIFT);
    long long bytes = call->bytes;
    switch ((int) (call->what & TRIB_CALL_FIELD_MASK)) {
        case TRIB_CALL_BARRIER:
            append(text, "barrier");
            break;
        case TRIB_CALL_BROADCAST:
            append(text, "broadcast of %lld bytes from member %d", bytes, root);
            break;
        case TRIB_CALL_REDUCE:
            append_reduction(text, "reduce", call);
            append(text, " to member %d", root);
            break;
        case TRIB_CALL_ALLREDUCE:
            append_reduction(text, "allreduce", call);
            break;
        case TRIB_CALL_REDUCE_SCATTER:
            append_reduction(text, "reduce-scatter", call);
            append(text, " each");
            break;
        case TRIB_CALL_ALLGATHER:
            append(text, "allgather of %lld bytes each", bytes);
            break;
        case TRIB_CALL_ALL_TO_ALL:
            append(text, "all-to-all of %lld bytes each", bytes);
            break;
        default:
            append(text, "nothing yet");
    }
}

static void append_closings(struct text *text, int64_t closings) {
    int count = (int) ((uint64_t) closings >> TRIB_CLOSINGS_SHIFT);
    if (count == 1) {
        append(text, " after close of segment %llx",
               (unsigned long long) (closings & ((1LL << TRIB_CLOSINGS_SHIFT) - 1)));
    } else if (count > 1) {
        append(text, " after close of %d segments", count);
    }
}

/** The call with its arguments and its number. */
static const char *describe(const struct trib_signature *call, char words[DESCRIPTION_BYTES]) {
    struct text text = {.at = words, .room = DESCRIPTION_BYTES};
    size_t purpose = (size_t) (call->what >> TRIB_CALL_PURPOSE_SHIFT & TRIB_CALL_FIELD_MASK);
    int32_t length;
    memcpy(&length, call->memory + TRIB_CALL_LENGTH_OFFSET, sizeof length);
    bool failed = (call->what & TRIB_CALL_GAVE_UP) != 0 && purpose != TRIB_PURPOSE_CLOSE_GROUP;
    append(&text, "%s", failed ? "a failed " : "");
    if (purpose != TRIB_PURPOSE_ITSELF) {
        append(&text, "%s", purpose < sizeof purposes / sizeof *purposes ? purposes[purpose] : "another call");
        if (purpose == TRIB_PURPOSE_PUBLISH) {
            append(&text, " segment %llx", (unsigned long long) call->subject);
        }
        if (length > 0 && length <= MAX_TEXT) {
            append(&text, " %.*s", (int) length, (const char *) call->memory + TRIB_CALL_TEXT_OFFSET);
        }
        append(&text, " (");
    }
    append_itself(&text, call);
    if (purpose == TRIB_PURPOSE_ITSELF) {
        append_closings(&text, call->subject);
    }
    append(&text, "%s, call %lld", purpose == TRIB_PURPOSE_ITSELF ? "" : ")", (long long) call->number);
    return words;
}

/* ---- comparing ---- */

/** Whether the bytes were read of a member's inbox before there was enough. */
static bool fetch(trib_group *group, int rank, int64_t offset, uint8_t memory[TRIB_CALL_BYTES],
                  const struct trib_enough *enough) {
    trib *job = group->job;
    struct trib_question question;
    bool answered;
    return trib_ask_bytes(job, group->inboxes->id, rank, offset, TRIB_CALL_BYTES, &question) == TRIB_OK
        && trib_await_answer(job, &question, enough, &answered, NULL, memory) == TRIB_OK && answered;
}

/** Reads the last call of a member; false when that cannot be found out, or not before there is enough, if given. */
static bool look(trib_group *group, int member, const struct trib_enough *enough, uint8_t memory[TRIB_CALL_BYTES],
                 struct trib_signature *call) {
    int64_t offset = trib_inbox_call_offset(&group->collectives->transfers.layout);
    int rank = trib_members_rank(&group->members, member);
    *call = (struct trib_signature) {.memory = memory};
    bool asks = enough != NULL && !trib_node_is_local(&group->job->node, rank);
    return (asks ? fetch(group, rank, offset, memory, enough)
            : trib_get(group->inboxes, rank, (size_t) offset, memory, TRIB_CALL_BYTES) == TRIB_OK)
        && read_call(call);
}

static int end_job(trib *job, const char *why) {
    trib_abort(job, why);
    return trib_fail(TRIB_ABORTED, "%s", why);
}

/** Whether two members cannot meet in one collective: the other is in a different call, or gave an earlier up. */
static bool contradict(const struct trib_signature *own, const struct trib_signature *other) {
    return own->number == other->number ? own->key != other->key
        : other->number < own->number && (other->what & TRIB_CALL_GAVE_UP) != 0;
}

static int compare(trib_group *group, int member, const struct trib_enough *enough) {
    uint8_t memory[TRIB_CALL_BYTES];
    struct trib_signature other;
    const struct trib_signature *own = &group->collectives->call;
    if (!look(group, member, enough, memory, &other) || !contradict(own, &other)) {
        return TRIB_OK;
    }
    char words[DESCRIPTION_BYTES];
    char others[DESCRIPTION_BYTES];
    char why[2 * DESCRIPTION_BYTES + 160];
    const trib *job = group->job;
    int rank = trib_members_rank(&group->members, member);
    snprintf(why, sizeof why, "collective calls do not match in a group of %d: rank %d (node %d) is in %s; rank %d"
             " (node %d) in %s", group->members.size, job->place.rank, job->place.node, describe(own, words), rank,
             trib_topology_node_of(&job->place.topology, rank), describe(&other, others));
    return end_job(group->job, why);
}

int trib_signature_doubt(void *context, int from, const struct trib_enough *enough) {
    trib_group *group = context;
    int member = trib_members_number(&group->members, from);
    int next = (group->members.self + 1) % group->members.size;
    TRIB_TRY(compare(group, member, enough));
    return next == member ? TRIB_OK : compare(group, next, enough);
}

int trib_signature_left_alone(trib_group *group, int from) {
    uint8_t memory[TRIB_CALL_BYTES];
    struct trib_signature other;
    char words[DESCRIPTION_BYTES];
    char others[DESCRIPTION_BYTES];
    char why[2 * DESCRIPTION_BYTES + sizeof(((trib_error *) NULL)->message)];
    struct text text = {.at = why, .room = sizeof why};
    append(&text, "%s, in %s of a group of %d", trib_last_error()->message, describe(&group->collectives->call, words),
           group->members.size);
    if (look(group, trib_members_number(&group->members, from), NULL, memory, &other)) {
        append(&text, "; its last one there was %s", describe(&other, others));
    }
    return end_job(group->job, why);
}

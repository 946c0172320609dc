/* Memory of which ranks have parts, and what one rank does with it: in place on its node, by requests elsewhere. */
#ifndef TRIB_MEMORY_H
#define TRIB_MEMORY_H

#include "link/link.h"

/** The parts of the ranks of this node; base is NULL for a rank that has none or an empty one. */
struct trib_part {
    uint8_t *base;
    int64_t bytes; /* -1 for a rank that has none */
    int64_t file_offset;
};

/* ---- members.c ---- */

struct trib_members {
    int self; /* -1 when no member */
    int size;
    int *ranks; /* NULL for all ranks of the job */
    struct trib_map numbers;
};

int trib_members_set(struct trib_members *members, int self_rank, int count, const int *ranks);
void trib_members_free(struct trib_members *members);
int trib_members_rank(const struct trib_members *members, int member);
int trib_members_number(const struct trib_members *members, int rank);

/* ---- memory.c, mutex.c ---- */

struct trib_memory {
    trib *job;
    trib_group *group; /* NULL for the runtime's own, which users' fences need not wait for */
    const struct trib_members *members;
    int64_t id;
    int64_t uniform_bytes; /* of every part, when sizes is NULL */
    int64_t *sizes;
    struct trib_part *parts; /* by index on the node */
    uint8_t *file;
    size_t file_bytes;
    void **bases; /* by member, once published */
    trib_mutexes *mutexes; /* whose words these are, or NULL */
    trib_memory *previous;
    trib_memory *next;
};

struct trib_mutexes {
    trib_memory *words;
    pthread_mutex_t lock;
    struct trib_map elsewhere; /* of a mutex on another node: whether it is held, and how many threads ask */
    /* Contended mutexes of this node that this rank has released; their words may still name it as the holder. */
    struct trib_map released;
    int any_released; /* atomic; whether released is not empty */
};

void trib_mutexes_forget(trib_mutexes *mutexes);
/** Maps the file that the server made by that layout. Takes sizes over. */
int trib_memory_new(trib *job, trib_group *group, const struct trib_members *members, int64_t id, int64_t *sizes,
                    int64_t uniform, const struct trib_layout *layout, trib_memory **memory);
/** Unmaps and frees the object. */
void trib_memory_forget(trib_memory *memory);
/** Only its mapping goes: a thread may still try to begin a call. */
void trib_memory_unmap(trib_memory *memory);

/** -1 for a rank that has no part. */
static inline int64_t trib_memory_part_bytes(const trib_memory *memory, int rank) {
    int member = trib_members_number(memory->members, rank);
    return member < 0 ? -1 : memory->sizes == NULL ? memory->uniform_bytes : memory->sizes[member];
}

/** The part when it can be accessed directly, or NULL. */
static inline const struct trib_part *trib_memory_part(const trib_memory *memory, int rank) {
    int index = trib_node_index(&memory->job->node, rank);
    return index < 0 || memory->parts[index].bytes < 0 ? NULL : &memory->parts[index];
}

/* ---- address.c ---- */

int trib_addresses_init(trib *job);
void trib_addresses_free(trib *job);
void trib_addresses_withdraw(trib_memory *memory);
/** Notes the addresses of the parts, once published; false when memory is short. */
bool trib_addresses_publish(trib_memory *memory);

/* ---- wait.c ---- */

/** Waits for a condition on shared memory; the peer of the wait is the rank that is to make it true, or -1. */
int trib_await_condition(trib *job, trib_condition condition, void *context, const struct trib_cause *wait);
/** Waits until a word is at least, or exactly, a value. */
int trib_await_word(trib *job, const int64_t *word, int64_t value, bool exactly, const struct trib_cause *wait);

/** What a thread waits for that asks a server meanwhile, which may be slow to answer. */
struct trib_enough {
    trib_condition condition;
    void *context;
    const struct trib_cause *wait;
};

/** Waits for the answer to a question, *answered then, or until there is enough; see trib_question_look. */
int trib_await_answer(trib *job, struct trib_question *question, const struct trib_enough *enough, bool *answered,
                      int64_t *value, void *bytes);

/**
 * Asked now and then by a thread that has waited long for a rank: fails when that wait is in vain. It does not when
 * there is enough before it knows.
 */
typedef int (*trib_doubt)(void *context, int from, const struct trib_enough *enough);
/** As above, with a doubt; notes the wait, unless it is over after a few looks. */
int trib_await_doubting(trib *job, const int64_t *word, int64_t value, bool exactly, const struct trib_cause *wait,
                        trib_doubt doubt, void *context, struct trib_waits *waits);

#endif

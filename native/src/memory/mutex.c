/* Mutexes as shared words; see org.tributary.client.MutexSet and org.tributary.wire.shm.MutexWord. */
#include "memory.h"

#define HELD 1
#define ASKING 2

void trib_mutexes_forget(trib_mutexes *mutexes) {
    pthread_mutex_destroy(&mutexes->lock);
    trib_map_free(&mutexes->elsewhere);
    trib_map_free(&mutexes->released);
    free(mutexes);
}

int trib_mutexes_count(const trib_mutexes *mutexes, int rank) {
    int64_t bytes = trib_memory_part_bytes(mutexes->words, rank);
    return bytes < 0 ? -1 : (int) (bytes / TRIB_MUTEX_STRIDE);
}

static int check(const trib_mutexes *mutexes, int rank, int index, int64_t **word) {
    int64_t offset = (int64_t) index * TRIB_MUTEX_STRIDE;
    int64_t bytes = trib_memory_part_bytes(mutexes->words, rank);
    if (index < 0 || offset >= bytes) {
        return trib_fail_at(TRIB_INVALID_ADDRESS, "no such mutex", rank, mutexes->words->id, offset, 8,
                            bytes < 0 ? 0 : bytes / TRIB_MUTEX_STRIDE);
    }
    const struct trib_part *part = trib_memory_part(mutexes->words, rank);
    *word = part == NULL ? NULL : (int64_t *) (void *) (part->base + offset);
    return TRIB_OK;
}

static bool swap(int64_t *word, int64_t expected, int64_t value) {
    return __atomic_compare_exchange_n(word, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static int holder(const int64_t *word) {
    return (int) (__atomic_load_n(word, __ATOMIC_ACQUIRE) & ~TRIB_MUTEX_CONTENDED) - 1;
}

static int64_t key(int rank, int index) {
    return (int64_t) rank << 32 | index;
}

static int this_rank(const trib_mutexes *mutexes) {
    return mutexes->words->job->place.rank;
}

static bool is_held(trib_mutexes *mutexes, const int64_t *word, int rank, int index) {
    pthread_mutex_lock(&mutexes->lock);
    bool held = word == NULL ? (trib_map_get(&mutexes->elsewhere, key(rank, index), 0) & HELD) != 0
        : holder(word) == this_rank(mutexes) && trib_map_get(&mutexes->released, key(rank, index), 0) == 0;
    pthread_mutex_unlock(&mutexes->lock);
    return held;
}

static int refuse_if_held(trib_mutexes *mutexes, const int64_t *word, int rank, int index) {
    return !is_held(mutexes, word, rank, index) ? TRIB_OK
        : trib_fail_at(TRIB_MUTEX_STATE, "the mutex is held by this rank already", rank, mutexes->words->id,
                       (int64_t) index * TRIB_MUTEX_STRIDE, 8, this_rank(mutexes));
}

/** A mutex of this node. */
static void acquired(trib_mutexes *mutexes, int rank, int index) {
    if (__atomic_load_n(&mutexes->any_released, __ATOMIC_ACQUIRE) == 0) {
        return; /* the usual case costs no lock */
    }
    pthread_mutex_lock(&mutexes->lock);
    trib_map_remove(&mutexes->released, key(rank, index));
    __atomic_store_n(&mutexes->any_released, mutexes->released.count > 0, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&mutexes->lock);
}

/** Changes what is noted of a mutex elsewhere; with the lock. Fails for the first note of all only. */
static bool change(trib_mutexes *mutexes, int rank, int index, int64_t by) {
    int64_t state = trib_map_get(&mutexes->elsewhere, key(rank, index), 0) + by;
    return state == 0 ? trib_map_remove(&mutexes->elsewhere, key(rank, index))
        : trib_map_put(&mutexes->elsewhere, key(rank, index), state);
}

static bool note(trib_mutexes *mutexes, int rank, int index, int64_t by) {
    pthread_mutex_lock(&mutexes->lock);
    bool noted = change(mutexes, rank, index, by);
    pthread_mutex_unlock(&mutexes->lock);
    return noted;
}

static int no_memory(int rank, int index) {
    return trib_fail(TRIB_NO_MEMORY, "no memory to note the state of mutex %d of rank %d", index, rank);
}

static int ask(trib_mutexes *mutexes, int rank, int index, bool attempt, int64_t *granted) {
    trib *job = mutexes->words->job;
    struct trib_link *link;
    struct trib_reply *reply;
    TRIB_TRACED(job, true, TRIB_OPERATION_LOCK, .peer = rank, .segment = mutexes->words->id, .number = index)
    trib_traced_time(&traced);
    TRIB_TRY(trib_request_expect(job, trib_node_of(job, rank), &link, &reply));
    int status = trib_send_lock(link, reply, mutexes->words->id, rank, (int64_t) index * TRIB_MUTEX_STRIDE, attempt);
    struct trib_cause wait = {.kind = TRIB_WAIT_MUTEX, .peer = rank, .segment = mutexes->words->id, .number = index};
    status = trib_request_await_for(link, reply, status, &wait, granted);
    traced.ended_ns = trib_latency_ended(job, TRIB_LATENCY_LOCK, traced.began_ns);
    return status;
}

/** Has a place for the note before it asks: nobody could take a mutex back that has been granted. */
static int ask_elsewhere(trib_mutexes *mutexes, int rank, int index, bool attempt, int64_t *granted) {
    if (!note(mutexes, rank, index, ASKING)) {
        return no_memory(rank, index);
    }
    int status = ask(mutexes, rank, index, attempt, granted);
    bool held = status == TRIB_OK && (*granted != 0 || !attempt);
    note(mutexes, rank, index, held ? HELD - ASKING : -ASKING);
    return status;
}

int trib_lock(trib_mutexes *mutexes, int rank, int index) {
    TRIB_CALL(mutexes->words->job);
    int64_t *word;
    int64_t granted;
    TRIB_TRY(check(mutexes, rank, index, &word));
    if (word != NULL && swap(word, 0, this_rank(mutexes) + 1)) {
        acquired(mutexes, rank, index);
        return TRIB_OK;
    }
    TRIB_TRY(refuse_if_held(mutexes, word, rank, index));
    if (word == NULL) {
        return ask_elsewhere(mutexes, rank, index, false, &granted);
    }
    /* After a release that the server has not seen yet, this comes to it on the same connection, and so later. */
    TRIB_TRY(ask(mutexes, rank, index, false, &granted));
    acquired(mutexes, rank, index);
    return TRIB_OK;
}

int trib_try_lock(trib_mutexes *mutexes, int rank, int index, bool *success) {
    int64_t *word;
    int64_t granted = 0;
    TRIB_CALL(mutexes->words->job);
    *success = false;
    TRIB_TRY(check(mutexes, rank, index, &word));
    if (word != NULL && swap(word, 0, this_rank(mutexes) + 1)) {
        *success = true;
        acquired(mutexes, rank, index);
        return TRIB_OK;
    }
    int status = refuse_if_held(mutexes, word, rank, index);
    if (status != TRIB_OK || word != NULL) {
        return status;
    }
    status = ask_elsewhere(mutexes, rank, index, true, &granted);
    *success = status == TRIB_OK && granted != 0;
    return status;
}

/** Notes the release of a mutex that only its server can pass on. */
static int give_up(trib_mutexes *mutexes, const int64_t *word, int rank, int index) {
    pthread_mutex_lock(&mutexes->lock);
    bool held;
    bool noted = true;
    if (word == NULL) {
        held = (trib_map_get(&mutexes->elsewhere, key(rank, index), 0) & HELD) != 0;
        if (held) {
            change(mutexes, rank, index, -HELD);
        }
    } else {
        held = holder(word) == this_rank(mutexes) && trib_map_get(&mutexes->released, key(rank, index), 0) == 0;
        noted = !held || trib_map_put(&mutexes->released, key(rank, index), 1);
        if (held && noted) {
            __atomic_store_n(&mutexes->any_released, 1, __ATOMIC_RELEASE);
        }
    }
    pthread_mutex_unlock(&mutexes->lock);
    return !noted ? no_memory(rank, index) : held ? TRIB_OK
        : trib_fail_at(TRIB_MUTEX_STATE, "the mutex is not held by this rank (limit: by whom)", rank,
                       mutexes->words->id, (int64_t) index * TRIB_MUTEX_STRIDE, 8, word == NULL ? -1 : holder(word));
}

int trib_unlock(trib_mutexes *mutexes, int rank, int index) {
    TRIB_CALL(mutexes->words->job);
    int64_t *word;
    int status = check(mutexes, rank, index, &word);
    if (status != TRIB_OK || (word != NULL && swap(word, this_rank(mutexes) + 1, 0))) {
        return status;
    }
    TRIB_TRY(give_up(mutexes, word, rank, index));
    trib *job = mutexes->words->job;
    struct trib_link *link;
    TRIB_TRACED(job, true, TRIB_OPERATION_UNLOCK, .one_way = true, .peer = rank, .segment = mutexes->words->id,
                .number = index)
    TRIB_TRY(trib_request_begin(job, trib_node_of(job, rank), 0, false, &link));
    status = trib_send_unlock(link, mutexes->words->id, rank, (int64_t) index * TRIB_MUTEX_STRIDE);
    trib_link_issued(link, false, true);
    return trib_request_end(link, status, true);
}

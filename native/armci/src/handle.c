/*
 * An armci_hdl_t has room for two numbers; the runtime's handle is kept in a table. The two say in which place, and which
 * use of all places that is, counted from 1, so that an old copy is never taken for a new one. The field `target` is
 * below 0 while nothing is pending.
 *
 * The owner of a place. From the first operation on, it belongs to the operations that are issued with it, and to no
 * thread that waits for them: several threads may issue and wait at once. Its users are the threads that are issuing or
 * waiting; they come with the lock held and leave at any time. With the lock held, a place without users of whose
 * operations none is under way has changed for the last time, and only then is it free for another use. So the result
 * of a wait says nothing of operations that other threads have issued since: these keep the place, and the handle goes
 * on naming it.
 *
 * No thread waits, sends or reads with the lock held.
 */
#include "internal.h"

#define UNUSED (-1)
#define CHUNK 256
#define CHUNKS 256
#define PLACE_BITS 16
#define PLACES (CHUNK * CHUNKS)
#define SEVERAL (-2)
/** Bits of a use's number that are in `target`; the others are in `aggregate`, above the bit that says whether it is. */
#define USE_LOW_BITS 15
#define USE_LOW_MASK ((1 << USE_LOW_BITS) - 1)
#define USE_HIGH_MASK 0x7fffffffU
#define AGGREGATE 1

struct place {
    trib_handle handle; /* first, so that this address is the place's */
    int64_t use; /* 0 for none: the place is free */
    int proc;    /* target of what is pending, or SEVERAL */
    int users;   /* threads that issue operations with it or wait for it; atomic */
    int number;
};

static struct table {
    pthread_mutex_t lock; /* guards all of this, and the handles of programs */
    struct place *chunks[CHUNKS];
    int places;
    int free[PLACES]; /* numbers of free places */
    int free_count;
    int64_t uses;
    armci_hdl_t implicit; /* of operations without a handle */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER, .implicit = {.target = UNUSED}};

static struct place *place_at(int number) {
    return &table.chunks[number / CHUNK][number % CHUNK];
}

/* ---- handles of programs; with the lock ---- */

bool arm_is_aggregate(const armci_hdl_t *handle) {
    return handle != NULL && (__atomic_load_n(&handle->aggregate, __ATOMIC_RELAXED) & AGGREGATE) != 0;
}

/** Threads that share a handle ask without the lock whether it is aggregate. */
static void set_aggregate_field(armci_hdl_t *handle, unsigned value) {
    __atomic_store_n(&handle->aggregate, (int) value, __ATOMIC_RELAXED);
}

static unsigned aggregate_bit(const armci_hdl_t *handle) {
    return (unsigned) handle->aggregate & AGGREGATE;
}

static unsigned high_bits(int64_t use) {
    return (unsigned) (use >> USE_LOW_BITS) & USE_HIGH_MASK;
}

static void mean(armci_hdl_t *handle, const struct place *place) {
    handle->target = (int) (place->use & USE_LOW_MASK) << PLACE_BITS | place->number;
    set_aggregate_field(handle, high_bits(place->use) << 1 | aggregate_bit(handle));
}

static void mean_nothing(armci_hdl_t *handle) {
    handle->target = UNUSED;
    set_aggregate_field(handle, aggregate_bit(handle));
}

/** The place that a handle means; NULL when nothing is pending. */
static struct place *find(const armci_hdl_t *handle) {
    int number = handle->target & (PLACES - 1);
    if (handle->target < 0 || number >= table.places) {
        return NULL;
    }
    struct place *place = place_at(number);
    return place->use != 0 && (place->use & USE_LOW_MASK) == handle->target >> PLACE_BITS
        && high_bits(place->use) == (unsigned) handle->aggregate >> 1 ? place : NULL;
}

/* ---- places; with the lock ---- */

/** Frees a place if nothing can change in it any more. Partner of the load: the release in arm_handle_issued. */
static bool free_if_over(struct place *place) {
    bool over = __atomic_load_n(&place->users, __ATOMIC_ACQUIRE) == 0 && trib_is_idle(&place->handle);
    if (over) {
        place->use = 0;
        table.free[table.free_count++] = place->number;
    }
    return over;
}

static void use(struct place *place) {
    __atomic_add_fetch(&place->users, 1, __ATOMIC_RELAXED);
}

/** Programs may forget handles and call ARMCI_WaitAll instead: frees the places of those that are complete. */
static void reclaim(void) {
    for (int number = 0; number < table.places; number++) {
        if (place_at(number)->use != 0) {
            free_if_over(place_at(number));
        }
    }
}

static bool grow(void) {
    if (table.places == PLACES) {
        return false;
    }
    struct place *chunk = calloc(CHUNK, sizeof *chunk);
    if (chunk == NULL) {
        return false;
    }
    table.chunks[table.places / CHUNK] = chunk;
    for (int i = CHUNK - 1; i >= 0; i--) {
        chunk[i].number = table.places + i;
        table.free[table.free_count++] = table.places + i;
    }
    table.places += CHUNK;
    return true;
}

/** Gives the lock away while it waits for operations to be complete, which it does only in a table of full size. */
static bool make_room(void) {
    reclaim();
    if (table.free_count < table.places / 4 + 1 && !grow() && table.free_count == 0) {
        pthread_mutex_unlock(&table.lock);
        trib_wait_all(arm.job);
        pthread_mutex_lock(&table.lock);
        reclaim();
    }
    return table.free_count > 0;
}

static struct place *take(armci_hdl_t *handle, int proc) {
    struct place *place = find(handle);
    if (place == NULL && table.free_count == 0) {
        if (!make_room()) {
            return NULL;
        }
        place = find(handle); /* which another thread may have used meanwhile */
    }
    if (place != NULL) {
        place->proc = place->proc == proc ? proc : SEVERAL;
        return place;
    }
    place = place_at(table.free[--table.free_count]);
    place->proc = proc;
    place->use = ++table.uses;
    trib_handle_init(arm.job, aggregate_bit(handle) ? TRIB_AGGREGATE : TRIB_PLAIN, &place->handle);
    mean(handle, place);
    return place;
}

/* ---- issuing ---- */

trib_handle *arm_handle(const char *function, armci_hdl_t *handle, int proc) {
    pthread_mutex_lock(&table.lock);
    struct place *taken = take(handle == NULL ? &table.implicit : handle, proc);
    if (taken != NULL) {
        use(taken);
    }
    pthread_mutex_unlock(&table.lock);
    if (taken == NULL) {
        arm_fail(function, TRIB_NO_MEMORY, "%d handles have operations pending, or failures that nobody has asked for",
                 table.places);
        return NULL;
    }
    return &taken->handle;
}

void arm_handle_issued(trib_handle *handle) {
    struct place *place = (struct place *) (void *) handle;
    if (place != NULL) {
        __atomic_sub_fetch(&place->users, 1, __ATOMIC_RELEASE); /* partner: the acquire in free_if_over */
    }
}

void arm_handles_free(void) {
    pthread_mutex_lock(&table.lock);
    for (int i = 0; i < CHUNKS; i++) {
        free(table.chunks[i]);
        table.chunks[i] = NULL;
    }
    table.places = 0;
    table.free_count = 0;
    mean_nothing(&table.implicit);
    pthread_mutex_unlock(&table.lock);
}

/* ---- waiting ---- */

/** The place of a handle, to be used and then left with `leave`; NULL, and nothing is meant, when nothing is pending. */
static struct place *enter(armci_hdl_t *handle) {
    pthread_mutex_lock(&table.lock);
    struct place *place = find(handle);
    if (place != NULL) {
        use(place);
    } else {
        mean_nothing(handle);
    }
    pthread_mutex_unlock(&table.lock);
    return place;
}

/** handle: that which means the place as far as the caller knows. */
static void leave(struct place *place, armci_hdl_t *handle) {
    pthread_mutex_lock(&table.lock);
    bool meant = find(handle) == place;
    arm_handle_issued(&place->handle);
    if (free_if_over(place) && meant) {
        mean_nothing(handle);
    }
    pthread_mutex_unlock(&table.lock);
}

static void check_handle(const char *function, const armci_hdl_t *handle) {
    if (handle == NULL) {
        arm_fail(function, TRIB_INVALID_ARGUMENT, "no handle");
        arm_abort(1);
    }
}

void PARMCI_INIT_HANDLE(armci_hdl_t *handle) {
    check_handle(ARM_CURRENT, handle);
    handle->target = UNUSED;
    handle->aggregate = 0;
}
ARM_ALIAS(void, ARMCI_INIT_HANDLE, armci_hdl_t *handle);

static void set_aggregate(armci_hdl_t *handle, unsigned aggregate) {
    PARMCI_Wait(handle); /* one kind at a time */
    pthread_mutex_lock(&table.lock);
    set_aggregate_field(handle, ((unsigned) handle->aggregate & ~(unsigned) AGGREGATE) | aggregate);
    pthread_mutex_unlock(&table.lock);
}

void PARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t *handle) {
    check_handle(ARM_CURRENT, handle);
    set_aggregate(handle, AGGREGATE);
}
ARM_ALIAS(void, ARMCI_SET_AGGREGATE_HANDLE, armci_hdl_t *handle);

void PARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t *handle) {
    check_handle(ARM_CURRENT, handle);
    set_aggregate(handle, 0);
}
ARM_ALIAS(void, ARMCI_UNSET_AGGREGATE_HANDLE, armci_hdl_t *handle);

int PARMCI_Wait(armci_hdl_t *handle) {
    if (handle == NULL) {
        return arm_fail(ARM_CURRENT, TRIB_INVALID_ARGUMENT, "no handle");
    }
    struct place *place = enter(handle);
    if (place == NULL) {
        return TRIB_OK;
    }
    int status = trib_wait(&place->handle);
    leave(place, handle);
    return status == TRIB_OK ? TRIB_OK : arm_fail_last(ARM_CURRENT);
}
ARM_ALIAS(int, ARMCI_Wait, armci_hdl_t *handle);

int PARMCI_Test(armci_hdl_t *handle) {
    if (handle == NULL) {
        return arm_fail(ARM_CURRENT, TRIB_INVALID_ARGUMENT, "no handle");
    }
    struct place *place = enter(handle);
    if (place == NULL) {
        return 0;
    }
    bool complete = false;
    int status = trib_test(&place->handle, &complete);
    leave(place, handle);
    return status != TRIB_OK ? arm_fail_last(ARM_CURRENT) : complete ? 0 : 1;
}
ARM_ALIAS(int, ARMCI_Test, armci_hdl_t *handle);

static bool is_for(const struct place *place, int proc) {
    return proc < 0 || place->proc == proc || place->proc == SEVERAL;
}

/** Sends what is buffered, also of puts, which are complete already. */
static int send_all(const char *function) {
    trib_handle none;
    trib_handle_init(arm.job, TRIB_PLAIN, &none);
    return trib_wait(&none) == TRIB_OK ? TRIB_OK : arm_fail_last(function);
}

/**
 * Waits for what was issued on a rank, or on any when that is below 0, before the call. What others issue meanwhile takes
 * other places, unless they go on with a handle that they have used before.
 */
static int wait_for(const char *function, int proc) {
    int status = send_all(function);
    pthread_mutex_lock(&table.lock);
    int64_t until = table.uses;
    struct place *implicit = find(&table.implicit);
    if (implicit != NULL && is_for(implicit, proc)) {
        mean_nothing(&table.implicit); /* the next operation without a handle is none of this call's */
    }
    for (int number = 0; number < table.places; number++) {
        struct place *place = place_at(number);
        if (place->use == 0 || place->use > until || !is_for(place, proc) || free_if_over(place)) {
            continue;
        }
        use(place);
        pthread_mutex_unlock(&table.lock);
        if (trib_wait(&place->handle) != TRIB_OK) {
            status = arm_fail_last(function);
        }
        pthread_mutex_lock(&table.lock);
        arm_handle_issued(&place->handle);
        free_if_over(place);
    }
    pthread_mutex_unlock(&table.lock);
    return status;
}

int PARMCI_WaitProc(int proc) {
    int status = arm_check_proc(ARM_CURRENT, proc);
    return status != TRIB_OK ? status : wait_for(ARM_CURRENT, proc);
}
ARM_ALIAS(int, ARMCI_WaitProc, int proc);

int PARMCI_WaitAll(void) {
    return arm.inits == 0 ? arm_fail(ARM_CURRENT, TRIB_INVALID_ARGUMENT, "ARMCI has not been initialized")
        : wait_for(ARM_CURRENT, -1);
}
ARM_ALIAS(int, ARMCI_WaitAll, void);

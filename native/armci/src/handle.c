/*
 * An armci_hdl_t has room for two numbers; the runtime's handle is kept in a table. The field `target` says where: the
 * place's number and, so that an old copy is never taken for a new one, how often the place had been used. It is below 0
 * while nothing is pending.
 */
#include "internal.h"

#define UNUSED (-1)
#define CHUNK 256
#define CHUNKS 256
#define PLACE_BITS 16
#define PLACES (CHUNK * CHUNKS)
#define USES 32767
#define SEVERAL (-2)

struct place {
    trib_handle handle; /* first, so that this address is the place's */
    int proc; /* target of what is pending, or SEVERAL */
    int use;  /* 1 to USES */
    int users; /* threads that issue operations with it or wait for it: it stays theirs; atomic */
    bool taken;
};

static struct table {
    pthread_mutex_t lock; /* guards all of this */
    struct place *chunks[CHUNKS];
    int places;
    int free[PLACES]; /* numbers of free places */
    int free_count;
    bool has_implicit;
    struct place implicit; /* of operations without a handle */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct place *place_at(int number) {
    return &table.chunks[number / CHUNK][number % CHUNK];
}

static bool is_used(const struct place *place) {
    return __atomic_load_n(&place->users, __ATOMIC_ACQUIRE) > 0; /* partner: the release in arm_handle_issued */
}

/** Takes a place back unless another thread uses it. Call with the lock. */
static void give_back(int number) {
    if (!is_used(place_at(number))) {
        place_at(number)->taken = false;
        table.free[table.free_count++] = number;
    }
}

/** The number of the place that a handle means; -1 when nothing is pending. Call with the lock. */
static int find(const armci_hdl_t *handle) {
    if (handle->target < 0) {
        return -1;
    }
    int number = handle->target & (PLACES - 1);
    return number < table.places && place_at(number)->taken && place_at(number)->use == handle->target >> PLACE_BITS
        ? number : -1;
}

/** Programs may forget handles and call ARMCI_WaitAll instead: takes back the places of those that are complete. */
static void reclaim(void) {
    for (int number = 0; number < table.places; number++) {
        bool complete = false;
        if (place_at(number)->taken && !is_used(place_at(number))
            && trib_test(&place_at(number)->handle, &complete) != TRIB_OK) {
            arm_fail_last("ARMCI_Nb");
        }
        if (complete) {
            give_back(number);
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
        table.free[table.free_count++] = table.places + i;
    }
    table.places += CHUNK;
    return true;
}

static bool make_room(void) {
    if (table.free_count == 0 && table.places > 0) {
        reclaim();
    }
    if (table.free_count < table.places / 4 + 1 && !grow() && table.free_count == 0) {
        trib_wait_all(arm.job);
        reclaim();
    }
    return table.free_count > 0;
}

static struct place *implicit(void) {
    if (!table.has_implicit) {
        trib_handle_init(arm.job, TRIB_PLAIN, &table.implicit.handle);
        table.has_implicit = true;
    }
    return &table.implicit;
}

static struct place *take(armci_hdl_t *handle, int proc) {
    int number = find(handle);
    if (number >= 0) {
        struct place *place = place_at(number);
        place->proc = place->proc == proc ? proc : SEVERAL;
        return place;
    }
    if (table.free_count == 0 && !make_room()) {
        return NULL;
    }
    number = table.free[--table.free_count];
    struct place *place = place_at(number);
    place->taken = true;
    place->proc = proc;
    place->use = place->use % USES + 1;
    trib_handle_init(arm.job, handle->aggregate ? TRIB_AGGREGATE : TRIB_PLAIN, &place->handle);
    handle->target = place->use << PLACE_BITS | number;
    return place;
}

trib_handle *arm_handle(const char *function, armci_hdl_t *handle, int proc) {
    pthread_mutex_lock(&table.lock);
    struct place *taken = handle == NULL ? implicit() : take(handle, proc);
    if (taken != NULL) {
        __atomic_add_fetch(&taken->users, 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&table.lock);
    if (taken == NULL) {
        arm_fail(function, TRIB_NO_MEMORY, "%d handles have operations pending", table.places);
        return NULL;
    }
    return &taken->handle;
}

void arm_handle_issued(trib_handle *handle) {
    struct place *place = (struct place *) (void *) handle;
    if (place != NULL) {
        __atomic_sub_fetch(&place->users, 1, __ATOMIC_RELEASE); /* partner: the acquire in is_used */
    }
}

/** The place of a handle, to be waited for and then given back with `put_back`; NULL when nothing is pending. */
static struct place *hold(const armci_hdl_t *handle, int *number) {
    pthread_mutex_lock(&table.lock);
    *number = find(handle);
    struct place *place = *number < 0 ? NULL : place_at(*number);
    if (place != NULL) {
        __atomic_add_fetch(&place->users, 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&table.lock);
    return place;
}

static void put_back(struct place *place, int number, bool complete) {
    pthread_mutex_lock(&table.lock);
    arm_handle_issued(&place->handle);
    if (complete) {
        give_back(number);
    }
    pthread_mutex_unlock(&table.lock);
}

void arm_handles_free(void) {
    pthread_mutex_lock(&table.lock);
    for (int i = 0; i < CHUNKS; i++) {
        free(table.chunks[i]);
        table.chunks[i] = NULL;
    }
    table.places = 0;
    table.free_count = 0;
    table.has_implicit = false;
    pthread_mutex_unlock(&table.lock);
}

void PARMCI_INIT_HANDLE(armci_hdl_t *handle) {
    handle->target = UNUSED;
    handle->aggregate = 0;
}
ARM_ALIAS(void, ARMCI_INIT_HANDLE, armci_hdl_t *handle);

void PARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t *handle) {
    PARMCI_Wait(handle); /* one kind at a time */
    handle->aggregate = 1;
}
ARM_ALIAS(void, ARMCI_SET_AGGREGATE_HANDLE, armci_hdl_t *handle);

void PARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t *handle) {
    PARMCI_Wait(handle);
    handle->aggregate = 0;
}
ARM_ALIAS(void, ARMCI_UNSET_AGGREGATE_HANDLE, armci_hdl_t *handle);

int PARMCI_Wait(armci_hdl_t *handle) {
    if (handle == NULL) {
        return arm_fail(ARM_CURRENT, TRIB_INVALID_ARGUMENT, "no handle");
    }
    int number;
    struct place *place = hold(handle, &number);
    handle->target = UNUSED;
    if (place == NULL) {
        return TRIB_OK;
    }
    int status = trib_wait(&place->handle);
    put_back(place, number, true);
    return status == TRIB_OK ? TRIB_OK : arm_fail_last(ARM_CURRENT);
}
ARM_ALIAS(int, ARMCI_Wait, armci_hdl_t *handle);

int PARMCI_Test(armci_hdl_t *handle) {
    if (handle == NULL) {
        return arm_fail(ARM_CURRENT, TRIB_INVALID_ARGUMENT, "no handle");
    }
    int number;
    struct place *place = hold(handle, &number);
    if (place == NULL) {
        return 0;
    }
    bool complete = false;
    int status = trib_test(&place->handle, &complete);
    put_back(place, number, complete);
    if (complete) {
        handle->target = UNUSED;
    }
    return status != TRIB_OK ? arm_fail_last(ARM_CURRENT) : complete ? 0 : 1;
}
ARM_ALIAS(int, ARMCI_Test, armci_hdl_t *handle);

/** Waits for handles with operations on a rank, or for all when that is below 0; they stay usable. */
static int wait_for(const char *function, int proc) {
    int status = TRIB_OK;
    pthread_mutex_lock(&table.lock);
    for (int number = 0; number < table.places; number++) {
        struct place *place = place_at(number);
        if (place->taken && (proc < 0 || place->proc == proc || place->proc == SEVERAL)) {
            if (trib_wait(&place->handle) != TRIB_OK) {
                status = arm_fail_last(function);
            }
            give_back(number);
        }
    }
    if (table.has_implicit && trib_wait(&table.implicit.handle) != TRIB_OK) {
        status = arm_fail_last(function);
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

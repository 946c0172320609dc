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
    trib_handle handle;
    int proc; /* target of what is pending, or SEVERAL */
    int use;  /* 1 to USES */
    bool taken;
};

static struct table {
    pthread_mutex_t lock; /* guards all of this */
    struct place *chunks[CHUNKS];
    int places;
    int free[PLACES]; /* numbers of free places */
    int free_count;
    bool has_implicit;
    trib_handle implicit; /* of operations without a handle */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct place *place_at(int number) {
    return &table.chunks[number / CHUNK][number % CHUNK];
}

static void give_back(int number) {
    place_at(number)->taken = false;
    table.free[table.free_count++] = number;
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
        if (place_at(number)->taken && trib_test(&place_at(number)->handle, &complete) != TRIB_OK) {
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

static trib_handle *implicit(void) {
    if (!table.has_implicit) {
        trib_handle_init(arm.job, TRIB_PLAIN, &table.implicit);
        table.has_implicit = true;
    }
    return &table.implicit;
}

static trib_handle *take(armci_hdl_t *handle, int proc) {
    int number = find(handle);
    if (number >= 0) {
        struct place *place = place_at(number);
        place->proc = place->proc == proc ? proc : SEVERAL;
        return &place->handle;
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
    return &place->handle;
}

trib_handle *arm_handle(const char *function, armci_hdl_t *handle, int proc) {
    pthread_mutex_lock(&table.lock);
    trib_handle *taken = handle == NULL ? implicit() : take(handle, proc);
    pthread_mutex_unlock(&table.lock);
    if (taken == NULL) {
        arm_fail(function, TRIB_NO_MEMORY, "%d handles have operations pending", table.places);
    }
    return taken;
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
    pthread_mutex_lock(&table.lock);
    int number = find(handle);
    struct place *place = number < 0 ? NULL : place_at(number);
    pthread_mutex_unlock(&table.lock);
    handle->target = UNUSED;
    if (place == NULL) {
        return TRIB_OK;
    }
    int status = trib_wait(&place->handle);
    pthread_mutex_lock(&table.lock);
    give_back(number);
    pthread_mutex_unlock(&table.lock);
    return status == TRIB_OK ? TRIB_OK : arm_fail_last(ARM_CURRENT);
}
ARM_ALIAS(int, ARMCI_Wait, armci_hdl_t *handle);

int PARMCI_Test(armci_hdl_t *handle) {
    if (handle == NULL) {
        return arm_fail(ARM_CURRENT, TRIB_INVALID_ARGUMENT, "no handle");
    }
    pthread_mutex_lock(&table.lock);
    int number = find(handle);
    struct place *place = number < 0 ? NULL : place_at(number);
    pthread_mutex_unlock(&table.lock);
    if (place == NULL) {
        return 0;
    }
    bool complete;
    if (trib_test(&place->handle, &complete) != TRIB_OK) {
        return arm_fail_last(ARM_CURRENT);
    }
    if (complete) {
        handle->target = UNUSED;
        pthread_mutex_lock(&table.lock);
        give_back(number);
        pthread_mutex_unlock(&table.lock);
    }
    return complete ? 0 : 1;
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
    if (table.has_implicit && trib_wait(&table.implicit) != TRIB_OK) {
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

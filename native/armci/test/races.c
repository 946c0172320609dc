/*
 * Threads that meet in handles. The calls of the runtime are wrapped (ld --wrap): in the first part one thread is held
 * inside a call until another has done what must not disturb it, so that each meeting happens in every run; in the
 * second part every call may be held up for a moment, so that threads meet everywhere.
 */
#include "check.h"

#include "tributary.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <time.h>

#define PATIENCE_S 100
#define THREADS 4
#define ROUNDS 20
#define COUNT 24
#define WORDS 256
/** More than an armci_hdl_t has bits for in its first number. */
#define MANY_USES (1 << 15)

static long *remote; /* words of another node's rank, each with its number plus FIRST */
#define FIRST 1000
static int target;

/* ---- what happens within calls of the runtime ---- */

enum role { ORDINARY, ISSUES, WAITS };
static _Thread_local enum role role;
static _Thread_local unsigned hurry;
static bool is_random;
static const trib_handle *contested; /* of the thread that issues, while it is held; read after `has_place` */
static sem_t has_place;
static sem_t has_waited;
static sem_t has_issued;

static void await(sem_t *what) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    CHECK(sem_timedwait(what, &until) == 0);
}

static void dawdle(void) {
    if (is_random) {
        unsigned number = next_random(&hurry);
        if (number % 64 == 0) {
            nanosleep(&(struct timespec) {.tv_nsec = 50000}, NULL);
        } else if (number % 4 == 0) {
            sched_yield();
        }
    }
}

/** Between the runtime's call, which found everything complete, and what libarmci makes of that. */
static void after_wait(const trib_handle *handle) {
    dawdle();
    if (role == WAITS && (contested == NULL || handle == contested)) {
        role = ORDINARY;
        CHECK(sem_post(&has_waited) == 0);
        await(&has_issued);
    }
}

int __real_trib_wait(trib_handle *handle);
int __wrap_trib_wait(trib_handle *handle);
int __wrap_trib_wait(trib_handle *handle) {
    dawdle();
    int status = __real_trib_wait(handle);
    after_wait(handle);
    return status;
}

int __real_trib_test(trib_handle *handle, bool *complete);
int __wrap_trib_test(trib_handle *handle, bool *complete);
int __wrap_trib_test(trib_handle *handle, bool *complete) {
    dawdle();
    int status = __real_trib_test(handle, complete);
    after_wait(handle);
    return status;
}

int __real_trib_nb_get(trib_memory *memory, int rank, size_t offset, void *to, size_t bytes, trib_handle *handle);
int __wrap_trib_nb_get(trib_memory *memory, int rank, size_t offset, void *to, size_t bytes, trib_handle *handle);
int __wrap_trib_nb_get(trib_memory *memory, int rank, size_t offset, void *to, size_t bytes, trib_handle *handle) {
    dawdle();
    if (role == ISSUES) {
        role = ORDINARY;
        contested = handle;
        CHECK(sem_post(&has_place) == 0);
        await(&has_waited);
    }
    int status = __real_trib_nb_get(memory, rank, offset, to, bytes, handle);
    dawdle();
    return status;
}

/* ---- an operation is issued while another thread waits ---- */

struct meeting {
    armci_hdl_t handle;
    void (*wait)(struct meeting *meeting);
};

static void wait_all(struct meeting *meeting) {
    (void) meeting;
    CHECK(ARMCI_WaitAll() == 0);
}

static void wait_proc(struct meeting *meeting) {
    (void) meeting;
    CHECK(ARMCI_WaitProc(target) == 0);
}

static void wait_same(struct meeting *meeting) {
    CHECK(ARMCI_Wait(&meeting->handle) == 0);
}

static void test_same(struct meeting *meeting) {
    CHECK(ARMCI_Test(&meeting->handle) >= 0);
}

static void *waiter(void *argument) {
    struct meeting *meeting = argument;
    await(&has_place);
    role = WAITS;
    meeting->wait(meeting);
    role = ORDINARY;
    return NULL;
}

/** A get that is issued after the other thread found the handle complete is waited for by its own wait. */
static void issue_meanwhile(void (*wait)(struct meeting *meeting)) {
    struct meeting meeting = {.wait = wait};
    pthread_t thread;
    long value = -1;
    ARMCI_INIT_HANDLE(&meeting.handle);
    CHECK(pthread_create(&thread, NULL, waiter, &meeting) == 0);
    role = ISSUES;
    CHECK(ARMCI_NbGet(remote, &value, 8, target, &meeting.handle) == 0);
    CHECK(sem_post(&has_issued) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(ARMCI_Wait(&meeting.handle) == 0 && value == FIRST);
    contested = NULL;
}

static void *bystander(void *argument) {
    long value = -1;
    armci_hdl_t handle;
    (void) argument;
    await(&has_waited);
    ARMCI_INIT_HANDLE(&handle);
    CHECK(ARMCI_NbGet(remote + 1, &value, 8, target, &handle) == 0);
    CHECK(ARMCI_Wait(&handle) == 0 && value == FIRST + 1);
    value = -1;
    CHECK(ARMCI_NbGet(remote + 2, &value, 8, target, NULL) == 0);
    CHECK(sem_post(&has_issued) == 0);
    CHECK(ARMCI_WaitAll() == 0 && value == FIRST + 2);
    return NULL;
}

/** A thread that waits for everything does not hold up threads with operations of their own. */
static void others_go_on(void) {
    pthread_t thread;
    long value = -1;
    armci_hdl_t handle;
    CHECK(pthread_create(&thread, NULL, bystander, NULL) == 0);
    ARMCI_INIT_HANDLE(&handle);
    CHECK(ARMCI_NbGet(remote, &value, 8, target, &handle) == 0);
    contested = NULL;
    role = WAITS;
    CHECK(ARMCI_WaitAll() == 0 && value == FIRST);
    CHECK(role == ORDINARY);
    CHECK(pthread_join(thread, NULL) == 0);
}

/** A copy that was kept too long means nothing, however often places have been used since. */
static void old_copies(void) {
    long value = 0;
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    CHECK(ARMCI_NbPut(&value, remote + WORDS, 8, target, &handle) == 0);
    armci_hdl_t copy = handle;
    CHECK(ARMCI_Wait(&handle) == 0);
    for (int use = 2; use < 2 * MANY_USES; use++) {
        armci_hdl_t old = copy;
        value = -1;
        if ((use & (MANY_USES - 1)) > 2 && (use & (MANY_USES - 1)) < MANY_USES - 2) {
            CHECK(ARMCI_NbPut(&value, remote + WORDS, 8, target, &handle) == 0 && ARMCI_Wait(&handle) == 0);
            continue;
        }
        CHECK(ARMCI_NbGet(remote + 3, &value, 8, target, &handle) == 0);
        CHECK(ARMCI_Wait(&old) == 0 && value == -1);
        CHECK(ARMCI_Wait(&handle) == 0 && value == FIRST + 3);
    }
}

/* ---- everything at once ---- */

static armci_hdl_t shared[THREADS / 2]; /* each of two threads */
static bool is_over;                    /* atomic */

static void *sweep(void *argument) {
    hurry = (unsigned) (long) argument;
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
        CHECK(ARMCI_WaitAll() == 0);
        sched_yield();
        CHECK(ARMCI_WaitProc(target) == 0);
        sched_yield();
    }
    return NULL;
}

static void round_of(int thread, unsigned *state) {
    armci_hdl_t handles[COUNT];
    long values[COUNT];
    long together = -1;
    long implicit = -1;
    unsigned first = next_random(state) % WORDS;
    CHECK(ARMCI_NbGet(remote + first, &together, 8, target, &shared[thread / 2]) == 0);
    for (int i = 0; i < COUNT; i++) {
        values[i] = -1;
        ARMCI_INIT_HANDLE(&handles[i]);
        if (i % 5 == 0) {
            ARMCI_SET_AGGREGATE_HANDLE(&handles[i]);
        }
        CHECK(ARMCI_NbGet(remote + (first + i) % WORDS, &values[i], 8, target, &handles[i]) == 0);
        if (i % 7 == 0) {
            armci_hdl_t forgotten;
            ARMCI_INIT_HANDLE(&forgotten);
            CHECK(ARMCI_NbPut(&implicit, remote + WORDS + thread, 8, target, &forgotten) == 0);
        }
    }
    CHECK(ARMCI_NbGet(remote + first, &implicit, 8, target, NULL) == 0);
    for (int i = 0; i < COUNT; i++) {
        while (i % 3 == 0 && ARMCI_Test(&handles[i]) == 1) {
        }
        CHECK(ARMCI_Wait(&handles[i]) == 0 && values[i] == FIRST + (long) (first + i) % WORDS);
    }
    CHECK(ARMCI_Wait(&shared[thread / 2]) == 0 && together == FIRST + (long) first);
    CHECK((thread % 2 == 0 ? ARMCI_WaitAll() : ARMCI_WaitProc(target)) == 0 && implicit == FIRST + (long) first);
}

static void *work(void *argument) {
    int thread = (int) (long) argument;
    unsigned state = (unsigned) (me * THREADS + thread + 1);
    hurry = state + 1000;
    for (int round = 0; round < ROUNDS; round++) {
        round_of(thread, &state);
    }
    return NULL;
}

static void everything(void) {
    pthread_t threads[THREADS];
    pthread_t sweeper;
    for (int i = 0; i < THREADS / 2; i++) {
        ARMCI_INIT_HANDLE(&shared[i]);
    }
    is_random = true;
    CHECK(pthread_create(&sweeper, NULL, sweep, (void *) 77L) == 0);
    for (long i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, work, (void *) i) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    __atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
    CHECK(pthread_join(sweeper, NULL) == 0);
    is_random = false;
}

static void all_meanwhile(void) {
    issue_meanwhile(wait_all);
}

static void proc_meanwhile(void) {
    issue_meanwhile(wait_proc);
}

static void wait_meanwhile(void) {
    issue_meanwhile(wait_same);
}

static void test_meanwhile(void) {
    issue_meanwhile(test_same);
}

static void (*const parts[])(void) = {all_meanwhile, proc_meanwhile, wait_meanwhile, test_meanwhile, others_go_on,
    old_copies, everything};
#define PARTS (int) (sizeof parts / sizeof *parts)

int main(int argc, char **argv) {
    CHECK(ARMCI_Init() == 0); /* threads call nothing that calls MPI */
    me = armci_msg_me();
    size = armci_msg_nproc();
    target = (me + size / 2) % size; /* on another node */
    CHECK(sem_init(&has_place, 0, 0) == 0 && sem_init(&has_waited, 0, 0) == 0 && sem_init(&has_issued, 0, 0) == 0);
    void **bases = allocate((long) sizeof(long) * (WORDS + THREADS));
    for (int i = 0; i < WORDS; i++) {
        ((long *) bases[me])[i] = FIRST + i;
    }
    remote = bases[target];
    ARMCI_Barrier();
    int part = argc > 1 ? atoi(argv[1]) : -1; /* only that one */
    for (int i = 0; i < PARTS; i++) {
        if (part < 0 || part == i) {
            parts[i]();
        }
    }
    ARMCI_Barrier();
    release(bases);
    return end();
}

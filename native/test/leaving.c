/*
 * Ranks that leave their job while their other threads are in calls. Rank 0 does so; the others see it through. With
 * an argument, it leaves while something else is under way: see main.
 */
#include "testing.h"

#include <pthread.h>
#include <semaphore.h>

#define LARGE (64 << 20)

static trib *job;
static trib_memory *memory;
static trib_mutexes *mutexes;
static trib_group *pair; /* of ranks 0 and 1 */
static int other;        /* a rank of another node, where there is one */
static sem_t inside;
/** More than the stacks of the library's own threads have, on which it lies. */
static _Thread_local volatile char thread_local_data[1 << 20];

/** Each begins a call, or does so again and again, until it fails; returns how. */
static int await_flag(void) {
    return trib_await_flag(memory, 0, 1, -1);
}

static int await_notification(void) {
    return trib_wait_notify(job, other);
}

static int await_mutex(void) {
    return trib_lock(mutexes, other, 0); /* which its rank has */
}

static int await_barrier(void) {
    return trib_group_barrier(pair);
}

static int notify_for_ever(void) {
    int status = TRIB_OK;
    while (status == TRIB_OK) {
        status = trib_notify(job, other);
    }
    return status;
}

static int get_for_ever(void) {
    int64_t value;
    int status = TRIB_OK;
    while (status == TRIB_OK) {
        status = trib_get_i64(memory, other, 8, &value);
        CHECK(status != TRIB_OK || value == 42);
    }
    return status;
}

static int issue_for_ever(void) {
    int64_t values[64];
    trib_handle handle;
    OK(trib_handle_init(job, TRIB_PLAIN, &handle));
    int status = TRIB_OK;
    while (status == TRIB_OK) {
        for (int i = 0; i < 64 && status == TRIB_OK; i++) {
            status = trib_nb_get(memory, other, 8, &values[i], 8, &handle);
        }
        int waited = trib_wait(&handle); /* the answers come to this stack */
        status = status == TRIB_OK ? waited : status;
    }
    memset(values, 0, sizeof values);
    return status;
}

static int put_for_ever(void) {
    static uint8_t large[1 << 18];
    int status = TRIB_OK;
    while (status == TRIB_OK) {
        status = trib_put(memory, other, 64, large, sizeof large);
    }
    return status;
}

static int wait_for_all_for_ever(void) {
    int status = TRIB_OK;
    while (status == TRIB_OK) {
        status = trib_wait_all(job);
    }
    return status;
}

static int (*const callers[])(void) = {await_flag, await_notification, await_mutex, await_barrier,
    notify_for_ever, get_for_ever, issue_for_ever, put_for_ever, wait_for_all_for_ever};
#define CALLERS (sizeof callers / sizeof *callers)

static void *call(void *argument) {
    int (*caller)(void) = *(int (*const *)(void)) argument;
    CHECK(sem_post(&inside) == 0);
    FAILS(caller(), TRIB_ABORTED, "rank 0 leaves the job");
    return NULL;
}

/** On the node, operations on memory are plain accesses, in which no thread may be. */
static size_t callers_here(void) {
    return trib_same_node(job, other) ? 5 : CALLERS;
}

static void leave_them_waiting(void) {
    pthread_t threads[CALLERS];
    size_t count = callers_here();
    for (size_t i = 0; i < count; i++) {
        CHECK(pthread_create(&threads[i], NULL, call, (void *) (uintptr_t) &callers[i]) == 0);
    }
    for (size_t i = 0; i < count; i++) {
        CHECK(sem_wait(&inside) == 0);
    }
    usleep(50000);
    OK(trib_detach(job));
    for (size_t i = 0; i < count; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    for (size_t i = 0; i < count; i++) {
        FAILS(callers[i](), TRIB_ABORTED, "rank 0 leaves the job"); /* begun by a thread that did not know */
    }
    puts("rank 0 has left");
}

/** What the others see of rank 0. */
static void see_it_leave(void) {
    int state = TRIB_ATTACHED;
    while (state == TRIB_ATTACHED) {
        OK(trib_rank_state(job, 0, &state));
        usleep(1000);
    }
    EQUAL(state, TRIB_DEPARTED);
}

static void should_leave_while_threads_wait(void) {
    job = attach();
    CHECK(sem_init(&inside, 0, 0) == 0);
    other = trib_size(job) - 1;
    const int both[] = {0, other};
    OK(trib_allocate(trib_world(job), 1 << 19, &memory));
    OK(trib_mutexes_create(trib_world(job), 1, &mutexes));
    OK(trib_group_create(trib_world(job), 2, both, &pair));
    if (trib_rank(job) == other) {
        OK(trib_put_i64(memory, other, 8, 42));
        OK(trib_lock(mutexes, other, 0));
    }
    OK(trib_barrier(job));
    if (trib_rank(job) == 0) {
        leave_them_waiting();
        return;
    }
    see_it_leave();
    if (trib_rank(job) == other) {
        OK(trib_unlock(mutexes, other, 0));
    }
    OK(trib_detach(job));
}

/* ---- with more under way than connections hold ---- */

static uint8_t *large;

/** Rank 0 does what it says; the others see that the job goes on. */
static void should_leave_in_the_middle_of(void (*what)(void)) {
    job = attach();
    CHECK(sem_init(&inside, 0, 0) == 0);
    other = trib_size(job) - 1;
    OK(trib_allocate(trib_world(job), LARGE, &memory));
    large = calloc(LARGE, 1);
    CHECK(large != NULL);
    OK(trib_barrier(job));
    if (trib_rank(job) == 0) {
        what();
    } else {
        see_it_leave();
        sleep(2); /* longer than a server waits before it says that a rank has broken its connection */
        int64_t value;
        OK(trib_get_i64(memory, other, LARGE - 8, &value));
        if (trib_rank(job) == other) {
            printf("the flag is %" PRId64 "\n", value);
        }
        OK(trib_detach(job));
    }
    free(large);
}

static void get_without_waiting(void) {
    trib_handle handle;
    OK(trib_handle_init(job, TRIB_PLAIN, &handle));
    OK(trib_nb_get(memory, other, 0, large, LARGE, &handle));
}

static void leave_with_a_get(void) {
    get_without_waiting();
    OK(trib_detach(job));
    puts("rank 0 has left");
}

static void exit_with_a_get(void) {
    get_without_waiting();
    puts("rank 0 has left");
    exit(0);
}

static int get_large(void) {
    int status = TRIB_OK;
    while (status == TRIB_OK) {
        status = trib_get(memory, other, 0, large, LARGE);
    }
    memset(large, 0, LARGE);
    return status;
}

/** The same block again and again, for longer than anybody waits. */
static int put_large(void) {
    trib_shape shape = {.block_bytes = 1 << 19, .levels = 1, .count = {1 << 24}};
    return trib_put_strided(memory, other, 0, large, &shape);
}

static int64_t flags_set;

static int set_flags(void) {
    int status;
    while ((status = trib_set_flag(memory, other, LARGE - 8, flags_set + 1)) == TRIB_OK) {
        flags_set++;
    }
    return status;
}

static void leave_while(int (*caller)(void)) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, call, (void *) (uintptr_t) &caller) == 0 && sem_wait(&inside) == 0);
    usleep(50000);
    OK(trib_detach(job));
    CHECK(pthread_join(thread, NULL) == 0);
    printf("rank 0 has left, after %" PRId64 " flags\n", flags_set);
}

static void leave_while_getting(void) {
    leave_while(get_large);
}

static void leave_while_putting(void) {
    leave_while(put_large);
}

static void leave_while_setting_flags(void) {
    leave_while(set_flags);
}

/** The process ends without ending the thread's calls before. */
static void exit_while(int (*caller)(void)) {
    pthread_t thread;
    static int (*kept)(void);
    kept = caller;
    CHECK(pthread_create(&thread, NULL, call, &kept) == 0 && sem_wait(&inside) == 0);
    usleep(50000);
    puts("rank 0 has left");
    exit(0);
}

static void exit_while_getting(void) {
    exit_while(get_large);
}

static void exit_while_setting_flags(void) {
    exit_while(set_flags);
}

static bool over;

/** Calls that begin while the rank leaves, and after it has left, by a thread that does not know. */
static void *begin_calls(void *argument) {
    int64_t value;
    (void) argument;
    while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE)) {
        trib_get_i64(memory, other, 0, &value);
    }
    FAILS(trib_get_i64(memory, other, 0, &value), TRIB_ABORTED, "rank 0 leaves the job");
    return NULL;
}

static void leave_while_calls_begin(void) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, begin_calls, NULL) == 0);
    usleep(50000);
    OK(trib_detach(job));
    usleep(50000);
    __atomic_store_n(&over, true, __ATOMIC_RELEASE);
    CHECK(pthread_join(thread, NULL) == 0);
    puts("rank 0 has left");
}

/* ---- a process that ends while its rank leaves ---- */

bool __real_trib_links_close(trib *leaving);
bool __wrap_trib_links_close(trib *leaving);

static bool closes_slowly;

bool __wrap_trib_links_close(trib *leaving) {
    if (closes_slowly) {
        CHECK(sem_post(&inside) == 0);
        usleep(300000); /* in which the process would end */
    }
    return __real_trib_links_close(leaving);
}

static void *detach(void *argument) {
    (void) argument;
    trib_detach(job);
    return NULL;
}

static void exit_while_detaching(void) {
    pthread_t thread;
    closes_slowly = true;
    CHECK(pthread_create(&thread, NULL, detach, NULL) == 0 && sem_wait(&inside) == 0);
    puts("rank 0 has left");
    exit(0);
}

/* ---- a call that does not end ---- */

static sem_t may_end;

static void listen(const char *reason, void *context) {
    (void) context;
    CHECK(strstr(reason, "had enough") != NULL);
    EQUAL(trib_detach(job), TRIB_BUSY); /* not from here */
    CHECK(sem_post(&inside) == 0 && sem_wait(&may_end) == 0);
}

static void *abort_job(void *argument) {
    (void) argument;
    trib_abort(job, "rank 0 has had enough");
    return NULL;
}

static void should_keep_what_a_call_uses_that_does_not_end(void) {
    pthread_t thread;
    CHECK(sem_init(&inside, 0, 0) == 0 && sem_init(&may_end, 0, 0) == 0);
    job = attach_listening(listen);
    /* Once its server has answered, it knows of the lifeline as well, and gives this rank job.grace. */
    OK(trib_allocate(trib_world(job), 16, &memory));
    CHECK(pthread_create(&thread, NULL, abort_job, NULL) == 0 && sem_wait(&inside) == 0);
    FAILS(trib_detach(job), TRIB_BUSY, "1 calls of other threads have not ended");
    CHECK(sem_post(&may_end) == 0 && pthread_join(thread, NULL) == 0);
    puts("rank 0 has kept it");
}

/* ---- the last rank of a node ---- */

/** All of node 1 have left; what they had is there as long as the others may ask for it. */
static void leave_the_node(const char *file) {
    int64_t value;
    job = attach();
    other = trib_size(job) - 1;
    OK(trib_allocate(trib_world(job), 8, &memory));
    OK(trib_put_i64(memory, trib_rank(job), 0, trib_rank(job) + 1));
    OK(trib_barrier(job));
    while (trib_rank(job) == 0 && access(file, F_OK) != 0) {
        CHECK(usleep(10000) == 0);
    }
    if (trib_rank(job) == 0) {
        OK(trib_get_i64(memory, other, 0, &value));
        EQUAL(value, other + 1);
    }
    OK(trib_detach(job));
}

static const struct {
    const char *name;
    void (*action)(void);
} kinds[] = {{"get", leave_with_a_get}, {"exit", exit_with_a_get}, {"getting", leave_while_getting},
    {"putting", leave_while_putting}, {"flags", leave_while_setting_flags}, {"late", leave_while_calls_begin},
    {"exit-getting", exit_while_getting}, {"exit-flags", exit_while_setting_flags},
    {"exit-detaching", exit_while_detaching}};

int main(int count, char **arguments) {
    thread_local_data[0] = 1;
    if (count == 1) {
        should_leave_while_threads_wait();
    } else if (strcmp(arguments[1], "stuck") == 0) {
        should_keep_what_a_call_uses_that_does_not_end();
    } else if (strcmp(arguments[1], "node") == 0) {
        leave_the_node(arguments[2]);
    } else {
        size_t i = 0;
        while (strcmp(arguments[1], kinds[i].name) != 0) {
            CHECK(++i < sizeof kinds / sizeof *kinds);
        }
        should_leave_in_the_middle_of(kinds[i].action);
    }
    return 0;
}

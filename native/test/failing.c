/* Ranks of a job that fails; the first argument says how. Rank 1 is the victim. */
#include "testing.h"

#include <pthread.h>
#include <sys/wait.h>

static void spin(void) {
    while (true) {
        usleep(1000);
    }
}

static void create(const char *path) {
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fclose(file) == 0);
}

static void await_file(const char *path) {
    while (access(path, F_OK) != 0) {
        usleep(1000);
    }
}

static void ready(const trib *job) {
    printf("ready rank %d pid %d\n", trib_rank(job), (int) getpid());
    fflush(stdout);
}

static void wait_as_told(trib *job, trib_memory *memory, trib_mutexes *mutexes, const char *how) {
    int rank = trib_rank(job);
    int64_t word;
    if (strcmp(how, "barrier") == 0) {
        trib_barrier(job);
    } else if (strcmp(how, "compute") == 0 || strcmp(how, "abort") == 0 || strcmp(how, "abort-behind") == 0) {
        spin();
    } else if (strcmp(how, "flag") == 0) {
        trib_await_flag(memory, 0, 1, -1);
    } else if (strcmp(how, "get") == 0) {
        while (trib_get_i64(memory, 1, 0, &word) == TRIB_OK) {
        }
    } else if (strcmp(how, "lock") == 0) {
        if (trib_lock(mutexes, 0, 0) == TRIB_OK) {
            spin(); /* the death of the holder releases it, a moment before it ends the job */
        }
    } else if (strcmp(how, "notify") == 0) {
        trib_wait_notify(job, 1);
    }
    printf("rank %d goes on: %s\n", rank, trib_last_error()->message);
    exit(4);
}

/** Exists when the server of rank 2 is stopped. */
#define STOPPED "stopped"
/** Behind so many puts the own server reads no more, which has more to pass on than it may. */
#define MANY_PUTS 1500

static void put_many(trib *job, trib_memory *memory) {
    static const uint8_t bytes[64];
    trib_handle handle;
    await_file(STOPPED);
    OK(trib_handle_init(job, TRIB_PLAIN, &handle));
    for (int i = 0; i < MANY_PUTS; i++) {
        OK(trib_nb_put(memory, 2, 0, bytes, sizeof bytes, &handle));
    }
}

/** Exists when rank 0 has given up. */
#define GIVEN_UP "given-up"

static void *wait_in_vain(void *job) {
    FAILS(trib_wait_notify(job, 1), TRIB_ABORTED, "has not attached within");
    return NULL;
}

/** Rank 1 attaches when rank 0 has given up waiting for it, and notifies it once for each wait that succeeds. */
static int come_late(void) {
    if (strcmp(getenv("TRIBUTARY_RANK"), "1") == 0) {
        alarm(deadline_s());
        await_file(GIVEN_UP);
        trib *late = attach();
        OK(trib_notify(late, 0));
        OK(trib_barrier(late));
        OK(trib_notify(late, 0));
        OK(trib_barrier(late));
        return 0;
    }
    setenv("TRIBUTARY_ATTACH_TIMEOUT", "2s", 1);
    trib *job = attach();
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, wait_in_vain, job) == 0);
    wait_in_vain(job);
    CHECK(pthread_join(thread, NULL) == 0);
    create(GIVEN_UP);
    while (trib_wait_notify(job, 1) != TRIB_OK) {
        CHECK(strstr(trib_last_error()->message, "has not attached within") != NULL);
    }
    OK(trib_barrier(job));
    OK(trib_wait_notify(job, 1));
    OK(trib_barrier(job));
    puts("rank 0 has heard of it");
    return 0;
}

/** Exists when rank 0 has ended the job. */
#define ENDED "ended"
/** Exists when rank 1 has tried to attach to it. */
#define TRIED "tried"

static void hear(const char *reason, void *context) {
    (void) reason;
    (void) context;
}

/** Rank 1 attaches when rank 0 has ended the job, and before its server has gone. */
static int come_too_late(void) {
    alarm(deadline_s());
    if (strcmp(getenv("TRIBUTARY_RANK"), "0") == 0) {
        OK(trib_abort(attach_listening(hear), "rank 0 has had enough"));
        create(ENDED);
        await_file(TRIED);
        return 0;
    }
    await_file(ENDED);
    pid_t rank = fork();
    CHECK(rank >= 0);
    if (rank == 0) {
        trib *job;
        trib_attach(&job);
        printf("rank 1 goes on: %s\n", trib_last_error()->message);
        exit(4);
    }
    int status;
    CHECK(waitpid(rank, &status, 0) == rank && WIFEXITED(status));
    printf("rank 1 has ended with code %d\n", WEXITSTATUS(status));
    fflush(stdout);
    create(TRIED);
    return 0;
}

int main(int count, char **arguments) {
    CHECK(count > 1);
    const char *how = arguments[1];
    if (strcmp(how, "late") == 0) {
        return come_late();
    }
    if (strcmp(how, "too-late") == 0) {
        return come_too_late();
    }
    trib *job = attach();
    trib_memory *memory;
    trib_mutexes *mutexes;
    OK(trib_allocate(trib_world(job), 64, &memory));
    OK(trib_mutexes_create(trib_world(job), 1, &mutexes));
    if (strcmp(how, "leave") == 0) {
        OK(trib_barrier(job));
        if (trib_rank(job) == 1) {
            OK(trib_detach(job));
            puts("rank 1 has left");
            return 0;
        }
        if (trib_rank(job) == 0) {
            FAILS(trib_wait_notify(job, 1), TRIB_ABORTED, "rank 1 has left the job");
            puts("rank 0 has heard of it");
        }
        return 0;
    }
    if (strcmp(how, "exit") == 0) {
        return 0; /* without leaving: the library does that */
    }
    if (trib_rank(job) == 1 && strcmp(how, "lock") == 0) {
        OK(trib_lock(mutexes, 0, 0));
    }
    OK(trib_barrier(job));
    ready(job);
    if (trib_rank(job) != 1) {
        wait_as_told(job, memory, mutexes, how);
    }
    if (strcmp(how, "abort-behind") == 0) {
        put_many(job, memory);
    }
    if (strncmp(how, "abort", 5) == 0) {
        trib_abort(job, "rank 1 has had enough");
    }
    spin();
}

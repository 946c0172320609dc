/* Finds the launcher of this process; see org.tributary.client.bootstrap.Launchers. */
#include "bootstrap.h"

#include <pthread.h>
#include <unistd.h>

/** One of these describes a job: of `tributary run` or a job script. */
static const char *const describing[] = {TRIB_DESCRIBING_VARIABLES};
/** How many processes a launcher has started, where it says so. */
static const char *const sizes[] = {TRIB_SIZE_VARIABLES};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/** Held while the ranks make a job: their process manager hears of nothing else from this one. */
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
static bool failed;
static struct trib_key_values of_process;
static bool is_found;
static pid_t process;

bool trib_is_described(void) {
    for (size_t i = 0; i < sizeof describing / sizeof *describing; i++) {
        const char *text = getenv(describing[i]);
        if (text != NULL && trib_strip(&text) > 0) {
            return true;
        }
    }
    return false;
}

bool trib_is_launched(void) {
    return trib_pmix_is_offered() || trib_pmi_is_offered();
}

/* ---- a process that nobody has launched: nobody to tell anything ---- */

static int put_for_nobody(struct trib_key_values *values, const char *key, const char *value) {
    (void) values;
    (void) key;
    (void) value;
    return TRIB_OK;
}

static int get_from_nobody(struct trib_key_values *values, int rank, const char *key, char *value, size_t room) {
    (void) values;
    (void) rank;
    (void) value;
    (void) room;
    return trib_fail(TRIB_ATTACH_FAILED, "there is no other rank that could have put %s", key);
}

static int await_nobody(struct trib_key_values *values) {
    (void) values;
    return TRIB_OK;
}

static void end_nobody(struct trib_key_values *values, int exit_code, const char *message) {
    (void) values;
    (void) exit_code;
    (void) message;
}

static void leave_nobody(struct trib_key_values *values) {
    (void) values;
}

/** Each of many would become a job of its own, and compute the same. */
static int be_alone(struct trib_key_values *values) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const char *size = getenv(sizes[i]);
        if (size != NULL && *size != '\0' && strcmp(size, "0") != 0 && strcmp(size, "1") != 0) {
            return trib_fail(TRIB_ATTACH_FAILED, "this process is one of %s (%s), and %s; or use `tributary run`", size,
                             sizes[i], trib_pmix_is_offered()
                             ? "there is no libpmix.so.2 to find the others by: install it"
                             : "its launcher offers no PMI to find the others by: with srun, add --mpi=pmi2");
        }
    }
    fprintf(stderr, "tributary: nobody has launched this process: it is a job of one rank (`tributary run`, srun"
            " --mpi=pmi2 and mpirun launch more)\n");
    *values = (struct trib_key_values) {.name = "no launcher", .size = 1, .value_bytes = 1023, .put = put_for_nobody,
        .get = get_from_nobody, .barrier = await_nobody, .abort = end_nobody, .leave = leave_nobody};
    return TRIB_OK;
}

void trib_launcher_begin(void) {
    pthread_mutex_lock(&making);
}

void trib_launcher_end(bool alike) {
    failed |= !alike;
    pthread_mutex_unlock(&making);
}

/**
 * This process has come to a good end, unless it ends in the middle of making a job, without which the others would
 * wait: the process manager then ends them. A process that was forked from a rank is not that rank.
 */
static void leave_launcher(void) {
    if (getpid() == process && pthread_mutex_trylock(&making) == 0) {
        if (!failed) {
            of_process.leave(&of_process);
        }
        pthread_mutex_unlock(&making);
    }
}

static int find(int64_t timeout_ns) {
    bool is_pmix = false;
    int status = trib_pmix_is_offered() ? trib_pmix_open(&of_process, timeout_ns, &is_pmix) : TRIB_OK;
    if (status == TRIB_OK && !is_pmix) {
        if (!trib_pmi_is_offered()) {
            return be_alone(&of_process);
        }
        status = trib_pmi_open(&of_process, timeout_ns);
    }
    return status == TRIB_OK ? TRIB_OK
        : trib_fail_prefix("the process manager that has launched this process cannot be used: ");
}

int trib_launcher_find(struct trib_key_values **found, int64_t timeout_ns) {
    int status = TRIB_OK;
    pthread_mutex_lock(&lock);
    if (!is_found) {
        status = find(timeout_ns);
        is_found = status == TRIB_OK;
        process = getpid();
        if (is_found) {
            atexit(leave_launcher);
        }
    }
    pthread_mutex_unlock(&lock);
    *found = &of_process;
    return status;
}

/* How a rank comes into its job and leaves it, and what it knows of the others. */
#include "collective/collective.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static pthread_mutex_t attached_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t at_exit_once = PTHREAD_ONCE_INIT;
static trib *attached;
static trib *retired;

/** Whether the calling thread is the first that has the rank leave. */
static bool begin_leaving(trib *job) {
    pthread_mutex_lock(&job->lock);
    bool first = !job->closed;
    job->closed = true;
    job->closer = first ? pthread_self() : job->closer;
    bool is_own = pthread_equal(job->closer, pthread_self());
    pthread_mutex_unlock(&job->lock);
    /* Without its goodbye the rank would have died. A program that is told of a failure may end the process there. */
    while (!first && !is_own && !__atomic_load_n(&job->has_left, __ATOMIC_ACQUIRE)) {
        trib_park(TRIB_CALLS_LOOK_NS);
    }
    return first;
}

/**
 * Says goodbye, or waits until the thread has that does so already; mappings stay, for at the end of the process other
 * threads may still be using them.
 */
static void leave(trib *job) {
    if (!begin_leaving(job)) {
        return;
    }
    if (job->links != NULL) {
        bool said = trib_links_close(job);
        if (job->attached) {
            trib_groups_flush_trace(job);
            trib_trace_finish(job);
        }
        if (job->attached && job->launched.launcher != NULL) {
            bool stays = said && trib_node_is_last_to_leave(job);
            trib_launched_leave(&job->launched);
            if (stays) {
                trib_last_stays(job->node.directory, job->place.rank, job->place.node);
            }
        }
    }
    __atomic_store_n(&job->has_left, true, __ATOMIC_RELEASE);
}

/** The next job that is to be left at the end of the process, each once; one that is left is not freed. */
static trib *next_to_leave(void) {
    pthread_mutex_lock(&attached_lock);
    trib *job = attached;
    while (job != NULL && (job->left_at_exit || job->process != getpid())) {
        job = job->next; /* a process that was forked from a rank is not that rank */
    }
    if (job != NULL) {
        job->left_at_exit = true;
    }
    pthread_mutex_unlock(&attached_lock);
    return job;
}

static void leave_all(void) {
    for (trib *job = next_to_leave(); job != NULL; job = next_to_leave()) {
        leave(job);
    }
    trib_last_stay();
}

/* Other threads do not go on in a process that is forked: nobody is in the middle of a change of the list. */
static void before_fork(void) {
    pthread_mutex_lock(&attached_lock);
}

static void after_fork(void) {
    pthread_mutex_unlock(&attached_lock);
}

/** The rank ends with the process that it was: nothing of it may stay open here, and nobody speaks for it. */
static void begin_forked(void) {
    for (trib *job = attached; job != NULL; job = job->next) {
        if (!job->is_forked) {
            trib_calls_refuse_forked(job);
            trib_links_cut(job);
            trib_node_give_up_presence(job);
        }
    }
    pthread_mutex_unlock(&attached_lock);
}

static void leave_at_exit(void) {
    atexit(leave_all);
    pthread_atfork(before_fork, after_fork, begin_forked);
}

static void add_attached(trib *job) {
    pthread_once(&at_exit_once, leave_at_exit);
    pthread_mutex_lock(&attached_lock);
    job->next = attached;
    attached = job;
    pthread_mutex_unlock(&attached_lock);
}

static void remove_attached(const trib *job) {
    pthread_mutex_lock(&attached_lock);
    trib **at = &attached;
    while (*at != NULL && *at != job) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        *at = job->next;
    }
    pthread_mutex_unlock(&attached_lock);
}

static void destroy(trib *job) {
    if (job->links != NULL) {
        trib_lifeline_close(job);
    }
    while (job->memories != NULL) {
        trib_memory_forget(job->memories);
    }
    while (job->groups != NULL) {
        trib_group_forget(job->groups);
    }
    if (job->links != NULL) {
        trib_links_free(job);
    }
    if (job->addresses.by_rank != NULL) {
        trib_addresses_free(job);
    }
    trib_trace_close(job);
    trib_node_close(job);
    trib_node_free(job);
    trib_place_free(&job->place);
    trib_map_free(&job->notifications_awaited);
    trib_map_free(&job->notifications_seen);
    pthread_mutex_destroy(&job->node.further_lock);
    free(job->node.further);
    pthread_mutex_destroy(&job->lock);
    free(job->failure.reason);
    free(job);
}

/**
 * Gives back what is large. A thread that does not know yet may begin a call at any time: that fails, and what it looks
 * at for that stays until the process ends.
 */
static void retire(trib *job) {
    trib_lifeline_close(job);
    for (trib_memory *memory = job->memories; memory != NULL; memory = memory->next) {
        trib_memory_unmap(memory);
    }
    trib_links_release(job);
    trib_trace_close(job);
    trib_node_close(job);
    explicit_bzero(job->place.secret, job->place.secret_bytes);
    pthread_mutex_lock(&attached_lock);
    job->next = retired;
    retired = job;
    pthread_mutex_unlock(&attached_lock);
}

/** A node of the job whose server runs on this machine; -1 when there is none. */
static int node_here(const trib *job) {
    char prefix[TRIB_JOB_ID_BYTES + 16];
    char socket[PATH_MAX + sizeof prefix + 32];
    int lowest = -1;
    size_t length = (size_t) snprintf(prefix, sizeof prefix, TRIB_NODE_DIRECTORY "%s-", job->place.job_id);
    DIR *directory = opendir(job->settings.shm_directory);
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        struct stat found;
        char *end;
        if (strncmp(entry->d_name, prefix, length) == 0 && isdigit((unsigned char) entry->d_name[length])) {
            long node = strtol(entry->d_name + length, &end, 10);
            snprintf(socket, sizeof socket, "%s/%s%ld/" TRIB_SOCKET_FILE, job->settings.shm_directory, prefix, node);
            if (*end == '\0' && node <= INT_MAX && (lowest < 0 || node < lowest) && stat(socket, &found) == 0) {
                lowest = (int) node;
            }
        }
    }
    if (directory != NULL) {
        closedir(directory);
    }
    return lowest;
}

/** A rank finds another node's server when its launcher has not placed it where the layout says. */
static int no_server(const trib *job) {
    int here = node_here(job);
    char hint[160] = "";
    if (here >= 0) {
        snprintf(hint, sizeof hint, ". The server of node %d runs here: TRIBUTARY_LAYOUT has to place rank %d as its"
                 " launcher does", here, job->place.rank);
    }
    return trib_fail(TRIB_ATTACH_FAILED, "no communication server for %s within %lld s: start one on this node"
                     " with `tributary server`, or the job with `tributary run`%s", job->node.directory,
                     (long long) (job->settings.attach_timeout_ns / TRIB_NS_PER_S), hint);
}

static int await_server(trib *job) {
    char socket[PATH_MAX + 8];
    int length = snprintf(job->node.directory, sizeof job->node.directory, "%s/" TRIB_NODE_DIRECTORY "%s-%d",
                          job->settings.shm_directory, job->place.job_id, job->place.node);
    if (length < 0 || (size_t) length >= sizeof job->node.directory) {
        return trib_fail(TRIB_ATTACH_FAILED, "shm.directory %s is too long", job->settings.shm_directory);
    }
    snprintf(socket, sizeof socket, "%s/" TRIB_SOCKET_FILE, job->node.directory);
    int64_t began_ns = trib_now_ns();
    struct trib_deadline deadline = trib_deadline_in(job->settings.attach_timeout_ns, NULL);
    int64_t notice_at_ns = began_ns + TRIB_NOTICE_AFTER_NS;
    struct stat found;
    while (stat(socket, &found) != 0) {
        int64_t now_ns = trib_now_ns();
        if (now_ns >= notice_at_ns) {
            fprintf(stderr, "tributary: rank %d still waits for the communication server of node %d in %s (%lld s of"
                    " %lld s)\n", job->place.rank, job->place.node, job->node.directory,
                    (long long) ((now_ns - began_ns) / TRIB_NS_PER_S),
                    (long long) (job->settings.attach_timeout_ns / TRIB_NS_PER_S));
            notice_at_ns = now_ns + (now_ns - began_ns);
        }
        if (trib_deadline_left(&deadline) <= 0) {
            return no_server(job);
        }
        trib_park(TRIB_ATTACH_RETRY_NS);
    }
    return trib_is_own_directory(job->node.directory) ? TRIB_OK
        : trib_fail(TRIB_ATTACH_FAILED, "%s is not of a server of this user: another user has made it, or can write to"
                    " it; remove it, or choose another shm.directory", job->node.directory);
}

/** Whether the server that was seen is no more: it listens from the start until it ends. */
static bool is_server_gone(const trib *job) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int length = snprintf(address.sun_path, sizeof address.sun_path, "%s/" TRIB_SOCKET_FILE, job->node.directory);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool gone = fd >= 0 && length > 0 && (size_t) length < sizeof address.sun_path
        && connect(fd, (struct sockaddr *) &address, sizeof address) != 0 && (errno == ECONNREFUSED || errno == ENOENT);
    if (fd >= 0) {
        close(fd);
    }
    return gone;
}

static int open_with_server(trib *job) {
    TRIB_TRY(trib_node_open(job));
    TRIB_TRY(trib_links_open_local(job));
    return trib_lifeline_open(job);
}

static int open_all(trib *job) {
    int status = trib_links_init(job);
    job->settings.cooperation_groups = NULL; /* the caller's */
    TRIB_TRY(status);
    TRIB_TRY(await_server(job));
    status = open_with_server(job);
    if (status != TRIB_OK && !job->settings.throws && is_server_gone(job)) {
        trib_server_gone(job); /* ends this process as those of ranks that have attached in time */
    }
    TRIB_TRY(status);
    TRIB_TRY(trib_addresses_init(job));
    TRIB_TRY(trib_group_world_open(job));
    /* Last: nobody removes its file, which the next attempt would find there. */
    return trib_trace_open(job, getenv(TRIB_VARIABLE_TRACE));
}

static trib *new_job(void) {
    trib *job = calloc(1, sizeof *job);
    if (job == NULL) {
        trib_fail(TRIB_NO_MEMORY, "no memory for a rank");
        return NULL;
    }
    pthread_mutex_init(&job->lock, NULL);
    pthread_mutex_init(&job->node.further_lock, NULL);
    job->node.presence = -1;
    job->process = getpid();
    return job;
}

/**
 * A rank that cannot attach completely has not attached, for its server too, and may try again. What it hears is why,
 * and not that its goodbye could not be said either; known: whether that is of a job.
 */
static int give_up(trib *job, bool known) {
    if (known) {
        trib_fail(TRIB_ATTACH_FAILED, "rank %d cannot attach to job %s on node %d: %s", job->place.rank,
                  job->place.job_id, job->place.node, trib_last_error()->message);
        trib_error *why = trib_error_copy();
        leave(job);
        if (why != NULL) {
            trib_error_raise(why);
        }
    }
    trib_launched_give_up(&job->launched);
    destroy(job);
    return trib_last_error()->status;
}

/** Attaches with what was read of the job, unless reading it failed. */
static int attach(trib *job, int status, trib **result) {
    bool known = status == TRIB_OK;
    if (known) {
        status = open_all(job);
    }
    if (status != TRIB_OK) {
        return give_up(job, known);
    }
    job->attached = true;
    add_attached(job);
    *result = job;
    return TRIB_OK;
}

int trib_attach(trib **job) {
    trib *made = new_job();
    if (made == NULL) {
        return TRIB_NO_MEMORY;
    }
    bool described = trib_is_described();
    int status = described ? trib_place_read(&made->place) : TRIB_OK;
    if (status == TRIB_OK) {
        status = trib_settings_read(&made->settings, NULL);
    }
    if (!described && (status == TRIB_OK || trib_is_launched())) { /* the others hear what is wrong */
        status = trib_launch(&made->place, &made->settings, &made->launched);
    }
    return attach(made, status, job);
}

int trib_attach_as(const trib_job *description, trib **job) {
    trib *made = new_job();
    if (made == NULL) {
        return TRIB_NO_MEMORY;
    }
    made->failure.listener = description->on_failure;
    made->failure.context = description->context;
    int status = trib_place_set(&made->place, description);
    if (status == TRIB_OK) {
        status = trib_settings_read(&made->settings, description->settings);
    }
    return attach(made, status, job);
}

int trib_detach(trib *job) {
    if (job == NULL) {
        return trib_fail(TRIB_INVALID_ARGUMENT, "trib_detach needs a job: NULL is none, as after a trib_attach that"
                         " has failed");
    }
    if (job->is_forked) {
        return trib_check(job);
    }
    if (trib_is_in_listener() || __atomic_exchange_n(&job->detaching, true, __ATOMIC_ACQ_REL)) {
        return trib_fail(TRIB_BUSY, "rank %d cannot be detached %s", job->place.rank, trib_is_in_listener()
                         ? "by its own on_failure, which a thread of the library may be in"
                         : "twice: another thread does so");
    }
    if (!trib_has_failed(job)) {
        trib_adapter_settle(job); /* which is given up with what threads do not wait for, and channels with it */
        trib_links_leave_channels(job);
    }
    bool alone = trib_calls_stop(job);
    int status = TRIB_OK;
    if (alone && !trib_has_failed(job)) {
        /* All that others wait for has happened before anybody can hear that this rank has left. */
        status = trib_fence_links(job, true);
    }
    trib_error *complaint = status == TRIB_OK ? NULL : trib_error_copy();
    leave(job);
    remove_attached(job); /* now: the process may end at any time, and waits for a job that is being left */
    trib_calls_refuse_all(job);
    if (!alone) {
        free(complaint);
        return trib_fail(TRIB_BUSY, "rank %d has left job %s, but %d calls of other threads have not ended within %d s:"
                         " what they may use is not freed", job->place.rank, job->place.job_id,
                         __atomic_load_n(&job->calls.inside, __ATOMIC_ACQUIRE),
                         (int) (TRIB_CALLS_PATIENCE_NS / TRIB_NS_PER_S));
    }
    retire(job);
    return complaint == NULL ? status : trib_error_raise(complaint);
}

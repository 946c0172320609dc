/*
 * A rank alone that attaches when each call in turn fails by which it would get memory, a descriptor, a mapping, a
 * thread or a lock of a file: what it had by then is given back, it hears why, and it may try again. A process that is
 * forked from it then is no rank. The argument is the folder of its trace.
 */
#include "testing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_socket(int family, int type, int protocol);
int __wrap_socket(int family, int type, int protocol);
int __real_epoll_create1(int flags);
int __wrap_epoll_create1(int flags);
int __real_eventfd(unsigned initial, int flags);
int __wrap_eventfd(unsigned initial, int flags);
int __real_epoll_ctl(int epoll, int what, int fd, struct epoll_event *event);
int __wrap_epoll_ctl(int epoll, int what, int fd, struct epoll_event *event);
int __real_posix_fallocate(int fd, off_t from, off_t bytes);
int __wrap_posix_fallocate(int fd, off_t from, off_t bytes);
void *__real_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t from);
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t from);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);
ssize_t __real_sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags);

static _Thread_local int left; /* calls until one fails; 0: none does */
static const char *failed;     /* the last one that has */

static bool fails(const char *call, int error) {
    if (left == 0 || --left > 0) {
        return false;
    }
    failed = call;
    errno = error;
    return true;
}

void *__wrap_calloc(size_t count, size_t bytes) {
    return fails("calloc", ENOMEM) ? NULL : __real_calloc(count, bytes);
}

void *__wrap_malloc(size_t bytes) {
    return fails("malloc", ENOMEM) ? NULL : __real_malloc(bytes);
}

int __wrap_open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = (flags & O_CREAT) == 0 ? 0 : va_arg(more, mode_t);
    va_end(more);
    bool may_fail = strncmp(path, "/proc/", 6) != 0; /* where the library only asks */
    return may_fail && fails("open", EMFILE) ? -1 : __real_open(path, flags, mode);
}

int __wrap_socket(int family, int type, int protocol) {
    return fails("socket", EMFILE) ? -1 : __real_socket(family, type, protocol);
}

int __wrap_epoll_create1(int flags) {
    return fails("epoll_create1", EMFILE) ? -1 : __real_epoll_create1(flags);
}

int __wrap_eventfd(unsigned initial, int flags) {
    return fails("eventfd", EMFILE) ? -1 : __real_eventfd(initial, flags);
}

int __wrap_epoll_ctl(int epoll, int what, int fd, struct epoll_event *event) {
    return what == EPOLL_CTL_ADD && fails("epoll_ctl", ENOSPC) ? -1 : __real_epoll_ctl(epoll, what, fd, event);
}

/** A signal of the program interrupts every other call. */
int __wrap_posix_fallocate(int fd, off_t from, off_t bytes) {
    static bool is_interrupted;
    is_interrupted = !is_interrupted;
    if (is_interrupted) {
        return EINTR;
    }
    return fails("posix_fallocate", 0) ? ENOSPC : __real_posix_fallocate(fd, from, bytes);
}

void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t from) {
    return fails("mmap", ENOMEM) ? MAP_FAILED : __real_mmap(at, bytes, protection, flags, fd, from);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    return fails("pthread_create", 0) ? EAGAIN : __real_pthread_create(thread, attributes, run, argument);
}

/** The server has what a rank says that has failed to attach, but the rank finds the connection closed. */
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags) {
    ssize_t sent = __real_sendmsg(fd, message, flags);
    if (failed == NULL || sent < 0) {
        return sent;
    }
    errno = EPIPE;
    return -1;
}

static int entries(const char *folder) {
    int count = 0;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        count += entry->d_name[0] != '.';
    }
    if (directory != NULL) {
        closedir(directory);
    }
    return count;
}

/** That its blocks are reserved: a store into one that the file system does not have would end the process. */
static void check_trace(const char *folder) {
    char path[4096];
    struct stat trace;
    snprintf(path, sizeof path, "%s/%s.%d.trace", folder, getenv("TRIBUTARY_JOB_ID"), 0);
    CHECK(stat(path, &trace) == 0);
    CHECK(trace.st_size > 1 << 20 && 512 * (int64_t) trace.st_blocks >= trace.st_size);
}

/** Mappings of files that the processes of the job share. */
static int shared_mappings(void) {
    int count = 0;
    char line[8192];
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL);
    while (fgets(line, sizeof line, maps) != NULL) {
        count += strstr(line, " rw-s ") != NULL;
    }
    fclose(maps);
    return count;
}

/** A thread that has been waited for is seen a moment longer. */
static void await_threads(int wanted) {
    while (entries("/proc/self/task") > wanted) {
        usleep(1000);
    }
}

/** A helper that outlives its rank would keep the others from hearing of its death, or speak for it. */
static void check_forked(trib *job, int descriptors) {
    trib_memory *memory;
    int result;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        EQUAL(entries("/proc/self/fd"), descriptors);
        FAILS(trib_barrier(job), TRIB_ABORTED, "was forked from rank 0");
        FAILS(trib_allocate(trib_world(job), 64, &memory), TRIB_ABORTED, "was forked from rank 0");
        FAILS(trib_abort(job, "a forked process has had enough"), TRIB_ABORTED, "was forked from rank 0");
        FAILS(trib_detach(job), TRIB_ABORTED, "was forked from rank 0");
        exit(0);
    }
    EQUAL(waitpid(child, &result, 0), child);
    EQUAL(result, 0);
    OK(trib_allocate(trib_world(job), 64, &memory));
}

static void should_leave_nothing_behind_when_a_call_fails(const char *traces) {
    trib *job;
    int status = TRIB_NO_MEMORY;
    int descriptors = entries("/proc/self/fd");
    int mappings = shared_mappings();
    int threads = entries("/proc/self/task");
    int steps = 0;
    while (status != TRIB_OK) {
        failed = NULL;
        left = ++steps;
        status = trib_attach(&job);
        left = 0;
        CHECK(strstr(trib_last_error()->message, "leaves the job") == NULL);
        CHECK(failed == NULL || status == trib_last_error()->status);
        CHECK((status == TRIB_OK) == (failed == NULL));
        if (failed != NULL) {
            fprintf(stderr, "step %d, %s fails: %s\n", steps, failed, trib_last_error()->message);
            await_threads(threads);
            EQUAL(entries("/proc/self/fd"), descriptors);
            EQUAL(shared_mappings(), mappings);
            EQUAL(entries(traces), 0);
        }
    }
    CHECK(steps > 20);
    check_trace(traces);
    check_forked(job, descriptors);
    OK(trib_barrier(job));
    OK(trib_detach(job));
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    alarm(deadline_s());
    CHECK(setenv("TRIBUTARY_TRACE", arguments[1], 1) == 0);
    should_leave_nothing_behind_when_a_call_fails(arguments[1]);
    puts("attaching: all well");
    return 0;
}

/* Which directories of nodes are swept: those that a dead server has left, and nothing else. */
#include "base/sweep.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition)                                                                                           \
    do {                                                                                                           \
        if (!(condition)) {                                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                \
            exit(1);                                                                                               \
        }                                                                                                          \
    } while (0)

static char shm[] = "/tmp/tributary-sweep.XXXXXX";

static const char *at(const char *name) {
    static char path[300];
    snprintf(path, sizeof path, "%s/%s", shm, name);
    return path;
}

static void make_file(const char *name) {
    int fd = open(at(name), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && close(fd) == 0);
}

/** A node's directory with a file and, if wanted, a lock that nobody holds. */
static void make(const char *name, const char *lock) {
    char inside[200];
    CHECK(mkdir(at(name), 0700) == 0);
    snprintf(inside, sizeof inside, "%s/control", name);
    make_file(inside);
    if (lock != NULL) {
        snprintf(inside, sizeof inside, "%s/%s", name, lock);
        make_file(inside);
    }
}

static int exists(const char *name) {
    struct stat found;
    return lstat(at(name), &found) == 0;
}

/** Sweeps; the directory is still there, or not. */
static void expect(const char *name, int stays) {
    trib_sweep(shm, NULL);
    if (exists(name) != stays) {
        fprintf(stderr, "%s is %s\n", name, stays ? "gone" : "there");
        exit(1);
    }
}

static void clear(const char *name) {
    char command[400];
    snprintf(command, sizeof command, "rm -rf '%s'", at(name));
    CHECK(system(command) == 0);
}

/** Locks a file, says so, and lives until it is killed. */
static int holder(const char *name) {
    int said[2];
    char byte;
    CHECK(pipe(said) == 0);
    int child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        int fd = open(at(name), O_WRONLY | O_CLOEXEC);
        if (fd >= 0 && fcntl(fd, F_SETLK, &lock) == 0 && write(said[1], "x", 1) == 1) {
            pause();
        }
        _exit(1);
    }
    close(said[1]);
    CHECK(read(said[0], &byte, 1) == 1);
    close(said[0]);
    return child;
}

static void should_sweep_what_a_dead_server_has_left(void) {
    make("tributary-a-job.1_x-12", "lock-0");
    int child = holder("tributary-a-job.1_x-12/lock-0");
    expect("tributary-a-job.1_x-12", 1);
    CHECK(trib_sweep(shm, "tributary-a-job.1_x-"));
    CHECK(!trib_sweep(shm, "tributary-another-"));
    CHECK(exists("tributary-a-job.1_x-12/control"));
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
    expect("tributary-a-job.1_x-12", 0);
    CHECK(!trib_sweep(shm, "tributary-a-job.1_x-"));
}

/** Its server may be just starting. */
static void should_wait_a_minute_when_there_is_no_lock(void) {
    make("tributary-new-0", NULL);
    expect("tributary-new-0", 1);
    struct timespec times[2] = {{.tv_sec = time(NULL) - 61}, {.tv_sec = time(NULL) - 61}};
    CHECK(utimensat(AT_FDCWD, at("tributary-new-0"), times, 0) == 0);
    expect("tributary-new-0", 0);
}

static void should_leave_what_is_no_node_of_this_user(void) {
    static const char *const names[] = {"tributary-job", "tributary-job-", "tributary-job-1x", "tributary--1",
        "other-job-1", "tributary-a b-1", "tributary-123456789012345678901234567890123-1"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        make(names[i], "lock-0");
        expect(names[i], 1);
        clear(names[i]);
    }
    make("tributary-open-1", "lock-0");
    CHECK(chmod(at("tributary-open-1"), 0770) == 0); /* others of the group may have put anything there */
    expect("tributary-open-1", 1);
    CHECK(chmod(at("tributary-open-1"), 0700) == 0);
    if (geteuid() == 0) {
        CHECK(chown(at("tributary-open-1"), 65534, 65534) == 0);
        expect("tributary-open-1", 1);
        CHECK(chown(at("tributary-open-1"), 0, 0) == 0);
    }
    expect("tributary-open-1", 0);
}

static void should_follow_no_link_and_wait_for_no_pipe(void) {
    make("real", "lock-0");
    CHECK(symlink("real", at("tributary-link-1")) == 0);
    expect("tributary-link-1", 1);
    CHECK(exists("real/control"));
    clear("tributary-link-1");
    clear("real");
    make("tributary-pipe-1", NULL);
    CHECK(mkfifo(at("tributary-pipe-1/lock-0"), 0600) == 0);
    expect("tributary-pipe-1", 1);
    clear("tributary-pipe-1");
    make("tributary-deep-1", "lock-0");
    CHECK(mkdir(at("tributary-deep-1/folder"), 0700) == 0); /* no server makes any */
    expect("tributary-deep-1", 1);
    clear("tributary-deep-1");
}

/** A process that dies closes its connections before it lets go of its locks. */
static void should_wait_for_the_servers_when_a_job_is_swept(void) {
    make("tributary-dying-3", "lock-0");
    int child = holder("tributary-dying-3/lock-0");
    trib_sweep_job(at("tributary-dying-3"));
    CHECK(exists("tributary-dying-3/control"));
    pid_t killer = fork();
    CHECK(killer >= 0);
    if (killer == 0) {
        usleep(500000); /* longer than fifty looks at 2 ms */
        kill(child, SIGKILL);
        _exit(0);
    }
    trib_sweep_job(at("tributary-dying-3"));
    CHECK(waitpid(killer, NULL, 0) == killer && waitpid(child, NULL, 0) == child);
    expect("tributary-dying-3", 0);
}

static void *end_late(void *argument) {
    usleep(1600000); /* longer than the sweep waits for servers of other nodes that live */
    _exit(argument == NULL ? 0 : 1);
}

/** Its first thread has ended, and the others have not: so may threads of a killed server for a while. */
static void should_wait_for_a_server_of_another_node_when_it_is_dying(void) {
    char file[] = "tributary-ending-1/lock-0";
    int locked[2];
    char byte;
    make("tributary-ending-1", "lock-0");
    CHECK(pipe(locked) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        pthread_t thread;
        int fd = open(at(file), O_WRONLY | O_CLOEXEC);
        CHECK(fd >= 0 && fcntl(fd, F_SETLK, &lock) == 0 && pthread_create(&thread, NULL, end_late, NULL) == 0);
        CHECK(write(locked[1], "x", 1) == 1);
        pthread_exit(NULL);
    }
    CHECK(read(locked[0], &byte, 1) == 1 && close(locked[0]) == 0 && close(locked[1]) == 0);
    trib_sweep_job(at("tributary-ending-0"));
    CHECK(!exists("tributary-ending-1"));
    CHECK(waitpid(child, NULL, 0) == child);
}

int main(void) {
    alarm(300);
    CHECK(mkdtemp(shm) != NULL);
    should_sweep_what_a_dead_server_has_left();
    should_wait_for_the_servers_when_a_job_is_swept();
    should_wait_for_a_server_of_another_node_when_it_is_dying();
    should_wait_a_minute_when_there_is_no_lock();
    should_leave_what_is_no_node_of_this_user();
    should_follow_no_link_and_wait_for_no_pipe();
    CHECK(rmdir(shm) == 0);
    puts("sweep: all well");
    return 0;
}

/* The rank of a node that leaves after all others of it. */
#include "testing.h"

#include "bootstrap/bootstrap.h"
#include "units.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define MOMENT_NS 100000000

/** A process has left two jobs: of one the server lives until it removes its directory, of the other it is dead. */
static void should_stay_until_the_server_has_ended(void) {
    char shm[] = "/tmp/tributary-last-XXXXXX";
    char living[PATH_MAX];
    char dead[PATH_MAX];
    char lock[PATH_MAX + 16];
    int code = -1;
    CHECK(mkdtemp(shm) != NULL && setenv("TRIBUTARY_SHM_DIRECTORY", shm, 1) == 0);
    snprintf(living, sizeof living, "%s/" TRIB_NODE_DIRECTORY "job-0", shm);
    snprintf(dead, sizeof dead, "%s/" TRIB_NODE_DIRECTORY "job-1", shm);
    snprintf(lock, sizeof lock, "%s/" TRIB_LOCK_FILE "1-1", dead);
    CHECK(mkdir(living, 0700) == 0 && mkdir(dead, 0700) == 0);
    CHECK(close(open(lock, O_CREAT | O_WRONLY, 0600)) == 0);
    pid_t rank = fork();
    CHECK(rank >= 0);
    if (rank == 0) {
        trib_last_stays(living, 0, 0);
        trib_last_stays(dead, 1, 1);
        trib_last_stay();
        _exit(0);
    }
    trib_park(MOMENT_NS);
    EQUAL(waitpid(rank, &code, WNOHANG), 0);
    struct stat found;
    while (stat(dead, &found) == 0) {
        trib_park(TRIB_LAST_LOOK_NS);
    }
    EQUAL(waitpid(rank, &code, WNOHANG), 0);
    CHECK(rmdir(living) == 0);
    EQUAL(waitpid(rank, &code, 0), rank);
    EQUAL(code, 0);
    CHECK(rmdir(shm) == 0 && unsetenv("TRIBUTARY_SHM_DIRECTORY") == 0);
}

static void should_not_stay_when_forked(void) {
    char folder[] = "/tmp/tributary-last-XXXXXX";
    int code = -1;
    CHECK(mkdtemp(folder) != NULL);
    trib_last_stays(folder, 0, 0);
    pid_t other = fork();
    CHECK(other >= 0);
    if (other == 0) {
        trib_last_stay();
        _exit(0);
    }
    EQUAL(waitpid(other, &code, 0), other);
    EQUAL(code, 0);
    CHECK(rmdir(folder) == 0);
    trib_last_stay();
}

void test_last(void) {
    should_stay_until_the_server_has_ended();
    should_not_stay_when_forked();
}

/* The start of a server by a rank, with a command that starts none. */
#include "testing.h"

#include "bootstrap/bootstrap.h"
#include "units.h"

#include <dirent.h>
#include <sys/resource.h>
#include <sys/stat.h>

/** More than a server takes. */
#define ENOUGH 40

static int open_descriptors(void) {
    int count = 0;
    DIR *directory = opendir("/proc/self/fd");
    CHECK(directory != NULL);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        count += entry->d_name[0] != '.';
    }
    closedir(directory);
    return count;
}

/** As a release is, beside a folder of the command's name. */
static void make_home(char *home, char *command) {
    CHECK(mkdtemp(home) != NULL);
    snprintf(command, PATH_MAX, "%s/tributary", home);
    CHECK(mkdir(command, 0700) == 0);
    snprintf(command, PATH_MAX, "%s/bin", home);
    CHECK(mkdir(command, 0700) == 0);
    strcat(command, "/tributary");
    FILE *file = fopen(command, "w");
    CHECK(file != NULL && fputs("#!/bin/sh\nexit 3\n", file) >= 0 && fclose(file) == 0);
    CHECK(chmod(command, 0700) == 0);
}

static void remove_home(const char *home, char *command) {
    CHECK(unlink(command) == 0);
    *strrchr(command, '/') = '\0';
    CHECK(rmdir(command) == 0);
    snprintf(command, PATH_MAX, "%s/tributary", home);
    CHECK(rmdir(command) == 0 && rmdir(home) == 0);
}

static void should_give_descriptors_back_when_there_are_too_few(void) {
    char home[] = "/tmp/tributary-servers-XXXXXX";
    char command[PATH_MAX];
    char address[TRIB_ADDRESS_BYTES];
    struct rlimit all;
    struct trib_plan plan = {.layout = "1"};
    make_home(home, command);
    CHECK(setenv("TRIBUTARY_HOME", home, 1) == 0 && setenv("TRIBUTARY_SHM_DIRECTORY", home, 1) == 0);
    CHECK(getrlimit(RLIMIT_NOFILE, &all) == 0);
    int before = open_descriptors();
    OK(trib_plan_make(&plan, "none", true));
    bool started = false;
    int refused = 0;
    for (int more = 0; !started && more < ENOUGH; more++) {
        struct trib_server server = {.pid = 0};
        struct rlimit few = {.rlim_cur = (rlim_t) (before + more), .rlim_max = all.rlim_max};
        CHECK(setrlimit(RLIMIT_NOFILE, &few) == 0);
        int status = trib_server_start(&server, &plan, 0, 0, 10, address);
        CHECK(setrlimit(RLIMIT_NOFILE, &all) == 0);
        started = status != TRIB_SYSTEM;
        refused += !started;
        if (started) {
            FAILS(status, TRIB_ATTACH_FAILED, "ended before it listened");
        }
        trib_server_end(&server, true);
        EQUAL(open_descriptors(), before);
    }
    CHECK(started && refused > 3);
    CHECK(unsetenv("TRIBUTARY_HOME") == 0 && unsetenv("TRIBUTARY_SHM_DIRECTORY") == 0);
    remove_home(home, command);
}

void test_servers(void) {
    should_give_descriptors_back_when_there_are_too_few();
}

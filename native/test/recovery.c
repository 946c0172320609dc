/*
 * Failures of one rank, and how the others hear of them; afterwards the job goes on. The first argument names the
 * failure, the second is where the job's shared memory is.
 */
#include "testing.h"

#include <inttypes.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define PART (32 << 20)
#define HEADROOM (8 << 20)

static const char *shm;

static void name_segment(char *path, size_t bytes, int node, int64_t id) {
    snprintf(path, bytes, "%s/tributary-%s-%d/segment-%" PRIx64, shm, getenv("TRIBUTARY_JOB_ID"), node, id);
}

/** Of this process, in bytes. */
static rlim_t address_space(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL && fscanf(file, "%ld", &pages) == 1);
    fclose(file);
    return (rlim_t) pages * (rlim_t) sysconf(_SC_PAGESIZE);
}

static void limit_address_space(rlim_t bytes) {
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_AS, &limit) == 0);
    limit.rlim_cur = bytes;
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
}

static void check_told(int rank, const char *why) {
    char whom[64];
    snprintf(whom, sizeof whom, "for rank %d (node ", rank);
    CHECK(strstr(trib_last_error()->message, whom) != NULL);
    CHECK(strstr(trib_last_error()->message, why) != NULL);
}

static void go_on(trib *job) {
    trib_memory *memory;
    int64_t sum = 1;
    OK(trib_allocate(trib_world(job), 64, &memory));
    OK(trib_put_i64(memory, (trib_rank(job) + 1) % trib_size(job), 0, 5));
    OK(trib_barrier(job));
    EQUAL(*(const int64_t *) trib_memory_local(memory), 5);
    OK(trib_allreduce(trib_world(job), TRIB_SUM, TRIB_INT64, &sum, &sum, 1));
    EQUAL(sum, trib_size(job));
    OK(trib_free(memory));
}

/** The last rank has no addresses left to map the memory to. */
static void cannot_map(trib *job) {
    trib_memory *memory = NULL;
    char path[512];
    int victim = trib_size(job) - 1;
    if (trib_rank(job) == victim) {
        limit_address_space(address_space() + HEADROOM);
    }
    EQUAL(trib_allocate(trib_world(job), PART, &memory), TRIB_SYSTEM);
    CHECK(memory == NULL);
    check_told(victim, "cannot map");
    if (trib_rank(job) == victim) {
        limit_address_space(RLIM_INFINITY);
    }
    name_segment(path, sizeof path, trib_node(job), (int64_t) 1 << 32 | 1);
    CHECK(access(path, F_OK) != 0);
    go_on(job);
}

/** A file stands in the way of the server of the last node. */
static void cannot_create(trib *job) {
    trib_memory *memory = NULL;
    trib_group *group = NULL;
    char path[512];
    int leader = trib_first_rank(job, trib_node_count(job) - 1);
    for (int64_t drawn = 1; drawn <= 2; drawn++) {
        name_segment(path, sizeof path, trib_node(job), (int64_t) 1 << 32 | drawn);
        if (trib_rank(job) == leader) {
            FILE *file = fopen(path, "w");
            CHECK(file != NULL && fclose(file) == 0);
        }
        OK(trib_barrier(job));
        EQUAL(drawn == 1 ? trib_allocate(trib_world(job), 4096, &memory)
            : trib_group_split(trib_world(job), 0, 0, &group), TRIB_REFUSED);
        check_told(leader, path + strlen(path) - strlen("segment-100000001"));
        OK(trib_barrier(job));
        if (trib_rank(job) == leader) {
            CHECK(remove(path) == 0);
        }
        OK(trib_barrier(job));
        CHECK(access(path, F_OK) != 0);
    }
    go_on(job);
}

/** Attempts to attach fail, also when the server believes already that the rank is there. */
static trib *attach_twice(void) {
    char path[512];
    char aside[520];
    trib *job;
    name_segment(path, sizeof path, atoi(getenv("TRIBUTARY_RANK")), 0);
    snprintf(aside, sizeof aside, "%s.aside", path);
    alarm(deadline_s());
    CHECK(rename(path, aside) == 0);
    FAILS(trib_attach(&job), TRIB_ATTACH_FAILED, "cannot open");
    FAILS(trib_attach(&job), TRIB_ATTACH_FAILED, "cannot open");
    CHECK(rename(aside, path) == 0);
    *strrchr(path, '/') = '\0'; /* the directory of the node, and servers do not look at its mode */
    CHECK(chmod(path, 0722) == 0);
    FAILS(trib_attach(&job), TRIB_ATTACH_FAILED, "is not of a server of this user");
    CHECK(chmod(path, 0700) == 0);
    return attach();
}

int main(int count, char **arguments) {
    CHECK(count > 2);
    shm = arguments[2];
    bool twice = strcmp(arguments[1], "attach") == 0;
    trib *job = twice ? attach_twice() : attach();
    if (strcmp(arguments[1], "map") == 0) {
        cannot_map(job);
    } else if (strcmp(arguments[1], "create") == 0) {
        cannot_create(job);
    } else {
        go_on(job);
    }
    printf("recovery: all well on rank %d\n", trib_rank(job));
    OK(trib_detach(job));
    return 0;
}

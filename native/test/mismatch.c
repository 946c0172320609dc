/*
 * Ranks that do not make the same collective calls: the last one does something else than the others, as the first
 * argument says. The job ends with a message that names both calls; MismatchRank.java does the same in Java.
 */
#include "testing.h"

static trib *job;
static trib_group *world;
static double in[4096];
static double out[4096];

static void differ(const char *how, bool odd) {
    trib_memory *a;
    trib_memory *b;
    trib_group *group;
    trib_mutexes *mutexes;
    int last = trib_size(job) - 1;
    if (strcmp(how, "length") == 0) {
        OK(trib_allreduce(world, TRIB_SUM, TRIB_INT64, in, out, odd ? 4 : 2));
    } else if (strcmp(how, "operation") == 0) {
        OK(trib_allreduce(world, odd ? TRIB_MAX : TRIB_SUM, TRIB_DOUBLE, in, out, 1));
    } else if (strcmp(how, "type") == 0) {
        OK(trib_allreduce(world, TRIB_SUM, odd ? TRIB_DOUBLE : TRIB_INT64, in, out, 1));
    } else if (strcmp(how, "root") == 0) {
        OK(trib_broadcast(world, odd ? last : 0, in, 64));
    } else if (strcmp(how, "kind") == 0 && odd) {
        OK(trib_group_barrier(world));
    } else if (strcmp(how, "kind") == 0) {
        OK(trib_allreduce(world, TRIB_SUM, TRIB_INT64, in, out, 1));
    } else if (strcmp(how, "missing") == 0) {
        if (!odd) {
            OK(trib_group_barrier(world));
        }
        OK(trib_allgather(world, in, out, 16));
        OK(trib_group_barrier(world));
    } else if (strcmp(how, "allocate") == 0 && odd) {
        OK(trib_mutexes_create(world, 8, &mutexes));
    } else if (strcmp(how, "allocate") == 0) {
        OK(trib_allocate(world, 512, &a));
    } else if (strcmp(how, "free") == 0) {
        OK(trib_allocate(world, 64, &a));
        OK(trib_allocate(world, 64, &b));
        OK(trib_free(odd ? b : a));
        OK(trib_group_barrier(world));
    } else if (strcmp(how, "group") == 0) {
        OK(trib_group_split(world, 0, 0, &group));
        if (odd) {
            OK(trib_group_free(group));
            OK(trib_group_barrier(world));
        } else {
            OK(trib_group_barrier(group));
        }
    } else if (strcmp(how, "leave") == 0) {
        if (odd) {
            OK(trib_detach(job));
            exit(0);
        }
        OK(trib_allreduce(world, TRIB_SUM, TRIB_INT64, in, out, 1));
    } else {
        fprintf(stderr, "no way to differ: %s\n", how);
        exit(2);
    }
}

int main(int count, char **arguments) {
    CHECK(count > 1);
    job = attach();
    world = trib_world(job);
    for (int i = 0; i < 5; i++) {
        OK(trib_barrier(job));
    }
    differ(arguments[1], trib_rank(job) == trib_size(job) - 1);
    printf("rank %d got through\n", trib_rank(job));
    return 3;
}

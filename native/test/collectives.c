#include "behaviour.h"

static int rank;
static int size;

static int64_t value_of(int member, size_t i) {
    return (int64_t) (i * 13 + 1) * (member + 3) % 1009;
}

static void check_sizes(trib_group *group, size_t n) {
    int self = trib_group_rank(group);
    int members = trib_group_size(group);
    size_t total = n * (size_t) members;
    int64_t *one = malloc((n + 1) * 8);
    int64_t *all = malloc((total + 1) * 8);
    int64_t *other = malloc((total + 1) * 8);
    for (size_t i = 0; i < n; i++) {
        one[i] = value_of(self, i);
    }
    OK(trib_allgather(group, one, all, n * 8));
    for (int member = 0; member < members; member++) {
        for (size_t i = 0; i < n; i++) {
            EQUAL(all[(size_t) member * n + i], value_of(member, i));
        }
    }
    OK(trib_allreduce(group, TRIB_SUM, TRIB_INT64, one, other, n));
    for (size_t i = 0; i < n; i++) {
        int64_t sum = 0;
        for (int member = 0; member < members; member++) {
            sum += value_of(member, i);
        }
        EQUAL(other[i], sum);
    }
    int root = (int) (n % (size_t) members);
    OK(trib_reduce(group, root, TRIB_MAX, TRIB_INT64, one, other, n));
    if (self == root) {
        for (size_t i = 0; i < n; i++) {
            int64_t largest = 0;
            for (int member = 0; member < members; member++) {
                largest = value_of(member, i) > largest ? value_of(member, i) : largest;
            }
            EQUAL(other[i], largest);
        }
    }
    OK(trib_broadcast(group, root, one, n * 8));
    for (size_t i = 0; i < n; i++) {
        EQUAL(one[i], value_of(root, i));
    }
    for (size_t i = 0; i < total; i++) {
        all[i] = value_of(self, i);
    }
    OK(trib_reduce_scatter(group, TRIB_SUM, TRIB_INT64, all, one, n));
    for (size_t i = 0; i < n; i++) {
        int64_t sum = 0;
        for (int member = 0; member < members; member++) {
            sum += value_of(member, (size_t) self * n + i);
        }
        EQUAL(one[i], sum);
    }
    OK(trib_alltoall(group, all, other, n * 8));
    for (int member = 0; member < members; member++) {
        for (size_t i = 0; i < n; i++) {
            EQUAL(other[(size_t) member * n + i], value_of(member, (size_t) self * n + i));
        }
    }
    OK(trib_group_barrier(group));
    free(one);
    free(all);
    free(other);
}

static void check_group(trib_group *group) {
    static const size_t sizes[] = {0, 1, 2, 127, 129, 1024, 2049, 30000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check_sizes(group, sizes[i]);
    }
}

void check_collectives(trib *job) {
    rank = trib_rank(job);
    size = trib_size(job);
    trib_group *world = trib_world(job);
    check_group(world);
    double z[2] = {0, 1};
    OK(trib_allreduce(world, TRIB_PRODUCT, TRIB_COMPLEX_DOUBLE, z, z, 1));
    static const double powers[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    CHECK(z[0] == powers[size % 4][0] && z[1] == powers[size % 4][1]);
    float f = rank == 0 ? -0.0f : 0.0f;
    OK(trib_allreduce(world, TRIB_MIN, TRIB_FLOAT, &f, &f, 1));
    CHECK(f == 0 && 1 / f < 0);
    static const int ops[] = {TRIB_LOGICAL_AND, TRIB_LOGICAL_OR, TRIB_LOGICAL_XOR, TRIB_BITWISE_AND, TRIB_BITWISE_OR,
        TRIB_BITWISE_XOR};
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
        int64_t bits = rank == 0 ? 5 : 4;
        OK(trib_allreduce(world, ops[k], TRIB_INT64, &bits, &bits, 1));
        int64_t odd = size % 2;
        const int64_t results[] = {1, 1, size == 1 ? 5 : odd, size == 1 ? 5 : 4, 5, size == 1 ? 5 : odd == 0 ? 1 : 5};
        EQUAL(bits != 0 && size == 1 ? 5 : bits, size == 1 ? 5 : results[k]);
    }
    int32_t i = INT32_MAX;
    OK(trib_allreduce(world, TRIB_SUM, TRIB_INT32, &i, &i, 1));
    EQUAL(i, (int32_t) ((uint32_t) INT32_MAX * (uint32_t) size));
    for (int times = 0; times < 100; times++) {
        OK(trib_group_barrier(world));
    }
}

void check_groups(trib *job) {
    trib_group *world = trib_world(job);
    trib_group *backwards;
    trib_group *halves;
    trib_group *few;
    OK(trib_group_split(world, 0, -rank, &backwards));
    EQUAL(trib_group_rank(backwards), size - 1 - rank);
    EQUAL(trib_group_world_rank(backwards, 0), size - 1);
    check_group(backwards);
    int all[64];
    int theirs[64];
    CHECK(size <= 64);
    for (int i = 0; i < size; i++) {
        all[i] = i;
    }
    OK(trib_group_translate(world, size, all, backwards, theirs));
    EQUAL(theirs[0], size - 1);
    OK(trib_group_split(world, rank % 2 == 0 ? 7 : -1, 0, &halves));
    if (rank % 2 == 0) {
        EQUAL(trib_group_size(halves), (size + 1) / 2);
        check_group(halves);
    } else {
        EQUAL(trib_group_size(halves), 0);
        EQUAL(trib_group_rank(halves), -1);
        FAILS(trib_group_barrier(halves), TRIB_INVALID_ARGUMENT, "no member");
    }
    int chosen[2] = {size - 1, 0};
    OK(trib_group_create(world, size > 1 ? 2 : 1, chosen, &few));
    if (trib_group_rank(few) >= 0) {
        trib_memory *memory;
        check_group(few);
        OK(trib_allocate(few, 1000, &memory));
        OK(trib_put_i64(memory, trib_group_world_rank(few, 0), 8 * (size_t) trib_group_rank(few), rank));
        OK(trib_fence_all(job));
        OK(trib_group_barrier(few));
        if (trib_group_rank(few) == 0 && size > 1) {
            EQUAL(((int64_t *) trib_memory_local(memory))[1], 0);
            EQUAL(((int64_t *) trib_memory_local(memory))[0], size - 1);
        }
        if (size > 2) {
            FAILS(trib_put_i64(memory, 1, 0, 1), TRIB_INVALID_ADDRESS, "no part");
        }
        OK(trib_free(memory));
    }
    OK(trib_group_free(few));
    OK(trib_group_free(halves));
    OK(trib_group_free(backwards));
    FAILS(trib_group_free(world), TRIB_INVALID_ARGUMENT, "cannot be freed");
}

/* Bad input: an error that says where, and nothing touched. */
#include "behaviour.h"

static void check_addresses(trib *job, trib_memory *memory, int target) {
    int64_t word = 1;
    bool local = trib_same_node(job, target);
    FAILS(trib_put(memory, target, 1000, &word, 8), TRIB_INVALID_ADDRESS, "offset 1000, length 8, limit 1000");
    EQUAL(trib_last_error()->rank, target);
    EQUAL(trib_last_error()->limit, 1000);
    EQUAL(trib_last_error()->segment, trib_memory_id(memory));
    FAILS(trib_get(memory, target, SIZE_MAX, &word, 8), TRIB_INVALID_ADDRESS, "outside the part");
    FAILS(trib_get(memory, target, 8, &word, SIZE_MAX - 4), TRIB_INVALID_ADDRESS, "outside the part");
    FAILS(trib_put(memory, trib_size(job), 0, &word, 8), TRIB_INVALID_ADDRESS, "no part");
    FAILS(trib_put(memory, -1, 0, &word, 8), TRIB_INVALID_ADDRESS, "no part");
    FAILS(trib_fetch_add_i64(memory, target, 4, 1, NULL), TRIB_INVALID_ADDRESS, "not aligned");
    FAILS(trib_swap_i32(memory, target, 2, 1, NULL), TRIB_INVALID_ADDRESS, "not aligned");
    FAILS(trib_accumulate(memory, target, 4, TRIB_DOUBLE, NULL, &word, 8), TRIB_INVALID_ADDRESS, "not aligned");
    FAILS(trib_accumulate(memory, target, 0, TRIB_DOUBLE, NULL, &word, 4), TRIB_INVALID_ADDRESS, "whole number");
    FAILS(trib_accumulate(memory, target, 0, 6, NULL, &word, 8), TRIB_INVALID_ARGUMENT, "element type 6");
    FAILS(trib_set_flag(memory, target, 996, 1), TRIB_INVALID_ADDRESS, "outside");
    FAILS(trib_put_flag(memory, target, 0, &word, 8, 3, 1), TRIB_INVALID_ADDRESS, "not aligned");
    trib_range ranges[2] = {{&word, 0, 8}, {&word, 993, 8}};
    FAILS(trib_put_vector(memory, target, ranges, 2), TRIB_INVALID_ADDRESS, "offset 993");
    int64_t seen = -1;
    OK(trib_get_i64(memory, target, 0, &seen));
    EQUAL(seen, 0);
    if (!local) {
        OK(trib_fence(job, target));
    }
}

static void check_shapes(trib_memory *memory, int target) {
    static uint8_t buffer[10000];
    trib_shape shape = {.block_bytes = 10, .levels = 1, .count = {10}, .local_stride = {10}, .remote_stride = {110}};
    OK(trib_put_strided(memory, target, 0, buffer, &shape));
    shape.remote_stride[0] = 111;
    FAILS(trib_put_strided(memory, target, 0, buffer, &shape), TRIB_INVALID_ADDRESS, "length 1009, limit 1000");
    shape.remote_stride[0] = -110;
    FAILS(trib_get_strided(memory, target, 0, buffer, &shape), TRIB_INVALID_ADDRESS, "offset -990");
    shape.remote_stride[0] = INT64_MAX;
    FAILS(trib_get_strided(memory, target, 0, buffer, &shape), TRIB_INVALID_ARGUMENT, "shape");
    shape.remote_stride[0] = 110;
    shape.count[0] = -1;
    FAILS(trib_get_strided(memory, target, 0, buffer, &shape), TRIB_INVALID_ARGUMENT, "shape");
    shape.count[0] = 10;
    shape.levels = 9;
    FAILS(trib_get_strided(memory, target, 0, buffer, &shape), TRIB_INVALID_ARGUMENT, "9 levels");
    shape.levels = 1;
    shape.block_bytes = 8;
    FAILS(trib_accumulate_strided(memory, target, 0, TRIB_DOUBLE, NULL, buffer, &shape), TRIB_INVALID_ADDRESS,
          "strides");
    shape.count[0] = 0;
    OK(trib_put_strided(memory, target, 0, buffer, &shape));
}

static void check_arguments(trib *job, trib_memory *memory) {
    FAILS(trib_abort(job, NULL), TRIB_INVALID_ARGUMENT, "needs a reason");
    trib_handle handle;
    trib_memory *none;
    trib_group *group;
    double two[2] = {0};
    int twice[2] = {0, 0};
    int beyond[1] = {trib_size(job)};
    FAILS(trib_handle_init(job, 2, &handle), TRIB_INVALID_ARGUMENT, "handle");
    trib_handle zero = {0};
    FAILS(trib_wait(&zero), TRIB_INVALID_ARGUMENT, "not initialized");
    FAILS(trib_nb_get(memory, 0, 0, two, 8, &zero), TRIB_INVALID_ARGUMENT, "not initialized");
    FAILS(trib_fence(job, -1), TRIB_INVALID_ADDRESS, "no such rank");
    FAILS(trib_notify(job, trib_size(job)), TRIB_INVALID_ADDRESS, "no such rank");
    FAILS(trib_await_flag(memory, 0, 1, trib_size(job)), TRIB_INVALID_ADDRESS, "no such rank");
    FAILS(trib_broadcast(trib_world(job), trib_size(job), two, 8), TRIB_INVALID_ARGUMENT, "root");
    FAILS(trib_allreduce(trib_world(job), TRIB_MAX, TRIB_COMPLEX_DOUBLE, two, two, 1), TRIB_INVALID_ARGUMENT,
          "order");
    FAILS(trib_allreduce(trib_world(job), 10, TRIB_DOUBLE, two, two, 1), TRIB_INVALID_ARGUMENT, "operation 10");
    FAILS(trib_allreduce(trib_world(job), TRIB_BITWISE_OR, TRIB_DOUBLE, two, two, 1), TRIB_INVALID_ARGUMENT,
          "integers only");
    FAILS(trib_allgather(trib_world(job), two, two, SIZE_MAX), TRIB_INVALID_ARGUMENT, "counted");
    FAILS(trib_group_create(trib_world(job), 1, beyond, &group), TRIB_INVALID_ARGUMENT, "no member");
    if (trib_size(job) > 1) {
        FAILS(trib_group_create(trib_world(job), 2, twice, &group), TRIB_INVALID_ARGUMENT, "twice");
    }
    /* Collective, and refused on every member. */
    FAILS(trib_allocate(trib_world(job), SIZE_MAX, &none), TRIB_INVALID_ARGUMENT, "asks for -1 bytes");
    FAILS(trib_allocate(trib_world(job), (size_t) 1 << 50, &none), TRIB_NO_SPACE, "free");
    CHECK(trib_last_error()->length >= (int64_t) 1 << 50);
}

void check_misuse(trib *job) {
    trib_memory *memory;
    int rank = trib_rank(job);
    OK(trib_allocate(trib_world(job), 1000, &memory));
    for (int target = 0; target < trib_size(job); target++) {
        check_addresses(job, memory, target);
    }
    OK(trib_barrier(job));
    check_shapes(memory, (rank + 1) % trib_size(job));
    check_arguments(job, memory);
    OK(trib_barrier(job));
    OK(trib_free(memory));
}

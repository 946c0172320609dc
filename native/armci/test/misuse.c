/* Wrong arguments: a message and a result that is not 0, or, for functions without one, the end of the job. */
#include "check.h"

static void **bases;
static int other;

static void addresses(void) {
    char *part = bases[other];
    char buffer[256] = {0};
    char *outside[] = {(char *) addresses, NULL, part - 1, part + 1024, part + 1017, (char *) 8};
    int strides[1] = {16};
    int count[2] = {8, 4};
    double one = 1;
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        void *wrong = outside[i];
        void *from = buffer;
        armci_giov_t out = {&from, &wrong, 8, 1};
        armci_giov_t in = {&wrong, &from, 8, 1};
        armci_hdl_t handle;
        long old;
        ARMCI_INIT_HANDLE(&handle);
        CHECK(ARMCI_Put(buffer, wrong, 8, other) != 0 && ARMCI_Get(wrong, buffer, 8, other) != 0);
        CHECK(ARMCI_Acc(ARMCI_ACC_DBL, &one, buffer, wrong, 8, other) != 0);
        CHECK(ARMCI_PutS(buffer, strides, wrong, strides, count, 1, other) != 0);
        CHECK(ARMCI_GetS(wrong, strides, buffer, strides, count, 1, other) != 0);
        CHECK(ARMCI_PutV(&out, 1, other) != 0 && ARMCI_GetV(&in, 1, other) != 0);
        CHECK(ARMCI_AccV(ARMCI_ACC_DBL, &one, &out, 1, other) != 0);
        CHECK(ARMCI_NbPut(buffer, wrong, 8, other, &handle) != 0 && ARMCI_NbGet(wrong, buffer, 8, other, &handle) != 0);
        CHECK(ARMCI_PutValueLong(1, wrong, other) != 0);
        CHECK(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, wrong, 1, other) != 0);
        CHECK(ARMCI_Put_flag(buffer, part, 8, (int *) wrong, 1, other) != 0);
        CHECK(ARMCI_Wait(&handle) == 0);
    }
    CHECK(ARMCI_Put(buffer, part, 8, size) != 0 && ARMCI_Put(buffer, part, 8, -1) != 0);
    CHECK(ARMCI_Put(buffer, part, 1025, other) != 0);
}

static void shapes(void) {
    char *part = bases[other];
    char buffer[256] = {0};
    int strides[9] = {16, 16, 16, 16, 16, 16, 16, 16, 16};
    int huge[1] = {1 << 30};
    int back[1] = {-512};
    int count[10] = {8, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    int negative[2] = {8, -1};
    int none_below[1] = {-8};
    double one = 1;
    CHECK(ARMCI_PutS(buffer, strides, part, huge, count, 1, other) != 0);
    CHECK(ARMCI_PutS(buffer, strides, part + 256, back, count, 1, other) != 0);
    CHECK(ARMCI_PutS(buffer, strides, part, strides, negative, 1, other) != 0);
    CHECK(ARMCI_PutS(buffer, strides, part, strides, none_below, 0, other) != 0);
    CHECK(ARMCI_PutS(buffer, strides, part, strides, count, -1, other) != 0);
    CHECK(ARMCI_PutS(buffer, strides, part, strides, count, 9, other) != 0);
    CHECK(ARMCI_PutS(buffer, strides, part, strides, NULL, 1, other) != 0);
    CHECK(ARMCI_Put(buffer, part, -1, other) != 0);
    CHECK(ARMCI_Acc(6, &one, buffer, part, 8, other) != 0 && ARMCI_Acc(-1, &one, buffer, part, 8, other) != 0);
    CHECK(ARMCI_AccS(37, &one, buffer, strides, part, strides, count, 1, other) != 0);
    CHECK(ARMCI_Acc(ARMCI_ACC_DBL, &one, buffer, part, 12, other) != 0);
    CHECK(ARMCI_Acc(ARMCI_ACC_DBL, NULL, buffer, part, 8, other) != 0);
    int word;
    CHECK(ARMCI_Rmw(10, &word, part, 1, other) != 0 && ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &word, part + 2, 1, other) != 0);
    armci_giov_t vector = {NULL, NULL, 8, -1};
    CHECK(ARMCI_PutV(&vector, 1, other) != 0 && ARMCI_PutV(&vector, -1, other) != 0);
    vector = (armci_giov_t) {NULL, NULL, -8, 1};
    CHECK(ARMCI_GetV(&vector, 1, other) != 0);
    CHECK(ARMCI_Wait(NULL) != 0 && ARMCI_Test(NULL) != 0 && ARMCI_WaitProc(size) != 0);
}

/** Calls of which a part would be right: they change nothing. */
static void partly_right(void) {
    char *part = bases[other];
    double ones[16];
    double one = 1;
    int here[1] = {16};
    int there[1] = {35};
    int count[2] = {16, 5};
    for (int i = 0; i < 16; i++) {
        ones[i] = 1;
    }
    CHECK(ARMCI_AccS(ARMCI_ACC_DBL, &one, ones, here, part + 1016 - 4 * 35, there, count, 1, other) != 0);
    void *from[2] = {ones, ones};
    void *to[2] = {part + 4, part + 1020};
    armci_giov_t vectors[2] = {{from, to, 8, 2}};
    CHECK(ARMCI_AccV(ARMCI_ACC_DBL, &one, vectors, 1, other) != 0);
    to[1] = part + 12;
    vectors[0] = (armci_giov_t) {from, to, 8, 1};
    vectors[1] = (armci_giov_t) {from, to + 1, 12, 1};
    CHECK(ARMCI_AccV(ARMCI_ACC_DBL, &one, vectors, 2, other) != 0);
    to[0] = part + 8;
    CHECK(ARMCI_AccV(ARMCI_ACC_DBL, &one, vectors, 2, other) != 0);
    char *flags[] = {NULL, part - 4, part + 1024, part + 1022, part + 2, part + 5};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        int *flag = (int *) (void *) flags[i];
        CHECK(ARMCI_Put_flag(ones, part, 8, flag, 1, other) != 0);
        CHECK(ARMCI_PutS_flag(ones, here, part, here, count, 1, flag, 1, other) != 0);
    }
    char seen[1024];
    CHECK(ARMCI_Get(part, seen, sizeof seen, other) == 0);
    for (size_t i = 0; i < sizeof seen; i++) {
        CHECK(seen[i] == 0);
    }
}

/** Buffers and lists that are not there. */
static void nothing_here(void) {
    char *part = bases[other];
    char buffer[64] = {0};
    int strides[1] = {16};
    int count[2] = {8, 2};
    double one = 1;
    void *none = NULL;
    void *at = part;
    armci_giov_t out = {&none, &at, 8, 1};
    armci_giov_t in = {&at, &none, 8, 1};
    armci_giov_t unlisted = {NULL, &at, 8, 1};
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    CHECK(ARMCI_Put(NULL, part, 8, other) != 0 && ARMCI_Get(part, NULL, 8, other) != 0);
    CHECK(ARMCI_Put(NULL, part, 0, other) == 0 && ARMCI_Get(part, NULL, 0, other) == 0);
    CHECK(ARMCI_Put(buffer, NULL, 0, other) == 0 && ARMCI_Put(buffer, NULL, 0, size) != 0);
    CHECK(ARMCI_Acc(ARMCI_ACC_DBL, &one, NULL, part, 8, other) != 0);
    CHECK(ARMCI_PutS(NULL, strides, part, strides, count, 1, other) != 0);
    CHECK(ARMCI_PutS(buffer, NULL, part, strides, count, 1, other) != 0);
    CHECK(ARMCI_GetS(part, NULL, buffer, strides, count, 1, other) != 0);
    CHECK(ARMCI_PutS(buffer, NULL, part, NULL, count, 0, other) == 0);
    CHECK(ARMCI_PutV(&out, 1, other) != 0 && ARMCI_GetV(&in, 1, other) != 0 && ARMCI_PutV(NULL, 1, other) != 0);
    CHECK(ARMCI_PutV(&unlisted, 1, other) != 0 && ARMCI_PutV(NULL, 0, other) == 0);
    CHECK(ARMCI_AccV(ARMCI_ACC_DBL, &one, &out, 1, other) != 0);
    CHECK(ARMCI_NbPut(NULL, part, 8, other, &handle) != 0 && ARMCI_NbPutV(&out, 1, other, &handle) != 0);
    CHECK(ARMCI_Rmw(ARMCI_SWAP, NULL, part, 0, other) != 0);
    CHECK(ARMCI_Wait(&handle) == 0);
}

static void groups(void) {
    ARMCI_Group world;
    ARMCI_Group all;
    ARMCI_Group alone;
    void *parts[64];
    int everybody[64];
    for (int proc = 0; proc < size; proc++) {
        everybody[proc] = proc;
    }
    ARMCI_Group_get_world(&world);
    ARMCI_Group_create_child(size, everybody, &all, &world);
    ARMCI_Group copy = all;
    CHECK(ARMCI_Malloc_group(parts, 64, &all) == 0);
    CHECK(ARMCI_Free(parts[me]) == 0); /* of the same members */
    ARMCI_Group_free(&all);
    CHECK(ARMCI_Malloc_group(parts, 64, &copy) != 0 && ARMCI_Absolute_id(&copy, 0) < 0);
    CHECK(ARMCI_Malloc_group(parts, 64, &all) != 0);
    for (int proc = 0; proc < size; proc++) { /* one alone, at different times */
        ARMCI_Group_create_child(1, &everybody[proc], proc == me ? &alone : &copy, &world);
    }
    CHECK(ARMCI_Malloc_group(parts, 64, &alone) == 0);
    CHECK(ARMCI_Free_group(parts[0], &alone) == 0);
    ARMCI_Group_free(&alone);
}

static void memory(void) {
    void *refused[64];
    CHECK(ARMCI_Malloc(me == 0 ? NULL : refused, 8) != 0 && ARMCI_Malloc(refused, me == size - 1 ? -1 : 8) != 0);
    char *own = bases[me];
    CHECK(ARMCI_Free(own + 8) != 0);
    CHECK(ARMCI_Free(&own) != 0);
    void **freed = allocate(128);
    void *base = freed[other];
    release(freed);
    long value = 1;
    CHECK(ARMCI_Put(&value, base, 8, other) != 0);
    CHECK(ARMCI_Free(NULL) == 0);
    ARMCI_Barrier();
    void *outcome[64];
    CHECK(ARMCI_Malloc(outcome, 1L << 50) != 0);
}

/** The job ends. */
static void end_job(const char *how) {
    ARMCI_Barrier();
    if (strcmp(how, "lock") == 0) {
        ARMCI_Lock(0, 0);
    } else if (strcmp(how, "fence") == 0) {
        ARMCI_Fence(size);
    } else if (strcmp(how, "value") == 0) {
        ARMCI_GetValueLong(NULL, other);
    } else if (strcmp(how, "operation") == 0) {
        double x = 1;
        armci_msg_dgop(&x, 1, "median");
    } else if (strcmp(how, "collective") == 0 && me == 0) {
        long x = 1;
        armci_msg_bcast(&x, sizeof x, 1); /* where the others are in a barrier */
        armci_msg_lgop(&x, 1, "+");
    } else if (strcmp(how, "collective-far") == 0 && me < 3) { /* the others are in a barrier, and the next ones here */
        if (me > 0) {
            sleep(600);
        }
        long x = 1;
        armci_msg_lgop(&x, 1, "+");
    } else if (strcmp(how, "error") == 0 && me == size - 1) {
        ARMCI_Error("this rank has had enough", 7);
    } else if (strncmp(how, "code-", 5) == 0 && me == 0) {
        ARMCI_Error("a code that processes would end well with", atoi(how + 5));
    } else if (strcmp(how, "handle") == 0) {
        ARMCI_SET_AGGREGATE_HANDLE(NULL);
    } else if (strcmp(how, "abort") == 0 && me == 0) {
        armci_msg_abort(7);
    }
    ARMCI_Barrier();
    sleep(600);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    other = (me + 1) % size;
    bases = allocate(1024);
    if (argc > 1) {
        end_job(argv[1]);
    }
    addresses();
    shapes();
    partly_right();
    nothing_here();
    groups();
    memory();
    ARMCI_Barrier();
    release(bases);
    return end();
}

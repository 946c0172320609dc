/* Put, get and accumulate in every form, against copies made here. */
#include "check.h"

#include <math.h>

#define REGION 65536

static void contiguous(void) {
    void **bases = allocate((long) REGION * size);
    char *buffer = malloc(REGION);
    char *back = malloc(REGION);
    for (int proc = 0; proc < size; proc++) {
        char *mine = (char *) bases[proc] + (size_t) me * REGION;
        for (int bytes = 0; bytes <= REGION; bytes = bytes * 3 + 1) {
            memset(buffer, me + proc + bytes, REGION);
            CHECK(ARMCI_Put(buffer, mine, bytes, proc) == 0);
            memset(back, 0, REGION);
            CHECK(ARMCI_Get(mine, back, bytes, proc) == 0);
            CHECK(memcmp(buffer, back, (size_t) bytes) == 0);
        }
    }
    ARMCI_Barrier();
    release(bases);
    free(buffer);
    free(back);
}

static void large(void) {
    int bytes = 5 * 1000 * 1000;
    void **bases = allocate(bytes);
    char *buffer = ARMCI_Malloc_local(bytes);
    int next = (me + 1) % size;
    for (int i = 0; i < bytes; i++) {
        buffer[i] = (char) (i * 7 + me);
    }
    CHECK(ARMCI_Put(buffer, bases[next], bytes, next) == 0);
    ARMCI_Barrier();
    CHECK(ARMCI_Get(bases[(me + 2) % size], buffer, bytes, (me + 2) % size) == 0);
    for (int i = 0; i < bytes; i++) {
        CHECK(buffer[i] == (char) (i * 7 + next));
    }
    ARMCI_Barrier();
    CHECK(ARMCI_Free_local(buffer) == 0);
    release(bases);
}

#define ACCUMULATE(type, datatype) do { \
        type scale[2] = {2, 0}; \
        type source[64]; \
        type *sums = calloc(64, sizeof *sums); \
        for (int i = 0; i < 64; i++) { \
            source[i] = (type) (i + 1); \
        } \
        if (me == 0) { \
            memset(bases[0], 0, 1024); \
        } \
        ARMCI_Barrier(); \
        CHECK(ARMCI_Acc(datatype, scale, source, bases[0], (int) sizeof source, 0) == 0); \
        ARMCI_Barrier(); \
        CHECK(ARMCI_Get(bases[0], sums, (int) sizeof source, 0) == 0); \
        for (int i = 0; i < 64; i++) { \
            CHECK(sums[i] == (type) (2 * (i + 1) * size)); \
        } \
        ARMCI_Barrier(); \
        free(sums); \
    } while (0)

/** i (1 + 2 i) = -2 + i; and a real scale works by components, so that infinities stay what they are. */
#define COMPLEX(type, datatype, target) do { \
        type value[4] = {1, 2, 1, 2}; \
        type infinite[4] = {INFINITY, 0, 0, -INFINITY}; \
        type imaginary[2] = {0, 1}; \
        type two[2] = {2, 0}; \
        type seen[4]; \
        if (me == 0) { \
            memset(bases[0], 0, 1024); \
        } \
        ARMCI_Barrier(); \
        CHECK(ARMCI_Acc(datatype, imaginary, value, target, sizeof value, 0) == 0); \
        ARMCI_Barrier(); \
        CHECK(ARMCI_Get(target, seen, sizeof seen, 0) == 0); \
        CHECK(seen[0] == -2 * size && seen[1] == size && seen[2] == -2 * size && seen[3] == size); \
        ARMCI_Barrier(); \
        CHECK(ARMCI_Acc(datatype, two, infinite, target, sizeof infinite, 0) == 0); \
        ARMCI_Barrier(); \
        CHECK(ARMCI_Get(target, seen, sizeof seen, 0) == 0); \
        CHECK(seen[0] == INFINITY && seen[1] == size && seen[2] == -2 * size && seen[3] == -INFINITY); \
        ARMCI_Barrier(); \
    } while (0)

static void accumulates(void) {
    void **bases = allocate(1024);
    ACCUMULATE(int, ARMCI_ACC_INT);
    ACCUMULATE(long, ARMCI_ACC_LNG);
    ACCUMULATE(float, ARMCI_ACC_FLT);
    ACCUMULATE(double, ARMCI_ACC_DBL);
    ACCUMULATE(float, ARMCI_ACC_CPL);
    ACCUMULATE(double, ARMCI_ACC_DCP);
    for (int from = 0; from < 16; from += 4) { /* aligned to components or not */
        COMPLEX(float, ARMCI_ACC_CPL, (char *) bases[0] + from / 2);
        COMPLEX(double, ARMCI_ACC_DCP, (char *) bases[0] + from);
    }
    ARMCI_Barrier();
    release(bases);
}

/** Elements at odd addresses, from everybody at once, in the three forms. */
static void unaligned(void) {
    enum { ROWS = 5, PITCH = 35 };
    void **bases = allocate(1024);
    int strides[1] = {PITCH};
    int local_pitch[1] = {16};
    int count[2] = {16, ROWS};
    double source[2 * ROWS];
    double scale = 2;
    for (int i = 0; i < 2 * ROWS; i++) {
        source[i] = 1;
    }
    for (int round = 0; round < 10; round++) {
        void *from = source;
        void *to = (char *) bases[0] + 500;
        armci_giov_t vector = {&from, &to, 8, 1};
        CHECK(ARMCI_AccS(ARMCI_ACC_DBL, &scale, source, local_pitch, bases[0], strides, count, 1, 0) == 0);
        CHECK(ARMCI_Acc(ARMCI_ACC_DBL, &scale, source, bases[0], 16, 0) == 0);
        CHECK(ARMCI_Acc(ARMCI_ACC_DBL, &scale, source, (char *) bases[0] + 3 * PITCH, 16, 0) == 0);
        CHECK(ARMCI_AccV(ARMCI_ACC_DBL, &scale, &vector, 1, 0) == 0);
    }
    ARMCI_Barrier();
    for (int row = 0; row < ROWS; row++) {
        double seen[2];
        CHECK(ARMCI_Get((char *) bases[0] + row * PITCH, seen, 16, 0) == 0);
        CHECK(seen[0] == 20.0 * size * (row == 0 || row == 3 ? 2 : 1) && seen[1] == seen[0]);
    }
    double alone;
    CHECK(ARMCI_Get((char *) bases[0] + 500, &alone, 8, 0) == 0 && alone == 20.0 * size);
    ARMCI_Barrier();
    release(bases);
}

#define SHIFTED 20000

/** A call that changes p, in which each word is then what its old values say. */
#define SHIFTS(call, expected) do { \
        for (long i = 0; i < SHIFTED; i++) { \
            p[i] = was[i] = next_random(&state); \
        } \
        CHECK((call) == 0); \
        for (long i = 0; i < SHIFTED; i++) { \
            CHECK(p[i] == (expected)); \
        } \
    } while (0)

/** A source in the memory that is the target: as if it were copied first. */
static void overlapping(void) {
    enum { WORDS = SHIFTED / 2 - 1 };
    static long was[SHIFTED];
    static void *low[WORDS];
    static void *high[WORDS];
    void **bases = allocate(SHIFTED * sizeof(long));
    long *p = bases[me];
    long one = 1;
    unsigned state = 1;
    int strides[1] = {16};
    int count[2] = {8, WORDS};
    int bytes = 8 * (SHIFTED - 1);
    for (int i = 0; i < WORDS; i++) { /* every second word, to the next such */
        low[i] = p + 2 * i;
        high[i] = p + 2 * i + 2;
    }
    armci_giov_t up = {low, high, 8, WORDS};
    armci_giov_t down = {high, low, 8, WORDS};
    SHIFTS(ARMCI_Put(p, p + 1, bytes, me), was[i == 0 ? 0 : i - 1]);
    SHIFTS(ARMCI_PutS(p, strides, p + 2, strides, count, 1, me), was[i % 2 == 1 || i == 0 ? i : i - 2]);
    SHIFTS(ARMCI_GetS(p, strides, p + 2, strides, count, 1, me), was[i % 2 == 1 || i == 0 ? i : i - 2]);
    SHIFTS(ARMCI_PutS(p + 2, strides, p, strides, count, 1, me), was[i % 2 == 1 || i >= 2 * WORDS ? i : i + 2]);
    SHIFTS(ARMCI_PutS(p, strides, p + 1, strides, count, 1, me), was[i % 2 == 1 && i < 2 * WORDS ? i - 1 : i]);
    int row_strides[2] = {16, 64};
    int rows[3] = {8, 3, 3}; /* three words of each row of eight */
    SHIFTS(ARMCI_PutS(p, row_strides, p + 8, row_strides, rows, 2, me),
           was[i >= 8 && i < 32 && i % 8 < 6 && i % 2 == 0 ? i - 8 : i]);
    SHIFTS(ARMCI_PutS(p + 10, row_strides, p, row_strides, rows, 2, me),
           was[i < 24 && i % 8 < 6 && i % 2 == 0 ? i + 10 : i]);
    SHIFTS(ARMCI_PutV(&up, 1, me), was[i % 2 == 1 || i == 0 ? i : i - 2]);
    SHIFTS(ARMCI_GetV(&up, 1, me), was[i % 2 == 1 || i == 0 ? i : i - 2]);
    SHIFTS(ARMCI_GetV(&down, 1, me), was[i % 2 == 1 || i >= 2 * WORDS ? i : i + 2]);
    SHIFTS(ARMCI_Acc(ARMCI_ACC_LNG, &one, p, p + 1, bytes, me), was[i] + (i == 0 ? 0 : was[i - 1]));
    SHIFTS(ARMCI_AccS(ARMCI_ACC_LNG, &one, p, strides, p + 2, strides, count, 1, me),
           was[i] + (i % 2 == 1 || i == 0 ? 0 : was[i - 2]));
    SHIFTS(ARMCI_AccV(ARMCI_ACC_LNG, &one, &up, 1, me), was[i] + (i % 2 == 1 || i == 0 ? 0 : was[i - 2]));
    ARMCI_Barrier();
    release(bases);
}

static void each_block(const int *count, int levels, const int *strides, int index[8], long *offset) {
    *offset = 0;
    for (int i = 0; i < levels; i++) {
        *offset += (long) index[i] * strides[i];
    }
    for (int i = 0; i < levels && ++index[i] == count[i + 1]; i++) {
        index[i] = i + 1 < levels ? 0 : index[i];
    }
}

/** One shape in the three operations; strides may be negative, so both regions begin in the middle. */
static void shape(void **bases, int proc, int *count, int levels, int *local_strides, int *remote_strides) {
    static double local[REGION / 8];
    static double image[REGION / 8];
    char *mine = (char *) bases[proc] + (size_t) me * REGION;
    double one = 1;
    for (int i = 0; i < REGION / 8; i++) {
        local[i] = i + 1000 * me;
        image[i] = -1;
    }
    CHECK(ARMCI_Put(image, mine, REGION, proc) == 0);
    CHECK(ARMCI_PutS((char *) local + REGION / 2, local_strides, mine + REGION / 2, remote_strides, count, levels, proc)
          == 0);
    CHECK(ARMCI_AccS(ARMCI_ACC_DBL, &one, (char *) local + REGION / 2, local_strides, mine + REGION / 2, remote_strides,
                     count, levels, proc) == 0);
    int blocks = 1;
    for (int i = 1; i <= levels; i++) {
        blocks *= count[i];
    }
    int here[8] = {0};
    int there[8] = {0};
    for (int b = 0; b < blocks; b++) {
        long from;
        long to;
        each_block(count, levels, local_strides, here, &from);
        each_block(count, levels, remote_strides, there, &to);
        for (int i = 0; i < count[0] / 8; i++) {
            image[(REGION / 2 + to) / 8 + i] = 2 * local[(REGION / 2 + from) / 8 + i];
        }
    }
    static double seen[REGION / 8];
    CHECK(ARMCI_Get(mine, seen, REGION, proc) == 0);
    CHECK(memcmp(seen, image, REGION) == 0);
    memset(seen, 0, sizeof seen);
    CHECK(ARMCI_GetS(mine + REGION / 2, remote_strides, (char *) seen + REGION / 2, local_strides, count, levels, proc)
          == 0);
    memset(here, 0, sizeof here);
    for (int b = 0; b < blocks; b++) {
        long from;
        each_block(count, levels, local_strides, here, &from);
        for (int i = 0; i < count[0] / 8; i++) {
            CHECK(seen[(REGION / 2 + from) / 8 + i] == 2 * local[(REGION / 2 + from) / 8 + i]);
        }
    }
}

static void strided(void) {
    void **bases = allocate((long) REGION * size);
    unsigned state = 42;
    for (int round = 0; round < 40; round++) {
        int levels = (int) (next_random(&state) % 5);
        int count[6] = {8 * (1 + (int) (next_random(&state) % 6))};
        int local_strides[5];
        int remote_strides[5];
        int extent = count[0];
        for (int i = 0; i < levels; i++) {
            count[i + 1] = 1 + (int) (next_random(&state) % 3);
            local_strides[i] = (extent + 8 * (int) (next_random(&state) % 3)) * (next_random(&state) % 4 == 0 ? -1 : 1);
            remote_strides[i] = (extent + 8 * (int) (next_random(&state) % 3)) * (next_random(&state) % 4 == 0 ? -1 : 1);
            int most = abs(local_strides[i]) > abs(remote_strides[i]) ? abs(local_strides[i]) : abs(remote_strides[i]);
            extent = most * count[i + 1];
        }
        shape(bases, (me + round) % size, count, levels, local_strides, remote_strides);
    }
    int seven[8] = {8, 2, 2, 2, 2, 2, 2, 1};
    int strides[7] = {16, 32, 64, 128, 256, 512, 1};
    shape(bases, (me + 1) % size, seven, 7, strides, strides);
    int none[2] = {8, 0};
    CHECK(ARMCI_PutS(strides, strides, bases[0], strides, none, 1, 0) == 0);
    char packed[64];
    char region[128];
    int two[2] = {4, 3};
    int apart[1] = {10};
    for (int i = 0; i < 128; i++) {
        region[i] = (char) i;
    }
    armci_write_strided(region, 1, apart, two, packed);
    CHECK(packed[3] == 3 && packed[4] == 10 && packed[11] == 23);
    memset(region, 0, sizeof region);
    armci_read_strided(region, 1, apart, two, packed);
    CHECK(region[3] == 3 && region[4] == 0 && region[10] == 10 && region[23] == 23);
    ARMCI_Barrier();
    release(bases);
}

/** Segments of one call in two allocations. */
static void vectors(void) {
    enum { SEGMENTS = 200 };
    void **first = allocate((long) sizeof(double) * SEGMENTS * size);
    void **second = allocate((long) sizeof(double) * SEGMENTS * size);
    double source[SEGMENTS];
    double target[SEGMENTS];
    void *locals[SEGMENTS];
    void *remotes[SEGMENTS];
    void *targets[SEGMENTS];
    double scale = 3;
    for (int proc = 0; proc < size; proc++) {
        for (int i = 0; i < SEGMENTS; i++) {
            source[i] = me * 1000 + i;
            target[i] = -1;
            locals[i] = &source[i];
            targets[i] = &target[i];
            remotes[i] = (double *) (i % 3 == 0 ? second : first)[proc] + me * SEGMENTS + (i * 7) % SEGMENTS;
        }
        armci_giov_t put[2] = {{locals, remotes, 8, SEGMENTS / 2},
            {locals + SEGMENTS / 2, remotes + SEGMENTS / 2, 8, SEGMENTS / 2}};
        armci_giov_t get = {remotes, targets, 8, SEGMENTS};
        CHECK(ARMCI_PutV(put, 2, proc) == 0);
        CHECK(ARMCI_AccV(ARMCI_ACC_DBL, &scale, put, 2, proc) == 0);
        CHECK(ARMCI_GetV(&get, 1, proc) == 0);
        for (int i = 0; i < SEGMENTS; i++) {
            CHECK(target[i] == 4 * source[i]);
        }
    }
    ARMCI_Barrier();
    release(first);
    release(second);
}

static void values(void) {
    void **bases = allocate(32L * size);
    for (int proc = 0; proc < size; proc++) {
        char *mine = (char *) bases[proc] + 32 * me;
        CHECK(ARMCI_PutValueInt(me - 5, mine, proc) == 0 && ARMCI_GetValueInt(mine, proc) == me - 5);
        CHECK(ARMCI_PutValueLong(1L << 40, mine, proc) == 0 && ARMCI_GetValueLong(mine, proc) == 1L << 40);
        CHECK(ARMCI_PutValueFloat(1.5f, mine + 4, proc) == 0 && ARMCI_GetValueFloat(mine + 4, proc) == 1.5f);
        CHECK(ARMCI_PutValueDouble(-2.25, mine + 8, proc) == 0 && ARMCI_GetValueDouble(mine + 8, proc) == -2.25);
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        CHECK(ARMCI_NbPutValueInt(1, mine, proc, &handle) == 0 && ARMCI_NbPutValueFloat(2, mine + 4, proc, &handle) == 0
              && ARMCI_NbPutValueLong(3, mine + 8, proc, &handle) == 0
              && ARMCI_NbPutValueDouble(4, mine + 16, proc, &handle) == 0 && ARMCI_Wait(&handle) == 0);
        CHECK(ARMCI_GetValueInt(mine, proc) == 1 && ARMCI_GetValueFloat(mine + 4, proc) == 2
              && ARMCI_GetValueLong(mine + 8, proc) == 3 && ARMCI_GetValueDouble(mine + 16, proc) == 4);
    }
    ARMCI_Barrier();
    release(bases);
}

/** Sizes that differ, none at all, freeing by ranks that have something. */
static void sizes(void) {
    void **bases = allocate(me % 2 == 0 ? 0 : 100L * me);
    for (int proc = 0; proc < size; proc++) {
        CHECK((bases[proc] == NULL) == (proc % 2 == 0));
    }
    if (size > 1) {
        int last = size % 2 == 0 ? size - 1 : size - 2;
        char byte = 1;
        CHECK(ARMCI_Put(&byte, (char *) bases[last] + 100 * last - 1, 1, last) == 0);
    }
    ARMCI_Barrier();
    release(bases);
    release(allocate(0));
    bases = allocate(16);
    CHECK(((long *) bases[me])[0] == 0);
    ((long *) bases[me])[0] = me; /* stored directly, read by others */
    ARMCI_Barrier();
    CHECK(ARMCI_GetValueLong(bases[(me + 1) % size], (me + 1) % size) == (me + 1) % size);
    ARMCI_Barrier();
    CHECK(ARMCI_Free_memdev(bases[me]) == 0);
    CHECK(ARMCI_Malloc_memdev(bases, 8, "hbm") == 0 && ARMCI_Free(bases[me]) == 0);
    free(bases);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    contiguous();
    large();
    accumulates();
    unaligned();
    overlapping();
    strided();
    vectors();
    values();
    sizes();
    return end();
}

/* Debian's libga on this library: patches, scattered elements, counters, locks, groups, ghosts, mirrors, arithmetic. */
#include <ga-mpi.h>
#include <ga.h>
#include <macdecls.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me;
static int size;

#define CHECK(condition) \
    ((condition) ? (void) 0 : check_failed(__LINE__, #condition))

static void check_failed(int line, const char *condition) {
    fprintf(stderr, "ga_arrays.c:%d: rank %d: not so: %s\n", line, me, condition);
    GA_Error((char *) "a check failed", line);
}

enum { N = 61 };

static int create(int type, const char *name) {
    int dims[2] = {N, N};
    int g_a = NGA_Create(type, 2, dims, (char *) name, NULL);
    CHECK(g_a != 0);
    GA_Zero(g_a);
    return g_a;
}

/** Each rank writes bands that cross the blocks of others; all read all. */
static void patches(void) {
    int g_a = create(C_DBL, "patches");
    double band[3 * N];
    double all[N][N];
    int ld = N;
    for (int row = 3 * me; row + 2 < N; row += 3 * size) {
        int lo[2] = {row, 0};
        int hi[2] = {row + 2, N - 1};
        for (int i = 0; i < 3 * N; i++) {
            band[i] = row * N + i;
        }
        NGA_Put(g_a, lo, hi, band, &ld);
    }
    GA_Sync();
    int lo[2] = {0, 0};
    int hi[2] = {N - 2, N - 1};
    NGA_Get(g_a, lo, hi, all, &ld);
    for (int i = 0; i < 60; i++) {
        for (int j = 0; j < N; j++) {
            CHECK(all[i][j] == i * N + j);
        }
    }
    GA_Sync();
    double half = 0.5;
    int lo_inner[2] = {7, 11};
    int hi_inner[2] = {50, 55};
    NGA_Acc(g_a, lo_inner, hi_inner, &all[7][11], &ld, &half);
    GA_Sync();
    double back[44][45];
    int ld_back = 45;
    NGA_Get(g_a, lo_inner, hi_inner, back, &ld_back);
    for (int i = 0; i < 44; i++) {
        for (int j = 0; j < 45; j++) {
            CHECK(back[i][j] == all[i + 7][j + 11] * (1 + 0.5 * size));
        }
    }
    int skip[2] = {2, 3};
    int lo_strided[2] = {0, 0};
    int hi_strided[2] = {20, 30};
    GA_Sync();
    double sparse[11][11];
    int ld_sparse = 11;
    NGA_Strided_get(g_a, lo_strided, hi_strided, skip, sparse, &ld_sparse);
    CHECK(sparse[2][2] == 4 * N + 6 && sparse[0][10] == 30);
    GA_Destroy(g_a);
}

static void elements(void) {
    int g_a = create(C_LONG, "elements");
    enum { COUNT = 50 };
    int places[COUNT][2];
    int *subscripts[COUNT];
    long values[COUNT];
    long one = 1;
    for (int i = 0; i < COUNT; i++) {
        places[i][0] = (i * 7 + me) % N;
        places[i][1] = (i * 11 + 3 * me + i / N) % N;
        subscripts[i] = places[i];
        values[i] = 1;
    }
    NGA_Scatter_acc(g_a, values, subscripts, COUNT, &one);
    GA_Sync();
    long sum = 0;
    long all[N][N];
    int lo[2] = {0, 0};
    int hi[2] = {N - 1, N - 1};
    int ld = N;
    NGA_Get(g_a, lo, hi, all, &ld);
    for (int i = 0; i < N * N; i++) {
        sum += ((long *) all)[i];
    }
    CHECK(sum == (long) COUNT * size);
    GA_Sync();
    for (int i = 0; i < COUNT; i++) {
        values[i] = places[i][0] * 100 + places[i][1];
    }
    NGA_Scatter(g_a, values, subscripts, COUNT);
    GA_Sync();
    memset(values, 0, sizeof values);
    NGA_Gather(g_a, values, subscripts, COUNT);
    for (int i = 0; i < COUNT; i++) {
        CHECK(values[i] == places[i][0] * 100 + places[i][1]);
    }
    GA_Destroy(g_a);
}

static void counters(void) {
    int g_a = create(C_LONG, "counter");
    int last[2] = {N - 1, N - 1};
    for (int i = 0; i < 100; i++) {
        CHECK(NGA_Read_inc(g_a, last, 1) < 100L * size);
    }
    GA_Sync();
    CHECK(NGA_Read_inc(g_a, last, 0) == 100L * size);
    CHECK(GA_Create_mutexes(3));
    int first[2] = {0, 0};
    int ld = 1;
    for (int i = 0; i < 30; i++) {
        long value;
        GA_Lock(i % 3);
        first[1] = i % 3;
        NGA_Get(g_a, first, first, &value, &ld);
        value++;
        GA_Init_fence();
        NGA_Put(g_a, first, first, &value, &ld);
        GA_Fence();
        GA_Unlock(i % 3);
    }
    GA_Sync();
    first[1] = 1;
    CHECK(NGA_Read_inc(g_a, first, 0) == 10L * size);
    GA_Sync();
    CHECK(GA_Destroy_mutexes());
    GA_Destroy(g_a);
}

static void groups(void) {
    int list[64];
    int count = 0;
    for (int rank = me % 2; rank < size; rank += 2) {
        list[count++] = rank;
    }
    int group = GA_Pgroup_create(list, count);
    CHECK(GA_Pgroup_nnodes(group) == count && list[GA_Pgroup_nodeid(group)] == me);
    int members;
    MPI_Comm_size(GA_MPI_Comm_pgroup(group), &members);
    CHECK(members == count);
    GA_Pgroup_set_default(group);
    int g_a = create(C_DBL, "of a group");
    double two = 2;
    GA_Fill(g_a, &two);
    double sum = GA_Ddot(g_a, g_a);
    CHECK(sum == 4.0 * N * N);
    GA_Destroy(g_a);
    int ones = 1;
    GA_Igop(&ones, 1, (char *) "+");
    CHECK(ones == count);
    GA_Pgroup_set_default(GA_Pgroup_get_world());
    double mine = me;
    GA_Pgroup_brdcst(group, &mine, sizeof mine, 0);
    CHECK(mine == list[0]);
    GA_Pgroup_sync(group);
    GA_Sync();
    GA_Pgroup_destroy(group);
}

/** The cells around each block hold what the neighbours have, around the edges of the array, too. */
static void ghosts(void) {
    int dims[2] = {48, 40};
    int width[2] = {2, 1};
    int g_a = NGA_Create_ghosts(C_DBL, 2, dims, width, (char *) "ghosts", NULL);
    int lo[2];
    int hi[2];
    int with_ghosts[2];
    int ld[2];
    double *block;
    CHECK(g_a != 0 && GA_Has_ghosts(g_a));
    NGA_Distribution(g_a, me, lo, hi);
    NGA_Access_ghosts(g_a, with_ghosts, &block, ld);
    for (int i = lo[0]; i <= hi[0]; i++) {
        for (int j = lo[1]; j <= hi[1]; j++) {
            block[(i - lo[0] + 2) * ld[0] + (j - lo[1] + 1)] = i * 1000 + j;
        }
    }
    NGA_Release_update_ghosts(g_a);
    GA_Sync();
    GA_Update_ghosts(g_a);
    NGA_Access_ghosts(g_a, with_ghosts, &block, ld);
    for (int i = lo[0] - 2; i <= hi[0] + 2; i++) {
        for (int j = lo[1] - 1; j <= hi[1] + 1; j++) {
            double expected = (i + 48) % 48 * 1000 + (j + 40) % 40;
            CHECK(block[(i - lo[0] + 2) * ld[0] + (j - lo[1] + 1)] == expected);
        }
    }
    NGA_Release_ghosts(g_a);
    GA_Sync();
    CHECK(NGA_Update_ghost_dir(g_a, 0, 1, 1));
    GA_Destroy(g_a);
}

/** Every domain of ARMCI, here a rank, has a copy of a mirrored array; merging adds them. */
static void mirrored(void) {
    int dims[2] = {N, N};
    int lo[2] = {0, 0};
    int hi[2] = {N - 1, N - 1};
    int ld = N;
    static double all[N][N];
    int g_a = GA_Create_handle();
    GA_Set_data(g_a, 2, dims, C_DBL);
    GA_Set_array_name(g_a, (char *) "mirrored");
    GA_Set_pgroup(g_a, GA_Pgroup_get_mirror());
    CHECK(GA_Allocate(g_a) && GA_Is_mirrored(g_a));
    int node = GA_Cluster_nodeid();
    for (int i = 0; i < N * N; i++) {
        ((double *) all)[i] = i;
    }
    if (me == GA_Cluster_procid(node, 0)) {
        NGA_Put(g_a, lo, hi, all, &ld);
    }
    GA_Sync();
    GA_Merge_mirrored(g_a);
    double copies = GA_Cluster_nnodes();
    memset(all, 0, sizeof all);
    NGA_Get(g_a, lo, hi, all, &ld);
    for (int i = 0; i < N * N; i++) {
        CHECK(((double *) all)[i] == copies * i);
    }
    double squares = copies * copies * ((N * N - 1.0) * (N * N) * (2.0 * N * N - 1) / 6);
    double product = GA_Ddot(g_a, g_a);
    CHECK(product == squares);
    product = NGA_Ddot_patch(g_a, 'n', lo, hi, g_a, 'n', lo, hi);
    CHECK(product == squares);
    GA_Destroy(g_a);
}

/** Every rank reads all of an array of which each domain has a copy while it is read-only. */
static void read_only(void) {
    int g_a = create(C_LONG, "read-only");
    int lo[2] = {0, 0};
    int hi[2] = {N - 1, N - 1};
    int ld = N;
    static long all[N][N];
    for (int i = 0; i < N * N; i++) {
        ((long *) all)[i] = i;
    }
    if (me == 0) {
        NGA_Put(g_a, lo, hi, all, &ld);
    }
    GA_Sync();
    NGA_Set_property(g_a, (char *) "read_only");
    memset(all, 0, sizeof all);
    NGA_Get(g_a, lo, hi, all, &ld);
    for (int i = 0; i < N * N; i++) {
        CHECK(((long *) all)[i] == i);
    }
    NGA_Unset_property(g_a);
    GA_Destroy(g_a);
}

static void periodic(void) {
    int g_a = create(C_INT, "periodic");
    int lo[2] = {-2, N - 2};
    int hi[2] = {1, N + 1};
    int values[4][4];
    int ld = 4;
    int one = 1;
    if (me == size - 1) {
        for (int i = 0; i < 16; i++) {
            ((int *) values)[i] = i;
        }
        NGA_Periodic_put(g_a, lo, hi, values, &ld);
    }
    GA_Sync();
    NGA_Periodic_acc(g_a, lo, hi, values, &ld, &one);
    memset(values, 0, sizeof values);
    GA_Sync();
    int corner;
    int zero[2] = {0, 0};
    NGA_Get(g_a, zero, zero, &corner, &ld);
    NGA_Periodic_get(g_a, lo, hi, values, &ld);
    CHECK(values[2][2] == corner && values[0][0] != values[3][3]);
    GA_Destroy(g_a);
}

static void non_blocking(void) {
    int g_a = create(C_DBL, "non-blocking");
    enum { ROUNDS = 20 };
    static double rows[ROUNDS][N];
    ga_nbhdl_t handles[ROUNDS];
    int ld = N;
    for (int i = 0; i < ROUNDS; i++) {
        int row = (me * ROUNDS + i) % 60;
        int lo[2] = {row, 0};
        int hi[2] = {row, N - 1};
        for (int j = 0; j < N; j++) {
            rows[i][j] = row * 100 + j;
        }
        NGA_NbPut(g_a, lo, hi, rows[i], &ld, &handles[i]);
    }
    for (int i = 0; i < ROUNDS; i++) {
        NGA_NbWait(&handles[i]);
        memset(rows[i], 0, sizeof rows[i]);
    }
    GA_Sync();
    for (int i = 0; i < ROUNDS; i++) {
        int lo[2] = {(me * ROUNDS + i) % 60, 0};
        int hi[2] = {lo[0], N - 1};
        NGA_NbGet(g_a, lo, hi, rows[i], &ld, &handles[i]);
    }
    for (int i = ROUNDS - 1; i >= 0; i--) {
        NGA_NbWait(&handles[i]);
        CHECK(rows[i][N - 1] == (me * ROUNDS + i) % 60 * 100 + N - 1);
    }
    GA_Sync();
    double one = 1;
    int lo[2] = {60, 0};
    int hi[2] = {60, N - 1};
    for (int j = 0; j < N; j++) {
        rows[0][j] = 1;
    }
    NGA_NbAcc(g_a, lo, hi, rows[0], &ld, &one, &handles[0]);
    while (!NGA_NbTest(&handles[0])) {
    }
    GA_Sync();
    NGA_Get(g_a, lo, hi, rows[1], &ld);
    CHECK(rows[1][0] == size && rows[1][N - 1] == size);
    GA_Destroy(g_a);
}

static void arithmetic(void) {
    int dims[2] = {100, 100};
    int g_a = NGA_Create(C_DBL, 2, dims, (char *) "A", NULL);
    int g_b = GA_Duplicate(g_a, (char *) "B");
    int g_c = GA_Duplicate(g_a, (char *) "C");
    double rows[100][100];
    int lo[2] = {0, 0};
    int hi[2] = {99, 99};
    int ld = 100;
    if (me == 0) {
        for (int i = 0; i < 10000; i++) {
            ((double *) rows)[i] = i % 7 - 3;
        }
        NGA_Put(g_a, lo, hi, rows, &ld);
    }
    GA_Sync();
    GA_Transpose(g_a, g_b);
    GA_Dgemm('N', 'N', 100, 100, 100, 1.0, g_a, g_b, 0.0, g_c);
    NGA_Get(g_c, lo, hi, rows, &ld);
    for (int i = 0; i < 100; i += 9) {
        for (int j = 0; j < 100; j += 7) {
            double sum = 0;
            for (int k = 0; k < 100; k++) {
                sum += ((i * 100 + k) % 7 - 3) * ((j * 100 + k) % 7 - 3);
            }
            CHECK(rows[i][j] == sum);
        }
    }
    double two = 2;
    double minus = -1;
    GA_Add(&two, g_c, &minus, g_c, g_b);
    double difference = GA_Ddot(g_b, g_b) - GA_Ddot(g_c, g_c);
    CHECK(difference == 0);
    double most;
    int at[2];
    NGA_Select_elem(g_c, (char *) "max", &most, at);
    CHECK(at[0] == at[1] && most > 0);
    GA_Destroy(g_a);
    GA_Destroy(g_b);
    GA_Destroy(g_c);
}

/** The memory of another rank, which libga takes for its own if the two are in one domain: the job ends. */
static void access_of_another(void) {
    int g_a = create(C_DBL, "another's");
    int lo[2];
    int hi[2];
    int ld;
    double *elements;
    NGA_Distribution(g_a, (me + 1) % size, lo, hi);
    NGA_Access(g_a, lo, hi, &elements, &ld);
    printf("rank %d accesses %p\n", me, (void *) elements);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    GA_Initialize();
    me = GA_Nodeid();
    size = GA_Nnodes();
    CHECK(MA_init(C_DBL, 200000, 200000));
    if (argc > 1) {
        access_of_another();
    }
    patches();
    elements();
    counters();
    groups();
    ghosts();
    mirrored();
    read_only();
    periodic();
    non_blocking();
    arithmetic();
    GA_Sync();
    if (me == 0) {
        printf("all well\n");
    }
    GA_Terminate();
    MPI_Finalize();
    return 0;
}

/* Times GA_Dgemm of square matrices of doubles: the median of some. Writes "row<tab>nanoseconds". */
#include <ga.h>
#include <macdecls.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { WARM_UPS = 15, REPEATS = 15 };

static int ascending(const void *a, const void *b) {
    double one = *(const double *) a;
    double other = *(const double *) b;
    return one < other ? -1 : one > other;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1024;
    int dims[2] = {n, n};
    double half = 0.5;
    double times[REPEATS];
    MPI_Init(&argc, &argv);
    GA_Initialize();
    MA_init(C_DBL, 4000000, 4000000);
    int g_a = NGA_Create(C_DBL, 2, dims, (char *) "A", NULL);
    int g_b = GA_Duplicate(g_a, (char *) "B");
    int g_c = GA_Duplicate(g_a, (char *) "C");
    GA_Fill(g_a, &half);
    GA_Fill(g_b, &half);
    for (int i = -WARM_UPS; i < REPEATS; i++) {
        GA_Sync();
        double begun = MPI_Wtime();
        GA_Dgemm('N', 'N', n, n, n, 1.0, g_a, g_b, 0.0, g_c);
        GA_Sync();
        if (i >= 0) {
            times[i] = (MPI_Wtime() - begun) * 1e9;
        }
    }
    double sum = GA_Ddot(g_a, g_c);
    if (sum != 0.125 * n * n * n) {
        GA_Error((char *) "the product is wrong", 1);
    }
    qsort(times, REPEATS, sizeof *times, ascending);
    if (GA_Nodeid() == 0) {
        printf("GA_Dgemm %d, 4 ranks on 2 nodes\t%.0f\n", n, times[REPEATS / 2]);
    }
    GA_Terminate();
    MPI_Finalize();
    return 0;
}

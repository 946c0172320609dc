/*
 * Times pdgemm of ScaLAPACK: pdgemm SIZE BLOCK REPEATS WARM_UPS. Square matrices of doubles, on a grid of ranks that is
 * as square as can be. Prints the seconds of each repetition; the product, of ones and halves, is checked.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
int numroc_(const int *n, const int *block, const int *process, const int *source, const int *processes);
void descinit_(int *descriptor, const int *m, const int *n, const int *mb, const int *nb, const int *row,
               const int *column, const int *context, const int *leading, int *info);
void pdgemm_(const char *transposes_a, const char *transposes_b, const int *m, const int *n, const int *k,
             const double *alpha, const double *a, const int *row_a, const int *column_a, const int *descriptor_a,
             const double *b, const int *row_b, const int *column_b, const int *descriptor_b, const double *beta,
             double *c, const int *row_c, const int *column_c, const int *descriptor_c);

static double *filled(long count, double value) {
    double *made = malloc((size_t) (count > 0 ? count : 1) * sizeof *made);
    if (made == NULL) {
        fprintf(stderr, "no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
        exit(1);
    }
    for (long i = 0; i < count; i++) {
        made[i] = value;
    }
    return made;
}

int main(int argc, char **argv) {
    int ranks, rank, context, rows, columns, row, column, info;
    const int zero = 0, one = 1;
    const double unit = 1, none = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 5) {
        fprintf(stderr, "pdgemm SIZE BLOCK REPEATS WARM_UPS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    int n = atoi(argv[1]), block = atoi(argv[2]), repeats = atoi(argv[3]), warm_ups = atoi(argv[4]);
    rows = (int) sqrt(ranks);
    while (ranks % rows != 0) {
        rows--;
    }
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", rows, ranks / rows);
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    int own_rows = numroc_(&n, &block, &row, &zero, &rows);
    int own_columns = numroc_(&n, &block, &column, &zero, &columns);
    int leading = own_rows > 1 ? own_rows : 1;
    int descriptor[9];
    descinit_(descriptor, &n, &n, &block, &block, &zero, &zero, &context, &leading, &info);
    long count = (long) own_rows * own_columns;
    double *a = filled(count, 1), *b = filled(count, 0.5), *c = filled(count, 0);
    for (int i = -warm_ups; i < repeats && info == 0; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begun = MPI_Wtime();
        pdgemm_("N", "N", &n, &n, &n, &unit, a, &one, &one, descriptor, b, &one, &one, descriptor, &none, c, &one, &one,
                descriptor);
        double seconds = MPI_Wtime() - begun, longest;
        MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        if (rank == 0 && i >= 0) {
            printf("%.6f\n", longest);
        }
    }
    for (long i = 0; i < count && info == 0; i++) {
        if (c[i] != 0.5 * n) {
            info = 1;
        }
    }
    if (info != 0) {
        fprintf(stderr, "the product is wrong\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return 0;
}

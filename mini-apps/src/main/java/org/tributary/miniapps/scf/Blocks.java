package org.tributary.miniapps.scf;

import java.util.Arrays;
import org.tributary.globalarrays.distribution.Patch;

/** Blocks of successive shells: what a task has four of. Immutable. */
final class Blocks {
    private final Functions functions;
    private final int[] shells;

    private Blocks(Functions functions, int... shells) {
        this.functions = functions;
        this.shells = shells;
    }

    /** Blocks of at most so many functions, or of one shell that has more. */
    static Blocks of(Functions functions, int most) {
        int[] begins = new int[functions.shells() + 1];
        int blocks = 0;
        for (int shell = 1; shell <= functions.shells(); shell++) {
            if (shell == functions.shells()
                || functions.first(shell + 1) - functions.first(begins[blocks]) > most) {
                begins[++blocks] = shell;
            }
        }
        return new Blocks(functions, Arrays.copyOf(begins, blocks + 1));
    }

    /** A block of all functions. */
    static Blocks one(Functions functions) {
        return new Blocks(functions, 0, functions.shells());
    }

    int count() {
        return shells.length - 1;
    }

    /** The first shell of a block, or for the number of blocks that of shells. */
    int firstShell(int block) {
        return shells[block];
    }

    /** The first function of a block, or for the number of blocks that of functions. */
    int first(int block) {
        return functions.first(shells[block]);
    }

    int functions(int block) {
        return first(block + 1) - first(block);
    }

    int mostFunctions() {
        int most = 0;
        for (int block = 0; block < count(); block++) {
            most = Math.max(most, functions(block));
        }
        return most;
    }

    /** The part of a matrix over the functions of two blocks. */
    Patch patch(int rows, int columns) {
        return Patch.of(first(rows), first(rows + 1), first(columns), first(columns + 1));
    }

    /** Largest absolute value in each part of a matrix, row by row. */
    double[] largest(double[] matrix) {
        double[] largest = new double[count() * count()];
        int size = functions.count();
        for (int i = 0; i < count(); i++) {
            for (int j = 0; j < count(); j++) {
                double most = 0;
                for (int row = first(i); row < first(i + 1); row++) {
                    for (int column = first(j); column < first(j + 1); column++) {
                        most = Math.max(most, Math.abs(matrix[row * size + column]));
                    }
                }
                largest[i * count() + j] = most;
            }
        }
        return largest;
    }

    /** Largest bound of a pair of shells, in each pair of blocks (i, j) with j at most i. */
    double[] bounds(Pairs pairs) {
        double[] bounds = new double[(int) Triangle.count(count())];
        for (int i = 0; i < count(); i++) {
            for (int j = 0; j <= i; j++) {
                double most = 0;
                for (int a = shells[i]; a < shells[i + 1]; a++) {
                    for (int b = shells[j]; b < shells[j + 1] && b <= a; b++) {
                        most = Math.max(most, pairs.pair(a, b).bound());
                    }
                }
                bounds[(int) Triangle.number(i, j)] = most;
            }
        }
        return bounds;
    }
}

package org.tributary.miniapps.scf;

/** Numbers of pairs (i, j) with j at most i: row by row. */
final class Triangle {
    private static final int EIGHT = 8;

    private Triangle() {
    }

    /** How many pairs of {@code n} things there are, each with itself included. */
    static long count(long n) {
        return n * (n + 1) / 2;
    }

    static long number(long i, long j) {
        return count(i) + j;
    }

    /** The i of a number. */
    static long row(long number) {
        long row = (long) ((Math.sqrt((double) EIGHT * number + 1) - 1) / 2);
        while (count(row + 1) <= number) {
            row++; // the root was rounded
        }
        while (count(row) > number) {
            row--;
        }
        return row;
    }

    /** The j of a number. */
    static long column(long number) {
        return number - count(row(number));
    }
}

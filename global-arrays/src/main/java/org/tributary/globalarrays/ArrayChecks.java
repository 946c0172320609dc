package org.tributary.globalarrays;

import java.util.Arrays;
import org.tributary.client.Group;
import org.tributary.globalarrays.distribution.Distribution;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.wire.shape.ElementType;

/** Checks of what callers pass, with messages that name the array. */
final class ArrayChecks {
    private ArrayChecks() {
    }

    /** Properties of an array that decide whether one operation can take it together with another. */
    interface Checked {
        String name();

        ElementType type();

        long[] dims();

        Group group();
    }

    /** Checks that an index has the right number of dimensions and lies in the array. */
    static void index(String array, Distribution distribution, long... index) {
        dimensions(array, distribution, index.length);
        indices(array, distribution, index);
    }

    /** Checks a list of indices, one after the other; returns how many they are. */
    static int indices(String array, Distribution distribution, long... indices) {
        int dimensions = distribution.dimensions();
        if (indices.length % dimensions != 0) {
            throw new ArrayShapeException(array, indices.length + " index entries are no whole number of indices of "
                + dimensions + " dimensions");
        }
        for (int i = 0; i < indices.length; i++) {
            int d = i % dimensions;
            if (indices[i] < 0 || indices[i] >= distribution.dimension(d)) {
                throw new ArrayBoundsException(array, d, indices[i], indices[i] + 1, distribution.dimension(d));
            }
        }
        return indices.length / dimensions;
    }

    /** Checks that a patch has the right number of dimensions and lies in the array. */
    static void patch(String array, Distribution distribution, Patch patch) {
        dimensions(array, distribution, patch.dimensions());
        for (int d = 0; d < patch.dimensions(); d++) {
            if (patch.lo(d) < 0 || patch.hi(d) > distribution.dimension(d)) {
                throw new ArrayBoundsException(array, d, patch.lo(d), patch.hi(d), distribution.dimension(d));
            }
        }
    }

    private static void dimensions(String array, Distribution distribution, int given) {
        if (given != distribution.dimensions()) {
            throw new ArrayShapeException(array, "it has " + distribution.dimensions() + " dimensions, the argument "
                + given);
        }
    }

    /** Checks that another array is spread over the same ranks, and has the same element type and lengths. */
    static void conforms(Checked array, Checked other) {
        sameRanks(array, other);
        if (array.type() != other.type()) {
            throw new ArrayShapeException(array.name(), "its elements are of type " + array.type()
                + ", those of array '" + other.name() + "' of type " + other.type());
        }
        Patch whole = Patch.whole(array.dims());
        Patch otherWhole = Patch.whole(other.dims());
        if (!whole.equals(otherWhole)) {
            throw new ArrayShapeException(array.name(), "its shape is " + whole + ", that of array '" + other.name()
                + "' is " + otherWhole);
        }
    }

    /** Checks that an array has two dimensions. */
    static void matrix(Checked array) {
        if (array.dims().length != 2) {
            throw new ArrayShapeException(array.name(), "a matrix has 2 dimensions, it has " + array.dims().length);
        }
    }

    /** Shape and type of a matrix for messages. */
    static String describe(Checked matrix) {
        return matrix.dims()[0] + " x " + matrix.dims()[1] + " of type " + matrix.type();
    }

    /** Checks that a collective operation involves the same ranks by both arrays. */
    static void sameRanks(Checked array, Checked other) {
        if (!Arrays.equals(array.group().worldRanks(), other.group().worldRanks())) {
            throw new ArrayShapeException(array.name(), "its group is not that of array '" + other.name() + "'");
        }
    }
}

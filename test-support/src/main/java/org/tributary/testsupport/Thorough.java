package org.tributary.testsupport;

import java.util.stream.Stream;

/**
 * What the thorough build ({@code -Pthorough}) runs besides. The default build is to end soon, on two cores too.
 * So it leaves out rows of tables each part of which is in another row, with another layout, launcher or MPI.
 */
public final class Thorough {
    private Thorough() {
    }

    /** Whether this is the thorough build. */
    public static boolean isOn() {
        return Boolean.getBoolean("tributary.thorough");
    }

    /** These rows in the thorough build, none in the default one. */
    public static <T> Stream<T> only(Stream<T> rows) {
        return isOn() ? rows : Stream.empty();
    }
}

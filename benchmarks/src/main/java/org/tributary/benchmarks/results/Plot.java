package org.tributary.benchmarks.results;

import java.util.List;

/**
 * A plot of columns of a table.
 *
 * @param name        of its file, without {@code .svg}
 * @param title       above it
 * @param x           column of the horizontal axis
 * @param y           columns of the vertical axis, all in one unit: each is a line, or the only one with {@code series}
 * @param series      column whose values name the lines; null when columns of {@code y} do
 * @param logarithmic whether the vertical axis is
 */
public record Plot(String name, String title, String x, List<String> y, String series, Boolean logarithmic) {
    /** Of one column, with a line for each value of another. */
    public static Plot of(String name, String x, String y, String series, boolean logarithmic) {
        return new Plot(name, name, x, List.of(y), series, logarithmic);
    }

    String heading() {
        return title == null ? name : title;
    }
}

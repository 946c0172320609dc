package org.tributary.benchmarks.results;

/**
 * A column of a table.
 *
 * @param unit   of every number in it, {@code x} for a ratio; null for words
 * @param better {@code more} or {@code less} for a ratio to a peer or limit that can be beaten: says on which side of
 *               1 a win is; else null
 */
public record Column(String name, String unit, String better) {
    /** In nanoseconds. Pages choose the prefix that suits each value. */
    static final String NS = "ns";

    /** Words, or whether something holds. */
    public static Column words(String name) {
        return new Column(name, null, null);
    }

    /** Numbers. */
    public static Column of(String name, String unit) {
        return new Column(name, unit, null);
    }

    public static Column ratio(String name, String better) {
        return new Column(name, "x", better);
    }

    String heading() {
        return unit == null || unit.equals(NS) || unit.equals(name) ? name : name + ", " + unit;
    }
}

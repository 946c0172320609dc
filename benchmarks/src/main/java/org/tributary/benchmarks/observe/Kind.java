package org.tributary.benchmarks.observe;

/** Kinds of work, which ranks repeat for a given time. */
enum Kind {
    PUT("8-byte puts"), FETCH_AND_ADD("fetch-and-adds"), BARRIER("barriers of two ranks of a node"),
    JACOBI("runs of jacobi");

    private final String words;

    Kind(String words) {
        this.words = words;
    }

    @Override
    public String toString() {
        return words;
    }
}

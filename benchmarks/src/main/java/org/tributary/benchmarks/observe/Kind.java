package org.tributary.benchmarks.observe;

/** What is done again and again. */
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

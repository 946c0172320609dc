package org.tributary.benchmarks.observe;

/** Four jobs, one after another: between two that nobody watches, one by the page and one by a trace. */
record Round(Outcome first, Outcome page, Outcome trace, Outcome last) {
    static final int JOBS = 4;

    Outcome watched(Watching watching) {
        return switch (watching) {
            case NOT -> last;
            case BY_PAGE -> page;
            case BY_TRACE -> trace;
        };
    }

    /** Without a watcher, at about the time at which it was measured with one. */
    double perSecond(Kind kind) {
        return (first.of(kind) + last.of(kind)) / 2;
    }

    /** How much of the work is done beside that watcher; {@code NOT} compares the two that have none. */
    double ratio(Kind kind, Watching watching) {
        return watched(watching).of(kind) / (watching == Watching.NOT ? first.of(kind) : perSecond(kind));
    }
}

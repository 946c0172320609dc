package org.tributary.miniapps.md;

import java.util.List;
import java.util.Locale;

/** How a difference is held against the most that it may be. */
final class Limit {
    private Limit() {
    }

    /** Notes what differs by more than the limit; a number that is none does. */
    static void check(List<String> wrong, String what, double difference, double limit) {
        if (!(Math.abs(difference) <= limit)) {
            wrong.add(String.format(Locale.ROOT, "%s, limit %.1e", what, limit));
        }
    }
}

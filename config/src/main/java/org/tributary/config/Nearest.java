package org.tributary.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds the known name that a mistyped one was most likely meant to be. */
public final class Nearest {
    private Nearest() {
    }

    /** The candidate with the smallest edit distance, the alphabetically first of equals; empty without candidates. */
    public static Optional<String> of(String name, Collection<String> candidates) {
        String wanted = name.toLowerCase(Locale.ROOT);
        return candidates.stream().min(Comparator
            .comparingInt((String candidate) -> distance(wanted, candidate.toLowerCase(Locale.ROOT)))
            .thenComparing(Comparator.naturalOrder()));
    }

    /** The end of an error sentence about an unknown name: {@code "; the nearest known is 'x'"}, or nothing. */
    public static String hint(String name, Collection<String> candidates) {
        return of(name, candidates).map(nearest -> "; the nearest known is '" + nearest + "'").orElse("");
    }

    /** Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). */
    static int distance(String a, String b) {
        int[] beforePrevious = new int[b.length() + 1];
        int[] previous = new int[b.length() + 1];
        int[] current = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            current[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int substitution = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(substitution, Math.min(previous[j], current[j - 1]) + 1);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    current[j] = Math.min(current[j], beforePrevious[j - 2] + 1);
                }
            }
            int[] recycled = beforePrevious;
            beforePrevious = previous;
            previous = current;
            current = recycled;
        }
        return previous[b.length()];
    }
}

package org.tributary.launcher.job;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Ranks that left the job while others waited for them, as those say on standard error before they fail: their failure
 * is the consequence, and a message that names them alone would send the user to the wrong rank. Thread-safe.
 */
final class Leavers {
    private static final String WORDS = " has left the job while rank ";
    private static final Pattern LINE = Pattern.compile("rank (\\d+)" + WORDS + "(\\d+) waits for ");

    private final Map<Integer, Integer> leftByWaiting = new ConcurrentHashMap<>();

    /** Looks at every line that {@code rank} writes; all of them are for the user, too. */
    LinePump.LineTest listenTo(int rank) {
        return (buffer, offset, length) -> {
            if (length > WORDS.length()) {
                Matcher matcher = LINE.matcher(new String(buffer, offset, length, StandardCharsets.UTF_8));
                if (matcher.find() && number(matcher, 2) == rank) {
                    leftByWaiting.putIfAbsent(rank, number(matcher, 1));
                }
            }
            return false;
        };
    }

    /** The rank that left first: the one that {@code rank} waited for may itself have waited. -1 for none. */
    int causeOf(int rank) {
        int cause = -1;
        Integer left = leftByWaiting.get(rank);
        for (int steps = 0; left != null && steps <= leftByWaiting.size(); steps++) {
            cause = left;
            left = leftByWaiting.get(left);
        }
        return cause == rank ? -1 : cause;
    }

    private static int number(Matcher matcher, int group) {
        try {
            return Integer.parseInt(matcher.group(group));
        } catch (NumberFormatException e) {
            return -1; // no rank has so large a number
        }
    }
}

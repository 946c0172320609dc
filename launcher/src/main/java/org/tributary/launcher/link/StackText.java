package org.tributary.launcher.link;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Texts about stacks. A question is a limit in ns, then numbers of ranks. An answer has, for each of these ranks that
 * is there, a line with its number and that of its lines, then these.
 */
public final class StackText {
    /** The longest time for which a question keeps an agent busy. */
    static final long MOST_LIMIT_NS = TimeUnit.MINUTES.toNanos(1);

    private StackText() {
    }

    /** Asks for the stacks of these ranks. */
    public record Wanted(long limitNs, Set<Integer> ranks) {
    }

    public static String of(long limitNs, Collection<Integer> ranks) {
        return limitNs + ranks.stream().map(rank -> " " + rank).collect(Collectors.joining());
    }

    public static Wanted wanted(String text) {
        String[] words = text.split(" ");
        return new Wanted(Math.clamp(Long.parseLong(words[0]), 0, MOST_LIMIT_NS),
            Stream.of(words).skip(1).map(Integer::valueOf).collect(Collectors.toSet()));
    }

    public static String of(Map<Integer, List<String>> stacks) {
        StringBuilder text = new StringBuilder();
        stacks.forEach((rank, lines) -> {
            text.append(rank).append(' ').append(lines.size()).append('\n');
            lines.forEach(line -> text.append(line).append('\n'));
        });
        return text.toString();
    }

    /**
     * The stacks of an answer.
     *
     * @throws IllegalArgumentException when it is none
     */
    public static Map<Integer, List<String>> stacks(String text) {
        Map<Integer, List<String>> stacks = new HashMap<>();
        List<String> lines = text.lines().toList();
        for (int i = 0; i < lines.size();) {
            String[] head = lines.get(i++).split(" ");
            int count = head.length == 2 ? Integer.parseInt(head[1]) : -1;
            if (count < 0 || count > lines.size() - i) {
                throw new IllegalArgumentException("a text of stacks is cut off");
            }
            stacks.put(Integer.valueOf(head[0]), new ArrayList<>(lines.subList(i, i + count)));
            i += count;
        }
        return stacks;
    }
}

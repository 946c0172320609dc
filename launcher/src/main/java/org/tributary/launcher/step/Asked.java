package org.tributary.launcher.step;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.tributary.launcher.step.View.Range;
import org.tributary.wire.shm.WaitKind;
import org.tributary.wire.status.AwaitedCall;
import org.tributary.wire.status.JobStatus;
import org.tributary.wire.status.NodeDetails.Questions;
import org.tributary.wire.status.NodeStatus;
import org.tributary.wire.status.NodeStatus.Rank;
import org.tributary.wire.status.NodeStatus.Wait;
import org.tributary.wire.status.NodeText;

/**
 * Questions of a page for one step. As text it has a line for each part but the first:
 *
 * <pre>
 *   page NAME
 *   rank RANK
 *   call SEGMENT NUMBER
 *   view RANKS FROM TO FROM TO
 * </pre>
 *
 * <p>and then those of {@link NodeText} for the objects.
 *
 * @param page    who asks: what is new is counted for each page
 * @param objects that ranks wait for
 * @param ranks   for which others wait: they are told, whatever they do
 * @param calls   the first that is awaited in each group or window, by its segment ({@link AwaitedCall})
 * @param views   of who talks to whom
 */
public record Asked(String page, Questions objects, Set<Integer> ranks, Map<Long, Long> calls, Set<View> views) {
    /** Ranks, calls, objects of one kind, or views. */
    static final int MOST = 128;
    private static final int MOST_NAME = 64;

    public Asked {
        ranks = Set.copyOf(ranks);
        calls = Map.copyOf(calls);
        views = Set.copyOf(views);
    }

    /** Questions of a page that has not seen anything yet. */
    public static Asked first(String page) {
        return new Asked(page, new Questions(Set.of(), Set.of(), Set.of()), Set.of(), Map.of(), Set.of(View.ALL));
    }

    /** Questions about others whose answers tell for whom these ranks wait. */
    public static Asked of(String page, Collection<Rank> waiting, Set<View> views) {
        Set<Integer> ranks = new HashSet<>();
        Map<Long, Long> calls = new HashMap<>();
        for (Rank rank : waiting) {
            for (Wait wait : rank.waits()) {
                if (wait.kind().peer() == WaitKind.Peer.RANK && wait.peer() >= 0 && ranks.size() < MOST) {
                    ranks.add(wait.peer());
                }
                AwaitedCall call = AwaitedCall.of(wait);
                if (call != null && (calls.size() < MOST || calls.containsKey(call.segment()))) {
                    calls.merge(call.segment(), call.number(), Math::min);
                }
            }
        }
        return new Asked(page, JobStatus.questions(List.of(new NodeStatus("", 0, "", 0, 0, 0, 0, null,
            List.copyOf(waiting)))), ranks, calls, views);
    }

    /** Lines that {@link #of(String)} reads: a word for their kind, then numbers; last those of {@link NodeText}. */
    public String text() {
        return "page " + page + "\n"
            + ranks.stream().map(rank -> "rank " + rank + "\n").collect(Collectors.joining())
            + calls.entrySet().stream().map(call -> "call " + call.getKey() + " " + call.getValue() + "\n")
                .collect(Collectors.joining())
            + views.stream().map(view -> "view " + view.ranks() + " " + words(view.rows()) + " "
                + words(view.columns()) + "\n").collect(Collectors.joining())
            + NodeText.of(objects);
    }

    private static String words(Range range) {
        return range.from() + " " + range.to();
    }

    /**
     * Reads questions as {@link #text} writes them.
     *
     * @throws IllegalArgumentException when it asks nothing, or too much
     */
    public static Asked of(String text) {
        String page = "";
        Set<Integer> ranks = new HashSet<>();
        Map<Long, Long> calls = new HashMap<>();
        Set<View> views = new HashSet<>();
        List<String> objects = new ArrayList<>();
        try {
            for (String line : text.lines().toList()) {
                String[] words = line.split(" ");
                switch (words[0]) {
                    case "page" -> page = words[1];
                    case "rank" -> ranks.add(Integer.parseInt(words[1]));
                    case "call" -> calls.put(Long.parseLong(words[1]), Long.parseLong(words[2]));
                    case "view" -> views.add(new View(Boolean.parseBoolean(words[1]), range(words[2], words[3]),
                        range(words[4], words[5])));
                    default -> objects.add(line);
                }
            }
        } catch (IndexOutOfBoundsException e) {
            throw new IllegalArgumentException("the question of a page is cut off: " + e.getMessage(), e);
        }
        if (page.length() > MOST_NAME || ranks.size() > MOST || views.size() > MOST || calls.size() > MOST) {
            throw new IllegalArgumentException("a page asks for " + ranks.size() + " ranks, " + calls.size()
                + " calls and " + views.size() + " views at once; the most is " + MOST);
        }
        return new Asked(page, NodeText.questions(String.join("\n", objects)), ranks, calls, views);
    }

    private static Range range(String from, String to) {
        return new Range(Integer.parseInt(from), Integer.parseInt(to));
    }
}

package org.tributary.launcher.link;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Answer of an agent to an inquiry for some nodes: to a snapshot of a large job for itself and those behind it.
 *
 * @param number   of the inquiry
 * @param nodes    for which it speaks
 * @param text     the answer, or the {@link org.tributary.launcher.step.Digest} of those that have answered in base 64;
 *                 nothing when none has
 * @param problems of some of the others, by node
 * @param more     others that have not answered
 */
public record Summed(int number, Fan.Range nodes, Optional<String> text, Map<Integer, String> problems, int more) {
    /** Nodes whose problems are told one by one. */
    public static final int MOST_PROBLEMS = 16;

    public Summed {
        problems = Map.copyOf(problems);
    }

    /** The answer of one node for itself. */
    public static Summed of(Answer answer, int node) {
        return new Summed(answer.number(), new Fan.Range(node, 1),
            answer.isKnown() ? Optional.of(answer.text()) : Optional.empty(),
            answer.isKnown() ? Map.of() : Map.of(node, answer.text()), 0);
    }

    /** With one for those that have none of their own. */
    public Map<Integer, String> allProblems() {
        Map<Integer, String> all = new TreeMap<>(problems);
        if (more > 0) {
            all.merge(nodes.first(), "nothing is known of " + more + " more nodes behind it",
                (own, others) -> own + "; " + others);
        }
        return all;
    }

    /** An agent tells of the nodes behind it only. */
    public Summed checked(Fan.Range behind) throws IOException {
        if (!nodes.equals(behind) || !problems.keySet().stream().allMatch(behind::has) || more < 0
            || problems.size() + (long) more > behind.count() || problems.size() > MOST_PROBLEMS) {
            throw new IOException("speaks for nodes " + nodes.first() + " and " + (nodes.count() - 1L)
                + " more; behind it are " + behind.first() + " and " + (behind.count() - 1) + " more");
        }
        return this;
    }
}

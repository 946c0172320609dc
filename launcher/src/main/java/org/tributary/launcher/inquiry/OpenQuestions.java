package org.tributary.launcher.inquiry;

import java.util.HashMap;
import java.util.Map;
import org.tributary.launcher.link.Question;

/**
 * Open questions to each agent, limited in number: while an agent stands still, it and those on the way to it would
 * keep all of them. Thread-safe.
 */
final class OpenQuestions {
    /** Of one agent, besides a snapshot. */
    static final int MOST = 8;

    /** By node and number of the question. */
    private final Map<Integer, Map<Integer, Question>> open = new HashMap<>();

    /** Whether a node may be asked one more; it counts from now on. */
    synchronized boolean add(int node, int number, Question question) {
        Map<Integer, Question> ofNode = open.computeIfAbsent(node, asked -> new HashMap<>());
        long snapshots = ofNode.values().stream().filter(Question.SNAPSHOT::equals).count();
        if (question == Question.SNAPSHOT ? snapshots > 0 : ofNode.size() - snapshots >= MOST) {
            return false;
        }
        ofNode.put(number, question);
        return true;
    }

    synchronized void answered(int node, int number) {
        Map<Integer, Question> ofNode = open.get(node);
        if (ofNode != null) {
            ofNode.remove(number);
        }
    }

    /** That question is answered, and earlier ones for a snapshot are no longer waited for. */
    synchronized void answeredUpTo(int node, int number) {
        Map<Integer, Question> ofNode = open.get(node);
        if (ofNode != null) {
            ofNode.entrySet().removeIf(asked -> asked.getKey() == number
                || asked.getKey() - number < 0 && asked.getValue() == Question.SNAPSHOT);
        }
    }

    /** An agent has just begun, and dropped what came before. */
    synchronized void forget(int node) {
        open.remove(node);
    }
}

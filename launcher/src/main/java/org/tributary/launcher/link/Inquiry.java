package org.tributary.launcher.link;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A question to the agents of a job.
 *
 * @param nodes   whose agents are asked; empty for all
 * @param limitNs how long their answers are waited for
 */
public record Inquiry(Question question, String text, List<Integer> nodes, long limitNs) {
    public Inquiry {
        nodes = List.copyOf(nodes);
    }

    /**
     * Answers of the agents.
     *
     * @param texts    by node
     * @param problems of those that have said nothing else, one a line
     */
    public record Answers(Map<Integer, String> texts, List<String> problems) {
    }

    /** Takes what the agent of a node says, as soon as it is there, on the thread that asks. */
    public interface Taker {
        void take(int node, String text) throws IOException;
    }

    /** Asks them, from any thread. */
    public interface Asking {
        /** Returns the problems of those that have said nothing, one a line. */
        List<String> ask(Inquiry inquiry, Taker taker) throws IOException, InterruptedException;

        /** All answers together, for those that are short. */
        default Answers ask(Inquiry inquiry) throws IOException, InterruptedException {
            Map<Integer, String> texts = new HashMap<>();
            List<String> problems = ask(inquiry, texts::put);
            return new Answers(texts, problems);
        }
    }
}

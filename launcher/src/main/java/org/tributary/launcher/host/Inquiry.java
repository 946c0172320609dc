package org.tributary.launcher.host;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * A question to the agents of a job.
 *
 * @param nodes   whose agents are asked; empty for all
 * @param limitNs how long their answers are waited for
 */
record Inquiry(Question question, String text, List<Integer> nodes, long limitNs) {
    Inquiry {
        nodes = List.copyOf(nodes);
    }

    /**
     * What they say.
     *
     * @param texts    by node
     * @param problems of those that have said nothing else, one a line
     */
    record Answers(Map<Integer, String> texts, List<String> problems) {
    }

    /** Asks them, from any thread. */
    interface Asking {
        Answers ask(Inquiry inquiry) throws IOException, InterruptedException;
    }
}

package org.tributary.launcher.status;

import java.util.List;
import org.tributary.launcher.step.Digest;
import org.tributary.wire.status.NodeSnapshot;

/**
 * The nodes of a job at one moment, as far as they can be read.
 *
 * @param nodes    that are told one by one
 * @param digests  of all others
 * @param problems of those that are not told, one a line
 */
public record JobStep(List<NodeSnapshot> nodes, List<Digest> digests, List<String> problems) {
    public JobStep {
        nodes = List.copyOf(nodes);
        digests = List.copyOf(digests);
        problems = List.copyOf(problems);
    }
}

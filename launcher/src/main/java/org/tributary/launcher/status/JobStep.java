package org.tributary.launcher.status;

import java.util.List;
import org.tributary.wire.status.NodeSnapshot;

/**
 * The nodes of a job at one moment, as far as they can be read.
 *
 * @param problems of the others, one a line
 */
public record JobStep(List<NodeSnapshot> nodes, List<String> problems) {
    public JobStep {
        nodes = List.copyOf(nodes);
        problems = List.copyOf(problems);
    }
}

package org.tributary.globalarrays;

import java.util.function.Consumer;
import org.tributary.client.Gas;
import org.tributary.client.testing.TestJob;
import org.tributary.config.Topology;

/** The jobs that every behaviour is tested on: both paths at once, shared memory alone, messages alone. */
enum JobShape {
    TWO_NODES_OF_TWO(2, 2), ONE_NODE_OF_FOUR(1, 4), THREE_NODES_OF_ONE(3, 1);

    private final int nodes;
    private final int ranksPerNode;

    JobShape(int nodes, int ranksPerNode) {
        this.nodes = nodes;
        this.ranksPerNode = ranksPerNode;
    }

    /** Runs a program on every rank of a new job; fails when any rank does. */
    void run(Consumer<Gas> program) {
        try (TestJob job = TestJob.start(Topology.uniform(nodes, ranksPerNode))) {
            job.run(program::accept);
        }
    }
}

package org.tributary.server;

import java.io.IOException;
import org.tributary.config.Topology;
import org.tributary.server.memory.SegmentWorker;
import org.tributary.server.testing.TestServers;

/** Servers that reserve memory in a way of the test's own. */
final class SlowServers {
    private SlowServers() {
    }

    static TestServers start(Topology topology, SegmentWorker.Reserving reserving) throws IOException {
        return TestServers.start(topology, (job, settings) -> CommunicationServer.start(job, settings, reserving),
            "job.grace=0");
    }
}

package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.Topology;
import org.tributary.server.CommunicationServer.Termination;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.TestServers;

/** The end of a job of so many servers that they form three layers of a tree. */
class ManyServersTest {
    private static final int NODES = 20;
    private static final String[] SETTINGS = {"job.grace=10min", "collective.chunk=64", "server.receive-buffer=4k"};

    private static TestServers start() throws IOException {
        int[] ranks = new int[NODES];
        Arrays.fill(ranks, 1);
        return TestServers.start(Topology.of(ranks), SETTINGS);
    }

    @Test
    void shouldEndTogetherWhenEveryRankHasLeft() throws IOException {
        try (TestServers job = start()) {
            for (int rank = NODES - 1; rank >= 0; rank--) {
                try (RawClient client = job.rank(rank)) {
                    client.send(Requests.goodbye(rank));
                }
            }
            for (int node = 0; node < NODES; node++) {
                assertEquals(new Termination(true, "every rank has left"), job.termination(node));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, NODES - 1})
    void shouldTellAllOthersWhenServerIsGone(int gone) throws IOException {
        try (TestServers job = start()) {
            job.server(gone).close();
            for (int node = 0; node < NODES; node++) {
                if (node != gone) {
                    Termination end = job.termination(node);
                    assertTrue(end.reason().startsWith("the communication server of node " + gone + " is gone"),
                        end::reason);
                }
            }
        }
    }

    @Test
    void shouldTellAllOthersWhenEveryServerAbortsAtOnce() throws IOException {
        try (TestServers job = start()) {
            for (int node = NODES - 1; node >= 0; node--) {
                job.server(node).abort("node " + node + " fails");
            }
            for (int node = 0; node < NODES; node++) {
                assertTrue(job.termination(node).reason().matches("node \\d+ fails"));
            }
        }
    }
}

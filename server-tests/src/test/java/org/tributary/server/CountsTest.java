package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.tributary.config.Topology;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.TestServers;
import org.tributary.wire.Deadline;
import org.tributary.wire.codec.AtomicOp;
import org.tributary.wire.shm.CountsFile;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.status.ServerCounts;
import org.tributary.wire.status.ServerCounts.Count;
import org.tributary.wire.status.ServerCounts.Pair;
import org.tributary.wire.status.ServerGauge;
import org.tributary.wire.status.ServerOperation;

/** What a server tells observers outside of it. */
class CountsTest {
    /** What a server tells as soon as it meets the condition. */
    static ServerCounts await(Path directory, Predicate<ServerCounts> condition) throws IOException {
        Deadline deadline = Deadline.in(TimeUnit.SECONDS.toNanos(250));
        ServerCounts counts = ServerCounts.NONE;
        while (!deadline.isOver() && !condition.test(counts)) {
            LockSupport.parkNanos(10_000_000);
            ByteBuffer told = CountsFile.read(new NodeDirectory(directory).counts());
            counts = ServerCounts.decode(told);
        }
        return counts;
    }

    @Test
    void shouldTellWhoAskedForWhatWhenRequestsWereExecuted() throws IOException {
        try (TestServers job = TestServers.start(Topology.of(2)); RawClient zero = job.rank(0);
            RawClient one = job.rank(1)) {
            zero.done(Requests.allocate(1, 5, 0, 0, 100));
            zero.fenced(Requests.put(5, 0, 0, 0, new byte[60]), Requests.put(5, 0, 0, 0, new byte[40]));
            one.ask(Requests.get(2, 5, 0, 0, 30));
            one.ask(Requests.atomic(3, 5, 0, 8, AtomicOp.FETCH_AND_ADD, 8, 1, 0));
            ServerCounts counts = await(job.server(0).directory(), told -> told.pairs().size() == 2
                && told.operations().get(ServerOperation.ATOMIC.ordinal()).requests() == 1);
            assertEquals(List.of(new Pair(0, 0, 2, 100), new Pair(1, 0, 2, 38)),
                counts.pairs().stream().sorted((a, b) -> a.requester() - b.requester()).toList());
            assertEquals(new Count(2, 100), counts.operations().get(ServerOperation.PUT.ordinal()));
            assertEquals(new Count(1, 0), counts.operations().get(ServerOperation.FENCE.ordinal()));
            assertEquals(2, counts.gauge(ServerGauge.SEGMENTS)); // with the inboxes of all ranks
            assertEquals(2, counts.gauge(ServerGauge.CONNECTIONS));
            assertTrue(counts.gauge(ServerGauge.SEGMENT_BYTES) > 0);
            assertEquals(0, counts.gauge(ServerGauge.CREDIT_BYTES), "nodes do not cooperate");
            ServerCounts later = await(job.server(0).directory(), told -> told.atNs() > counts.atNs());
            assertEquals(new ServerCounts(later.atNs(), counts.operations(), counts.gauges(), counts.pairs()), later);
        }
    }
}

package org.tributary.server.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.server.io.ReceiveBuffer;
import org.tributary.server.io.ServerIo;
import org.tributary.server.job.JobLife;
import org.tributary.server.job.Neighbours;
import org.tributary.server.memory.NodeMemory;
import org.tributary.server.memory.SegmentRegistry;
import org.tributary.server.observe.GuardedTasks;
import org.tributary.server.observe.ServerLog;
import org.tributary.server.observe.ServerMetrics;
import org.tributary.testsupport.ExpectsErrors;
import org.tributary.wire.Membership;
import org.tributary.wire.shm.ControlFile;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.shm.Presence;

/** A connection that has proved itself and cannot be served, as when there is no memory for it. */
class FailedConnectionTest {
    private final Arena arena = Arena.ofShared();
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private SegmentRegistry segments;
    private Presence presence;
    private Connections connections;
    private JobLife life;

    @TempDir
    private Path shm;

    @BeforeEach
    void start() throws IOException {
        JobEnvironment job = JobEnvironment.builder().jobId("failed").topology(Topology.of(1)).node(0)
            .secret("0123456789abcdef".getBytes(StandardCharsets.UTF_8)).servers(List.of("127.0.0.1:1")).build();
        Settings settings = Settings.defaults();
        NodeDirectory directory = NodeDirectory.of(shm, "failed", 0);
        Files.createDirectory(directory.path());
        ControlFile control = ControlFile.create(directory.control(), arena, job.topology(), 0, 1);
        presence = control.present(ControlFile.SERVER_TOKEN);
        segments = new SegmentRegistry(directory, job.topology(), 0);
        ServerMetrics metrics = new ServerMetrics(0);
        ServerLog log = new ServerLog(0);
        NodeMemory memory = new NodeMemory(job, settings, control, presence, segments, metrics, log,
            channel.eventLoop(), failure -> life.failed(failure));
        life = new JobLife(job, memory, log, new Neighbours(job, settings, Membership.of(job, settings),
            channel.eventLoop()), new NoDepartures(), channel.eventLoop(), 0, 0);
        connections = new Connections(job, settings, Membership.of(job, settings), memory, ServerIo.of(0,
            new ServerIo.Totals(1), settings, arena, new GuardedTasks(channel.eventLoop(), life::failed), null, metrics,
            log, memory.heldUp()), life, null, null, null);
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
        segments.close();
        presence.close();
        arena.close();
    }

    /** Without the handler of a stranger from which it is to take over. */
    @Test
    @ExpectsErrors("closed unadmitted connection from embedded after an internal error")
    void shouldCloseAConnectionWhenItCannotBeServed() {
        channel.pipeline().addLast(new ConnectionHandler(connections, new ReceiveBuffer(1 << 16, arena), null, null));
        channel.runPendingTasks();
        channel.checkException();
        assertFalse(channel.isOpen());
        assertEquals(Set.of(), connections.members());
    }

    private static final class NoDepartures implements JobLife.Departures {
        @Override
        public void rankGone(int rank) {
            // nobody waits
        }

        @Override
        public void allLeft() {
            // nobody else is there
        }
    }
}

package org.tributary.server.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.server.memory.NodeMemory;
import org.tributary.server.memory.SegmentRegistry;
import org.tributary.server.observe.ServerLog;
import org.tributary.server.observe.ServerMetrics;
import org.tributary.wire.Membership;
import org.tributary.wire.codec.Role;
import org.tributary.wire.shm.ControlFile;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.shm.Presence;

/** A server whose ranks do not all come, on an event loop whose clock stands still until it is moved. */
class AttachTimeoutTest {
    private static final long TIMEOUT_S = 30;
    private static final long LOOK_MS = 100;

    private final Arena arena = Arena.ofShared();
    private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
    private SegmentRegistry segments;
    private JobLife life;
    private Presence presence;

    @TempDir
    private Path shm;

    @AfterEach
    void close() {
        segments.close();
        presence.close();
        arena.close();
        channel.finishAndReleaseAll();
    }

    private void start(int ranks) throws IOException {
        JobEnvironment job = JobEnvironment.builder().jobId("late").topology(Topology.of(ranks)).node(0)
            .secret("0123456789abcdef".getBytes(StandardCharsets.UTF_8)).servers(List.of("127.0.0.1:1")).build();
        NodeDirectory directory = NodeDirectory.of(shm, "late", 0);
        Files.createDirectory(directory.path());
        ControlFile control = ControlFile.create(directory.control(), arena, job.topology(), 0, 1);
        presence = control.present(ControlFile.SERVER_TOKEN);
        segments = new SegmentRegistry(directory, job.topology(), 0);
        channel.freezeTime();
        NodeMemory memory = new NodeMemory(job, Settings.defaults(), control, presence, segments,
            new ServerMetrics(0), new ServerLog(0), channel.eventLoop(), failure -> life.failed(failure));
        life = new JobLife(job, memory, new ServerLog(0), new Neighbours(job, Settings.defaults(),
            Membership.of(job, Settings.defaults()), channel.eventLoop()), new NoDepartures(), channel.eventLoop(), 0,
            0);
        life.expectRanks(TimeUnit.SECONDS.toNanos(TIMEOUT_S));
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

    /** A rank's connection. */
    private static final class Attached implements Member {
        private final ChannelHandlerContext context;
        private final Role role;
        private final int rank;
        private boolean left;

        Attached(ChannelHandlerContext context, Role role, int rank) {
            this.context = context;
            this.role = role;
            this.rank = rank;
        }

        @Override
        public ChannelHandlerContext context() {
            return context;
        }

        @Override
        public Role role() {
            return role;
        }

        @Override
        public int rank() {
            return rank;
        }

        @Override
        public long pid() {
            return 4711;
        }

        @Override
        public boolean isOfServer() {
            return false;
        }

        @Override
        public boolean isOfRemoteRank() {
            return false;
        }

        @Override
        public boolean isAdmitted() {
            return true;
        }

        @Override
        public void markLeft() {
            left = true;
        }

        @Override
        public boolean hasLeft() {
            return left;
        }

        @Override
        public String problem() {
            return null;
        }
    }

    private Member attach(int rank) {
        return attach(rank, Role.LOCAL_RANK);
    }

    private Member attach(int rank, Role role) {
        Member member = new Attached(channel.pipeline().firstContext(), role, rank);
        life.joined(member);
        return member;
    }

    /** The server runs, and looks at the clock. */
    private void passTime(long time, TimeUnit unit) {
        for (long leftMs = unit.toMillis(time); leftMs > 0; leftMs -= LOOK_MS) {
            jump(Math.min(leftMs, LOOK_MS), TimeUnit.MILLISECONDS);
        }
    }

    /** The server does not run. */
    private void jump(long time, TimeUnit unit) {
        channel.advanceTimeBy(time, unit);
        channel.runPendingTasks();
    }

    private String reason() {
        assertTrue(life.termination().isDone());
        JobLife.End end = life.termination().join();
        assertFalse(end.clean());
        return end.reason();
    }

    @Test
    void shouldNameTheRankWhenOneHasNotAttachedInTime() throws IOException {
        start(3);
        attach(0);
        attach(2);
        passTime(TimeUnit.SECONDS.toMillis(TIMEOUT_S) - 1, TimeUnit.MILLISECONDS);
        assertFalse(life.termination().isDone());
        passTime(1, TimeUnit.MILLISECONDS);
        assertEquals("rank 1 has not attached to node 0 within 30.0 s of the start of its server;"
            + " start all ranks, or raise attach.timeout", reason());
    }

    @Test
    void shouldGiveRanksTheirTimeWhenServerDidNotRun() throws IOException {
        start(2);
        attach(0);
        passTime(1, TimeUnit.SECONDS);
        jump(10 * TIMEOUT_S, TimeUnit.SECONDS);
        passTime(TIMEOUT_S - 2, TimeUnit.SECONDS);
        assertFalse(life.termination().isDone());
        passTime(1, TimeUnit.SECONDS);
        assertTrue(reason().startsWith("rank 1 has not attached"), reason());
    }

    @Test
    void shouldNameTheFirstWhenManyHaveNotAttached() throws IOException {
        start(12);
        attach(1);
        attach(3);
        passTime(TIMEOUT_S, TimeUnit.SECONDS);
        assertEquals("10 ranks have not attached to node 0 within 30.0 s of the start of its server:"
            + " 0, 2, 4, 5, 6, 7, 8, 9, …; start all ranks, or raise attach.timeout", reason());
    }

    @Test
    void shouldTellThoseWhoHaveAttachedWhenOneHasNot() throws IOException {
        start(2);
        attach(0);
        attach(0, Role.LIFELINE);
        passTime(TIMEOUT_S, TimeUnit.SECONDS);
        ByteBuf abort = channel.readOutbound();
        assertTrue(abort.toString(StandardCharsets.UTF_8).contains("rank 1 has not attached"), "no reason in it");
        abort.release();
    }

    @Test
    void shouldRunOnWhenAllHaveAttachedEvenIfOneHasLeft() throws IOException {
        start(2);
        life.goodbye(attach(0));
        attach(1);
        passTime(10 * TIMEOUT_S, TimeUnit.SECONDS);
        assertFalse(life.termination().isDone());
    }
}

package org.tributary.server.job;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntConsumer;
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

/** The life of a job of one node without a server, on an event loop whose clock stands still until it is moved. */
final class StillLife implements AutoCloseable {
    private final Arena arena = Arena.ofShared();
    private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
    private final SegmentRegistry segments;
    private final Presence presence;
    private final JobLife life;

    /** Of so many ranks; {@code rankGone} is told of each that leaves or dies. */
    StillLife(Path shm, int ranks, IntConsumer rankGone) throws IOException {
        JobEnvironment job = JobEnvironment.builder().jobId("still").topology(Topology.of(ranks)).node(0)
            .secret("0123456789abcdef".getBytes(StandardCharsets.UTF_8)).servers(List.of("127.0.0.1:1")).build();
        NodeDirectory directory = NodeDirectory.of(shm, "still", 0);
        Files.createDirectory(directory.path());
        ControlFile control = ControlFile.create(directory.control(), arena, job.topology(), 0, 1);
        presence = control.present(ControlFile.SERVER_TOKEN);
        segments = new SegmentRegistry(directory, job.topology(), 0);
        channel.freezeTime();
        NodeMemory memory = new NodeMemory(job, Settings.defaults(), control, presence, segments,
            new ServerMetrics(0), new ServerLog(0), channel.eventLoop(), failure -> life().failed(failure));
        life = new JobLife(job, memory, new ServerLog(0), new Neighbours(job, Settings.defaults(),
            Membership.of(job, Settings.defaults()), channel.eventLoop()), new Departures(rankGone),
            channel.eventLoop(), 0, 0);
    }

    JobLife life() {
        return life;
    }

    EmbeddedChannel channel() {
        return channel;
    }

    /** A connection of a rank that has joined. */
    Member attach(int rank, Role role) {
        return attach(rank, role, channel.pipeline().firstContext());
    }

    /** The same, on a channel. */
    Member attach(int rank, Role role, ChannelHandlerContext context) {
        Member member = new Attached(context, role, rank);
        life.joined(member);
        return member;
    }

    @Override
    public void close() {
        segments.close();
        presence.close();
        arena.close();
        channel.finishAndReleaseAll();
    }

    private record Departures(IntConsumer gone) implements JobLife.Departures {
        @Override
        public void rankGone(int rank) {
            gone.accept(rank);
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
}

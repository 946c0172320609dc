package org.tributary.server.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.server.io.ServerIo;
import org.tributary.server.job.JobLife;
import org.tributary.server.observe.ServerLog;
import org.tributary.wire.Membership;

/** Channels to servers whose names are looked up while this server ends. */
class PeerChannelsTest {
    private static final long DEADLINE_S = 200;

    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();

    private static PeerChannels channels(EventLoop loop, String peer) {
        JobEnvironment job = JobEnvironment.builder().jobId("peers").topology(Topology.of(1, 1)).node(0)
            .secret("0123456789abcdef".getBytes(StandardCharsets.UTF_8)).servers(List.of("127.0.0.1:1", peer)).build();
        ServerLog log = new ServerLog(0);
        return new PeerChannels(job, Settings.defaults(), Membership.of(job, Settings.defaults()),
            new ServerIo(null, null, null, null, log, null, null, null, null, null),
            new JobLife(job, null, log, null, null, loop, 0, 0), loop, null, null);
    }

    /** An exception that nobody catches ends the process, which may still have to remove its directory. */
    @Test
    void shouldThrowNothingWhenTheLoopHasEndedBeforeANameIsKnown() throws Exception {
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        loops.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
        Handler listener = new Handler() {
            @Override
            public void publish(LogRecord record) {
                said.add(record.getMessage());
            }

            @Override
            public void flush() {
                // nothing is kept back
            }

            @Override
            public void close() {
                // there is nothing to close
            }
        };
        Logger logger = Logger.getLogger(ServerLog.class.getPackageName());
        Level before = logger.getLevel();
        Thread.UncaughtExceptionHandler other = Thread.getDefaultUncaughtExceptionHandler();
        logger.setLevel(Level.FINE);
        logger.addHandler(listener);
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> said.add(failure.toString()));
        try {
            for (String peer : List.of("127.0.0.1:2", "server.invalid:2")) {
                channels(loops.next(), peer).connect(1, null);
                String first = said.poll(DEADLINE_S, TimeUnit.SECONDS);
                assertEquals("communication server of node 0: connects to nobody any more", first);
            }
            assertTrue(said.isEmpty(), said::toString);
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(other);
            logger.removeHandler(listener);
            logger.setLevel(before);
        }
    }
}

package org.tributary.server.relay;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollSocketChannel;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.agrona.collections.Int2ObjectHashMap;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Shortage;
import org.tributary.server.io.ReceiveBuffer;
import org.tributary.server.io.ServerIo;
import org.tributary.server.io.SpinThenBlock;
import org.tributary.server.job.JobLife;
import org.tributary.server.observe.GuardedTasks;
import org.tributary.wire.Deadline;
import org.tributary.wire.Frames;
import org.tributary.wire.Membership;
import org.tributary.wire.ServerAddress;

/**
 * The channels that this server has opened to others, each at first use: requests go out on them, answers come back.
 * Owned by the event loop.
 */
public final class PeerChannels {
    private static final int FIRST_RETRY_MS = 5;
    private static final int LAST_RETRY_MS = 250;

    private final PeerChannel.Shared shared;
    private final JobEnvironment job;
    private final JobLife life;
    private final Settings settings;
    private final EventLoop loop;
    private final GuardedTasks tasks;
    private final Int2ObjectHashMap<PeerChannel> channels = new Int2ObjectHashMap<>();
    private final BitSet gone = new BitSet();
    private Runnable makeRoom = () -> { };

    public PeerChannels(JobEnvironment job, Settings settings, Membership membership, ServerIo io, JobLife life,
        EventLoop loop, ReceiveBuffer receiveBuffer, SpinThenBlock waiting) {
        this.shared = new PeerChannel.Shared(job, settings, membership, io, life, receiveBuffer, waiting);
        this.job = job;
        this.life = life;
        this.settings = settings;
        this.loop = loop;
        this.tasks = new GuardedTasks(loop, life::failed);
    }

    /** {@code room}: has connections of strangers closed, for another attempt to connect. Before the first. */
    public void onShortageOfFiles(Runnable room) {
        makeRoom = room;
    }

    /** The channel to a peer, which is open. */
    PeerChannel channelTo(int peer) {
        return channels.get(peer);
    }

    int openCount() {
        return channels.size();
    }

    /** Opens the channel to a peer, whose address or server may still have to come. */
    void connect(int peer, PeerChannel.Listener listener) {
        connect(peer, listener, Deadline.in(settings.attachTimeoutNs()), FIRST_RETRY_MS);
    }

    private void connect(int peer, PeerChannel.Listener listener, Deadline deadline, int pauseMs) {
        // Reading the list of servers and resolving names may take a while: not on the event loop.
        Thread.ofVirtual().name("address-of-node-" + peer).start(() -> {
            Attempt unknown = new Attempt(peer, listener, deadline, pauseMs, List.of(), System.nanoTime());
            try {
                List<String> servers = job.servers();
                if (peer >= servers.size()) {
                    throw new IllegalStateException("its address is not known");
                }
                Attempt attempt = unknown.at(ServerAddress.all(servers.get(peer)));
                onLoop(() -> connect(attempt));
            } catch (UnknownHostException e) {
                onLoop(() -> failed(unknown, "its address cannot be resolved: " + e.getMessage()));
            } catch (RuntimeException | Error e) {
                onLoop(() -> failed(unknown, e, e.toString()));
            }
        });
    }

    private void onLoop(Runnable work) {
        try {
            tasks.execute(work);
        } catch (RejectedExecutionException e) {
            shared.io().log().ended("connects to nobody any more"); // the loop has ended, while a name was looked up
        }
    }

    /** A name may stand for several addresses, not all of which can be reached from here: the first one is next. */
    private record Attempt(int peer, PeerChannel.Listener listener, Deadline deadline, int pauseMs,
        List<InetSocketAddress> addresses, long beganNs) {
        private Attempt at(List<InetSocketAddress> found) {
            return new Attempt(peer, listener, deadline, pauseMs, found, beganNs);
        }

        private Attempt atNext() {
            List<InetSocketAddress> next = new ArrayList<>(addresses);
            Collections.rotate(next, -1);
            return new Attempt(peer, listener, deadline, nextPauseMs(), next, System.nanoTime());
        }

        /** Less and less often, so that a busy server is not kept busy by that. */
        private int nextPauseMs() {
            return Math.min(2 * pauseMs, LAST_RETRY_MS);
        }
    }

    private void connect(Attempt attempt) {
        if (life.isOver()) {
            return;
        }
        PeerChannel channel = new PeerChannel(shared, attempt.listener(), attempt.peer(),
            opened -> channels.put(attempt.peer(), opened), why -> failed(attempt, why));
        Bootstrap bootstrap = new Bootstrap().group(loop).channel(EpollSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, timeoutMs(attempt))
            .handler(channel);
        if (settings.socketBuffer() > 0) {
            bootstrap.option(ChannelOption.SO_RCVBUF, settings.socketBuffer())
                .option(ChannelOption.SO_SNDBUF, settings.socketBuffer());
        }
        ChannelFuture connected = bootstrap.connect(attempt.addresses().getFirst());
        connected.addListener(done -> tasks.task(() -> {
            if (!done.isSuccess()) {
                failed(attempt, done.cause(), done.cause().getMessage());
            }
        }).run());
    }

    /** An attempt ends with the time for all of them. */
    private int timeoutMs(Attempt attempt) {
        long leftNs = Math.min(settings.connectTimeoutNs(), attempt.deadline().leftNs());
        return (int) Math.clamp(TimeUnit.NANOSECONDS.toMillis(leftNs), 1, TimeUnit.HOURS.toMillis(1));
    }

    private void failed(Attempt attempt, Throwable cause, String problem) {
        if (Shortage.of(cause) == Shortage.FILES) {
            makeRoom.run();
        }
        failed(attempt, problem);
    }

    /** Job scripts may start servers one after the other: tries again for a while. */
    private void failed(Attempt attempt, String problem) {
        attempt.deadline().passed(System.nanoTime() - attempt.beganNs());
        if (!attempt.deadline().isOver()) {
            tasks.after(TimeUnit.MILLISECONDS.toNanos(attempt.pauseMs()), () -> {
                if (attempt.addresses().isEmpty()) {
                    connect(attempt.peer(), attempt.listener(), attempt.deadline(), attempt.nextPauseMs());
                } else {
                    connect(attempt.atNext());
                }
            });
            return;
        }
        attempt.listener().lost(attempt.peer());
        life.abort("node " + job.node() + " has got no channel to the communication server of node "
            + attempt.peer() + " within attach.timeout: " + problem, -1);
    }

    void disconnect() {
        List.copyOf(channels.values()).forEach(PeerChannel::close);
    }

    /** Whether a rank has left, of which requests may still wait here. */
    boolean isGone(int rank) {
        return gone.get(rank);
    }

    /**
     * A rank has left, or, for {@link Frames#NO_RANK}, this server: tells the servers that have had requests of it.
     * Those that still get some, which wait here, hear of it behind these: a lock would be granted to a rank that
     * nobody releases.
     */
    void goodbye(int rank) {
        if (rank != Frames.NO_RANK) {
            gone.set(rank);
        }
        for (PeerChannel channel : channels.values()) {
            if (rank == Frames.NO_RANK || channel.forget(rank)) {
                channel.writer().goodbye(rank);
                channel.writer().flush();
            }
        }
    }
}

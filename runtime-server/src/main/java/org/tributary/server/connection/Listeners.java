package org.tributary.server.connection;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.tributary.config.ProcessLimits;
import org.tributary.config.Settings;
import org.tributary.server.io.ReceiveBuffer;
import org.tributary.server.io.ReplyWriter;
import org.tributary.server.observe.GuardedTasks;
import org.tributary.wire.AcceptingHandshake;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.Role;
import org.tributary.wire.socket.BindFailure;

/**
 * Opens the sockets that a server listens on. New connections are accepted, and prove themselves, on an event loop of
 * their own. So strangers, however many there are, do not hold up connections that move data. A connection that has
 * proved itself moves to one of those, most to the main one.
 */
public final class Listeners {
    private static final int BACKLOG = 4096;
    private static final long CLOSE_MS = 5000;

    private final EventLoopGroup doors;
    private final List<ConnectionLoop> loops;
    private final GuardedTasks tasksOfDoors;
    private final Settings settings;
    private final Connections connections;
    private final ReceiveBuffer receiveBuffer;
    private final List<Strangers> all = new CopyOnWriteArrayList<>();

    /**
     * Without any yet.
     *
     * @param connections those of the main loop
     * @param loops       that take connections over, the main one first
     */
    public Listeners(Connections connections, Settings settings, Arena arena, List<ConnectionLoop> loops) {
        this.connections = connections;
        this.settings = settings;
        this.loops = List.copyOf(loops);
        this.receiveBuffer = new ReceiveBuffer(Frames.MAX_HANDSHAKE, arena);
        this.doors = new MultiThreadIoEventLoopGroup(1,
            new DefaultThreadFactory("tributary-strangers-" + connections.job().node(), true),
            EpollIoHandler.newFactory());
        this.tasksOfDoors = new GuardedTasks(doors.next(), failure ->
            connections.onMain(() -> connections.life().failed(failure)));
    }

    /** Each listener has its own, so that strangers of one do not hinder those of the other. */
    private Strangers strangers() throws IOException {
        int most = StrangerRoom.of(settings.serverStrangersMax(), ProcessLimits.openFiles(),
            connections.job().topology(), connections.job().node(), loops.size());
        Strangers strangers = new Strangers(most, settings.serverAdmissionTimeoutNs(), tasksOfDoors, System::nanoTime);
        all.add(strangers);
        return strangers;
    }

    private void makeRoom() {
        all.forEach(Strangers::makeRoom);
    }

    /** The same soon, for another thread. */
    public void makeRoomSoon() {
        try {
            doors.execute(this::makeRoom);
        } catch (RejectedExecutionException e) {
            connections.log().ended("has no strangers any more");
        }
    }

    /** The same from another thread, which waits until their connections are closed, or the server ends. */
    public void makeRoomNow() {
        try {
            doors.submit(this::makeRoom).awaitUninterruptibly(CLOSE_MS);
        } catch (RejectedExecutionException e) {
            connections.log().ended("has no strangers any more"); // their connections have been closed
        }
    }

    public Channel tcp() throws IOException {
        Strangers strangers = strangers();
        Door door = new Door();
        ServerBootstrap bootstrap = new ServerBootstrap().group(doors).channel(EpollServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG).option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, ReplyWriter.WAITING_ANSWERS)
            .handler(new AcceptFailures(connections.log(), this::makeRoom, tasksOfDoors, door))
            .childHandler(initializer(strangers));
        if (settings.socketBuffer() > 0) {
            bootstrap.option(ChannelOption.SO_RCVBUF, settings.socketBuffer())
                .childOption(ChannelOption.SO_SNDBUF, settings.socketBuffer());
        }
        String address = BindAddress.of(settings);
        int port = settings.serverPort();
        Channel channel = opened(bootstrap.bind(address, port),
            failure -> BindFailure.describe(address, "server.bind-address", port, "server.port", failure));
        limit(strangers, door, channel.localAddress());
        return channel;
    }

    /** A rank that finds the socket can connect: it has its name only when it listens. */
    public Channel local(Path socket) throws IOException {
        Strangers strangers = strangers();
        Door door = new Door();
        Path unnamed = socket.resolveSibling("new");
        Channel channel = opened(new ServerBootstrap().group(doors).channel(EpollServerDomainSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, ReplyWriter.WAITING_ANSWERS)
            .handler(new AcceptFailures(connections.log(), this::makeRoom, tasksOfDoors, door))
            .childHandler(initializer(strangers))
            .bind(new DomainSocketAddress(unnamed.toFile())),
            failure -> "cannot listen at " + socket + ": " + failure.getMessage());
        Files.move(unnamed, socket, StandardCopyOption.ATOMIC_MOVE);
        limit(strangers, door, socket);
        return channel;
    }

    private void limit(Strangers strangers, Door door, Object where) {
        tasksOfDoors.execute(() -> strangers.onAccepting(accepts -> {
            if (accepts) {
                door.open(Door.Reason.FLOODED);
            } else {
                door.shut(Door.Reason.FLOODED);
                connections.metrics().acceptPaused();
                connections.log().acceptPaused(where, Strangers.BURST,
                    TimeUnit.SECONDS.toNanos(1) / Strangers.INTERVAL_NS);
            }
        }));
    }

    /** Tasks of the loop of strangers, for what is not to wait for the loop that moves data. */
    public GuardedTasks tasks() {
        return tasksOfDoors;
    }

    private static Channel opened(ChannelFuture bound, Function<Throwable, String> explain) throws IOException {
        bound.awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(explain.apply(bound.cause()), bound.cause());
        }
        return bound.channel();
    }

    private ChannelInitializer<Channel> initializer(Strangers strangers) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new StrangerHandler(connections, receiveBuffer, strangers,
                    Listeners.this::handOver));
            }
        };
    }

    /**
     * The loop for a connection that has proved itself: the main one, or that with the fewest if any may serve it. The
     * main one has more to do than those, and is last among equals.
     */
    private ConnectionLoop loopFor(Role role, Channel channel) {
        if (!connections.anyLoopServes(role)) {
            return loops.getFirst();
        }
        ConnectionLoop fewest = loops.getLast();
        for (ConnectionLoop loop : loops.reversed()) {
            fewest = loop.connections() < fewest.connections() ? loop : fewest;
        }
        fewest.comes(channel);
        return fewest;
    }

    /** Moves a channel, which reads nothing now, from the loop of strangers to another. */
    private void handOver(Channel channel, StrangerHandler stranger, AcceptingHandshake handshake) {
        ConnectionLoop next = loopFor(handshake.peer().role(), channel);
        channel.deregister().addListener(left -> {
            try {
                next.loop().register(channel).addListener(come -> {
                    if (come.isSuccess()) {
                        enterSoon(next, channel, stranger, handshake);
                    } else {
                        channel.close();
                    }
                });
            } catch (RuntimeException | Error e) {
                channel.unsafe().closeForcibly(); // the server has ended, or lacks memory: the other side tries again
            }
        });
    }

    private void enterSoon(ConnectionLoop loop, Channel channel, StrangerHandler stranger,
        AcceptingHandshake handshake) {
        try {
            // Not before the loop has read once more: what the other side said earlier on another connection, such as
            // that it leaves the place that it takes again now, counts first.
            loop.tasks().after(0, () -> enter(loop, channel, stranger, handshake));
        } catch (RuntimeException | Error e) {
            channel.close();
        }
    }

    private void enter(ConnectionLoop loop, Channel channel, StrangerHandler stranger, AcceptingHandshake handshake) {
        if (!channel.isActive()) {
            channel.close();
            return;
        }
        try {
            channel.pipeline().replace(stranger, null, loop.handlers().of(stranger, handshake));
            channel.config().setAutoRead(true);
        } catch (RuntimeException | Error e) {
            connections.log().failed(StrangerHandler.describe(channel), e);
            channel.close();
        }
    }

    /** Accepts no more connections and turns strangers away; whether all of that has ended. */
    public boolean close() {
        try {
            doors.submit(() -> all.forEach(Strangers::turnAllAway)).awaitUninterruptibly(CLOSE_MS);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            connections.log().ended("has no thread to turn strangers away with: " + e); // nobody has been let in
        }
        return doors.shutdownGracefully(0, CLOSE_MS, TimeUnit.MILLISECONDS).awaitUninterruptibly(2 * CLOSE_MS);
    }
}

package org.tributary.server;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.tributary.config.Settings;

/** Opens the sockets that a server listens on. */
final class Listeners {
    private static final int BACKLOG = 4096;
    /** Answers that wait for a socket beyond this make the connection's next requests wait. */
    static final WriteBufferWaterMark WAITING_ANSWERS = new WriteBufferWaterMark(256 << 10, 1 << 20);

    private final EventLoopGroup loop;
    private final Settings settings;
    private final NodeState node;
    private final List<Strangers> all = new CopyOnWriteArrayList<>();
    private final Function<Strangers, ChannelHandler> handlers;

    Listeners(EventLoopGroup loop, Settings settings, NodeState node, Function<Strangers, ChannelHandler> handlers) {
        this.node = node;
        this.loop = loop;
        this.settings = settings;
        this.handlers = handlers;
    }

    /** Each listener has its own, so that strangers of one do not stand in the way of the other. */
    private Strangers strangers() {
        Strangers strangers = new Strangers(settings.serverStrangersMax(), settings.serverAdmissionTimeoutNs(),
            loop.next(), System::nanoTime);
        all.add(strangers);
        return strangers;
    }

    private void makeRoom() {
        all.forEach(Strangers::makeRoom);
    }

    Channel tcp() throws IOException {
        Strangers strangers = strangers();
        ServerBootstrap bootstrap = new ServerBootstrap().group(loop).channel(EpollServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG).option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WAITING_ANSWERS)
            .handler(new AcceptFailures(node.log(), this::makeRoom)).childHandler(initializer(strangers));
        if (settings.socketBuffer() > 0) {
            bootstrap.option(ChannelOption.SO_RCVBUF, settings.socketBuffer())
                .childOption(ChannelOption.SO_SNDBUF, settings.socketBuffer());
        }
        return opened(bootstrap.bind(settings.serverBindAddress(), settings.serverPort()),
            settings.serverBindAddress() + " port " + settings.serverPort());
    }

    /** Who finds the socket can connect: it has its name only when it listens. */
    Channel local(Path socket) throws IOException {
        Strangers strangers = strangers();
        Path unnamed = socket.resolveSibling("new");
        Channel channel = opened(new ServerBootstrap().group(loop).channel(EpollServerDomainSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WAITING_ANSWERS)
            .handler(new AcceptFailures(node.log(), this::makeRoom)).childHandler(initializer(strangers))
            .bind(new DomainSocketAddress(unnamed.toFile())), socket.toString());
        Files.move(unnamed, socket, StandardCopyOption.ATOMIC_MOVE);
        return channel;
    }

    private static Channel opened(ChannelFuture bound, String where) throws IOException {
        bound.awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException("cannot listen at " + where + ": " + bound.cause().getMessage(), bound.cause());
        }
        return bound.channel();
    }

    private ChannelInitializer<Channel> initializer(Strangers strangers) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(handlers.apply(strangers));
            }
        };
    }
}

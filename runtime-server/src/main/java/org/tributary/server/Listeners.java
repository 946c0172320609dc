package org.tributary.server;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.tributary.config.Settings;

/** Opens the sockets that a server listens on. */
final class Listeners {
    private static final int BACKLOG = 4096;
    /** Answers that wait for a socket beyond this make the connection's next requests wait. */
    private static final WriteBufferWaterMark WAITING_ANSWERS = new WriteBufferWaterMark(256 << 10, 1 << 20);

    private final EventLoopGroup loop;
    private final Settings settings;
    private final Supplier<ChannelHandler> handlers;

    Listeners(EventLoopGroup loop, Settings settings, Supplier<ChannelHandler> handlers) {
        this.loop = loop;
        this.settings = settings;
        this.handlers = handlers;
    }

    Channel tcp() {
        ServerBootstrap bootstrap = new ServerBootstrap().group(loop).channel(EpollServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG).option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WAITING_ANSWERS)
            .childHandler(initializer());
        if (settings.socketBuffer() > 0) {
            bootstrap.option(ChannelOption.SO_RCVBUF, settings.socketBuffer())
                .childOption(ChannelOption.SO_SNDBUF, settings.socketBuffer());
        }
        return bootstrap.bind(settings.serverBindAddress(), settings.serverPort()).syncUninterruptibly().channel();
    }

    Channel local(Path socket) {
        return new ServerBootstrap().group(loop).channel(EpollServerDomainSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WAITING_ANSWERS)
            .childHandler(initializer())
            .bind(new DomainSocketAddress(socket.toFile())).syncUninterruptibly().channel();
    }

    private ChannelInitializer<Channel> initializer() {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(handlers.get());
            }
        };
    }
}

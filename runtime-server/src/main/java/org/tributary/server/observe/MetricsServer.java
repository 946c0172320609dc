package org.tributary.server.observe;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.tributary.config.Settings;
import org.tributary.wire.socket.BindFailure;

/**
 * Serves metrics from a thread of its own, so that no client that asks for them, or holds connections and asks for
 * nothing, delays requests: the loop that moves data only copies the numbers. Thread-safe.
 */
public final class MetricsServer implements AutoCloseable {
    private static final long CLOSE_MS = 2000;
    /** Netty wakes a loop that has nothing planned every second. */
    private static final long FAR_NS = TimeUnit.DAYS.toNanos(365);

    private final EventLoopGroup loop;
    private final Channel channel;

    private MetricsServer(EventLoopGroup loop, Channel channel) {
        this.loop = loop;
        this.channel = channel;
    }

    /** Listens on {@code server.metrics-address}. */
    public static MetricsServer start(Settings settings, int node, ServerMetrics metrics, EventLoop counting)
        throws IOException {
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1,
            new DefaultThreadFactory("tributary-metrics-" + node, true), EpollIoHandler.newFactory());
        new GuardedTasks(loop.next(), failure -> { }).after(FAR_NS, () -> { });
        ChannelFuture bound = new ServerBootstrap().group(loop).channel(EpollServerSocketChannel.class)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childHandler(new MetricsEndpoint(metrics, counting))
            .bind(new InetSocketAddress(settings.serverMetricsAddress(), settings.serverMetricsPort()))
            .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            stop(loop);
            throw new IOException("metrics: " + BindFailure.describe(settings.serverMetricsAddress(),
                "server.metrics-address", settings.serverMetricsPort(), "server.metrics-port", bound.cause()),
                bound.cause());
        }
        return new MetricsServer(loop, bound.channel());
    }

    public int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    @Override
    public void close() {
        stop(loop);
    }

    private static void stop(EventLoopGroup group) {
        group.shutdownGracefully(0, CLOSE_MS, TimeUnit.MILLISECONDS).awaitUninterruptibly(CLOSE_MS);
    }
}

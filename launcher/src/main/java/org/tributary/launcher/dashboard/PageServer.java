package org.tributary.launcher.dashboard;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.tributary.launcher.step.View;
import org.tributary.wire.socket.BindFailure;

/**
 * Serves the page of a job over HTTP, and its steps as server-sent events. All addresses begin with a secret token.
 * Connections are few, requests are short, and a reader that does not keep up misses steps: nobody can hold up the job,
 * or take memory. Thread-safe.
 */
final class PageServer implements AutoCloseable {
    static final int MAX_CONNECTIONS = 64;
    private static final int MAX_REQUEST_BYTES = 8 * 1024;
    private static final int MAX_LINE_BYTES = 2048;
    private static final long CLOSE_MS = 500;
    /** A reader whose host does not answer for so long leaves its place to others; one that was stopped comes again. */
    private static final int SILENCE_S = 30;
    private static final int PROBES = 6;

    private final EventLoopGroup loop;
    private final String token;
    private final Resources resources = new Resources();
    private final Readers readers = new Readers();
    /** The oldest first; owned by the event loop. */
    private final Map<Channel, PageHandler> connections = new LinkedHashMap<>();
    private Channel channel;

    private PageServer(String token) {
        this.token = token;
        this.loop = new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("tributary-dashboard", true),
            EpollIoHandler.newFactory());
    }

    /**
     * Listens.
     *
     * @param port 0 for any free one
     * @throws IOException with a message that names address and port, and the options they come from
     */
    static PageServer open(String address, String addressOption, int port, String portOption, String token)
        throws IOException {
        if (!Epoll.isAvailable()) {
            throw new IOException("dashboard: Netty's native epoll transport cannot be loaded: "
                + Epoll.unavailabilityCause().getMessage(), Epoll.unavailabilityCause());
        }
        PageServer server = new PageServer(token);
        ChannelFuture bound = new ServerBootstrap().group(server.loop).channel(EpollServerSocketChannel.class)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true).childOption(EpollChannelOption.TCP_KEEPIDLE, SILENCE_S / 2)
            .childOption(EpollChannelOption.TCP_KEEPINTVL, SILENCE_S / PROBES)
            .childOption(EpollChannelOption.TCP_KEEPCNT, PROBES / 2)
            .childOption(EpollChannelOption.TCP_USER_TIMEOUT, (int) TimeUnit.SECONDS.toMillis(SILENCE_S))
            .childHandler(server.new Connection())
            .bind(new InetSocketAddress(address, port)).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            server.close();
            throw new IOException("dashboard: " + BindFailure.describe(address, addressOption, port, portOption,
                bound.cause()), bound.cause());
        }
        server.channel = bound.channel();
        return server;
    }

    int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    String token() {
        return token;
    }

    /** Hands a step to all readers; from any thread. */
    void publish(Step step) {
        try {
            loop.execute(() -> readers.publish(step));
        } catch (RejectedExecutionException e) {
            return; // it has been closed
        }
    }

    /** The part of the matrix that readers of the page want to see; from any thread. */
    Set<View> views() {
        return readers.views();
    }

    /** Time of processors that this page had taken after the last step; from any thread. */
    long usedNs() {
        return readers.usedNs();
    }

    /** Tells the open pages that the job has ended, and listens no more. */
    @Override
    public void close() {
        if (channel != null) {
            channel.close();
            loop.submit(readers::end).awaitUninterruptibly(CLOSE_MS);
        }
        loop.shutdownGracefully(0, CLOSE_MS, TimeUnit.MILLISECONDS).awaitUninterruptibly(2 * CLOSE_MS);
    }

    /** Owned by the event loop. */
    @ChannelHandler.Sharable
    private final class Connection extends ChannelInitializer<SocketChannel> {
        @Override
        protected void initChannel(SocketChannel accepted) {
            if (connections.size() == MAX_CONNECTIONS && !makeRoom()) {
                accepted.close();
                return;
            }
            PageHandler handler = new PageHandler(readers, resources, token);
            connections.put(accepted, handler);
            accepted.closeFuture().addListener(closed -> connections.remove(accepted));
            accepted.pipeline().addLast(new HttpServerCodec(MAX_LINE_BYTES, MAX_REQUEST_BYTES, MAX_REQUEST_BYTES),
                new HttpObjectAggregator(MAX_REQUEST_BYTES), handler);
        }

        /** Who is silent, or does not know the token, keeps nobody out: the oldest such connection gives way. */
        private boolean makeRoom() {
            Channel oldest = connections.entrySet().stream().filter(entry -> !entry.getValue().hasToken())
                .map(Map.Entry::getKey).findFirst().orElse(null);
            if (oldest == null) {
                return false;
            }
            connections.remove(oldest);
            oldest.close();
            return true;
        }
    }
}

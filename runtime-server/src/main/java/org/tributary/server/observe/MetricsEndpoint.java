package org.tributary.server.observe;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Serves {@code GET /metrics} in the Prometheus text format, one request a connection. A few connections at a time,
 * each for a few seconds and with a short request. Owned by the event loop of the metrics.
 */
@ChannelHandler.Sharable
public final class MetricsEndpoint extends ChannelInitializer<SocketChannel> {
    public static final int MAX_CONNECTIONS = 16;
    public static final int MAX_REQUEST_BYTES = 8 * 1024;
    static final long MAX_CONNECTION_MS = 3000;
    private static final int MAX_LINE_BYTES = 1024;
    private static final long MAX_COUNTING_MS = 2000;

    private final ServerMetrics metrics;
    private final EventLoop counting;
    private int connections;

    /** {@code counting} is the loop that the counters belong to. */
    MetricsEndpoint(ServerMetrics metrics, EventLoop counting) {
        this.metrics = metrics;
        this.counting = counting;
    }

    @Override
    protected void initChannel(SocketChannel channel) {
        if (connections == MAX_CONNECTIONS) {
            channel.close();
            return;
        }
        connections++;
        channel.closeFuture().addListener(closed -> connections--);
        new GuardedTasks(channel.eventLoop(), failure -> channel.unsafe().closeForcibly())
            .after(TimeUnit.MILLISECONDS.toNanos(MAX_CONNECTION_MS), channel::close);
        channel.pipeline().addLast(new HttpServerCodec(MAX_LINE_BYTES, MAX_REQUEST_BYTES, MAX_REQUEST_BYTES),
            new HttpObjectAggregator(MAX_REQUEST_BYTES), new Scrape());
    }

    private final class Scrape extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            boolean known = request.decoderResult().isSuccess() && request.method().equals(HttpMethod.GET)
                && new QueryStringDecoder(request.uri()).path().equals("/metrics");
            if (!known) {
                answer(context, HttpResponseStatus.NOT_FOUND, "GET /metrics\n");
                return;
            }
            CompletableFuture.runAsync(metrics::sample, counting).orTimeout(MAX_COUNTING_MS, TimeUnit.MILLISECONDS)
                .whenCompleteAsync((done, failure) -> {
                    if (failure == null) {
                        answer(context, HttpResponseStatus.OK, metrics.scrape());
                    } else {
                        answer(context, HttpResponseStatus.SERVICE_UNAVAILABLE, "the event loop of the server has not"
                            + " answered within " + MAX_COUNTING_MS + " ms\n");
                    }
                }, context.executor());
        }

        private void answer(ChannelHandlerContext context, HttpResponseStatus status, String body) {
            FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status,
                Unpooled.copiedBuffer(body, StandardCharsets.UTF_8));
            response.headers().set(HttpHeaderNames.CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8");
            response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes());
            response.headers().set(HttpHeaderNames.CONNECTION, "close");
            context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}

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
import io.netty.util.concurrent.EventExecutor;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Serves {@code GET /metrics} in the Prometheus text format, one request a connection. A few connections at a time,
 * each for a few seconds and with a short request. However many ask, the loop of the counters has one task at a time.
 * Owned by the event loop of the metrics.
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
    /** They want numbers that are copied after they have asked: not those of a copy that is under way. */
    private final Set<Scrape> waiting = new LinkedHashSet<>();
    private final Set<Scrape> counted = new LinkedHashSet<>(); // the copy under way is for these
    private boolean isCounting;

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

    private void count(EventExecutor own) {
        if (isCounting || waiting.isEmpty()) {
            return;
        }
        CompletableFuture<Void> copied = CompletableFuture.runAsync(metrics::sample, counting);
        isCounting = true;
        counted.addAll(waiting);
        waiting.clear();
        copied.whenCompleteAsync((done, failure) -> {
            isCounting = false;
            try {
                answer(failure == null);
            } finally {
                count(own);
            }
        }, own);
    }

    private void answer(boolean isCounted) {
        // Those that are not answered, because that fails, hear so when their time is up.
        String page = isCounted && !counted.isEmpty() ? metrics.scrape() : "";
        List<Scrape> all = List.copyOf(counted);
        counted.clear();
        for (Scrape scrape : all) {
            if (isCounted) {
                scrape.answer(HttpResponseStatus.OK, page);
            } else {
                scrape.answerNotCounted();
            }
        }
    }

    private final class Scrape extends SimpleChannelInboundHandler<FullHttpRequest> {
        private ChannelHandlerContext context;
        private boolean isAsked;

        @Override
        public void handlerAdded(ChannelHandlerContext added) {
            context = added;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext from, FullHttpRequest request) {
            if (isAsked) {
                return;
            }
            isAsked = true;
            boolean known = request.decoderResult().isSuccess() && request.method().equals(HttpMethod.GET)
                && new QueryStringDecoder(request.uri()).path().equals("/metrics");
            if (!known) {
                answer(HttpResponseStatus.NOT_FOUND, "GET /metrics\n");
                return;
            }
            context.channel().config().setAutoRead(false);
            waiting.add(this);
            new GuardedTasks(context.channel().eventLoop(), failure -> context.close())
                .after(TimeUnit.MILLISECONDS.toNanos(MAX_COUNTING_MS), this::giveUp);
            count(context.executor());
        }

        private boolean leave() {
            return waiting.remove(this) | counted.remove(this);
        }

        private void giveUp() {
            if (leave()) {
                answerNotCounted();
            }
        }

        private void answerNotCounted() {
            answer(HttpResponseStatus.SERVICE_UNAVAILABLE, "the event loop of the server has not answered within "
                + MAX_COUNTING_MS + " ms\n");
        }

        private void answer(HttpResponseStatus status, String body) {
            FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status,
                Unpooled.copiedBuffer(body, StandardCharsets.UTF_8));
            response.headers().set(HttpHeaderNames.CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8");
            response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes());
            response.headers().set(HttpHeaderNames.CONNECTION, "close");
            context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
        }

        @Override
        public void channelInactive(ChannelHandlerContext gone) {
            leave();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext failed, Throwable cause) {
            failed.close();
        }
    }
}

package org.tributary.launcher.dashboard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A connection whose other side asks much and reads nothing. */
class PageHandlerTest {
    private static final int REQUESTS = 50;

    private final StringBuilder written = new StringBuilder();
    private final Readers readers = new Readers();
    private final EmbeddedChannel channel = new EmbeddedChannel(new Unread(), new HttpServerCodec(),
        new HttpObjectAggregator(8192), new PageHandler(readers, new Resources(), "token"));

    /** A socket that takes nothing: no write completes. */
    private final class Unread extends ChannelOutboundHandlerAdapter {
        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            if (message instanceof ByteBuf bytes) {
                written.append(bytes.toString(StandardCharsets.US_ASCII));
            }
            ReferenceCountUtil.release(message);
        }
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    private void ask(String path) {
        channel.writeInbound(Unpooled.copiedBuffer(("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n").repeat(REQUESTS),
            StandardCharsets.US_ASCII));
    }

    private int answers() {
        return written.toString().split("HTTP/1.1 ", -1).length - 1;
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/wrong/", "/token/", "/token/uplot.js", "/token/none"})
    void shouldAnswerOnceAndReadNoMoreWhenRequestsComeInARow(String path) {
        ask(path);
        assertEquals(1, answers(), written::toString);
        assertFalse(channel.config().isAutoRead());
        ask(path);
        assertEquals(1, answers(), written::toString);
        assertTrue(channel.isOpen());
    }

    /** The end of such a connection is read. */
    @Test
    void shouldAnswerNothingElseWhenAReaderAsksForMore() {
        ask("/token/events");
        ask("/token/uplot.js");
        assertEquals(1, answers(), written::toString);
        assertTrue(channel.config().isAutoRead());
    }
}

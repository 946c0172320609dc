package org.tributary.server.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.SelectStrategy;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tributary.server.io.HandedReplies;
import org.tributary.server.io.ReplyBufferPool;
import org.tributary.server.io.ReplyWriter;
import org.tributary.server.io.ServerIo;
import org.tributary.server.io.SpinThenBlock;
import org.tributary.server.observe.GuardedTasks;
import org.tributary.server.observe.ServerMetrics;

/** Work that goes from one event loop to another and comes back. One loop is both here. */
class HandOverTest {
    private final Arena arena = Arena.ofShared();
    private final ChannelInboundHandlerAdapter handler = new ChannelInboundHandlerAdapter();
    private final EmbeddedChannel channel = new EmbeddedChannel(handler);
    private final List<Throwable> faults = new ArrayList<>();
    private final GuardedTasks tasks = new GuardedTasks(channel.eventLoop(), faults::add);
    private final ServerIo io = new ServerIo(tasks, new SpinThenBlock(0, System::nanoTime, () -> 0, () -> false),
        new ServerMetrics(0).ofLoop(1), null, null, null, null, null, null, null);
    private final ChannelHandlerContext context = channel.pipeline().context(handler);
    private final HandedReplies replies = new HandedReplies(
        new ReplyWriter(new ReplyBufferPool(arena), context, () -> { }), tasks, io.waiting());
    private final List<Throwable> cameBack = new ArrayList<>();
    private final HandOver handOver = new HandOver(io, io, replies, (isDone, failure) -> {
        assertTrue(isDone || failure != null);
        cameBack.add(failure);
    });
    private final UnsafeBuffer request = new UnsafeBuffer(new byte[64]);

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
        arena.close();
        assertEquals(List.of(), faults);
    }

    private int written() {
        int bytes = 0;
        for (ByteBuf next = channel.readOutbound(); next != null; next = channel.readOutbound()) {
            bytes += next.readableBytes();
            next.release();
        }
        return bytes;
    }

    @Test
    void shouldSendNoAnswerWhenARequestAnswersAndThenFails() {
        IllegalStateException fault = new IllegalStateException("a page is lost");
        handOver.execute((buffer, at, template, blockLength, version, extra) -> {
            replies.value(1, 7);
            throw fault;
        }, request, 0, 1, 8, 0, 0);
        channel.runPendingTasks();
        assertEquals(List.of(fault), cameBack);
        assertEquals(0, written());
        assertFalse(handOver.isPending());
    }

    @Test
    void shouldSendNoAnswerWhenOneThatIsFlushedAtOnceIsOfARequestThatFails() {
        IllegalStateException fault = new IllegalStateException("a lock is damaged");
        handOver.execute((buffer, at, template, blockLength, version, extra) -> {
            replies.value(1, 7);
            replies.flush();
            throw fault;
        }, request, 0, 1, 8, 0, 0);
        channel.runPendingTasks();
        assertSame(fault, cameBack.getFirst());
        assertEquals(0, written());
    }

    @Test
    void shouldSendAnswersBeforeTheConnectionGoesOn() {
        handOver.execute((buffer, at, template, blockLength, version, extra) -> replies.value(1, 7), request, 0, 1, 8,
            0, 0);
        assertTrue(handOver.isPending());
        channel.runPendingTasks();
        assertEquals(1, cameBack.size());
        assertNull(cameBack.getFirst());
        assertTrue(written() > 0);
        replies.value(2, 7); // the grant of a lock
        assertEquals(0, written());
        replies.flush();
        assertTrue(written() > 0);
    }

    /** The rank that gets it is likely to ask for more, and to wake the loop would take longer than to answer. */
    @Test
    void shouldPollAfterAnAnswerHasComeBackOrBeenGranted() throws Exception {
        AtomicLong clock = new AtomicLong(1);
        SpinThenBlock own = new SpinThenBlock(1_000, clock::get, () -> 0, () -> false);
        HandedReplies itsReplies = new HandedReplies(replies, tasks, own);
        HandOver its = new HandOver(io, new ServerIo(tasks, own, io.counts(), null, null, null, null, null, null, null),
            itsReplies, (isDone, failure) -> { });
        assertEquals(SelectStrategy.SELECT, own.calculateStrategy(() -> 0, false));
        its.execute((buffer, at, template, blockLength, version, extra) -> { }, request, 0, 1, 8, 0, 0);
        assertEquals(SelectStrategy.SELECT, own.calculateStrategy(() -> 0, false), "nothing has come back");
        channel.runPendingTasks();
        assertEquals(SelectStrategy.BUSY_WAIT, own.calculateStrategy(() -> 0, false));
        clock.addAndGet(1_000);
        assertEquals(SelectStrategy.SELECT, own.calculateStrategy(() -> 0, false));
        clock.addAndGet(1_000_000);
        itsReplies.value(1, 7); // the grant of a lock
        itsReplies.flush();
        assertEquals(SelectStrategy.BUSY_WAIT, own.calculateStrategy(() -> 0, false));
    }

    @Test
    void shouldSendGrantsWhileTheWorkGoesOnElsewhere() {
        handOver.execute((buffer, at, template, blockLength, version, extra) -> handOver.beginWork(), request, 0, 1, 8,
            0, 0);
        channel.runPendingTasks();
        assertEquals(List.of(), cameBack);
        replies.value(1, 7);
        replies.flush();
        assertTrue(written() > 0);
        handOver.endWork(() -> replies.done(2));
        channel.runPendingTasks();
        assertEquals(1, cameBack.size());
        assertTrue(written() > 0);
    }
}

package org.tributary.server.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.tributary.wire.record.RecordException;
import org.tributary.wire.record.RecordOpener;
import org.tributary.wire.record.RecordSealer;
import org.tributary.wire.record.Records;

/** What encrypted connections hold while sockets take or bring little. */
class EncryptedAnswersTest {
    private static final byte[] SECRET = new byte[32];
    private static final int SLOW = 300;

    private final Arena arena = Arena.ofAuto();
    private final ReplyBufferPool pool = new ReplyBufferPool(arena);
    private final KeptRequests kept = new KeptRequests(arena, 1 << 18, 1 << 24);
    private final RecordBuffers buffers = new RecordBuffers(1 << 18, arena);

    private IncomingRecords incoming() {
        return new IncomingRecords(buffers, kept, new RecordOpener(SECRET));
    }

    /** A socket that takes nothing until it is told to. */
    private final class SlowReader extends ChannelOutboundHandlerAdapter {
        private final EmbeddedChannel channel;
        private final ArrayDeque<ByteBuf> held = new ArrayDeque<>();
        private final ArrayDeque<ChannelPromise> promises = new ArrayDeque<>();

        SlowReader() {
            channel = new EmbeddedChannel();
            channel.config().setWriteBufferWaterMark(ReplyWriter.WAITING_ANSWERS);
            channel.pipeline().addFirst(this);
            channel.pipeline().addLast(new OutgoingRecords(pool,
                new RecordSealer(SECRET, buffers.gathered()), incoming()));
            channel.pipeline().addLast("answers", new ChannelOutboundHandlerAdapter());
        }

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            held.addLast((ByteBuf) message);
            promises.addLast(promise);
        }

        ChannelHandlerContext answers() {
            return channel.pipeline().context("answers");
        }

        /** Takes what was written, and what is written because of that. */
        byte[] takeAll() {
            ByteBuf all = Unpooled.buffer();
            while (!held.isEmpty()) {
                ByteBuf first = held.removeFirst();
                all.writeBytes(first);
                first.release();
                promises.removeFirst().setSuccess();
            }
            byte[] bytes = new byte[all.readableBytes()];
            all.readBytes(bytes).release();
            return bytes;
        }
    }

    private static byte[] opened(byte[] records, int length) throws RecordException {
        RecordOpener opener = new RecordOpener(SECRET);
        ByteBuffer all = ByteBuffer.allocate(length);
        byte[] content = RecordOpener.contentBuffer();
        ByteBuffer in = ByteBuffer.wrap(records);
        for (int count = opener.open(in, content); count >= 0; count = opener.open(in, content)) {
            all.put(content, 0, count);
        }
        assertFalse(in.hasRemaining());
        return all.array();
    }

    @Test
    void shouldSealAnswersOfAnyLengthIntoReplyBuffers() throws RecordException {
        for (int length : new int[] {1, Records.MAX_CONTENT, Records.MAX_CONTENT + 1, ReplyBufferPool.BUFFER_BYTES,
            300_000}) {
            byte[] answer = new byte[length];
            new Random(length).nextBytes(answer);
            SlowReader reader = new SlowReader();
            reader.answers().write(Unpooled.wrappedBuffer(answer, 0, length / 3));
            reader.answers().writeAndFlush(Unpooled.wrappedBuffer(answer, length / 3, length - length / 3));
            assertTrue(pool.sending() <= 2, pool.sending() + " buffers");
            assertArrayEquals(answer, opened(reader.takeAll(), length));
            assertEquals(0, pool.sending());
        }
    }

    @Test
    void shouldHoldBoundedMemoryWhenManyConnectionsTakeNothing() {
        List<SlowReader> readers = new ArrayList<>();
        for (int i = 0; i < SLOW; i++) {
            SlowReader reader = new SlowReader();
            readers.add(reader);
            // As answers come: of the pool, and no more of them when the connection holds enough.
            ReplyWriter writer = new ReplyWriter(pool, reader.answers(), () -> { });
            for (int answers = 0; answers < 100 && reader.channel.isWritable(); answers++) {
                writer.append(MemorySegment.ofArray(new byte[16 * 1024]), 0, 16 * 1024);
                writer.flush();
            }
            assertFalse(reader.channel.isWritable(), "a connection that takes nothing goes on");
        }
        // Until they are scarce, a connection holds a megabyte and two sealed blocks; then little, one of them sealed.
        int before = ReplyBufferPool.MANY + (1 << 20) / (16 * 1024) + 3;
        int mostEach = ReplyBufferPool.BUFFER_BYTES / (16 * 1024) + 2;
        assertTrue(pool.isScarce());
        assertTrue(pool.sending() <= before + SLOW * mostEach, () -> pool.sending() + " buffers");
        SlowReader last = readers.getLast();
        assertEquals(1, last.held.size());
        readers.forEach(SlowReader::takeAll);
        assertEquals(0, pool.sending());
        assertTrue(last.channel.isWritable());
        readers.forEach(each -> each.channel.finishAndReleaseAll());
    }

    @Test
    void shouldCountPartsOfRecordsWithTheRequestsThatWait() throws RecordException {
        RecordSealer sealer = new RecordSealer(SECRET);
        ByteBuffer record = ByteBuffer.allocate(Records.MAX_BYTES);
        sealer.add(ByteBuffer.allocate(5000));
        sealer.seal(record);
        List<IncomingRecords> all = new ArrayList<>();
        for (int i = 0; i < SLOW; i++) {
            IncomingRecords records = incoming();
            all.add(records);
            ByteBuf target = records.toRead(kept.noteIfScarce());
            target.writeBytes(record.array(), 0, 100);
            assertEquals(0, records.open(target.writerIndex()));
        }
        assertEquals((long) SLOW * (KeptRequests.SMALL_BYTES + KeptRequests.EXTRA_BYTES), kept.used());
        for (IncomingRecords records : all) {
            ByteBuf target = records.toRead(kept.noteIfScarce());
            assertEquals(100, target.writerIndex());
            target.writeBytes(record.array(), 100, record.position() - 100);
            assertEquals(5000, records.open(target.writerIndex()));
        }
        assertEquals(0, kept.used());
    }

    @Test
    void shouldKeepNoMoreThanARecordOfEachConnectionWhenAlmostAllOfItHasCome() throws RecordException {
        RecordSealer sealer = new RecordSealer(SECRET);
        ByteBuffer record = ByteBuffer.allocate(Records.MAX_BYTES);
        sealer.add(ByteBuffer.allocate(Records.MAX_CONTENT));
        sealer.seal(record);
        List<IncomingRecords> all = new ArrayList<>();
        for (int i = 0; i < SLOW; i++) {
            IncomingRecords records = incoming();
            all.add(records);
            ByteBuf target = records.toRead(true);
            assertEquals(Records.MAX_BYTES, target.writableBytes());
            target.writeBytes(record.array(), 0, Records.MAX_BYTES - 1);
            assertEquals(0, records.open(target.writerIndex()));
        }
        assertTrue(kept.used() <= SLOW * (Records.MAX_CONTENT + 64L), () -> kept.used() + " bytes");
        for (IncomingRecords records : all) {
            ByteBuf target = records.toRead(true);
            target.writeBytes(record.array(), Records.MAX_BYTES - 1, 1);
            assertEquals(Records.MAX_CONTENT, records.open(target.writerIndex()));
        }
        assertEquals(0, kept.used());
    }
}

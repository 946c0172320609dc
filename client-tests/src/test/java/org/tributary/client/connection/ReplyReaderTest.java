package org.tributary.client.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.ErrorDecoder;

/** Answers mean the same in whatever pieces they come, and malformed ones are refused. */
class ReplyReaderTest {
    private static final int CAPACITY = 4096;
    private static final int LARGE = 40_000;
    private static final int BLOCK_AT = Frames.LENGTH_BYTES;

    private final Answers answers = new Answers();
    private final Arena arena = Arena.ofAuto();
    private final List<String> heard = new ArrayList<>();
    private final PendingReply[] gets = {new PendingReply(0), new PendingReply(1), new PendingReply(2)};
    private final MemorySegment[] targets = {arena.allocate(LARGE), MemorySegment.ofArray(new byte[LARGE]),
        arena.allocate(100)};
    private final byte[][] contents = {new byte[LARGE], new byte[LARGE], new byte[100]};

    ReplyReaderTest() {
        for (int i = 0; i < gets.length; i++) {
            new Random(i).nextBytes(contents[i]);
            gets[i].begin(null);
            gets[i].destination().begin(targets[i], 0, contents[i].length);
        }
    }

    private final class Listener implements ReplyReader.Receiver {
        @Override
        public void ack(long executed) {
            heard.add("ack " + executed);
        }

        @Override
        public void value(long requestId, long value) {
            heard.add("value " + requestId + " " + value);
        }

        @Override
        public void error(ErrorDecoder error) {
            heard.add("error " + error.requestId() + " " + error.detail());
        }

        @Override
        public void region(long requestId, RegionFacts facts) {
            heard.add("region " + requestId + " " + facts.provider() + " " + facts.address().length + " "
                + facts.address()[facts.address().length - 1] + " " + facts.base() + " " + facts.key() + " "
                + facts.bytes() + " " + facts.partOffset());
        }

        @Override
        public void channel(ChannelFacts facts) {
            heard.add("channel " + facts.provider() + " " + facts.address().length + " "
                + facts.address()[facts.address().length - 1] + " " + facts.base() + " " + facts.key() + " "
                + facts.bytes() + " " + facts.number() + " " + facts.byCompletion());
        }

        @Override
        public void channelWanted() {
            heard.add("channel wanted");
        }

        @Override
        public void credit(long freed) {
            heard.add("credit " + freed);
        }

        @Override
        public void takeRoute() {
            heard.add("take route");
        }

        @Override
        public PendingReply dataBegins(long requestId, long length) throws IOException {
            if (requestId < 0 || requestId >= gets.length || gets[(int) requestId].expectedBytes() != length) {
                throw new IOException("no such get");
            }
            return gets[(int) requestId];
        }

        @Override
        public void dataComplete(PendingReply reply) {
            heard.add("data " + reply.slot());
        }
    }

    private byte[] everything() {
        return Answers.join(answers.ack(3), answers.value(7, -1), answers.data(1, contents[1]), answers.done(8),
            answers.error(-1, "one-way"), answers.data(0, contents[0]), answers.takeRoute(),
            answers.error(9, "x".repeat(300)), answers.data(2, contents[2]),
            answers.region(6, "cxi", new byte[] {7, 8}), answers.channel("efa", new byte[] {9}, 40_000),
            answers.channelWanted(), answers.credit(1L << 33), answers.ack(1L << 40));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 7, 11, 13, 64, 1000, 4095, 4096, 4097, 1 << 20})
    void shouldHearTheSameWhenReadsArePartial(int step) throws IOException {
        MemoryTransport transport = new MemoryTransport().withStep(step);
        ReplyReader reader = new ReplyReader(transport, CAPACITY, arena, new Listener());
        transport.arrive(everything());
        while (transport.isReadable()) {
            assertTrue(reader.poll());
        }
        assertFalse(reader.poll());
        assertEquals(List.of("ack 3", "value 7 -1", "data 1", "value 8 0", "error -1 one-way", "data 0", "take route",
            "error 9 " + "x".repeat(300), "data 2", "region 6 cxi 2 8 2 -3 4 5",
            "channel efa 1 9 2 -3 4 40000 true", "channel wanted", "credit " + (1L << 33), "ack " + (1L << 40)), heard);
        for (int i = 0; i < gets.length; i++) {
            assertEquals(-1, MemorySegment.ofArray(contents[i]).mismatch(targets[i]), "get " + i);
        }
        assertEquals(14, reader.messages());
    }

    /** The connection ends after each byte of the answers to small requests. */
    @Test
    void shouldSayThatTheConnectionEndedWhereverThatWas() throws IOException {
        byte[] all = Answers.join(answers.ack(3), answers.value(7, 1), answers.data(2, contents[2]), answers.done(1));
        for (int length = 0; length <= all.length; length++) {
            gets[2].destination().begin(targets[2], 0, 100);
            MemoryTransport transport = new MemoryTransport();
            ReplyReader reader = new ReplyReader(transport, CAPACITY, arena, new Listener());
            transport.arrive(Arrays.copyOf(all, length));
            transport.end();
            assertThrows(EOFException.class, () -> {
                while (reader.poll()) {
                    // until the end
                }
            });
        }
        heard.clear();
        MemoryTransport breaks = new MemoryTransport().breakingAfter(0);
        assertThrows(IOException.class, new ReplyReader(breaks, CAPACITY, arena, new Listener())::poll);
        assertEquals(List.of(), heard);
    }

    private void refuses(byte... bytes) {
        MemoryTransport transport = new MemoryTransport();
        ReplyReader reader = new ReplyReader(transport, CAPACITY, arena, new Listener());
        transport.arrive(bytes);
        assertThrows(IOException.class, () -> {
            while (reader.poll()) {
                // until it is refused
            }
        });
    }

    private static byte[] with(byte[] frame, int at, int value, int bytes) {
        byte[] changed = frame.clone();
        ByteBuffer buffer = ByteBuffer.wrap(changed).order(ByteOrder.LITTLE_ENDIAN);
        if (bytes == Integer.BYTES) {
            buffer.putInt(at, value);
        } else {
            buffer.putShort(at, (short) value);
        }
        return changed;
    }

    @Test
    void shouldRefuseMalformedAnswers() {
        byte[] ack = answers.ack(3);
        for (int length : new int[] {0, 1, 11, -1, Integer.MIN_VALUE, CAPACITY + 1, Integer.MAX_VALUE}) {
            refuses(with(ack, 0, length, Integer.BYTES));
        }
        refuses(with(ack, Integer.BYTES + 2, 9999, Short.BYTES));
        byte[] data = answers.data(2, contents[2]);
        for (int length : new int[] {0, -1, 12, data.length - 1, data.length + 1, Integer.MAX_VALUE}) {
            refuses(with(data, 0, length, Integer.BYTES));
        }
        byte[] error = answers.error(7, "refused");
        byte[] region = answers.region(6, "cxi", new byte[] {7, 8});
        refuses(with(region, region.length - 2 - Short.BYTES, 3, Short.BYTES));
        refuses(with(region, region.length - 2 - Short.BYTES - 3 - Short.BYTES, 6, Short.BYTES));
        refuses(with(Arrays.copyOf(region, region.length - 6), 0, region.length - 6, Integer.BYTES));
        for (byte[] each : new byte[][] {ack, data, error, region, answers.value(7, 1), answers.done(8)}) {
            for (int block : new int[] {0, 7, 0xFFFF}) {
                refuses(with(each, BLOCK_AT, block, Short.BYTES));
            }
        }
        refuses(with(error, error.length - "refused".length() - Short.BYTES, "refused".length() + 1, Short.BYTES));
        refuses(with(Arrays.copyOf(error, Frames.HEADER_BYTES + ErrorDecoder.BLOCK_LENGTH), 0,
            Frames.HEADER_BYTES + ErrorDecoder.BLOCK_LENGTH, Integer.BYTES));
        assertEquals(List.of(), heard);
        refuses(answers.data(77, contents[2]));
        refuses(answers.data(-1, contents[2]));
        for (MemorySegment target : targets) {
            assertEquals(-1, target.mismatch(MemorySegment.ofArray(new byte[(int) target.byteSize()])));
        }
        assertEquals(0, targets[0].get(ValueLayout.JAVA_BYTE, 0));
    }
}

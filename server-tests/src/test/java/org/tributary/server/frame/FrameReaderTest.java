package org.tributary.server.frame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.server.io.KeptRequests;
import org.tributary.server.testing.Requests.Level;
import org.tributary.server.testing.Requests;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AtomicOp;
import org.tributary.wire.codec.ElementCode;
import org.tributary.wire.codec.GetStridedEncoder;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.codec.PutEncoder;
import org.tributary.wire.codec.ReduceCode;
import org.tributary.wire.codec.SignalOp;

/** The reader gives the same frames however its bytes are cut, and refuses what is none. */
class FrameReaderTest {
    private static final int MAX_FRAME = 100_000;
    private static final Level[] LEVELS = {new Level(24, 2), new Level(-100, 3)};

    /** Writes down what it is told; wants to wait after every frame when {@code blocking}. */
    private static final class Recorder implements FrameReader.Receiver {
        private final List<String> events = new ArrayList<>();
        private final boolean blocking;
        private final StringBuilder payload = new StringBuilder();
        private boolean blocked;
        private int left;

        Recorder(boolean blocking) {
            this.blocking = blocking;
        }

        @Override
        public int maxFrame() {
            return MAX_FRAME;
        }

        @Override
        public boolean holdIfBlocked() {
            return blocked;
        }

        @Override
        public void frame(UnsafeBuffer buffer, MemorySegment memory, int at, int template, int blockLength,
            int version, int length) {
            boolean streams = template >= 10 && template <= 15 || template == 31 || template == 32 || template == 34;
            left = streams ? length : 0;
            int fixed = streams ? blockLength : blockLength + length;
            byte[] inBuffer = new byte[fixed];
            buffer.getBytes(at, inBuffer);
            byte[] inMemory = memory.asSlice(at, fixed).toArray(ValueLayout.JAVA_BYTE);
            assertEquals(HexFormat.of().formatHex(inMemory), HexFormat.of().formatHex(inBuffer));
            events.add(template + "/" + version + " " + HexFormat.of().formatHex(inBuffer) + " +" + length);
            blocked = blocking;
        }

        @Override
        public int payload(MemorySegment memory, int at, int length) {
            int taken = Math.min(length, left);
            payload.append(HexFormat.of().formatHex(memory.asSlice(at, taken).toArray(ValueLayout.JAVA_BYTE)));
            left -= taken;
            return taken;
        }

        @Override
        public boolean isPayloadDone() {
            return left == 0;
        }

        @Override
        public void payloadDone() {
            events.add("payload " + payload);
            payload.setLength(0);
        }
    }

    private static byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        new java.util.Random(count).nextBytes(bytes);
        return bytes;
    }

    private static List<byte[]> oneOfEach() {
        return List.of(
            Requests.put(3, 1, 8, 1, bytes(21)), Requests.put(3, 1, 8, 0),
            Requests.putStrided(3, 1, 300, 0, 8, LEVELS, bytes(48)),
            Requests.putStrided(3, 1, 300, 0, 8, new Level[0], bytes(8)),
            Requests.putVector(3, 1, 0, Requests.entry(5, 4, bytes(4))),
            Requests.accumulate(3, 1, 8, 0, ElementCode.DOUBLE, 7, bytes(16)),
            Requests.accumulateStrided(3, 1, 8, ElementCode.INT, 1, 8, LEVELS, bytes(48)),
            Requests.accumulateVector(3, 1, ElementCode.LONG, 2, Requests.entry(8, 8, bytes(8))),
            Requests.signal(3, 1, 16, SignalOp.ADD, 4), Requests.notification(2), Requests.unlock(4, 0, 64, 1),
            Requests.fence(), Requests.get(1, 3, 1, 0, 10), Requests.getStrided(2, 3, 1, 300, 8, LEVELS),
            Requests.getVector(3, 3, 1, Requests.all(Requests.entry(1, 2), Requests.entry(3, 4))),
            Requests.atomic(4, 3, 1, 8, AtomicOp.SWAP, 8, 1, 2), Requests.lock(5, 4, 0, 64, false),
            Requests.probe(6, 1), Requests.allocate(7, 9, 0, 0, 100, 200), Requests.free(8, 9), Requests.goodbye(1),
            Requests.then(Requests.put(3, 1, 8, 1, bytes(7)), Frames.THEN_COUNT_FENCE, 9),
            Requests.lockWindow(9, 4, 1, LockMode.SHARED, false), Requests.unlockWindow(4, 1, LockMode.EXCLUSIVE, 1),
            Requests.lockedPut(10, 4, LockMode.EXCLUSIVE, 3, 1, 8, bytes(33)),
            Requests.lockedAccumulate(11, 4, LockMode.SHARED, 3, 1, 8, ElementCode.INT, ReduceCode.MAX, 1, bytes(12)),
            Requests.lockedGet(12, 4, LockMode.SHARED, 3, 1, 8, 100),
            Requests.getAccumulate(13, 3, 1, 8, ElementCode.LONG, ReduceCode.REPLACE, bytes(16)),
            Requests.abort(1, 0, "because"), Requests.nodeLeft(1), Requests.shutdown());
    }

    /** Each piece arrives in a buffer of its own, at another place in it. */
    private static List<String> read(byte[] stream, int[] cuts, boolean blocking) {
        Recorder recorder = new Recorder(blocking);
        FrameReader reader = new FrameReader(recorder);
        int from = 0;
        for (int piece = 0; piece <= cuts.length; piece++) {
            int to = piece < cuts.length ? cuts[piece] : stream.length;
            int margin = 8 + piece % 3;
            ByteBuffer buffer = ByteBuffer.allocateDirect(to - from + 2 * margin).put(margin, stream, from, to - from);
            int at = margin;
            while (at < margin + to - from) {
                recorder.blocked = false;
                int stopped = reader.read(new UnsafeBuffer(buffer), MemorySegment.ofBuffer(buffer), at,
                    margin + to - from);
                assertEquals(true, stopped > at, "no progress");
                at = stopped;
            }
            from = to;
        }
        return recorder.events;
    }

    /** A server has thousands of connections, on which long lists of ranges come now and then. */
    @Test
    void shouldKeepNoMemoryOfALongFrameWhenItIsComplete() {
        byte[] stream = stream(List.of(Requests.probe(1, 0), Requests.getVector(2, 3, 1, new byte[60_000]),
            Requests.probe(3, 0)));
        KeptRequests kept = new KeptRequests(Arena.ofAuto(), 1 << 18, 1 << 24);
        Recorder recorder = new Recorder(false);
        FrameReader reader = new FrameReader(recorder, kept);
        long most = 0;
        int piece = 1000;
        for (int from = 0; from < stream.length; from += piece) {
            MemorySegment bytes = MemorySegment.ofArray(Arrays.copyOfRange(stream, from,
                Math.min(from + piece, stream.length)));
            MemorySegment memory = Arena.ofAuto().allocate(bytes.byteSize()).copyFrom(bytes);
            reader.read(new UnsafeBuffer(memory.asByteBuffer()), memory, 0, (int) memory.byteSize());
            most = Math.max(most, kept.used());
        }
        assertEquals(read(stream, new int[0], false), recorder.events);
        assertEquals(true, most >= 60_000, "used at a time: " + most);
        assertEquals(0, kept.used());
    }

    @Test
    void shouldKeepNoMemoryOfALongFrameWhenTheRestNeverComes() {
        KeptRequests kept = new KeptRequests(Arena.ofAuto(), 1 << 18, 1 << 24);
        FrameReader reader = new FrameReader(new Recorder(false), kept);
        MemorySegment part = Arena.ofAuto().allocate(2000)
            .copyFrom(MemorySegment.ofArray(Requests.getVector(2, 3, 1, new byte[60_000])).asSlice(0, 2000));
        reader.read(new UnsafeBuffer(part.asByteBuffer()), part, 0, 2000);
        assertEquals(true, kept.used() > 0, "nothing is kept");
        reader.drop();
        reader.drop();
        assertEquals(0, kept.used());
    }

    private static byte[] stream(List<byte[]> frames) {
        return Requests.all(frames.toArray(byte[][]::new));
    }

    @Test
    void shouldReadTheSameWhenCutAtEachByte() {
        byte[] stream = stream(oneOfEach());
        List<String> whole = read(stream, new int[0], false);
        assertEquals(oneOfEach().size(), whole.stream().filter(event -> !event.startsWith("payload")).count());
        for (int cut = 1; cut < stream.length; cut++) {
            assertEquals(whole, read(stream, new int[] {cut}, false), "cut at " + cut);
        }
    }

    @Test
    void shouldReadTheSameWhenBytesComeOneByOne() {
        byte[] stream = stream(oneOfEach());
        int[] cuts = new int[stream.length - 1];
        Arrays.setAll(cuts, i -> i + 1);
        assertEquals(read(stream, new int[0], false), read(stream, cuts, false));
    }

    @Provide
    Arbitrary<List<Integer>> choices() {
        return Arbitraries.integers().between(0, oneOfEach().size() - 1).list().ofMinSize(1).ofMaxSize(20);
    }

    @Property(tries = 300)
    void shouldReadTheSameWhenCutAnywhereAndHeldBack(@ForAll("choices") List<Integer> choices,
        @ForAll List<@net.jqwik.api.constraints.IntRange(min = 1, max = 5000) Integer> points,
        @ForAll boolean blocking) {
        List<byte[]> all = oneOfEach();
        byte[] stream = stream(choices.stream().map(all::get).toList());
        int[] cuts = points.stream().mapToInt(Integer::intValue).filter(cut -> cut < stream.length).distinct().sorted()
            .toArray();
        assertEquals(read(stream, new int[0], false), read(stream, cuts, blocking));
    }

    @Test
    void shouldReadLargeFixedPartWhenItComesInPieces() {
        long[] lengths = new long[120];
        byte[] frame = Requests.allocate(1, 2, 0, 0, lengths);
        int[] cuts = {100, 300, 700, 1300};
        assertEquals(read(frame, new int[0], false), read(frame, cuts, false));
    }

    private static void refused(byte[] frame) {
        assertThrows(MalformedFrameException.class, () -> read(frame, new int[0], false));
        int[] cuts = new int[frame.length - 1];
        Arrays.setAll(cuts, i -> i + 1);
        assertThrows(MalformedFrameException.class, () -> read(frame, cuts, false), "byte by byte");
    }

    private static byte[] changed(byte[] frame, int at, int value) {
        byte[] copy = frame.clone();
        ByteBuffer.wrap(copy).order(ByteOrder.LITTLE_ENDIAN).putShort(at, (short) value);
        return copy;
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 4, 11, 12, 47, MAX_FRAME + 1, Integer.MAX_VALUE})
    void shouldRefuseWhenLengthCannotBe(int length) {
        byte[] frame = Requests.put(3, 1, 8, 1, bytes(21));
        ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN).putInt(0, length);
        refused(frame);
    }

    @Test
    void shouldRefuseWhenHeaderIsNone() {
        byte[] put = Requests.put(3, 1, 8, 1, bytes(21));
        refused(changed(put, Frames.LENGTH_BYTES, PutEncoder.BLOCK_LENGTH - 1)); // block shorter than the message's
        refused(changed(put, Frames.LENGTH_BYTES + 2, 99)); // no such message
        refused(changed(put, Frames.LENGTH_BYTES + 2, 41)); // a message that only servers send
        refused(changed(put, Frames.LENGTH_BYTES + 4, 7410)); // another schema
    }

    @Test
    void shouldRefuseWhenLevelsCannotBe() {
        byte[] get = Requests.getStrided(2, 3, 1, 300, 8, LEVELS);
        int group = Frames.HEADER_BYTES + GetStridedEncoder.BLOCK_LENGTH;
        refused(changed(get, group + 2, 9));
        refused(changed(get, group + 2, 65535));
        refused(changed(get, group + 2, 3)); // longer than the frame
        refused(changed(get, group + 2, 1)); // bytes after the last level
        refused(changed(get, group, 15)); // levels shorter than a level
        byte[] put = Requests.putStrided(3, 1, 300, 0, 8, new Level[0]);
        byte[] cut = Arrays.copyOf(put, put.length - 2);
        refused(changed(cut, 0, cut.length));
    }

    @Test
    void shouldRefuseWhenControlMessageIsLong() {
        byte[] frame = Arrays.copyOf(Requests.abort(1, 0, "because"), FrameReader.MAX_CONTROL_BYTES + 1);
        ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN).putInt(0, frame.length);
        assertThrows(MalformedFrameException.class, () -> read(frame, new int[0], false));
    }
}

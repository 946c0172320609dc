package org.tributary.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.tributary.wire.codec.AbortEncoder;
import org.tributary.wire.codec.AccumulateEncoder;
import org.tributary.wire.codec.AccumulateStridedEncoder;
import org.tributary.wire.codec.AccumulateVectorEncoder;
import org.tributary.wire.codec.AckEncoder;
import org.tributary.wire.codec.AllocateEncoder;
import org.tributary.wire.codec.AtomicEncoder;
import org.tributary.wire.codec.AtomicOp;
import org.tributary.wire.codec.ChallengeEncoder;
import org.tributary.wire.codec.DataEncoder;
import org.tributary.wire.codec.DoneEncoder;
import org.tributary.wire.codec.ElementCode;
import org.tributary.wire.codec.ErrorCode;
import org.tributary.wire.codec.ErrorEncoder;
import org.tributary.wire.codec.FenceEncoder;
import org.tributary.wire.codec.FreeEncoder;
import org.tributary.wire.codec.GetAccumulateEncoder;
import org.tributary.wire.codec.GetEncoder;
import org.tributary.wire.codec.GetStridedEncoder;
import org.tributary.wire.codec.GetVectorEncoder;
import org.tributary.wire.codec.GoodbyeEncoder;
import org.tributary.wire.codec.HelloEncoder;
import org.tributary.wire.codec.LockEncoder;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.codec.LockWindowEncoder;
import org.tributary.wire.codec.LockedAccumulateEncoder;
import org.tributary.wire.codec.LockedGetEncoder;
import org.tributary.wire.codec.LockedPutEncoder;
import org.tributary.wire.codec.MessageHeaderEncoder;
import org.tributary.wire.codec.NodeLeftEncoder;
import org.tributary.wire.codec.NotifyEncoder;
import org.tributary.wire.codec.ProbeEncoder;
import org.tributary.wire.codec.PutEncoder;
import org.tributary.wire.codec.PutStridedEncoder;
import org.tributary.wire.codec.PutVectorEncoder;
import org.tributary.wire.codec.ReduceCode;
import org.tributary.wire.codec.RefusalCode;
import org.tributary.wire.codec.RefusedEncoder;
import org.tributary.wire.codec.ResponseEncoder;
import org.tributary.wire.codec.Role;
import org.tributary.wire.codec.ShutdownEncoder;
import org.tributary.wire.codec.SignalEncoder;
import org.tributary.wire.codec.SignalOp;
import org.tributary.wire.codec.UnlockEncoder;
import org.tributary.wire.codec.UnlockWindowEncoder;
import org.tributary.wire.codec.ValueEncoder;
import org.tributary.wire.codec.WelcomeEncoder;

/** The bytes of one frame of each message, as another implementation has to write and read them: messages.txt. */
class MessageBytesTest {
    private static final int AT = Frames.LENGTH_BYTES;
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[2048]);
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final Map<String, String> frames = new TreeMap<>();

    private void frame(String name, IntSupplier encoder) {
        buffer.setMemory(0, buffer.capacity(), (byte) 0);
        int length = Frames.HEADER_BYTES + encoder.getAsInt();
        buffer.putInt(0, length);
        frames.put(name, HexFormat.of().formatHex(Arrays.copyOf(buffer.byteArray(), length)));
    }

    private void handshake() {
        byte[] token = new byte[32];
        Arrays.fill(token, (byte) 0xA5);
        frame("hello", () -> new HelloEncoder().wrapAndApplyHeader(buffer, AT, header).role(Role.REMOTE_RANK).rank(1)
            .node(2).pid(3).jobId("job-1").putNonce(token, 0, 32).peer(4).encodedLength());
        frame("challenge", () -> new ChallengeEncoder().wrapAndApplyHeader(buffer, AT, header).putNonce(token, 0, 32)
            .putProof(token, 0, 32).node(5).encodedLength());
        frame("response",
            () -> new ResponseEncoder().wrapAndApplyHeader(buffer, AT, header).putProof(token, 0, 32).encodedLength());
        frame("welcome", () -> new WelcomeEncoder().wrapAndApplyHeader(buffer, AT, header).node(1).maxPayload(2)
            .putProof(token, 0, 32).encodedLength());
        frame("refused", () -> new RefusedEncoder().wrapAndApplyHeader(buffer, AT, header)
            .code(RefusalCode.WRONG_RANK).putProof(token, 0, 32).detail("no").encodedLength());
    }

    private void contiguous() {
        frame("put", () -> new PutEncoder().wrapAndApplyHeader(buffer, AT, header).segmentId(1).targetOffset(2).rank(3)
            .flags(Frames.FLAG_ACK | Frames.THEN_COUNT_FENCE).windowId(7).encodedLength());
        frame("accumulate", () -> {
            AccumulateEncoder accumulate = new AccumulateEncoder().wrapAndApplyHeader(buffer, AT, header);
            accumulate.segmentId(1).targetOffset(2).rank(3).flags(4).elementType(ElementCode.COMPLEX_DOUBLE)
                .reduction(ReduceCode.SUM).windowId(7).scale().re(5).im(6);
            return accumulate.encodedLength();
        });
        frame("get", () -> new GetEncoder().wrapAndApplyHeader(buffer, AT, header).requestId(1).segmentId(2)
            .targetOffset(3).rank(4).lengthInBytes(5).flags(Frames.THEN_UNLOCK_SHARED).windowId(7).encodedLength());
        frame("signal", () -> new SignalEncoder().wrapAndApplyHeader(buffer, AT, header).segmentId(1).targetOffset(2)
            .rank(3).flags(4).op(SignalOp.ADD).value(-1).encodedLength());
        frame("atomic", () -> new AtomicEncoder().wrapAndApplyHeader(buffer, AT, header).requestId(1).segmentId(2)
            .targetOffset(3).rank(4).op(AtomicOp.COMPARE_AND_SWAP).width((short) 8).operand(5).expected(6)
            .encodedLength());
    }

    private void shaped() {
        frame("putStrided", () -> {
            PutStridedEncoder put = new PutStridedEncoder().wrapAndApplyHeader(buffer, AT, header);
            put.segmentId(1).targetOffset(2).rank(3).flags(4).blockLengthInBytes(5).windowId(10).levelsCount(2).next()
                .stride(-6).extent(7).next().stride(8).extent(9);
            return put.encodedLength();
        });
        frame("accumulateStrided", () -> {
            AccumulateStridedEncoder accumulate = new AccumulateStridedEncoder().wrapAndApplyHeader(buffer, AT, header);
            accumulate.segmentId(1).targetOffset(2).rank(3).flags(4).elementType(ElementCode.FLOAT)
                .blockLengthInBytes(7).reduction(ReduceCode.PRODUCT).windowId(10).scale().re(5).im(6);
            accumulate.levelsCount(1).next().stride(8).extent(9);
            return accumulate.encodedLength();
        });
        frame("getStrided", () -> {
            GetStridedEncoder get = new GetStridedEncoder().wrapAndApplyHeader(buffer, AT, header);
            get.requestId(1).segmentId(2).targetOffset(3).rank(4).blockLengthInBytes(5).flags(8).windowId(9)
                .levelsCount(1).next().stride(6).extent(7);
            return get.encodedLength();
        });
        frame("putVector", () -> new PutVectorEncoder().wrapAndApplyHeader(buffer, AT, header).segmentId(1).rank(2)
            .flags(3).windowId(4).encodedLength());
        frame("accumulateVector", () -> {
            AccumulateVectorEncoder accumulate = new AccumulateVectorEncoder().wrapAndApplyHeader(buffer, AT, header);
            accumulate.segmentId(1).rank(2).flags(3).elementType(ElementCode.LONG)
                .reduction(ReduceCode.NO_OP).windowId(6).scale().re(4).im(5);
            return accumulate.encodedLength();
        });
        frame("getVector", () -> new GetVectorEncoder().wrapAndApplyHeader(buffer, AT, header).requestId(1).segmentId(2)
            .rank(3).flags(4).windowId(5).encodedLength());
    }

    private void windows() {
        frame("lockWindow", () -> new LockWindowEncoder().wrapAndApplyHeader(buffer, AT, header).requestId(1)
            .windowId(2).rank(3).mode(LockMode.EXCLUSIVE).attempt((short) 1).holdsOther((short) 2)
            .encodedLength());
        frame("unlockWindow", () -> new UnlockWindowEncoder().wrapAndApplyHeader(buffer, AT, header).windowId(1)
            .rank(2).flags(3).mode(LockMode.SHARED).encodedLength());
        frame("lockedPut", () -> new LockedPutEncoder().wrapAndApplyHeader(buffer, AT, header).requestId(1).windowId(2)
            .segmentId(3).targetOffset(4).rank(5).mode(LockMode.EXCLUSIVE).encodedLength());
        frame("lockedAccumulate", () -> {
            LockedAccumulateEncoder accumulate = new LockedAccumulateEncoder().wrapAndApplyHeader(buffer, AT, header);
            accumulate.requestId(1).windowId(2).segmentId(3).targetOffset(4).rank(5).mode(LockMode.EXCLUSIVE)
                .elementType(ElementCode.DOUBLE).reduction(ReduceCode.MAX).scale().re(6).im(7);
            return accumulate.encodedLength();
        });
        frame("lockedGet", () -> new LockedGetEncoder().wrapAndApplyHeader(buffer, AT, header).requestId(1).windowId(2)
            .segmentId(3).targetOffset(4).lengthInBytes(5).rank(6).mode(LockMode.SHARED).encodedLength());
        frame("getAccumulate", () -> new GetAccumulateEncoder().wrapAndApplyHeader(buffer, AT, header).requestId(1)
            .segmentId(2).targetOffset(3).rank(4).flags(Frames.THEN_UNLOCK_EXCLUSIVE).elementType(ElementCode.INT)
            .reduction(ReduceCode.COMPARE_AND_SWAP).windowId(5).encodedLength());
    }

    private void control() {
        frame("notify",
            () -> new NotifyEncoder().wrapAndApplyHeader(buffer, AT, header).rank(1).flags(2).encodedLength());
        frame("lock", () -> new LockEncoder().wrapAndApplyHeader(buffer, AT, header).requestId(1).segmentId(2)
            .targetOffset(3).rank(4).attempt((short) 1).encodedLength());
        frame("unlock", () -> new UnlockEncoder().wrapAndApplyHeader(buffer, AT, header).segmentId(1).targetOffset(2)
            .rank(3).flags(4).encodedLength());
        frame("fence", () -> new FenceEncoder().wrapAndApplyHeader(buffer, AT, header).encodedLength());
        frame("probe",
            () -> new ProbeEncoder().wrapAndApplyHeader(buffer, AT, header).requestId(1).rank(2).encodedLength());
        frame("allocate", () -> {
            AllocateEncoder allocate = new AllocateEncoder().wrapAndApplyHeader(buffer, AT, header);
            allocate.requestId(1).segmentId(2).kind((short) 1).partsCount(1).next().rank(3).lengthInBytes(4);
            return allocate.encodedLength();
        });
        frame("free",
            () -> new FreeEncoder().wrapAndApplyHeader(buffer, AT, header).requestId(1).segmentId(2).encodedLength());
        frame("goodbye", () -> new GoodbyeEncoder().wrapAndApplyHeader(buffer, AT, header).rank(1).encodedLength());
        frame("abort", () -> new AbortEncoder().wrapAndApplyHeader(buffer, AT, header).rank(-1).node(2).reason("ü")
            .encodedLength());
        frame("nodeLeft", () -> new NodeLeftEncoder().wrapAndApplyHeader(buffer, AT, header).node(1).encodedLength());
        frame("shutdown", () -> new ShutdownEncoder().wrapAndApplyHeader(buffer, AT, header).encodedLength());
    }

    private void answers() {
        frame("ack", () -> new AckEncoder().wrapAndApplyHeader(buffer, AT, header).executed(1).encodedLength());
        frame("data", () -> new DataEncoder().wrapAndApplyHeader(buffer, AT, header).requestId(1).encodedLength());
        frame("value",
            () -> new ValueEncoder().wrapAndApplyHeader(buffer, AT, header).requestId(1).value(-2).encodedLength());
        frame("done", () -> new DoneEncoder().wrapAndApplyHeader(buffer, AT, header).requestId(1).encodedLength());
        frame("error", () -> new ErrorEncoder().wrapAndApplyHeader(buffer, AT, header).requestId(Frames.NO_REQUEST)
            .code(ErrorCode.NO_SPACE).rank(2).segmentId(3).targetOffset(4).lengthInBytes(5).bound(6).detail("/x")
            .encodedLength());
    }

    @Test
    void shouldHaveGoldenBytesWhenEncoded() throws IOException {
        handshake();
        contiguous();
        shaped();
        windows();
        control();
        answers();
        StringBuilder all = new StringBuilder();
        frames.forEach((name, frame) -> all.append(name).append(' ').append(frame).append('\n'));
        try (InputStream golden = MessageBytesTest.class.getResourceAsStream("messages.txt")) {
            assertEquals(new String(golden.readAllBytes(), StandardCharsets.US_ASCII), all.toString());
        }
    }

    @Test
    void shouldHaveTheirValuesWhenFramesAreBounded() {
        assertEquals(4, Frames.LENGTH_BYTES);
        assertEquals(12, Frames.HEADER_BYTES);
        assertEquals(12, Frames.VECTOR_ENTRY_BYTES);
        assertEquals(8, Frames.MAX_LEVELS);
        assertEquals(1, Frames.FLAG_ACK);
        assertEquals(0xF0, Frames.THEN_MASK);
        assertEquals(0x10, Frames.THEN_COUNT_FENCE);
        assertEquals(0x20, Frames.THEN_COUNT_EXPOSURE);
        assertEquals(0x520, Frames.thenCountExposure(5));
        assertEquals(5, Frames.member(0x521));
        assertEquals(0x30, Frames.THEN_UNLOCK_SHARED);
        assertEquals(0x40, Frames.THEN_UNLOCK_EXCLUSIVE);
        assertEquals(0, Frames.NO_WINDOW);
        assertEquals(16_384, Frames.MAX_HELD_PAYLOAD);
        assertEquals(-1, Frames.NO_REQUEST);
    }
}

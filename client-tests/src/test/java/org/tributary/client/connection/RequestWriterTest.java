package org.tributary.client.connection;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.tributary.client.link.Rank;
import org.tributary.client.shape.Scale;
import org.tributary.client.shape.Strided;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AccumulateStridedDecoder;
import org.tributary.wire.codec.AccumulateVectorDecoder;
import org.tributary.wire.codec.GetStridedDecoder;
import org.tributary.wire.codec.MessageHeaderDecoder;
import org.tributary.wire.codec.PutStridedDecoder;
import org.tributary.wire.codec.PutVectorDecoder;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.StridedRegion;

/** What requests look like to the generated decoders of a server. */
class RequestWriterTest {
    private static final Strided SHAPE = new Strided(8, new long[] {3, 2}, new long[] {16, 64}, new long[] {-24, 128});
    private static final List<List<Long>> LEVELS = List.of(List.of(-24L, 3L), List.of(128L, 2L));
    private static final Scale SCALE = Scale.ofComplexDouble(2, -1);

    private final MemoryTransport transport = new MemoryTransport();
    private final ServerLink link = new Rank().link(3, transport);
    private final RequestWriter writer = link.writer();
    private final MemorySegment source = Arena.ofAuto().allocate(256, 8);
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final List<List<Long>> levels = new ArrayList<>();

    private StridedRegion region() {
        StridedRegion region = new StridedRegion();
        SHAPE.addLocal(region.begin(source, 0, SHAPE.blockBytes()), 2);
        return region;
    }

    private UnsafeBuffer sent() {
        link.flush();
        UnsafeBuffer bytes = new UnsafeBuffer(transport.written());
        assertEquals(bytes.capacity(), bytes.getInt(0));
        return bytes;
    }

    /** What a server finds behind the levels. */
    private static byte[] payload(UnsafeBuffer frame, int limit) {
        byte[] bytes = new byte[frame.capacity() - limit];
        frame.getBytes(limit, bytes);
        return bytes;
    }

    private byte[] gathered() {
        for (int i = 0; i < source.byteSize(); i++) {
            source.setAtIndex(ValueLayout.JAVA_BYTE, i, (byte) i);
        }
        byte[] expected = new byte[48];
        region().gather(MemorySegment.ofArray(expected), 0, expected.length);
        return expected;
    }

    @Test
    void shouldWriteLevelsBeforeThePayloadWhenAShapeIsPut() throws IOException {
        byte[] expected = gathered();
        writer.putStrided(7, 5, 40, Frames.FLAG_ACK, null, SHAPE, 2, region());
        UnsafeBuffer frame = sent();
        PutStridedDecoder put = new PutStridedDecoder().wrapAndApplyHeader(frame, Frames.LENGTH_BYTES, header);
        assertEquals(List.of(7L, 40L, 8L), List.of(put.segmentId(), put.targetOffset(), put.blockLengthInBytes()));
        assertEquals(List.of(5, Frames.FLAG_ACK), List.of(put.rank(), put.flags()));
        put.levels().forEach(level -> levels.add(List.of(level.stride(), level.extent())));
        assertEquals(LEVELS, levels);
        assertArrayEquals(expected, payload(frame, put.limit()));
    }

    @Test
    void shouldWriteLevelsBeforeThePayloadWhenAShapeIsAccumulated() throws IOException {
        byte[] expected = gathered();
        writer.setCompletion(Frames.THEN_COUNT_FENCE, 9);
        writer.putStrided(7, 5, 40, 0, SCALE, SHAPE, 2, region());
        UnsafeBuffer frame = sent();
        AccumulateStridedDecoder accumulate =
            new AccumulateStridedDecoder().wrapAndApplyHeader(frame, Frames.LENGTH_BYTES, header);
        assertEquals(Frames.THEN_COUNT_FENCE, accumulate.flags());
        assertEquals(List.of(9L, 8L, SCALE.re(), SCALE.im()), List.of(accumulate.windowId(),
            accumulate.blockLengthInBytes(), accumulate.scale().re(), accumulate.scale().im()));
        assertEquals(ElementType.COMPLEX_DOUBLE.code(), accumulate.elementType());
        accumulate.levels().forEach(level -> levels.add(List.of(level.stride(), level.extent())));
        assertEquals(LEVELS, levels);
        assertArrayEquals(expected, payload(frame, accumulate.limit()));
    }

    @Test
    void shouldWriteOnlyTheFirstLevelsWhenAPartOfAShapeIsWanted() throws IOException {
        PendingReply reply = link.expect(null);
        writer.getStrided(reply, 7, 5, 40, SHAPE, 1);
        UnsafeBuffer frame = sent();
        GetStridedDecoder get = new GetStridedDecoder().wrapAndApplyHeader(frame, Frames.LENGTH_BYTES, header);
        assertEquals(List.of(0L, 7L, 40L, 8L),
            List.of(get.requestId(), get.segmentId(), get.targetOffset(), get.blockLengthInBytes()));
        get.levels().forEach(level -> levels.add(List.of(level.stride(), level.extent())));
        assertEquals(LEVELS.subList(0, 1), levels);
        assertEquals(frame.capacity(), get.limit());
    }

    @Test
    void shouldJoinRangesWhenTheyAreCombinedAlike() throws IOException {
        assertTrue(writer.addPut(7, 5, 0, SCALE, source, 0, 16));
        assertFalse(writer.addPut(7, 5, 32, Scale.ofComplexDouble(2, -1), source, 16, 16));
        assertTrue(writer.addPut(7, 5, 64, Scale.ofComplexDouble(2, 1), source, 32, 16), "another factor");
        assertTrue(writer.addPut(7, 5, 96, null, source, 48, 16), "a put");
        assertFalse(writer.addPut(7, 5, 128, null, source, 64, 16));
        assertTrue(writer.addPut(8, 5, 0, null, source, 64, 16), "another segment");
        link.flush();
        UnsafeBuffer bytes = new UnsafeBuffer(transport.written());
        int[] templates = new int[4];
        int[] entries = new int[4];
        int at = 0;
        for (int message = 0; message < 4; message++) {
            header.wrap(bytes, at + Frames.LENGTH_BYTES);
            templates[message] = header.templateId();
            int payload = bytes.getInt(at) - Frames.HEADER_BYTES - header.blockLength();
            entries[message] = payload / (Frames.VECTOR_ENTRY_BYTES + 16);
            at += bytes.getInt(at);
        }
        assertEquals(bytes.capacity(), at);
        assertArrayEquals(new int[] {AccumulateVectorDecoder.TEMPLATE_ID, AccumulateVectorDecoder.TEMPLATE_ID,
            PutVectorDecoder.TEMPLATE_ID, PutVectorDecoder.TEMPLATE_ID}, templates);
        assertArrayEquals(new int[] {2, 1, 2, 1}, entries);
    }
}

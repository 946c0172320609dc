package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tributary.config.Topology;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Reply;
import org.tributary.server.testing.Requests.Level;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.TestServers;
import org.tributary.testsupport.ExpectsErrors;
import org.tributary.testsupport.OneAndSeveralThreads;
import org.tributary.wire.codec.AtomicOp;
import org.tributary.wire.codec.ElementCode;
import org.tributary.wire.codec.ErrorCode;
import org.tributary.wire.codec.ErrorDecoder;
import org.tributary.wire.codec.SignalOp;

/** Well-formed requests that cannot be executed: a typed error, nothing touched, the connection goes on. */
@OneAndSeveralThreads
class RefusedRequestsTest {
    private static final long SEGMENT = 5;
    private static final long MUTEXES = 6;
    private static final int PART = 5000;
    private static final Level[] NONE = {};

    private TestServers job;
    private RawClient rank;

    @BeforeEach
    void start() throws IOException {
        job = TestServers.start(Topology.of(1, 1));
        rank = job.rank(0);
        rank.done(Requests.allocate(1, SEGMENT, 0, 0, PART));
        rank.done(Requests.allocate(1, MUTEXES, 1, 0, 128));
    }

    @AfterEach
    void stop() {
        job.close();
    }

    private ErrorDecoder refused(ErrorCode code, byte... request) throws IOException {
        double before = job.metric(0, "tributary_requests_rejected_total", "");
        Reply reply = rank.ask(request);
        assertEquals(code, reply.error().code(), reply.toString());
        assertEquals(before + 1, job.metric(0, "tributary_requests_rejected_total", ""));
        rank.fenced();
        assertArrayEquals(new byte[PART], rank.ask(Requests.get(1, SEGMENT, 0, 0, PART)).data());
        return reply.error();
    }

    @Test
    void shouldNameRankSegmentOffsetLengthAndLimitWhenOutOfBounds() throws IOException {
        ErrorDecoder error = refused(ErrorCode.OUT_OF_BOUNDS, Requests.put(SEGMENT, 0, 4990, 0, new byte[11]));
        assertEquals(-1, error.requestId());
        assertEquals(0, error.rank());
        assertEquals(SEGMENT, error.segmentId());
        assertEquals(4990, error.targetOffset());
        assertEquals(11, error.lengthInBytes());
        assertEquals(PART, error.bound());
    }

    @Test
    void shouldRefuseWhenRangeIsOutOfBounds() throws IOException {
        byte[] data = {1, 2, 3, 4, 5, 6, 7, 8};
        for (long offset : new long[] {-1, PART - 7, PART, PART + 1, Long.MAX_VALUE, Long.MAX_VALUE - 7,
            Long.MIN_VALUE}) {
            refused(ErrorCode.OUT_OF_BOUNDS, Requests.put(SEGMENT, 0, offset, 0, data));
            refused(ErrorCode.OUT_OF_BOUNDS, Requests.putStrided(SEGMENT, 0, offset, 0, 8, NONE, data));
            refused(ErrorCode.OUT_OF_BOUNDS, Requests.putVector(SEGMENT, 0, 0, Requests.entry(offset, 8, data)));
            refused(ErrorCode.OUT_OF_BOUNDS, Requests.getVector(1, SEGMENT, 0, Requests.entry(offset, 8)));
            refused(ErrorCode.OUT_OF_BOUNDS, Requests.get(1, SEGMENT, 0, offset, 8));
            refused(ErrorCode.OUT_OF_BOUNDS, Requests.getStrided(1, SEGMENT, 0, offset, 8));
            refused(ErrorCode.OUT_OF_BOUNDS, Requests.accumulate(SEGMENT, 0, offset, 0, ElementCode.LONG, 1, data));
            refused(ErrorCode.OUT_OF_BOUNDS, Requests.signal(SEGMENT, 0, offset, SignalOp.ADD, 8));
            refused(ErrorCode.OUT_OF_BOUNDS, Requests.atomic(1, SEGMENT, 0, offset, AtomicOp.SWAP, 8, 1, 1));
        }
        for (long length : new long[] {-1, PART + 1, Long.MAX_VALUE, Long.MIN_VALUE}) {
            refused(ErrorCode.OUT_OF_BOUNDS, Requests.get(1, SEGMENT, 0, 0, length));
        }
    }

    @Test
    void shouldRefuseWhenStridedRegionLeavesThePart() throws IOException {
        byte[] data = new byte[16];
        java.util.Arrays.fill(data, (byte) 9);
        for (Level level : new Level[] {new Level(PART, 2), new Level(-9, 2), new Level(Long.MAX_VALUE - 100, 2),
            new Level(Long.MIN_VALUE + 1, 2)}) {
            Level[] levels = {level};
            refused(ErrorCode.OUT_OF_BOUNDS, Requests.putStrided(SEGMENT, 0, 8, 0, 8, levels, data));
            refused(ErrorCode.OUT_OF_BOUNDS, Requests.getStrided(1, SEGMENT, 0, 8, 8, levels));
        }
        Level[] overflowing = {new Level(Long.MAX_VALUE, 3)};
        refused(ErrorCode.BAD_REQUEST, Requests.putStrided(SEGMENT, 0, 8, 0, 8, overflowing, data));
        refused(ErrorCode.BAD_REQUEST, Requests.getStrided(1, SEGMENT, 0, 8, 8, overflowing));
        refused(ErrorCode.BAD_REQUEST, Requests.putStrided(SEGMENT, 0, 8, 0, -8, NONE, data));
        refused(ErrorCode.BAD_REQUEST, Requests.putStrided(SEGMENT, 0, 8, 0, 9, NONE, data));
        refused(ErrorCode.BAD_REQUEST, Requests.getStrided(1, SEGMENT, 0, 8, 8, new Level(8, -1)));
    }

    /** Offset and strides that each overflow, so that the sums look as if the region lay within the part. */
    @Test
    void shouldRefuseWhenOffsetAndStridesWrapAround() throws IOException {
        long far = Long.MAX_VALUE - 7;
        Level[] back = {new Level(Long.MAX_VALUE, 2), new Level(-far, 2)};
        byte[] data = new byte[64];
        java.util.Arrays.fill(data, (byte) 9);
        refused(ErrorCode.BAD_REQUEST, Requests.putStrided(SEGMENT, 0, far, 0, 16, back, data));
        refused(ErrorCode.BAD_REQUEST, Requests.getStrided(1, SEGMENT, 0, far, 16, back));
        Level[] aligned = {new Level(Long.MAX_VALUE - 7, 2), new Level(-far, 2)};
        refused(ErrorCode.BAD_REQUEST,
            Requests.accumulateStrided(SEGMENT, 0, far, ElementCode.LONG, 1, 24, aligned, new byte[96]));
        rank.fenced(Requests.accumulate(SEGMENT, 0, 0, 0, ElementCode.LONG, 0, new byte[PART / 8 * 8]));
    }

    @Test
    void shouldRefuseWhenSegmentOrRankIsUnknown() throws IOException {
        refused(ErrorCode.SEGMENT_UNKNOWN, Requests.put(99, 0, 0, 0, new byte[40_000]));
        refused(ErrorCode.SEGMENT_UNKNOWN, Requests.putVector(99, 0, 0, new byte[40_000]));
        refused(ErrorCode.SEGMENT_UNKNOWN, Requests.get(1, 99, 0, 0, 1));
        refused(ErrorCode.SEGMENT_UNKNOWN, Requests.free(1, 99));
        for (int other : new int[] {1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            refused(ErrorCode.RANK_UNKNOWN, Requests.put(SEGMENT, other, 0, 0, new byte[40]));
            refused(ErrorCode.RANK_UNKNOWN, Requests.get(1, SEGMENT, other, 0, 1));
            refused(ErrorCode.RANK_UNKNOWN, Requests.lock(1, MUTEXES, other, 0, false));
            refused(ErrorCode.RANK_UNKNOWN, Requests.notification(other));
            refused(ErrorCode.RANK_UNKNOWN, Requests.probe(1, other));
        }
    }

    @Test
    void shouldRefuseWhenAlignmentOrWidthIsWrong() throws IOException {
        refused(ErrorCode.MISALIGNED, Requests.atomic(1, SEGMENT, 0, 4, AtomicOp.SWAP, 8, 1, 1));
        refused(ErrorCode.MISALIGNED, Requests.atomic(1, SEGMENT, 0, 2, AtomicOp.SWAP, 4, 1, 1));
        refused(ErrorCode.BAD_REQUEST, Requests.atomic(1, SEGMENT, 0, 8, AtomicOp.SWAP, 2, 1, 1));
        refused(ErrorCode.MISALIGNED, Requests.signal(SEGMENT, 0, 12, SignalOp.SET, 8));
        refused(ErrorCode.MISALIGNED,
            Requests.accumulate(SEGMENT, 0, 4, 0, ElementCode.COMPLEX_DOUBLE, 1, new byte[16]));
        refused(ErrorCode.BAD_REQUEST,
            Requests.accumulate(SEGMENT, 0, 8, 0, ElementCode.COMPLEX_DOUBLE, 1, new byte[24]));
        refused(ErrorCode.BAD_REQUEST, Requests.accumulateVector(SEGMENT, 0, ElementCode.LONG, 1,
            Requests.entry(0, 4, (byte) 1, (byte) 1, (byte) 1, (byte) 1)));
        Level[] odd = {new Level(12, 2)};
        refused(ErrorCode.MISALIGNED,
            Requests.accumulateStrided(SEGMENT, 0, 8, ElementCode.LONG, 1, 8, odd, new byte[16]));
        Level[] unused = {new Level(12, 1)};
        rank.fenced(Requests.accumulateStrided(SEGMENT, 0, 8, ElementCode.LONG, 1, 8, unused, new byte[8]));
        refused(ErrorCode.MISALIGNED, Requests.lock(1, MUTEXES, 0, 8, false));
    }

    @Test
    void shouldRefuseWhenMutexOrSegmentKindIsWrong() throws IOException {
        refused(ErrorCode.BAD_REQUEST, Requests.lock(1, SEGMENT, 0, 0, false));
        refused(ErrorCode.OUT_OF_BOUNDS, Requests.lock(1, MUTEXES, 0, 128, false));
        refused(ErrorCode.NOT_HELD, Requests.unlock(MUTEXES, 0, 0, 0));
        assertEquals(1, rank.ask(Requests.lock(1, MUTEXES, 0, 0, false)).value().value());
        refused(ErrorCode.ALREADY_HELD, Requests.lock(1, MUTEXES, 0, 0, false));
    }

    @Test
    void shouldRefuseWhenAnswerIsLongerThanOneMessage() throws IOException {
        refused(ErrorCode.BAD_REQUEST, Requests.getStrided(1, SEGMENT, 0, 0, 4096, new Level(0, 5000)));
    }

    @Test
    void shouldRefuseWhenAllocationCannotBe() throws IOException {
        assertEquals(ErrorCode.BAD_REQUEST, rank.ask(Requests.allocate(1, SEGMENT, 0, 0, 8)).error().code());
        assertEquals(ErrorCode.BAD_REQUEST, rank.ask(Requests.allocate(1, 9, 0, 1, 8)).error().code());
        assertEquals(ErrorCode.BAD_REQUEST, rank.ask(Requests.allocate(1, 9, 0, 0, -8)).error().code());
        assertEquals(ErrorCode.BAD_REQUEST, rank.ask(Requests.allocate(1, 9, 0, 0, Long.MAX_VALUE)).error().code());
        assertEquals(ErrorCode.BAD_REQUEST, rank.ask(Requests.allocate(1, 9, 1, 0, 65)).error().code());
        ErrorDecoder space = rank.ask(Requests.allocate(1, 9, 0, 0, 1L << 60)).error();
        assertEquals(ErrorCode.NO_SPACE, space.code());
        assertEquals(1L << 60, space.lengthInBytes());
        assertEquals(true, space.bound() > 0 && space.bound() < 1L << 60, "free bytes");
        assertEquals(true, space.detail().endsWith("(tmpfs)"), "the mount");
        rank.done(Requests.allocate(1, 9, 0, 0, 8));
        assertEquals(4, job.metric(0, "tributary_segments", ""));
    }

    /** Only its beginning has come, of which no more is needed. */
    @Test
    @ExpectsErrors("closed REMOTE_RANK of rank 1 .*: message 41 is no request")
    void shouldCloseAtOnceWhenALongMessageIsNoRequest() throws IOException {
        byte[] data = Requests.data(1, new byte[1 << 20]);
        try (RawClient remote = job.remote(1, 0)) {
            remote.send(data, 0, 100);
            remote.awaitClosed();
            assertEquals(1, job.metric(0, "tributary_frames_malformed_total", ""));
        }
    }

    @Test
    @ExpectsErrors("closed LOCAL_RANK of rank 0 .*: allocation of 1 parts in 16 bytes")
    void shouldCloseWhenPartsOfAllocationAreNotThere() throws IOException {
        byte[] allocate = Requests.allocate(1, 9, 0, 0, 8);
        int group = allocate.length - 16;
        for (byte partBytes : new byte[] {0, 11, 13, 127}) {
            try (TestServers other = TestServers.start(Topology.of(1)); RawClient client = other.rank(0)) {
                allocate[group] = partBytes;
                client.send(allocate);
                client.awaitClosed();
                assertEquals(1, other.metric(0, "tributary_frames_malformed_total", ""));
            }
        }
    }
}

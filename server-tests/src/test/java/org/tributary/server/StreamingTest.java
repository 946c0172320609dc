package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tributary.config.Topology;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Reply;
import org.tributary.server.testing.Requests.Level;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.TestServers;
import org.tributary.wire.codec.ElementCode;
import org.tributary.wire.codec.ErrorCode;

/** What happens between the first and the last byte of a large request. */
class StreamingTest {
    private static final long SEGMENT = 5;
    private static final int LENGTH = 3 << 20;

    /** Ways in which payload reaches memory. */
    enum Way {
        PUT, PUT_STRIDED, PUT_VECTOR, ACCUMULATE, ACCUMULATE_STRIDED, ACCUMULATE_VECTOR;

        byte[] request(byte[] data) {
            Level[] levels = {new Level(8192, LENGTH / 4096)};
            return switch (this) {
                case PUT -> Requests.put(SEGMENT, 0, 0, 0, data);
                case PUT_STRIDED -> Requests.putStrided(SEGMENT, 0, 0, 0, 4096, levels, data);
                case PUT_VECTOR -> Requests.putVector(SEGMENT, 0, 0, Requests.entry(0, LENGTH, data));
                case ACCUMULATE -> Requests.accumulate(SEGMENT, 0, 0, 0, ElementCode.LONG, 1, data);
                case ACCUMULATE_STRIDED ->
                    Requests.accumulateStrided(SEGMENT, 0, 0, ElementCode.LONG, 1, 4096, levels, data);
                case ACCUMULATE_VECTOR ->
                    Requests.accumulateVector(SEGMENT, 0, ElementCode.LONG, 1, Requests.entry(0, LENGTH, data));
            };
        }

        byte[] written(RawClient client) throws IOException {
            boolean strided = this == PUT_STRIDED || this == ACCUMULATE_STRIDED;
            return client.ask(Requests.getStrided(1, SEGMENT, 0, 0, 4096,
                new Level(strided ? 8192 : 4096, LENGTH / 4096))).data();
        }
    }

    private TestServers job;
    private RawClient rank;

    @BeforeEach
    void start() throws IOException {
        job = TestServers.start(Topology.of(1, 1));
        rank = job.rank(0);
        rank.done(Requests.allocate(1, SEGMENT, 0, 0, 2L * LENGTH));
    }

    @AfterEach
    void stop() {
        job.close();
    }

    private static byte[] data() {
        byte[] data = new byte[LENGTH];
        new java.util.Random(1).nextBytes(data);
        return data;
    }

    /** Sends the first part of a request and waits until the server has it. */
    private void begin(RawClient client, byte[] request, int length) throws IOException {
        client.send(request, 0, length);
        rank.fenced();
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void shouldStoreWhatCameWhenBytesComeInPieces(Way way) throws IOException {
        byte[] data = data();
        byte[] request = way.request(data);
        try (RawClient peer = job.peer(1, 0)) {
            int[] pieces = {1, 11, 12, 13, 50, 90, 95, 100, 101, 5000, 70_001, 70_002, 1_000_003, request.length - 1};
            int sent = 0;
            for (int piece : pieces) {
                begin(peer, Arrays.copyOfRange(request, sent, piece), piece - sent);
                sent = piece;
            }
            peer.send(request, sent, request.length - sent);
            assertEquals(1, peer.fenced());
        }
        assertArrayEquals(data, way.written(rank));
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void shouldGoOnWhenSegmentIsFreedMidway(Way way) throws IOException {
        byte[] request = way.request(data());
        try (RawClient peer = job.peer(1, 0)) {
            begin(peer, request, request.length / 2);
            rank.done(Requests.free(2, SEGMENT));
            rank.done(Requests.allocate(3, SEGMENT, 0, 0, 2L * LENGTH)); // another segment of the same name
            peer.send(request, request.length / 2, request.length - request.length / 2);
            assertEquals(1, peer.fenced());
            assertArrayEquals(new byte[LENGTH], way.written(rank), "late bytes went to the new segment");
            rank.done(Requests.free(4, SEGMENT));
            Reply error = peer.ask(request);
            assertEquals(ErrorCode.SEGMENT_UNKNOWN, error.error().code());
            assertEquals(2, peer.fenced());
        }
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void shouldLetGoWhenConnectionIsLostMidway(Way way) throws IOException {
        byte[] request = way.request(data());
        for (int length : new int[] {100, 20_000, request.length - 1}) {
            try (RawClient peer = job.peer(1, 0)) {
                begin(peer, request, length);
            }
            job.awaitMetric(0, "tributary_connections", 2); // the rank and the server of node 1
            rank.fenced(Requests.put(SEGMENT, 0, 0, 0, (byte) 1));
        }
        rank.done(Requests.free(2, SEGMENT));
        assertEquals(1, job.metric(0, "tributary_segments", ""));
        assertEquals(0, job.metric(0, "tributary_frames_malformed_total", ""));
    }
}

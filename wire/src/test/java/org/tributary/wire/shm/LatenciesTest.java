package org.tributary.wire.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.Topology;

/** How long calls take, in shared memory. */
class LatenciesTest {
    @Test
    void shouldHaveRoomForEachKindWhenCounted() {
        assertEquals(LatencyKind.values().length * Latencies.KIND_BYTES, Latencies.BYTES);
    }

    @Test
    void shouldBeginAtItsShortestTimeWhenBucketIsLookedUp() {
        for (int bucket = 0; bucket < Latencies.BUCKETS; bucket++) {
            assertEquals(bucket, Latencies.bucket(Latencies.shortestNs(bucket)));
            if (bucket > 0) {
                assertEquals(bucket - 1, Latencies.bucket(Latencies.shortestNs(bucket) - 1));
            }
        }
        assertEquals(0, Latencies.bucket(-5));
        assertEquals(Latencies.BUCKETS - 1, Latencies.bucket(Long.MAX_VALUE));
    }

    @Test
    void shouldBeNearWhenTimesAreLong() {
        for (long ns = 3000; ns < 1L << 36; ns = ns * 5 / 4) {
            long shortest = Latencies.shortestNs(Latencies.bucket(ns));
            assertTrue(shortest <= ns && ns - shortest <= ns / 16, ns + " counts as " + shortest);
        }
    }

    @Test
    void shouldBeReadFromOutsideWhenRankNotesThem(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("control");
        try (Arena arena = Arena.ofConfined()) {
            ControlFile control = ControlFile.create(file, arena, Topology.of(2), 0, 2);
            long second = System.nanoTime() - 1_000_000_000L;
            control.latencies(0).ended(LatencyKind.LOCK, second);
            control.latencies(1).ended(LatencyKind.LOCK, second);
            control.latencies(1).ended(LatencyKind.GET, System.nanoTime());
            int[] counts = NodeView.readWhole(file).latencies();
            int from = LatencyKind.LOCK.ordinal() * Latencies.BUCKETS;
            assertEquals(3, Arrays.stream(counts).sum());
            assertEquals(2, Arrays.stream(counts, from + Latencies.bucket(900_000_000L), from + Latencies.BUCKETS)
                .sum());
            assertEquals(0, control.latencies(0).count(LatencyKind.FENCE, 0));
        }
    }

    @Test
    void shouldTimeOneOfManyWhenCallsAreShortAndAllWhenTheyAreLong() {
        Latencies latencies = Latencies.unshared();
        LatencySample sample = new LatencySample(latencies, LatencyKind.BARRIER, 1);
        for (int i = 0; i < 100; i++) { // long ones, whatever the machine does
            sample.ended(System.nanoTime() - 1_000_000_000L);
            assertTrue(sample.begin() != Long.MIN_VALUE, "after a long one the next is timed");
        }
        assertEquals(100, count(latencies, LatencyKind.BARRIER));
        sample.took(0);
        int timed = 0;
        for (int i = 0; i < 16_000; i++) {
            timed += sample.begin() == Long.MIN_VALUE ? 0 : 1;
            sample.ended(Long.MIN_VALUE);
        }
        assertEquals(1000, timed, 150);
        assertEquals(101, count(latencies, LatencyKind.BARRIER));
        assertEquals(0, count(latencies, LatencyKind.COLLECTIVE));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 10, 16, 31, 32})
    void shouldCountAsManyLongCallsAsThereAreWhenTheyComeInTurnWithShortOnes(int period) {
        Latencies latencies = Latencies.unshared();
        LatencySample sample = new LatencySample(latencies, LatencyKind.BARRIER, 1);
        for (int call = 0; call < 200_000; call++) {
            if (sample.begin() == Long.MIN_VALUE) {
                sample.ended(Long.MIN_VALUE);
            } else {
                sample.took(call % period == period - 1 ? 1_000_000 : 1000);
            }
        }
        double share = latencies.count(LatencyKind.BARRIER, Latencies.bucket(1_000_000)) / 200_000.0;
        assertEquals(1.0 / period, share, 0.1 / period);
        assertEquals(200_000, count(latencies, LatencyKind.BARRIER), 10_000);
    }

    private static int count(Latencies latencies, LatencyKind kind) {
        int sum = 0;
        for (int bucket = 0; bucket < Latencies.BUCKETS; bucket++) {
            sum += latencies.count(kind, bucket);
        }
        return sum;
    }

    @Test
    void shouldDoNothingWhenMemoryIsGone(@TempDir Path directory) throws IOException {
        Latencies latencies;
        try (Arena arena = Arena.ofConfined()) {
            latencies = ControlFile.create(directory.resolve("control"), arena, Topology.of(1), 0, 1).latencies(0);
        }
        latencies.ended(LatencyKind.GET, System.nanoTime());
    }
}

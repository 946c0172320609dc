package org.tributary.benchmarks.onesided;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.tributary.benchmarks.limits.Limit;
import org.tributary.benchmarks.limits.RawLimits;
import org.tributary.benchmarks.measure.Effort;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.benchmarks.results.Table;

class ComparisonTest {
    private static final long BULK = 4 << 20;
    private final Comparison comparison = new Comparison(limits(10_000));

    @Test
    void shouldDivideTimesWhenRemoteOpIsSmall() {
        Result result = comparison.compare(one(Op.GET, Route.REMOTE, 8), sample(15_000), List.of());

        assertEquals("spinning", result.limit());
        assertEquals(1.5, result.ratio(), 1e-9);
    }

    @Test
    void shouldDivideBandwidthsWhenOpIsBulk() {
        Result remote = comparison.compare(one(Op.GET, Route.REMOTE, BULK), sample(1_250_000), List.of());
        Result onNode = comparison.compare(one(Op.GET, Route.NODE, BULK), sample(500_000), List.of());

        assertEquals("stream", remote.limit());
        assertEquals(0.8, remote.ratio(), 1e-9);
        assertEquals("copy", onNode.limit());
        assertEquals(0.8, onNode.ratio(), 1e-9);
    }

    @Test
    void shouldCompareWithContiguousWhenOpIsStrided() {
        Result contiguous = comparison.compare(one(Op.PUT_FENCE, Route.REMOTE, 32_768), sample(20_000), List.of());
        Case strided = one(Op.STRIDED_PUT_FENCE, Route.REMOTE, 32_768);

        Result result = comparison.compare(strided, sample(26_000), List.of(contiguous));

        assertEquals("contiguous put+fence", result.limit());
        assertEquals(1.3, result.ratio(), 1e-9);
        assertThrows(IllegalStateException.class, () -> comparison.compare(strided, sample(26_000), List.of()));
    }

    @Test
    void shouldHaveNoLimitWhenOpIsRateOrSmallOnNode() {
        assertNull(comparison.compare(one(Op.PUT_RATE, Route.REMOTE, 8), sample(1), List.of()).limit());
        assertNull(comparison.compare(one(Op.GET, Route.NODE, 8), sample(1), List.of()).limit());
    }

    @Test
    void shouldCountEveryOperationOfAWindowWhenReported() {
        Sample tenWindowsInAMillisecond = new Sample(10, 90_000, 100_000, 100_000, 1_000_000, 0);

        Result result = comparison.compare(one(Op.PUT_BANDWIDTH, Route.REMOTE, 1000), tenWindowsInAMillisecond,
            List.of());

        assertEquals(640_000, result.opsPerSecond(), 1e-6);
        assertEquals(640, result.mbPerSecond(), 1e-9);
    }

    @Test
    void shouldHaveExactlyTheAgreedMembersWhenWritten() {
        Result result = comparison.compare(one(Op.GET, Route.REMOTE, 8), sample(15_000), List.of());

        Table table = Report.operations();
        result.addTo(table);
        assertEquals("[get, remote, blocked, 8, 1, null, 15, 15, 15, 15, 0.5333, 66667, spinning, 1.5]",
            table.rows().getFirst().toString());
        assertEquals(table.columns().size(), table.rows().getFirst().size());
    }

    /** Half of them takes twice as long: what the slow half took counts on both sides. */
    @Test
    void shouldCompareAllTheTimeWhenTimesOfBulkOperationsDiffer() {
        Sample skewed = new Sample(100, 1_000_000, 2_000_000, 2_000_000, 150_000_000, 0);
        Limit stream = new Limit("stream", 100 * BULK, sample(150_000_000));
        Comparison toStream = new Comparison(new RawLimits(Optional.empty(), Optional.empty(), Optional.of(stream),
            new Limit("copy", BULK, skewed)));

        Result remote = toStream.compare(one(Op.PUT_FENCE, Route.REMOTE, BULK), skewed, List.of());
        Result onNode = toStream.compare(one(Op.PUT_FENCE, Route.NODE, BULK), sample(1_500_000), List.of());

        assertEquals(1, remote.ratio(), 1e-9);
        assertEquals(1, onNode.ratio(), 1e-9);
        assertFalse(remote.isLimitExceeded());
    }

    @Test
    void shouldSayThatTheLimitIsNoneWhenItIsExceeded() {
        assertTrue(comparison.compare(one(Op.PUT_FENCE, Route.REMOTE, BULK), sample(900_000), List.of())
            .isLimitExceeded());
        assertFalse(comparison.compare(one(Op.GET, Route.REMOTE, 8), sample(15_000), List.of()).isLimitExceeded());
    }

    @Test
    void shouldCompareTheMedianWithTheBestLimitWhenRepeated() {
        Repetitions repetitions = new Repetitions();
        long[] limitNs = {30_000, 10_000, 20_000};
        long[] resultNs = {50_000, 70_000, 60_000};
        for (int i = 0; i < limitNs.length; i++) {
            repetitions.add(limits(limitNs[i]));
            repetitions.add(List.of(comparison.compare(one(Op.GET, Route.REMOTE, 8), sample(resultNs[i]), List.of())));
        }

        assertEquals(10_000, repetitions.limits().spinning().orElseThrow().sample().medianNs());
        assertEquals(60_000, repetitions.results().getFirst().sample().medianNs());
        assertEquals(6.0, repetitions.results().getFirst().ratio(), 1e-9);
    }

    @Test
    void shouldTakeTheRunOfTheMedianRateWhenBulkOperationsAreRepeated() {
        Repetitions repetitions = new Repetitions();
        long[] medianMs = {1, 2, 3};
        long[] totalMs = {40, 90, 50};
        repetitions.add(limits(10_000));
        for (int i = 0; i < medianMs.length; i++) {
            long ns = medianMs[i] * 1_000_000;
            Sample run = new Sample(10, ns, ns, ns, totalMs[i] * 1_000_000, 0);
            repetitions.add(List.of(comparison.compare(one(Op.GET, Route.REMOTE, BULK), run, List.of())));
        }

        assertEquals(0.2, repetitions.results().getFirst().ratio(), 1e-9);
    }

    @Test
    void shouldKeepTheLongestOfAllRunsWhenRepeated() {
        Repetitions repetitions = new Repetitions();
        long[] medianNs = {1_000, 2_000, 3_000};
        long[] longestNs = {100_000_000, 4_000, 5_000};
        for (int i = 0; i < medianNs.length; i++) {
            Sample run = new Sample(10, medianNs[i], medianNs[i], longestNs[i], 10 * medianNs[i], 0);
            repetitions.add(limits(10_000));
            repetitions.add(List.of(comparison.compare(one(Op.GET, Route.REMOTE, 8), run, List.of())));
        }

        assertEquals(new Sample(10, 2_000, 2_000, 100_000_000, 20_000, 0),
            repetitions.results().getFirst().sample());
    }

    private static RawLimits limits(long spinningNs) {
        return new RawLimits(Optional.of(new Limit("spinning", 64, sample(spinningNs))),
            Optional.of(new Limit("blocking", 64, sample(100_000))),
            Optional.of(new Limit("stream", BULK, sample(1_000_000))), new Limit("copy", BULK, sample(400_000)));
    }

    private static Case one(Op op, Route route, long bytes) {
        return new Case(op, route, TargetState.BLOCKED, 1, bytes, new Effort(0, 1));
    }

    private static Sample sample(long ns) {
        return new Sample(1, ns, ns, ns, ns, 0);
    }
}

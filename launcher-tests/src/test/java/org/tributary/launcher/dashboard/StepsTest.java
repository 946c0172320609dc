package org.tributary.launcher.dashboard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.tributary.launcher.status.JobStep;
import org.tributary.launcher.step.Grid;
import org.tributary.launcher.step.NodeRates.Rate;
import org.tributary.launcher.step.StubNodes;
import org.tributary.launcher.step.View;
import org.tributary.launcher.step.View.Range;
import org.tributary.wire.RankState;
import org.tributary.wire.shm.Latencies;
import org.tributary.wire.shm.LatencyKind;
import org.tributary.wire.shm.WaitKind;
import org.tributary.wire.status.NodeDetails;
import org.tributary.wire.status.NodeDetails.Lock;
import org.tributary.wire.status.NodeDetails.LockName;
import org.tributary.wire.status.NodeSnapshot;
import org.tributary.wire.status.NodeStatus;
import org.tributary.wire.status.NodeStatus.Rank;
import org.tributary.wire.status.NodeStatus.Wait;
import org.tributary.wire.status.ProcessState;
import org.tributary.wire.status.ServerCounts;
import org.tributary.wire.status.ServerCounts.Pair;
import org.tributary.wire.status.ServerGauge;

/** From snapshots of nodes to what a page gets. */
class StepsTest {
    private static final int MOST_BYTES_OF_STEP = 256 * 1024;
    private static final int MOST_BYTES_OF_NODE = 16 * 1024;

    private static JobStep job(List<NodeSnapshot> nodes) {
        return new JobStep(nodes, List.of(), List.of());
    }

    /** What each rank asks of each other. */
    private static Collection<Rate> pairs(Step step) {
        View all = new View(true, Range.ALL, Range.ALL);
        return step.digest().cells(all, new Grid(step.digest().order(), all)).values();
    }

    private static Rate total(Step step) {
        return step.digest().sums().total();
    }

    private static double requests(Step step) {
        return step.digest().hottest(Integer.MAX_VALUE).values().stream().mapToDouble(Rate::requests).sum();
    }

    private static Matrix matrix(Step step, View view) {
        return new Matrix(step.digest(), step.digest().order(), view);
    }

    private static Step step(StubNodes nodes) {
        Steps steps = new Steps("stub");
        steps.next(1000, job(nodes.after(1)));
        return steps.next(2000, job(nodes.after(2)));
    }

    @Test
    void shouldTellRatesWhenCountsHaveGrown() {
        StubNodes nodes = new StubNodes(3, 2, 1);
        Steps steps = new Steps("stub");
        assertEquals(0, total(steps.next(1000, job(nodes.after(1)))).requests(), "nothing to compare with yet");
        Step step = steps.next(3000, job(nodes.after(3)));
        assertEquals(6 * StubNodes.ASKED_EACH, total(step).requests(), 0.01);
        assertEquals(6 * 8 * StubNodes.ASKED_EACH, total(step).bytes(), 0.01);
        assertEquals(6, pairs(step).size());
        Step same = steps.next(4000, job(nodes.after(3)));
        assertEquals(6 * StubNodes.ASKED_EACH, total(same).requests(), 0.01, "a node that has told nothing new");
    }

    @Test
    void shouldShowNoRateOfNodesThatAreNotThereAndHaveItWhenTheyAreAgain() {
        StubNodes nodes = new StubNodes(3, 2, 1);
        Steps steps = new Steps("stub");
        steps.next(1000, job(nodes.after(1)));
        Step two = steps.next(2000, job(nodes.after(2).subList(0, 2)));
        assertEquals(4 * StubNodes.ASKED_EACH, total(two).requests(), 0.01);
        Step back = steps.next(3000, job(nodes.after(3)));
        assertEquals(6 * StubNodes.ASKED_EACH, total(back).requests(), 0.01, "one was late, for two seconds");
        assertEquals(0, total(steps.next(4000, job(List.of()))).requests());
    }

    @Test
    void shouldNeverGoBelowZeroWhenCountsGoBack() {
        StubNodes nodes = new StubNodes(2, 1, 1);
        Steps steps = new Steps("stub");
        steps.next(1000, job(nodes.after(5)));
        assertTrue(total(steps.next(2000, job(nodes.after(2)))).requests() >= 0);
    }

    @Test
    void shouldTellTheOthersTogetherWhenANodeTellsItsBusiestPairsOnly() {
        Steps steps = new Steps("stub");
        steps.next(1000, job(List.of(withPairs(1, new Pair(1, 0, 100, 800), new Pair(-1, -1, 50, 400)))));
        Step step = steps.next(2000, job(List.of(withPairs(2, new Pair(1, 0, 120, 960), new Pair(2, 0, 45, 360),
            new Pair(-1, -1, 35, 280)))));
        assertEquals(20, requests(step), 0.01,
            "what the new pair had before is not known");
        assertEquals(30, step.digest().sums().others().requests(), 0.01);
        assertEquals(240, step.digest().sums().others().bytes(), 0.01);
        Step next = steps.next(3000, job(List.of(withPairs(3, new Pair(1, 0, 120, 960), new Pair(2, 0, 55, 440),
            new Pair(-1, -1, 35, 280)))));
        assertEquals(10, requests(next), 0.01);
        assertEquals(0, next.digest().sums().others().requests(), 0.01);
    }

    private static NodeSnapshot withPairs(long seconds, Pair... pairs) {
        NodeSnapshot node = new StubNodes(1, 1, 0).node(0, seconds);
        return new NodeSnapshot(node.status(), node.details(), new ServerCounts(node.counts().atNs(),
            node.counts().operations(), node.counts().gauges(), List.of(pairs)), node.latencies());
    }

    @Test
    void shouldShowTheLastStepWithTheReasonWhenThereCanBeNoOther() {
        StubNodes nodes = new StubNodes(3, 2, 1);
        Steps steps = new Steps("stub");
        assertEquals(List.of(), steps.again(500, "why").digest().lines());
        steps.next(1000, job(nodes.after(1)));
        steps.next(2000, job(nodes.after(2)));
        Step again = steps.again(3000, "the\nreason " + "x".repeat(10_000));
        assertEquals(6 * StubNodes.ASKED_EACH, total(again).requests(), 0.01);
        String json = StepJson.of(again, View.ALL);
        assertTrue(json.contains("reason x") && !json.contains("x".repeat(1000)), json);
    }

    @Test
    void shouldTellWhoWaitsForWhomWhenWaitsAreLong() {
        NodeSnapshot node = new StubNodes(1, 1, 0).node(0, 1);
        List<Rank> ranks = List.of(waiting(0, new Wait(WaitKind.MUTEX, 2, 7, 1, 3_000_000_000L)), waiting(1),
            waiting(2, new Wait(WaitKind.FLAG, 0, 7, 64, 400_000_000L)),
            waiting(3, new Wait(WaitKind.ANSWER, 0, 0, 0, 9_000_000_000L)),
            waiting(4, new Wait(WaitKind.NOTIFICATION, 2, 0, 5, 1_000_000_000L)));
        NodeStatus status = new NodeStatus("stub", 0, "5", 5, 1, 1, 7000, ProcessState.RUNS, ranks);
        Step step = new Steps("stub").next(1000, job(List.of(new NodeSnapshot(status, new NodeDetails(List.of(),
            List.of(new Lock(new LockName(7, 2, 1), 1, 0))), node.counts(), node.latencies()))));
        assertTrue(StepJson.of(step, View.ALL).contains("\"waits\": {\"count\": 3, \"lines\": ["
            + "{\"rank\": 3, \"for_ms\": 9000, \"text\": \"an answer of the server of node 0\","
            + " \"whom\": \"the server of node 0\"}, "
            + "{\"rank\": 0, \"for_ms\": 3000, \"text\": \"mutex 1 of rank 2, held by rank 1\", \"whom\": \"rank 1\"}, "
            + "{\"rank\": 4, \"for_ms\": 1000, \"text\": \"notification 5 of rank 2\", \"whom\": \"rank 2\"}]}"),
            StepJson.of(step, View.ALL));
    }

    private static Rank waiting(int rank, Wait... waits) {
        return new Rank(rank, RankState.ATTACHED, 1000 + rank, ProcessState.RUNS, 1, 1, List.of(waits), false);
    }

    @Test
    void shouldTellTheLongestWaitsAndHowManyThereAreWhenTheyAreMoreThanLines() {
        String json = StepJson.of(step(new StubNodes(100, 1, 1)), View.ALL);
        assertTrue(json.contains("\"waits\": {\"count\": 100, "), json);
        assertEquals(StepJson.MOST_LINES, json.split("\"whom\": ", -1).length - 1);
    }

    @Test
    void shouldSumGaugesOfAllNodesWhenTheyAreMoreThanLines() {
        Step step = step(new StubNodes(100, 1, 1));
        assertTrue(StepJson.of(step, View.ALL).contains("\"channels\": "
            + 100 * ServerGauge.CHANNELS.ordinal()), "each stub tells the code of the gauge");
    }

    @Test
    void shouldSumToTheSameWhenMatrixIsSeenFromFarAndNear() {
        Step step = step(new StubNodes(100, 4, 3));
        for (boolean ranks : new boolean[] {false, true}) {
            List<?> cells = (List<?>) matrix(step, new View(ranks, Range.ALL, Range.ALL)).fields().get("cells");
            long sum = cells.stream().mapToLong(cell -> ((Number) ((List<?>) cell).get(2)).longValue()).sum();
            assertEquals(100 * 4 * 3 * StubNodes.ASKED_EACH, sum, sum / 100.0);
        }
        View near = View.of(Map.of("level", List.of("ranks"), "rows", List.of("0-4"), "columns", List.of("4-8")));
        Map<String, Object> matrix = matrix(step, near).fields();
        assertEquals(4, ((List<?>) matrix.get("rows")).size());
        assertEquals(List.of("4", 4, 5, 4, 5), ((List<?>) matrix.get("columns")).getFirst());
        assertEquals(4, ((List<?>) matrix.get("cells")).size(), "each rank asks the one of the next node");
    }

    @Test
    void shouldShowSomethingWhenViewMakesNoSense() {
        Step step = step(new StubNodes(3, 2, 1));
        for (String range : List.of("", "x-y", "7-3", "-5--1", "99-100", "0-0", "0-2147483647")) {
            View view = View.of(Map.of("rows", List.of(range), "columns", List.of(range)));
            assertFalse(((List<?>) matrix(step, view).fields().get("rows")).isEmpty(), range);
        }
        assertTrue(StepJson.of(new Steps("none").next(0, job(List.of())), View.ALL).contains("\"cells\": []"));
    }

    @Test
    void shouldStayBoundedWhenJobHasAThousandNodes() {
        StubNodes nodes = new StubNodes(1000, 8, 20);
        Steps steps = new Steps("stub");
        for (int second = 1; second <= 3; second++) {
            List<NodeSnapshot> received = new ArrayList<>();
            for (NodeSnapshot node : nodes.after(second)) {
                byte[] bytes = node.encode();
                assertTrue(bytes.length <= MOST_BYTES_OF_NODE, "a node takes " + bytes.length + " bytes");
                received.add(NodeSnapshot.decode(bytes));
            }
            Step step = steps.next(second * 1000L, job(received));
            String json = StepJson.of(step, View.ALL);
            assertTrue(json.getBytes(StandardCharsets.UTF_8).length <= MOST_BYTES_OF_STEP,
                "a step takes " + json.length() + " bytes");
            assertEquals(second == 1 ? 0 : 1000 * 8 * 20 * StubNodes.ASKED_EACH, total(step).requests(), 1);
        }
    }

    @Test
    void shouldBeThoseOfHdrHistogramWhenBucketsAreMade() {
        Histogram histogram = new Histogram(1L << 6, 1L << 38, 1);
        for (int bucket = 0; bucket < Latencies.BUCKETS; bucket++) {
            long shortest = Latencies.shortestNs(bucket);
            assertEquals(shortest, histogram.lowestEquivalentValue(shortest));
            if (bucket > 0) {
                assertEquals(Latencies.shortestNs(bucket - 1), histogram.lowestEquivalentValue(shortest - 1));
            }
        }
    }

    @Test
    void shouldForgetCallsWhenTheyAreLongAgo() {
        LatencyWindow window = new LatencyWindow();
        long[] slow = new long[Latencies.BYTES / Integer.BYTES];
        slow[LatencyKind.LOCK.ordinal() * Latencies.BUCKETS + Latencies.bucket(1_000_000)] = 7;
        window.add(slow);
        Histogram calls = window.histograms().get(LatencyKind.LOCK);
        assertEquals(7, calls.getTotalCount());
        assertEquals(1_000_000, calls.getValueAtPercentile(50), 70_000);
        for (int i = 0; i < LatencyWindow.STEPS; i++) {
            window.add(new long[slow.length]);
        }
        assertTrue(window.histograms().isEmpty());
    }

    @Test
    void shouldCountMoreThanTwoBillionCallsWhenManyRanksMakeThem() {
        LatencyWindow window = new LatencyWindow();
        long[] many = new long[Latencies.BYTES / Integer.BYTES];
        many[LatencyKind.BARRIER.ordinal() * Latencies.BUCKETS] = Integer.MAX_VALUE;
        window.add(many);
        window.add(many);
        assertEquals(2L * Integer.MAX_VALUE, window.histograms().get(LatencyKind.BARRIER).getTotalCount());
    }
}

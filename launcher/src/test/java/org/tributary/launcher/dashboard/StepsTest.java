package org.tributary.launcher.dashboard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.tributary.launcher.dashboard.View.Range;
import org.tributary.wire.shm.Latencies;
import org.tributary.wire.shm.LatencyKind;
import org.tributary.wire.status.NodeSnapshot;

/** From snapshots of nodes to what a page gets. */
class StepsTest {
    private static final int MOST_BYTES_OF_STEP = 256 * 1024;
    private static final int MOST_BYTES_OF_NODE = 16 * 1024;

    private static Step step(StubNodes nodes) {
        Steps steps = new Steps("stub");
        steps.next(1000, nodes.after(1));
        return steps.next(2000, nodes.after(2));
    }

    @Test
    void shouldTellRatesWhenCountsHaveGrown() {
        StubNodes nodes = new StubNodes(3, 2, 1);
        Steps steps = new Steps("stub");
        assertEquals(0, steps.next(1000, nodes.after(1)).total().requests(), "nothing to compare with yet");
        Step step = steps.next(3000, nodes.after(3));
        assertEquals(6 * StubNodes.ASKED_EACH, step.total().requests(), 0.01);
        assertEquals(6 * 8 * StubNodes.ASKED_EACH, step.total().bytes(), 0.01);
        assertEquals(6, step.pairs().count());
        Step same = steps.next(4000, nodes.after(3));
        assertEquals(6 * StubNodes.ASKED_EACH, same.total().requests(), 0.01, "a node that has told nothing new");
    }

    @Test
    void shouldForgetWhenNodesGoAndServersAreOthers() {
        StubNodes nodes = new StubNodes(3, 2, 1);
        Steps steps = new Steps("stub");
        steps.next(1000, nodes.after(1));
        Step two = steps.next(2000, nodes.after(2).subList(0, 2));
        assertEquals(4 * StubNodes.ASKED_EACH, two.total().requests(), 0.01);
        Step back = steps.next(3000, nodes.after(3));
        assertEquals(4 * StubNodes.ASKED_EACH, back.total().requests(), 0.01, "one node has just come");
        assertEquals(0, steps.next(4000, List.of()).total().requests());
    }

    @Test
    void shouldNeverGoBelowZeroWhenCountsGoBack() {
        StubNodes nodes = new StubNodes(2, 1, 1);
        Steps steps = new Steps("stub");
        steps.next(1000, nodes.after(5));
        assertTrue(steps.next(2000, nodes.after(2)).total().requests() >= 0);
    }

    @Test
    void shouldSumToTheSameWhenMatrixIsSeenFromFarAndNear() {
        Step step = step(new StubNodes(100, 4, 3));
        for (boolean ranks : new boolean[] {false, true}) {
            List<?> cells = (List<?>) new Matrix(step, new View(ranks, Range.ALL, Range.ALL)).fields().get("cells");
            long sum = cells.stream().mapToLong(cell -> ((Number) ((List<?>) cell).get(2)).longValue()).sum();
            assertEquals(100 * 4 * 3 * StubNodes.ASKED_EACH, sum, sum / 100.0);
        }
        View near = View.of(Map.of("level", List.of("ranks"), "rows", List.of("0-4"), "columns", List.of("4-8")));
        Map<String, Object> matrix = new Matrix(step, near).fields();
        assertEquals(4, ((List<?>) matrix.get("rows")).size());
        assertEquals(List.of("4", 4, 5, 4, 5), ((List<?>) matrix.get("columns")).getFirst());
        assertEquals(4, ((List<?>) matrix.get("cells")).size(), "each rank asks the one of the next node");
    }

    @Test
    void shouldShowSomethingWhenViewMakesNoSense() {
        Step step = step(new StubNodes(3, 2, 1));
        for (String range : List.of("", "x-y", "7-3", "-5--1", "99-100", "0-0", "0-2147483647")) {
            View view = View.of(Map.of("rows", List.of(range), "columns", List.of(range)));
            assertFalse(((List<?>) new Matrix(step, view).fields().get("rows")).isEmpty(), range);
        }
        assertTrue(StepJson.of(new Steps("none").next(0, List.of()), View.ALL).contains("\"cells\": []"));
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
            Step step = steps.next(second * 1000L, received);
            String json = StepJson.of(step, View.ALL);
            assertTrue(json.getBytes(StandardCharsets.UTF_8).length <= MOST_BYTES_OF_STEP,
                "a step takes " + json.length() + " bytes");
            assertEquals(second == 1 ? 0 : 1000 * 8 * 20 * StubNodes.ASKED_EACH, step.total().requests(), 1);
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
        int[] slow = new int[Latencies.BYTES / Integer.BYTES];
        slow[LatencyKind.LOCK.ordinal() * Latencies.BUCKETS + Latencies.bucket(1_000_000)] = 7;
        window.add(slow);
        Histogram calls = window.histograms().get(LatencyKind.LOCK);
        assertEquals(7, calls.getTotalCount());
        assertEquals(1_000_000, calls.getValueAtPercentile(50), 70_000);
        for (int i = 0; i < LatencyWindow.STEPS; i++) {
            window.add(new int[slow.length]);
        }
        assertTrue(window.histograms().isEmpty());
    }
}

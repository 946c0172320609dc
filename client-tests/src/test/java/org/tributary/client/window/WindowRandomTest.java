package org.tributary.client.window;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.client.Gas;
import org.tributary.client.Group;
import org.tributary.client.Jobs;
import org.tributary.client.testing.TestJob;
import org.tributary.testsupport.ToleratesErrors;

/**
 * Random operations in random epochs over random groups, in every design, on every path, against a serial model. Longer
 * with {@code -Dtributary.windows.blocks=1000}; another one with {@code -Dtributary.windows.seed=7}, or a new one each
 * time with {@code random}. Failures name the seed and the block.
 */
@ToleratesErrors("for a lock of accumulates") // a busy machine takes so long
class WindowRandomTest {
    private static final int BLOCKS = Integer.getInteger("tributary.windows.blocks", 80);
    private static final String SEED = System.getProperty("tributary.windows.seed", "1");

    /** Goes through all designs of fences, also from each to each. */
    private static final class EveryDesign implements FenceChooser {
        private static final FenceDesign[] DESIGNS = {FenceDesign.DEFERRED, FenceDesign.IMMEDIATE_NAIVE,
            FenceDesign.IMMEDIATE_OPT, FenceDesign.IMMEDIATE_NOTIFY};
        private final Random random = new Random(5);

        @Override
        public FenceDesign first() {
            return DESIGNS[0];
        }

        @Override
        public int inputs() {
            return 0;
        }

        @Override
        public void inputs(long[] own, EpochTargets targets, long firstOperationNs) {
            // It needs none.
        }

        @Override
        public FenceDesign next(long[] sums) {
            return DESIGNS[random.nextInt(DESIGNS.length)];
        }

        @Override
        public Choice choice() {
            return null;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "DEFERRED, DEFERRED, false", "IMMEDIATE_NAIVE, IMMEDIATE, false", "IMMEDIATE_OPT, DEFERRED, false",
        "IMMEDIATE_NOTIFY, IMMEDIATE, false", "AUTO, AUTO, false", "SWITCHING, AUTO, false",
        "DEFERRED, DEFERRED, true", "IMMEDIATE_NOTIFY, IMMEDIATE, true"})
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    void shouldMatchSerialModelWhenEpochsAreRandom(String fence, EpochDesign design, boolean checked) {
        long seed = "random".equals(SEED) ? System.nanoTime() : Long.parseLong(SEED);
        for (String layout : new String[] {"1*3", "2*2", "5*1", "3,1,2", "cyclic:3,1,2"}) {
            AtomicInteger epochs = new AtomicInteger();
            List<Rendezvous> meetings = List.of(new Rendezvous(), new Rendezvous(), new Rendezvous());
            TestJob.RankProgram program = gas -> epochs.addAndGet(run(gas, seed, fence, design, checked, meetings,
                layout + " seed " + seed));
            if (layout.contains("1,") || layout.startsWith("5")) { // connections to one node from several others
                Jobs.runSlowly(layout, program);
            } else {
                Jobs.run(layout, program);
            }
            assertTrue(epochs.get() > BLOCKS, () -> layout + ": " + epochs);
        }
    }

    private static int run(Gas gas, long seed, String fence, EpochDesign design, boolean checked,
        List<Rendezvous> meetings, String name) {
        Random random = new Random(seed);
        boolean switching = "SWITCHING".equals(fence);
        WindowOptions options = new WindowOptions(switching ? FenceDesign.DEFERRED : FenceDesign.valueOf(fence),
            design, design, checked);
        int color = random.ints(gas.rankCount(), 0, 2).toArray()[gas.rank()];
        Group part = gas.world().split(color, random.nextInt(2) * -gas.rank());
        List<RandomRun> runs = new ArrayList<>();
        List<Window> windows = new ArrayList<>();
        for (Group group : List.of(gas.world(), part)) {
            Window window = Window.allocate(gas, group, RandomPlan.BYTES, 8, options,
                new TestInputs(Windows.eager(group), switching ? new EveryDesign() : null));
            windows.add(window);
            runs.add(new RandomRun(gas, window, meetings.get(runs.isEmpty() ? 0 : 1 + color)));
        }
        for (int block = 0; block < BLOCKS; block++) {
            Random plan = new Random(seed * 1_000_003 + block);
            boolean whole = plan.nextInt(4) > 0;
            runs.get(whole ? 0 : 1).block(whole ? plan : new Random(plan.nextLong() + color),
                name + " " + fence + " " + design + " block " + block);
        }
        gas.barrier();
        windows.forEach(Window::close);
        part.close();
        return runs.stream().mapToInt(RandomRun::epochs).sum();
    }
}

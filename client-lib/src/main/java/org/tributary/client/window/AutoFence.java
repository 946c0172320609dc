package org.tributary.client.window;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Chooses the cheapest design for the next epoch by the cost model, taking it to be like the one that has just ended;
 * {@code DEFERRED}, which sends least, unless another is clearly cheaper.
 * All members have the same model and the same sums, and so choose alike. Owned by one window.
 */
final class AutoFence implements FenceChooser {
    private static final FenceDesign[] DESIGNS = {FenceDesign.DEFERRED, FenceDesign.IMMEDIATE_NAIVE,
        FenceDesign.IMMEDIATE_OPT, FenceDesign.IMMEDIATE_NOTIFY};
    /** The cost of deferring is known; the gain of issuing at once is an estimate, and must be so large. */
    private static final double WORTH_IT = 7.0 / 8;
    private static final int TARGETS = 1;
    private static final int OPERATIONS = 2;
    private static final int BYTES = 3;
    private static final int HIDDEN_NS = 4;

    private final CostModel model;
    private final double[] perMember = new double[HIDDEN_NS + 1];
    private FenceDesign chosen;

    AutoFence(CostModel model) {
        this.model = model;
        this.chosen = cheapest();
    }

    @Override
    public FenceDesign first() {
        return chosen;
    }

    @Override
    public int inputs() {
        return HIDDEN_NS;
    }

    @Override
    public void inputs(long[] own, EpochTargets targets, long firstOperationNs) {
        own[TARGETS] = targets.count();
        own[OPERATIONS] = targets.operations();
        own[BYTES] = targets.bytes();
        own[HIDDEN_NS] = targets.count() == 0 ? 0 : System.nanoTime() - firstOperationNs;
    }

    @Override
    public FenceDesign next(long[] sums) {
        if (sums[OPERATIONS] > 0) { // an epoch without any says nothing of the next one that has some
            for (int i = TARGETS; i < perMember.length; i++) {
                perMember[i] = (double) sums[i] / model.members();
            }
            chosen = cheapest();
        }
        return chosen;
    }

    private double costNs(FenceDesign design) {
        return model.fenceNs(design, perMember[TARGETS], perMember[OPERATIONS], perMember[BYTES],
            perMember[HIDDEN_NS]);
    }

    private FenceDesign cheapest() {
        FenceDesign best = FenceDesign.DEFERRED;
        double leastNs = costNs(best) * WORTH_IT;
        for (FenceDesign design : DESIGNS) {
            if (!design.isDeferred() && costNs(design) < leastNs) {
                best = design;
                leastNs = costNs(design);
            }
        }
        return best;
    }

    @Override
    public Choice choice() {
        Map<String, Double> estimates = new LinkedHashMap<>();
        for (FenceDesign design : DESIGNS) {
            estimates.put(design.name(), costNs(design) / 1e3);
        }
        return new Choice(chosen.name(), estimates, String.format(Locale.ROOT,
            "%.0f bytes in %.1f operations on %.1f targets a member, %.1f us before the fence; %s%s", perMember[BYTES],
            perMember[OPERATIONS], perMember[TARGETS], perMember[HIDDEN_NS] / 1e3, model,
            chosen == FenceDesign.DEFERRED ? "; to issue at once must promise 1/8 less" : ""));
    }
}

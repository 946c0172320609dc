package org.tributary.client.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class AutoFenceTest {
    private static final int MEMBERS = 4;
    private static final long BYTES = 1 << 20;

    @Test
    void shouldDeferWhenNothingIsKnownYet() {
        assertEquals(FenceDesign.DEFERRED, new AutoFence(hiding(1)).first());
    }

    @Test
    void shouldIssueAtOnceWhenComputationHidesTheTransfer() {
        AutoFence auto = new AutoFence(hiding(1));
        assertFalse(auto.next(epochs(1, BYTES, 1_000_000)).isDeferred());
        assertEquals(FenceDesign.DEFERRED, auto.next(epochs(1, BYTES, 0)), "there is no computation");
    }

    @Test
    void shouldDeferWhenIssuingAtOncePromisesLittle() {
        AutoFence auto = new AutoFence(hiding(0.15));
        // 131 us deferred; at best 122 when 16 of the 105 us of the bytes are hidden, however long the computation
        assertEquals(FenceDesign.DEFERRED, auto.next(epochs(1, BYTES, 1_000_000)));
        Choice choice = auto.choice();
        assertTrue(choice.estimatesUs().get("IMMEDIATE_NAIVE") < choice.estimatesUs().get("DEFERRED"));
        assertTrue(choice.inputs().endsWith("; to issue at once must promise 1/8 less"), choice::toString);
    }

    @Test
    void shouldKeepItsChoiceWhenAnEpochHasNoOperations() {
        AutoFence auto = new AutoFence(hiding(1));
        FenceDesign chosen = auto.next(epochs(1, BYTES, 1_000_000));
        assertEquals(chosen, auto.next(epochs(0, 0, 0)));
    }

    private static CostModel hiding(double overlap) {
        return new CostModel(5_000, 0.1, 10_000, 500, overlap, MEMBERS);
    }

    /** The sums of all members when each has had the same. */
    private static long[] epochs(long operations, long bytes, long hiddenNs) {
        return new long[] {0, operations * MEMBERS, operations * MEMBERS, bytes * MEMBERS, hiddenNs * MEMBERS};
    }
}

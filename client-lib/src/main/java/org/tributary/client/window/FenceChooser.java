package org.tributary.client.window;

/** Decides the design of each fence epoch, alike on all members, from sums over all of them. Owned by one window. */
interface FenceChooser {
    /** Design of the first epoch. */
    FenceDesign first();

    /** How many numbers it wants summed over all members at each fence. */
    default int inputs() {
        return 0;
    }

    /** This member's numbers of the epoch that ends, into {@code own[1]} and on. */
    default void inputs(long[] own, EpochTargets targets, long firstOperationNs) {
        // It needs none.
    }

    /** Design of the next epoch, given the sums in {@code sums[1]} and on. */
    FenceDesign next(long[] sums);

    /** Why, or null when there was nothing to choose. */
    default Choice choice() {
        return null;
    }

    /** Always the same design. */
    record Fixed(FenceDesign first) implements FenceChooser {
        @Override
        public FenceDesign next(long[] sums) {
            return first;
        }
    }
}

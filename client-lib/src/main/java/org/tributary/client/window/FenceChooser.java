package org.tributary.client.window;

/** Decides the design of each fence epoch, alike on all members, from sums over all of them. Owned by one window. */
interface FenceChooser {
    /** Design of the first epoch. */
    FenceDesign first();

    /** How many numbers it wants summed over all members at each fence. */
    int inputs();

    /** This member's numbers of the epoch that ends, into {@code own[1]} and on. */
    void inputs(long[] own, Targets targets, long firstOperationNs);

    /** Design of the next epoch, given the sums in {@code sums[1]} and on. */
    FenceDesign next(long[] sums);

    /** Why, or null when there was nothing to choose. */
    Choice choice();

    /** Always the same design. */
    static FenceChooser fixed(FenceDesign design) {
        return new FenceChooser() {
            @Override
            public FenceDesign first() {
                return design;
            }

            @Override
            public int inputs() {
                return 0;
            }

            @Override
            public void inputs(long[] own, Targets targets, long firstOperationNs) {
                // It needs none.
            }

            @Override
            public FenceDesign next(long[] sums) {
                return design;
            }

            @Override
            public Choice choice() {
                return null;
            }
        };
    }
}

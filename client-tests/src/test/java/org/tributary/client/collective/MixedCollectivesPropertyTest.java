package org.tributary.client.collective;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** As {@link MixedCollectivesTest}, over random groups. */
final class MixedCollectivesPropertyTest {
    @Property(tries = 60)
    void shouldKeepSlotsUntilConsumedWhateverTheGroup(@ForAll @IntRange(min = 1, max = 20) int size,
        @ForAll @IntRange(min = 1, max = 20) int nodes, @ForAll @IntRange(min = 1, max = 256) int chunkBytes,
        @ForAll @IntRange(max = 200) int delays, @ForAll long seed) {
        MixedCollectivesTest.mixture(size, nodes, chunkBytes, seed, member -> delays, 15);
    }
}

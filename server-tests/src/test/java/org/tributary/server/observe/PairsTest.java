package org.tributary.server.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.tributary.wire.status.ServerCounts.Pair;

/** Who asks for whose memory. */
class PairsTest {
    @Test
    void shouldCountEachPairWhenThereAreMany() {
        Pairs pairs = new Pairs(4096);
        Map<Long, Pair> expected = new HashMap<>();
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            int requester = random.nextInt(50);
            int target = 1_000_000 + random.nextInt(20);
            pairs.add(requester, target, i);
            expected.merge((long) requester << 32 | target, new Pair(requester, target, 1, i),
                (old, more) -> new Pair(requester, target, old.requests() + 1, old.bytes() + more.bytes()));
        }
        Map<Long, Pair> counted = new HashMap<>();
        pairs.list().forEach(pair -> counted.put((long) pair.requester() << 32 | pair.target(), pair));
        assertEquals(expected, counted);
    }

    @Test
    void shouldCountTheRestTogetherWhenThereAreTooMany() {
        Pairs pairs = new Pairs(3);
        for (int requester = 0; requester < 5; requester++) {
            pairs.add(requester, 0, 10);
        }
        pairs.add(1, 0, 10);
        assertEquals(4, pairs.list().size());
        assertEquals(new Pair(-1, -1, 2, 20), pairs.list().getLast());
    }
}

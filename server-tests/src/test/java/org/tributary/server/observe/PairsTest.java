package org.tributary.server.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
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

    @Test
    void shouldNameThePairsOfAllLoopsWhenEachHasTooMany() {
        List<Pairs> loops = List.of(new Pairs(3), new Pairs(3));
        for (int requester = 0; requester < 10; requester++) {
            loops.get(requester % 2).add(requester, 0, 10);
        }
        List<Pair> expected = List.of(new Pair(-1, -1, 4, 40), new Pair(0, 0, 1, 10), new Pair(1, 0, 1, 10),
            new Pair(2, 0, 1, 10), new Pair(3, 0, 1, 10), new Pair(4, 0, 1, 10), new Pair(5, 0, 1, 10));
        assertEquals(expected, Pairs.sum(loops).stream().sorted(Comparator.comparing(Pair::requester)).toList());
    }
}

package org.tributary.wire.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CourtesyTest {
    private long nowNs = 1_000_000_000;
    private long takenNs;
    private int yields;
    private final Courtesy courtesy = new Courtesy(() -> nowNs, () -> {
        yields++;
        nowNs += takenNs;
    });

    @Test
    void shouldGiveCoreAwayEachTimeWhenItComesBackSoon() {
        takenNs = Courtesy.SLICE_NS;
        for (int i = 0; i < 5; i++) {
            assertEquals(Courtesy.SLICE_NS, courtesy.yield());
        }
        assertEquals(5, yields);
    }

    @Test
    void shouldKeepCoreForAWhileWhenGivingItAwayCostASlice() {
        lose();
        assertEquals(Courtesy.SHORTEST_REST_NS, rest());
    }

    @Test
    void shouldKeepCoreTwiceAsLongWhenThatHappensAgainSoon() {
        long expectedNs = Courtesy.SHORTEST_REST_NS;
        for (int i = 0; i < 10; i++) {
            lose();
            assertEquals(expectedNs, rest());
            expectedNs = Math.min(2 * expectedNs, Courtesy.LONGEST_REST_NS);
        }
    }

    @Test
    void shouldForgetLostSlicesWhenTheyWereLongAgo() {
        lose();
        rest();
        lose();
        long restNs = rest();
        nowNs += 4 * restNs;
        lose();
        assertEquals(Courtesy.SHORTEST_REST_NS, rest());
    }

    private void lose() {
        takenNs = Courtesy.SLICE_NS + 1;
        assertEquals(takenNs, courtesy.yield());
    }

    /** Until the core is given away again; not more than to the microsecond. */
    private long rest() {
        takenNs = 0;
        int before = yields;
        long beganNs = nowNs;
        while (yields == before) {
            assertEquals(0, courtesy.yield());
            nowNs += yields == before ? 1000 : 0;
        }
        return nowNs - beganNs;
    }
}

package org.tributary.wire.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class BackoffTest {
    private long nowNs = 1_000_000_000;
    private long takenNs;
    private int yields;
    private final Backoff backoff = new Backoff(() -> nowNs, () -> {
        yields++;
        nowNs += takenNs;
    });

    @Test
    void shouldGiveCoreAwayEachTimeWhenItComesBackSoon() {
        takenNs = Backoff.SLICE_NS;
        for (int i = 0; i < 5; i++) {
            assertEquals(Backoff.SLICE_NS, backoff.yield());
        }
        assertEquals(5, yields);
    }

    @Test
    void shouldKeepCoreForAWhileWhenGivingItAwayCostASlice() {
        lose();
        assertEquals(Backoff.SHORTEST_REST_NS, rest());
    }

    @Test
    void shouldKeepCoreTwiceAsLongWhenThatHappensAgainSoon() {
        long expectedNs = Backoff.SHORTEST_REST_NS;
        for (int i = 0; i < 10; i++) {
            lose();
            assertEquals(expectedNs, rest());
            expectedNs = Math.min(2 * expectedNs, Backoff.LONGEST_REST_NS);
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
        assertEquals(Backoff.SHORTEST_REST_NS, rest());
    }

    private void lose() {
        takenNs = Backoff.SLICE_NS + 1;
        assertEquals(takenNs, backoff.yield());
    }

    /** Until the core is given away again; not more than to the microsecond. */
    private long rest() {
        takenNs = 0;
        int before = yields;
        long beganNs = nowNs;
        while (yields == before) {
            assertEquals(0, backoff.yield());
            nowNs += yields == before ? 1000 : 0;
        }
        return nowNs - beganNs;
    }
}

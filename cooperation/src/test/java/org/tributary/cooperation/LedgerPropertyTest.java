package org.tributary.cooperation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class LedgerPropertyTest {
    private static final int RING = 1024;

    @Property(tries = 300)
    void shouldNeverOverrunNorStarveWhenReleasedInAnyOrder(@ForAll long seed) {
        Random random = new Random(seed);
        CreditLedger sender = new CreditLedger(RING);
        RingLedger receiver = new RingLedger(RING);
        List<Long> held = new ArrayList<>();
        for (int step = 0; step < 2000; step++) {
            int length = 1 + random.nextInt(RING / 2);
            if (random.nextBoolean() && CreditLedger.cost(length) <= sender.available()) {
                sender.sent(length);
                assertTrue(receiver.hasRoom(length));
                held.add(receiver.place(length));
            } else if (!held.isEmpty()) {
                receiver.release(held.remove(random.nextInt(held.size())));
            }
            if (random.nextInt(4) == 0) {
                sender.freed(receiver.freed());
            }
        }
        held.forEach(receiver::release);
        assertTrue(receiver.isEmpty());
        sender.freed(receiver.freed());
        assertEquals(RING, sender.available());
    }

    @Property(tries = 300)
    void shouldKnowPrefixWhenExecutedInAnyOrder(@ForAll long seed) {
        Random random = new Random(seed);
        Executed executed = new Executed();
        List<Long> open = new ArrayList<>();
        BitSet done = new BitSet();
        done.set(0);
        int breadth = 1 + random.nextInt(400);
        for (int step = 0; step < 2000; step++) {
            if (open.size() < breadth && random.nextInt(5) > 1) {
                open.add(executed.issue());
            } else if (!open.isEmpty()) {
                long number = open.remove(random.nextInt(Math.min(open.size(), 1 + random.nextInt(breadth))));
                executed.executed(number);
                done.set((int) number);
            }
            assertEquals(done.nextClearBit(0) - 1, executed.prefix());
        }
    }
}

package org.tributary.cooperation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The sum is what one finds who goes through all channels. */
class CreditSumTest {
    @Test
    void shouldBeTheSumOfAllWhenRequestsLeaveAndRoomIsFreed() {
        Random random = new Random(7);
        CreditSum sum = new CreditSum();
        CreditLedger[] all = IntStream.range(0, 20).mapToObj(i -> new CreditLedger(4096, sum))
            .toArray(CreditLedger[]::new);
        long[] sent = new long[all.length];
        for (int i = 0; i < 10_000; i++) {
            int one = random.nextInt(all.length);
            int length = 1 + random.nextInt(200);
            if (random.nextBoolean() && CreditLedger.cost(length) <= all[one].available()) {
                all[one].sent(length);
                sent[one] += CreditLedger.cost(length);
            } else {
                all[one].freed(random.nextLong(sent[one] + 1)); // old news as well
            }
            assertEquals(IntStream.range(0, all.length).mapToLong(each -> all[each].available()).sum(),
                sum.available());
        }
        long before = sum.available();
        assertThrows(IllegalArgumentException.class, () -> all[0].freed(sent[0] + 1));
        assertEquals(before, sum.available());
    }
}

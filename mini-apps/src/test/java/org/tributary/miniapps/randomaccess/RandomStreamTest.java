package org.tributary.miniapps.randomaccess;

import static org.junit.jupiter.api.Assertions.assertEquals;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class RandomStreamTest {
    @Test
    void shouldBeginLikeTheBenchmark() {
        RandomStream stream = new RandomStream(0);
        for (int i = 1; i < 64; i++) {
            assertEquals(1L << i, stream.next());
        }
        assertEquals(7, stream.next());
        assertEquals(14, stream.next());
    }

    /** Jumping ahead gives what stepping gives. */
    @Test
    void shouldJumpAsFarAsItSteps() {
        RandomStream stream = new RandomStream(0);
        for (long i = 1; i < 5000; i++) {
            assertEquals(RandomStream.at(i), stream.next());
        }
    }

    @Property
    void shouldGoOnFromAnywhere(@ForAll @LongRange(min = 0, max = RandomStream.PERIOD - 10) long position) {
        RandomStream stream = new RandomStream(position);
        for (int i = 1; i < 10; i++) {
            assertEquals(RandomStream.at(position + i), stream.next());
        }
    }

    @Test
    void shouldRepeatAfterThePeriod() {
        assertEquals(1, new RandomStream(RandomStream.PERIOD - 1).next());
        assertEquals(RandomStream.at(12345), RandomStream.at(12345 + RandomStream.PERIOD));
    }
}

package org.tributary.server.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.tributary.wire.shape.ElementType;

/** Numbers in a ring, wherever its end cuts them. */
class ReceiveRingTest {
    private static final int CAPACITY = 64;

    private static ReceiveRing ring() {
        return new ReceiveRing(MemorySegment.ofArray(new byte[CAPACITY]));
    }

    @Property
    void shouldGiveBackNumbersWhenTheyLieAnywhere(@ForAll @LongRange(max = 1000) long position, @ForAll long value) {
        ReceiveRing ring = ring();
        ring.putLong(position, value);
        assertEquals(value, ring.getLong(position));
        assertEquals((int) value, ring.getInt(position + CAPACITY));
    }

    @Property
    void shouldAddElementsWhenTheyLieAnywhere(@ForAll @LongRange(max = 1000) long into,
        @ForAll @LongRange(max = 1000) long from, @ForAll long one, @ForAll long other) {
        ReceiveRing sum = ring();
        ReceiveRing added = ring();
        for (int i = 0; i < 3; i++) {
            sum.putLong(into + i * Long.BYTES, one + i);
            added.putLong(from + i * Long.BYTES, other);
        }
        sum.add(into, added, from, 3 * Long.BYTES, ElementType.LONG);
        for (int i = 0; i < 3; i++) {
            assertEquals(one + i + other, sum.getLong(into + i * Long.BYTES));
        }
        sum.putLong(into, Double.doubleToRawLongBits(one));
        added.putLong(from, Double.doubleToRawLongBits(other));
        sum.add(into, added, from, Double.BYTES, ElementType.DOUBLE);
        assertEquals((double) one + other, Double.longBitsToDouble(sum.getLong(into)));
    }
}

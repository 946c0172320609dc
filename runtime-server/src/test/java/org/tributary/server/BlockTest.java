package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.tributary.wire.shape.ElementType;

/** Numbers in a block, wherever its end cuts them. */
class BlockTest {
    private static final int CAPACITY = 64;

    private static Block block() {
        return new Block(MemorySegment.ofArray(new byte[CAPACITY]));
    }

    @Property
    void shouldGiveBackNumbersWhenTheyLieAnywhere(@ForAll @LongRange(max = 1000) long position, @ForAll long value) {
        Block block = block();
        block.putLong(position, value);
        assertEquals(value, block.getLong(position));
        assertEquals((int) value, block.getInt(position + CAPACITY));
    }

    @Property
    void shouldAddElementsWhenTheyLieAnywhere(@ForAll @LongRange(max = 1000) long into,
        @ForAll @LongRange(max = 1000) long from, @ForAll long one, @ForAll long other) {
        Block sum = block();
        Block added = block();
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

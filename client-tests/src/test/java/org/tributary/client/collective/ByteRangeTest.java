package org.tributary.client.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

final class ByteRangeTest {
    @Property(tries = 300)
    void shouldCoverEveryByteOnceWhenPartsAreCyclic(@ForAll @IntRange(min = 1, max = 40) int parts,
        @ForAll @LongRange(max = 500) long elements, @ForAll @IntRange(max = 80) int from,
        @ForAll @IntRange(max = 39) int count) {
        EvenPartition partition = new EvenPartition(parts).set(elements, 4);
        int covered = count % parts;
        ByteRange range = new ByteRange(64).cover(partition, from, from + covered);
        assertTrue(range.chunks() >= 1);
        int part = from % parts;
        long next = partition.start(part);
        long total = 0;
        for (long k = 0; k < range.chunks(); k++) {
            long length = range.length(k);
            assertTrue(length > 0 && length <= 64 || range.chunks() == 1 && length == 0);
            if (length > 0) {
                next = next == 4 * elements ? 0 : next;
                assertEquals(next, range.offset(k));
                next += length;
                total += length;
            }
        }
        long expected = 0;
        for (int i = 0; i < covered; i++) {
            int p = (from + i) % parts;
            expected += partition.start(p + 1) - partition.start(p);
        }
        assertEquals(expected, total);
    }

    @Property(tries = 300)
    void shouldBeginWhereItSaysWhenContiguous(@ForAll @LongRange(max = 1L << 40) long start,
        @ForAll @LongRange(min = 1, max = 1L << 40) long length) {
        ByteRange range = new ByteRange(4096).set(start, length);
        long last = range.chunks() - 1;
        assertEquals(start, range.offset(0));
        assertEquals(start + length, range.offset(last) + range.length(last));
    }

    @Property(tries = 300)
    void shouldDifferByOneElementAtMostWhenPartedEvenly(@ForAll @IntRange(min = 1, max = 1000) int parts,
        @ForAll @LongRange(max = 1L << 50) long elements) {
        EvenPartition partition = new EvenPartition(parts).set(elements, 16);
        assertEquals(0, partition.start(0));
        assertEquals(16 * elements, partition.start(parts));
        for (int i = 0; i < parts; i++) {
            long length = (partition.start(i + 1) - partition.start(i)) / 16;
            assertTrue(length == elements / parts || length == elements / parts + 1);
        }
    }
}

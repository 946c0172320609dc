package org.tributary.miniapps.randomaccess;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tributary.client.Gas;
import org.tributary.globalarrays.Block;
import org.tributary.globalarrays.GlobalArray;
import org.tributary.globalarrays.distribution.Distribution;
import org.tributary.wire.shape.ElementType;

/** The distributed table: {@code 2^k} words, of which an update changes one by exclusive or. One thread a rank. */
final class Table implements AutoCloseable {
    private final GlobalArray words;
    private final Distribution distribution;
    private final MemorySegment own;
    private final long mask;
    private final long lo;
    private final long hi;
    private final long[] index = new long[1];

    /** A table of {@code 2^log2} words, each its own index. Collective. */
    Table(Gas gas, int log2) {
        words = GlobalArray.create(gas, "table", ElementType.LONG, 1L << log2);
        distribution = words.distribution();
        mask = (1L << log2) - 1;
        Block block = words.access();
        own = block.segment();
        lo = block.patch().lo(0);
        hi = block.patch().hi(0);
        for (long i = lo; i < hi; i++) {
            own.setAtIndex(ValueLayout.JAVA_LONG, i - lo, i);
        }
        words.barrier();
    }

    long words() {
        return mask + 1;
    }

    /** The rank whose word an update changes. */
    int owner(long update) {
        index[0] = update & mask;
        return distribution.ownerOf(index);
    }

    /** Whether an update changes a word of this rank. */
    boolean isOwn(long update) {
        long i = update & mask;
        return i >= lo && i < hi;
    }

    /** Applies an update to a word of this rank. */
    void apply(long update) {
        long i = (update & mask) - lo;
        own.setAtIndex(ValueLayout.JAVA_LONG, i, own.getAtIndex(ValueLayout.JAVA_LONG, i) ^ update);
    }

    /** Words of this rank that are not their own index, as all are before any update and after every one came twice. */
    long errors() {
        long errors = 0;
        for (long i = lo; i < hi; i++) {
            if (own.getAtIndex(ValueLayout.JAVA_LONG, i - lo) != i) {
                errors++;
            }
        }
        return errors;
    }

    /** Closes the table. Collective. */
    @Override
    public void close() {
        words.close();
    }
}

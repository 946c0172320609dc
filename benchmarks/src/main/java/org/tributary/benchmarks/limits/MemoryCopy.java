package org.tributary.benchmarks.limits;

import java.lang.foreign.MemorySegment;
import org.tributary.benchmarks.measure.Repeatable;

/** Copy from one piece of memory to another: what an operation on the node comes down to. */
record MemoryCopy(MemorySegment from, MemorySegment to) implements Repeatable {
    @Override
    public void once() {
        to.copyFrom(from);
    }
}

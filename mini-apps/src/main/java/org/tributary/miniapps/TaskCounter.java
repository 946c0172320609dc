package org.tributary.miniapps;

import java.util.function.LongConsumer;
import org.tributary.client.Gas;
import org.tributary.globalarrays.GlobalArray;
import org.tributary.wire.shape.ElementType;

/**
 * Numbers of tasks that the ranks of a job draw from a counter which they share (nxtval): a rank that is free takes the
 * next one, and a slow rank just takes fewer. One thread a rank.
 */
public final class TaskCounter implements AutoCloseable {
    private static final double NS_PER_US = 1e3;

    private final GlobalArray next;
    private final long count;
    private long draws;
    private long drawNs;

    /** The numbers below {@code count}; to be {@link #reset} before the first is drawn. Collective. */
    public TaskCounter(Gas gas, long count) {
        this.count = count;
        next = GlobalArray.create(gas, "next task", ElementType.LONG, 1);
    }

    /** How many there are. */
    public long count() {
        return count;
    }

    /** Microseconds that this rank has waited for a number, on the average. */
    public double drawUs() {
        return draws == 0 ? 0 : drawNs / NS_PER_US / draws;
    }

    /** Puts all numbers back. Collective. */
    public void reset() {
        next.zero();
    }

    /**
     * Draws numbers until none is left.
     *
     * @param begun told the number of each task that this rank begins
     * @param task  does it
     */
    public void drawAll(LongConsumer begun, LongConsumer task) {
        for (long number = draw(); number < count; number = draw()) {
            begun.accept(number);
            task.accept(number);
        }
    }

    private long draw() {
        long startNs = System.nanoTime();
        long number = next.readIncrement(1, 0);
        drawNs += System.nanoTime() - startNs;
        draws++;
        return number;
    }

    /** Collective. */
    @Override
    public void close() {
        next.close();
    }
}

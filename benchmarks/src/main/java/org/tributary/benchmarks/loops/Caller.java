package org.tributary.benchmarks.loops;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.tributary.benchmarks.job.JvmJob;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.MutexSet;
import org.tributary.client.window.EpochDesign;
import org.tributary.client.window.FenceDesign;
import org.tributary.client.window.Window;
import org.tributary.client.window.WindowOptions;

/**
 * A rank with what it operates on: memory, mutexes, and windows over the memory that send at once ({@code immediate}),
 * or at unlock ({@code deferred}).
 */
record Caller(JvmJob.Rank rank, Window immediate, Window deferred, MemorySegment word) {
    /** Collective. */
    static Caller of(JvmJob.Rank rank) {
        return new Caller(rank, window(rank, EpochDesign.IMMEDIATE), window(rank, EpochDesign.DEFERRED),
            Arena.ofAuto().allocate(Long.BYTES, Long.BYTES));
    }

    private static Window window(JvmJob.Rank rank, EpochDesign locks) {
        Gas gas = rank.gas();
        return Window.create(gas, gas.world(), rank.memory(), 0, rank.memory().bytes(gas.rank()), 1,
            new WindowOptions(FenceDesign.IMMEDIATE_OPT, EpochDesign.IMMEDIATE, locks, false));
    }

    /** Closes the windows; collective. */
    void close() {
        immediate.close();
        deferred.close();
    }

    Gas gas() {
        return rank.gas();
    }

    GlobalMemory memory() {
        return rank.memory();
    }

    MutexSet mutexes() {
        return rank.mutexes();
    }
}

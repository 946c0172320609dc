package org.tributary.benchmarks.onnode;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.tributary.benchmarks.job.JvmJob;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.MutexSet;
import org.tributary.config.Settings;
import org.tributary.config.Topology;

/** Operations of eight bytes on another rank of the node. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SmallOperations {
    private static final int TARGET = 1;

    private JvmJob job;
    private Gas gas;
    private GlobalMemory memory;
    private MutexSet mutexes;
    private MemorySegment buffer;

    @Setup(Level.Trial)
    public void start() throws IOException {
        job = new JvmJob(Topology.uniform(1, 2), Settings.defaults(), Long.BYTES);
        gas = job.rank(0).gas();
        memory = job.rank(0).memory();
        mutexes = job.rank(0).mutexes();
        buffer = Arena.global().allocate(ValueLayout.JAVA_LONG);
    }

    @TearDown(Level.Trial)
    public void end() throws IOException {
        job.close();
    }

    /** From a buffer. */
    @Benchmark
    public void put() {
        memory.put(TARGET, 0, buffer, 0, Long.BYTES);
    }

    /** From a buffer, and complete at the target. */
    @Benchmark
    public void putFence() {
        memory.put(TARGET, 0, buffer, 0, Long.BYTES);
        gas.fence(TARGET);
    }

    /** Into a buffer. */
    @Benchmark
    public void get() {
        memory.get(TARGET, 0, buffer, 0, Long.BYTES);
    }

    @Benchmark
    public void putLong() {
        memory.putLong(TARGET, 0, 1);
    }

    @Benchmark
    public long getLong() {
        return memory.getLong(TARGET, 0);
    }

    @Benchmark
    public long fetchAndAdd() {
        return memory.fetchAndAdd(TARGET, 0, 1);
    }

    /** Uncontended. */
    @Benchmark
    public void lockUnlock() {
        mutexes.lock(TARGET, 0);
        mutexes.unlock(TARGET, 0);
    }
}

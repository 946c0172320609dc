package org.tributary.benchmarks.onnode;

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
import org.tributary.client.GlobalMemory;
import org.tributary.client.MutexSet;

/** Operations of eight bytes on another rank of the node. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SmallOperations {
    private NodeJob job;
    private GlobalMemory memory;
    private MutexSet mutexes;
    private MemorySegment buffer;

    @Setup(Level.Trial)
    public void start() throws Exception {
        job = new NodeJob(Long.BYTES);
        memory = job.memory();
        mutexes = job.mutexes();
        buffer = Arena.global().allocate(ValueLayout.JAVA_LONG);
    }

    @TearDown(Level.Trial)
    public void end() throws Exception {
        job.end();
    }

    /** From a buffer. */
    @Benchmark
    public void put() {
        memory.put(NodeJob.TARGET, 0, buffer, 0, Long.BYTES);
    }

    /** From a buffer, and complete at the target. */
    @Benchmark
    public void putFence() {
        memory.put(NodeJob.TARGET, 0, buffer, 0, Long.BYTES);
        job.gas().fence(NodeJob.TARGET);
    }

    /** Into a buffer. */
    @Benchmark
    public void get() {
        memory.get(NodeJob.TARGET, 0, buffer, 0, Long.BYTES);
    }

    @Benchmark
    public void putLong() {
        memory.putLong(NodeJob.TARGET, 0, 1);
    }

    @Benchmark
    public long getLong() {
        return memory.getLong(NodeJob.TARGET, 0);
    }

    @Benchmark
    public long fetchAndAdd() {
        return memory.fetchAndAdd(NodeJob.TARGET, 0, 1);
    }

    /** Uncontended. */
    @Benchmark
    public void lockUnlock() {
        mutexes.lock(NodeJob.TARGET, 0);
        mutexes.unlock(NodeJob.TARGET, 0);
    }
}

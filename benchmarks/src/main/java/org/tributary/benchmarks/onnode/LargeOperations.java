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
import org.tributary.client.GlobalMemory;
import org.tributary.client.shape.Scale;
import org.tributary.config.Settings;
import org.tributary.config.Topology;

/** Operations of 4 MiB on another rank of the node, and the copies of memory that they can at best be. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class LargeOperations {
    private static final int TARGET = 1;
    private static final long BYTES = 4 << 20;
    private static final long ALIGNMENT = 64;
    private static final Scale SCALE = Scale.ofDouble(1.0);

    private JvmJob job;
    private GlobalMemory memory;
    private MemorySegment shared;
    private MemorySegment buffer;

    @Setup(Level.Trial)
    public void start() throws IOException {
        job = new JvmJob(Topology.uniform(1, 2), Settings.defaults(), BYTES);
        memory = job.rank(0).memory();
        shared = memory.shared(TARGET);
        buffer = Arena.global().allocate(BYTES, ALIGNMENT);
        for (long at = 0; at < BYTES; at += Double.BYTES) {
            buffer.set(ValueLayout.JAVA_DOUBLE, at, 1.0);
        }
        shared.copyFrom(buffer);
    }

    @TearDown(Level.Trial)
    public void end() throws IOException {
        job.close();
    }

    /** The limit of {@link #put}: the same copy without the library. */
    @Benchmark
    public void copyToShared() {
        shared.copyFrom(buffer);
    }

    /** The limit of {@link #get}. */
    @Benchmark
    public void copyFromShared() {
        buffer.copyFrom(shared);
    }

    /** From a buffer. */
    @Benchmark
    public void put() {
        memory.put(TARGET, 0, buffer, 0, BYTES);
    }

    /** Into a buffer. */
    @Benchmark
    public void get() {
        memory.get(TARGET, 0, buffer, 0, BYTES);
    }

    /** Of doubles. */
    @Benchmark
    public void accumulate() {
        memory.accumulate(TARGET, 0, SCALE, buffer, 0, BYTES);
    }
}

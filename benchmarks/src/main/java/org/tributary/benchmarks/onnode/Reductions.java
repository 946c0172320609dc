package org.tributary.benchmarks.onnode;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleBinaryOperator;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;
import org.tributary.wire.shape.Reducer;

/**
 * Why a reduction has a loop for each operation and type: sums by {@link Reducer}, beside loops with the operation in
 * them. Calls with other operations come before, as in programs; then the compiler vectorizes the first only.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Reductions {
    private static final int LONGS = 4096;
    private static final int DOUBLES = 1024;
    private static final int CALLS = 20_000;

    /** The one that is timed. */
    @Param("SUM")
    private ReduceOp op;

    private final Reducer reducer = new Reducer();
    private final long[] longs = new long[LONGS];
    private final long[] longInputs = new long[LONGS];
    private final double[] doubles = new double[DOUBLES];
    private final double[] doubleInputs = new double[DOUBLES];
    private final MemorySegment longSegment = MemorySegment.ofArray(longs);
    private final MemorySegment longInputSegment = MemorySegment.ofArray(longInputs);
    private final MemorySegment doubleSegment = MemorySegment.ofArray(doubles);
    private final MemorySegment doubleInputSegment = MemorySegment.ofArray(doubleInputs);
    private final DoubleBinaryOperator sum = (a, b) -> a + b;

    /** Other operations, in all loops. */
    @Setup
    public void useOthers() {
        DoubleBinaryOperator[] others = {Math::min, Math::max, (a, b) -> a * b};
        for (int i = 0; i < CALLS; i++) {
            bySwitch(ReduceOp.values()[i % ReduceOp.REPLACE.ordinal()], 1);
            byObject(others[i % others.length], 1);
        }
    }

    @Benchmark
    public void sumLongs() {
        reducer.combine(op, ElementType.LONG, longSegment, 0, longInputSegment, 0, (long) LONGS * Long.BYTES);
    }

    @Benchmark
    public void sumLongsBySwitch() {
        bySwitch(op, LONGS);
    }

    private void bySwitch(ReduceOp operation, int count) {
        for (int i = 0; i < count; i++) {
            long a = longs[i];
            long b = longInputs[i];
            longs[i] = switch (operation) {
                case SUM -> a + b;
                case PRODUCT -> a * b;
                case MIN -> Math.min(a, b);
                case MAX -> Math.max(a, b);
                case LOGICAL_AND -> a != 0 && b != 0 ? 1 : 0;
                case LOGICAL_OR -> a != 0 || b != 0 ? 1 : 0;
                case LOGICAL_XOR -> a != 0 ^ b != 0 ? 1 : 0;
                case BITWISE_AND -> a & b;
                case BITWISE_OR -> a | b;
                case BITWISE_XOR -> a ^ b;
                case REPLACE, NO_OP -> b;
            };
        }
    }

    @Benchmark
    public void sumDoubles() {
        reducer.combine(op, ElementType.DOUBLE, doubleSegment, 0, doubleInputSegment, 0, (long) DOUBLES * Double.BYTES);
    }

    @Benchmark
    public void sumDoublesByObject() {
        byObject(sum, DOUBLES);
    }

    private void byObject(DoubleBinaryOperator operation, int count) {
        for (int i = 0; i < count; i++) {
            doubles[i] = operation.applyAsDouble(doubles[i], doubleInputs[i]);
        }
    }
}

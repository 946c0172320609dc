package org.tributary.nativeclient;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.Group;
import org.tributary.client.MutexSet;
import org.tributary.client.error.OutOfSharedMemoryException;
import org.tributary.client.remote.Handle;
import org.tributary.client.shape.Scale;
import org.tributary.client.shape.Strided;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/**
 * A rank of a job of C and Java ranks. {@code interop.c} does the same steps in the same order, and both check what the
 * others have done to them; a change here needs one there.
 */
public final class InteropRank {
    private static final int BYTES = 40_000;
    private static final int VECTOR = 3000;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

    private final Gas gas;
    private final GlobalMemory memory;
    private final int rank;
    private final int size;
    private final int right;
    private final int left;

    private InteropRank(Gas gas) {
        this.gas = gas;
        rank = gas.rank();
        size = gas.rankCount();
        right = (rank + 1) % size;
        left = (rank + size - 1) % size;
        memory = gas.allocate(BYTES + 512L * rank);
    }

    /** Runs on the Java ranks of the job. */
    public static void main(String[] arguments) {
        try (Gas gas = Gas.attach()) {
            run(gas);
            System.out.println("interop: all well on rank " + gas.rank() + " in Java");
        }
    }

    /** One rank's part. */
    static void run(Gas gas) {
        new InteropRank(gas).run();
    }

    private void run() {
        for (int other = 0; other < size; other++) {
            equal(BYTES + 512L * other, memory.bytes(other));
        }
        exchangeBytes();
        addUp();
        count();
        exclude();
        signalEachOther();
        workInGroups();
        try {
            gas.allocate(1L << 50);
            throw new IllegalStateException("a petabyte was there");
        } catch (OutOfSharedMemoryException expected) {
            equal(true, expected.freeInBytes() > 0);
        }
        gas.barrier();
        memory.close();
    }

    private static void equal(Object expected, Object actual) {
        if (!expected.equals(actual)) {
            throw new IllegalStateException("expected " + expected + ", was " + actual);
        }
    }

    private static byte pattern(int from, int at) {
        return (byte) (from * 31 + at * 7);
    }

    private void exchangeBytes() {
        byte[] out = new byte[BYTES];
        for (int i = 0; i < BYTES; i++) {
            out[i] = pattern(rank, i);
        }
        memory.put(right, 0, MemorySegment.ofArray(out));
        gas.barrier();
        MemorySegment mine = memory.local();
        for (int i = 0; i < BYTES; i++) {
            equal(pattern(left, i), mine.get(ValueLayout.JAVA_BYTE, i));
        }
        byte[] in = new byte[BYTES];
        memory.get(right, 0, MemorySegment.ofArray(in));
        equal(true, Arrays.equals(in, out));
        gas.barrier();
        memory.putStrided(right, 5, MemorySegment.ofArray(out), 0,
            new Strided(24, new long[] {10, 3}, new long[] {24, 240}, new long[] {100, 2000}));
        Handle handle = gas.aggregateHandle();
        for (int i = 0; i < 50; i++) {
            memory.nbPut(handle, right, 8000 + 16L * i, MemorySegment.ofArray(new long[] {rank * 1000L + i}), 0, 8);
        }
        handle.await();
        gas.barrier();
        for (int i = 0; i < 720; i++) {
            equal(pattern(left, i), mine.get(ValueLayout.JAVA_BYTE, 5 + i / 240 * 2000 + i % 240 / 24 * 100 + i % 24));
        }
        for (int i = 0; i < 50; i++) {
            equal(left * 1000L + i, mine.get(LONG, 8000 + 16L * i));
        }
        gas.barrier();
    }

    private void clear() {
        memory.put(rank, 0, MemorySegment.ofArray(new double[VECTOR]));
        gas.barrier();
    }

    private void addUp() {
        clear();
        double[] values = new double[VECTOR];
        Arrays.setAll(values, i -> i);
        for (int target = 0; target < size; target++) {
            memory.accumulate(target, 0, Scale.ofDouble(0.5), MemorySegment.ofArray(values), 0, VECTOR * 8L);
        }
        gas.barrier();
        for (int i = 0; i < VECTOR; i++) {
            equal(0.5 * i * size, memory.local().get(DOUBLE, i * 8L));
        }
        gas.barrier();
        clear();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment z = arena.allocateFrom(ValueLayout.JAVA_FLOAT, 1, 2);
            for (int target = 0; target < size; target++) {
                memory.accumulate(target, 16380, Scale.ofComplexFloat(0, 1), z, 0, 8);
            }
        }
        gas.barrier();
        equal(-2.0f * size, memory.local().get(ValueLayout.JAVA_FLOAT, 16380));
        equal(1.0f * size, memory.local().get(ValueLayout.JAVA_FLOAT, 16384));
        gas.barrier();
    }

    private void count() {
        memory.putLong(rank, 0, 0);
        memory.putLong(rank, 8, 0);
        gas.barrier();
        for (int i = 0; i < 200; i++) {
            for (int target = 0; target < size; target++) {
                memory.fetchAndAdd(target, 0, target + 1);
                long seen = 0;
                long old;
                do {
                    old = seen;
                    seen = memory.compareAndSwap(target, 8, old, old + 1);
                } while (seen != old);
            }
        }
        gas.barrier();
        equal(200L * size * (rank + 1), memory.getLong(rank, 0));
        equal(200L * size, memory.getLong(rank, 8));
        gas.barrier();
    }

    private void exclude() {
        MutexSet mutexes = gas.createMutexes(1);
        memory.putLong(rank, 0, 0);
        gas.barrier();
        for (int i = 0; i < 50; i++) {
            for (int home = 0; home < size; home++) {
                mutexes.lock(home, 0);
                memory.putLong(home, 0, memory.getLong(home, 0) + 1);
                gas.fence(home);
                mutexes.unlock(home, 0);
            }
        }
        gas.barrier();
        equal(50L * size, memory.getLong(rank, 0));
        mutexes.close();
    }

    private void signalEachOther() {
        memory.putLong(rank, 64, 0);
        memory.putLong(rank, 72, 0);
        gas.barrier();
        for (long round = 1; round <= 100; round++) {
            memory.putWithFlag(right, 0, MemorySegment.ofArray(new long[] {round}), 0, 8, 64, round);
            memory.awaitFlag(64, round, left);
            equal(round, memory.getLong(rank, 0));
            gas.notify(left);
            gas.waitNotify(right);
            memory.addToFlag(left, 72, 2);
            memory.awaitFlagAtLeast(72, 2 * round, right);
        }
        gas.barrier();
    }

    /** All members must have the same bits. */
    private static void agree(Group group, double[] values) {
        long sum = 0;
        for (double value : values) {
            sum = sum * 31 + Double.doubleToRawLongBits(value);
        }
        for (long other : group.allgather(sum)) {
            equal(sum, other);
        }
    }

    private static void reduceAndGather(Group group, int n) {
        int members = group.size();
        int self = group.rank();
        double[] own = new double[n * members];
        for (int i = 0; i < own.length; i++) {
            own[i] = 0.1 * (self + 1) + 1.0 / (i + 3);
        }
        double[] result = Arrays.copyOf(own, n);
        group.allreduce(ReduceOp.SUM, result);
        agree(group, result);
        result = Arrays.copyOf(own, n);
        group.allreduce(ReduceOp.PRODUCT, result);
        agree(group, result);
        equal((1L << members) - 1, group.allreduce(ReduceOp.BITWISE_OR, 1L << self));
        result = new double[n];
        group.reduce(members - 1, ReduceOp.MAX, ElementType.DOUBLE, MemorySegment.ofArray(Arrays.copyOf(own, n)),
            MemorySegment.ofArray(result));
        group.broadcast(members - 1, result);
        agree(group, result);
        group.reduceScatter(ReduceOp.SUM, ElementType.DOUBLE, MemorySegment.ofArray(own),
            MemorySegment.ofArray(result));
        double[] whole = new double[n * members];
        group.allgather(MemorySegment.ofArray(result), MemorySegment.ofArray(whole));
        agree(group, whole);
        long[] out = new long[n * members];
        long[] in = new long[n * members];
        Arrays.setAll(out, i -> self * 1_000_000L + i);
        group.allToAll(MemorySegment.ofArray(out), MemorySegment.ofArray(in));
        for (int i = 0; i < in.length; i++) {
            equal(i / n * 1_000_000L + (long) self * n + i % n, in[i]);
        }
        group.barrier();
    }

    private void workInGroups() {
        for (int n : new int[] {1, 100, 1023, 5000, 9000}) {
            reduceAndGather(gas.world(), n);
        }
        Group group = gas.world().split(rank / 2 % 2, -rank);
        reduceAndGather(group, 2000);
        GlobalMemory ours = gas.allocate(group, 4096);
        ours.putLong(group.worldRank((group.rank() + 1) % group.size()), 8, rank);
        gas.fenceAll();
        group.barrier();
        equal((long) group.worldRank((group.rank() + group.size() - 1) % group.size()), ours.getLong(rank, 8));
        ours.close();
        group.close();
    }
}

package org.tributary.benchmarks.windows;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.tributary.benchmarks.measure.Partner;
import org.tributary.benchmarks.measure.Reach;
import org.tributary.benchmarks.measure.Repeatable;
import org.tributary.client.GlobalMemory;
import org.tributary.client.Group;
import org.tributary.client.window.Window;
import org.tributary.wire.codec.LockMode;

/**
 * Lock, put of some longs, unlock from rank 0 to another rank of its node, or to itself when there is none, against
 * the bare loop on shared memory that Gropp and Thakur compare with (table 1, first column): compare-and-swap of a
 * word, copy, release of the word.
 */
final class LockPutUnlock implements Experiment {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    /** The bare loop's lock has a cache line to itself, as the window's has. */
    private static final long DATA = 128;
    private static final long[] LONGS = {8, 64, 256, 1 << 10, 8 << 10, 64 << 10};
    private static final Reach REACH = Reach.atMost(1.5);

    private final Bench bench;

    LockPutUnlock(Bench bench) {
        this.bench = bench;
    }

    @Override
    public int thirds() {
        return (1 + LONGS.length) * Bench.CONTEST;
    }

    @Override
    public void run() throws IOException {
        OptionalInt other = Partner.onNode(bench.gas().topology());
        Group pair = bench.gas().world().create(IntStream.concat(IntStream.of(0), other.stream()).toArray());
        Group origin = bench.gas().world().create(0);
        if (pair.isMember()) {
            GlobalMemory memory = bench.gas().allocate(pair, DATA + LONGS[LONGS.length - 1] * Long.BYTES);
            try (LockWindows windows = new LockWindows(bench.gas(), pair, memory, DATA)) {
                if (origin.isMember()) {
                    measure(origin, memory, other.orElse(0), windows.all());
                }
                pair.barrier();
            }
            memory.close();
        }
        pair.close();
        origin.close();
    }

    private void measure(Group origin, GlobalMemory memory, int target, List<Window> windows) throws IOException {
        MemorySegment shared = memory.shared(target);
        boolean isCompiled = false;
        try (Arena arena = Arena.ofShared()) {
            // The first contest counts for nothing: nanoseconds tell of code that is not compiled yet.
            for (long longs : LongStream.concat(LongStream.of(LONGS[0]), LongStream.of(LONGS)).toArray()) {
                MemorySegment source = arena.allocate(longs * Long.BYTES, Long.BYTES).fill((byte) longs);
                List<Repeatable> contestants = new ArrayList<>();
                contestants.add(bare(shared, source));
                windows.stream().map(window -> LockWindows.locked(window, LockMode.EXCLUSIVE, target, source))
                    .forEach(contestants::add);
                List<Outcome> outcomes = bench.contest(origin, contestants);
                if (shared.asSlice(DATA, source.byteSize()).mismatch(source) >= 0) {
                    throw new IOException("what was put is not there");
                }
                if (isCompiled) {
                    report(source.byteSize(), outcomes);
                }
                isCompiled = true;
            }
        }
    }

    /** The compare-and-swap's partner is the release by the holder before. */
    private static Repeatable bare(MemorySegment shared, MemorySegment source) {
        return () -> {
            while (!WORD.compareAndSet(shared, 0L, 0L, 1L)) {
                Thread.onSpinWait();
            }
            MemorySegment.copy(source, 0, shared, DATA, source.byteSize());
            WORD.setRelease(shared, 0L, 0L);
        };
    }

    private void report(long bytes, List<Outcome> outcomes) {
        Outcome bare = outcomes.getFirst();
        bench.add(Result.of(Part.LOCK_PUT_UNLOCK, "node", "bare loop", 1, bytes, bare));
        for (int i = 0; i < LockWindows.designs().size(); i++) {
            Outcome outcome = outcomes.get(i + 1);
            bench.add(Result.of(Part.LOCK_PUT_UNLOCK, "node", LockWindows.designs().get(i).name(), 1, bytes, outcome)
                .comparedWith("bare loop", outcome.medianNs() / bare.medianNs(), REACH));
        }
    }
}

package org.tributary.benchmarks.windows;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.tributary.benchmarks.measure.Repeatable;
import org.tributary.client.GlobalMemory;
import org.tributary.client.window.Window;
import org.tributary.wire.codec.LockMode;

/**
 * What each job begins with, whichever parts it measures: epochs of all designs of fences and of locks, with a put of
 * each member to the next one. They count for nothing: their code is compiled meanwhile, of the servers too.
 */
final class FirstContest implements Experiment {
    private static final int BYTES = 1 << 10;

    private final Bench bench;

    FirstContest(Bench bench) {
        this.bench = bench;
    }

    @Override
    public int thirds() {
        return Bench.CONTEST;
    }

    @Override
    public void run() throws IOException {
        bench.inGroup(bench.mostMembers(), group -> {
            GlobalMemory memory = bench.gas().allocate(group, BYTES);
            try (FenceWindows fences = new FenceWindows(bench.gas(), group, BYTES);
                LockWindows locks = new LockWindows(bench.gas(), group, memory, 0); Arena arena = Arena.ofShared()) {
                MemorySegment source = arena.allocate(BYTES, Long.BYTES);
                int target = group.worldRank((group.rank() + 1) % group.size());
                List<Repeatable> contestants = new ArrayList<>();
                for (Window window : fences.all()) {
                    contestants.add(() -> {
                        window.put(target, 0, source);
                        window.fence();
                    });
                }
                for (LockMode mode : List.of(LockMode.SHARED, LockMode.EXCLUSIVE)) {
                    locks.all().forEach(window -> contestants.add(LockWindows.locked(window, mode, target, source)));
                }
                bench.contest(group, contestants);
            }
            memory.close();
        });
    }
}

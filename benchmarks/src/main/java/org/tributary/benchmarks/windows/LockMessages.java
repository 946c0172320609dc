package org.tributary.benchmarks.windows;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.tributary.benchmarks.measure.Reach;
import org.tributary.client.GlobalMemory;
import org.tributary.client.Group;
import org.tributary.client.window.EpochDesign;
import org.tributary.client.window.Window;
import org.tributary.config.EnumText;
import org.tributary.wire.codec.LockMode;

/**
 * Messages of lock, one put of 16 bytes and unlock from rank 0 to a rank of another node, counted: four besides the
 * put when immediate, a request and an answer when all travels as one (Gropp and Thakur, section 5).
 */
final class LockMessages implements Experiment {
    private static final int MEMBERS = 2;
    private static final int BYTES = 16;
    private static final Reach ONE_AND_ONE = Reach.atMost(2);

    private final Bench bench;

    LockMessages(Bench bench) {
        this.bench = bench;
    }

    @Override
    public int thirds() {
        return 2 * Bench.CONTEST;
    }

    @Override
    public void run() throws IOException {
        Group origin = bench.gas().world().create(0);
        bench.inGroup(MEMBERS, pair -> {
            GlobalMemory memory = bench.gas().allocate(pair, BYTES);
            try (LockWindows windows = new LockWindows(bench.gas(), pair, memory, 0)) {
                if (origin.isMember()) {
                    for (LockMode mode : List.of(LockMode.SHARED, LockMode.EXCLUSIVE)) {
                        measure(origin, mode, pair.worldRank(1), windows.all());
                    }
                }
                pair.barrier();
            }
            memory.close();
        });
        origin.close();
    }

    private void measure(Group origin, LockMode mode, int target, List<Window> windows) throws IOException {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment source = arena.allocate(BYTES, Long.BYTES);
            List<Outcome> outcomes = bench.contest(origin,
                windows.stream().map(window -> LockWindows.locked(window, mode, target, source)).toList());
            for (int i = 0; i < outcomes.size(); i++) {
                Outcome outcome = outcomes.get(i);
                EpochDesign design = LockWindows.designs().get(i);
                bench.add(Result.of(Part.LOCK_MESSAGES, EnumText.underscored(mode), design.name(), MEMBERS,
                    BYTES, outcome).comparedWith("one message", outcome.messages(),
                        design == EpochDesign.IMMEDIATE ? null : ONE_AND_ONE));
            }
        }
    }
}

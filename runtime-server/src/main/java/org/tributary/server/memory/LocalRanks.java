package org.tributary.server.memory;

import java.util.Arrays;
import org.tributary.server.observe.ServerLog;
import org.tributary.wire.RankState;
import org.tributary.wire.shm.ControlFile;
import org.tributary.wire.shm.MemoryFaults;

/**
 * How the ranks of the node are, as this server knows it. The control file has a copy for the ranks, which is never
 * read here because they can write there; nothing that has become of that file stops this server from ending the job.
 * Owned by the event loop.
 */
public final class LocalRanks {
    private final ControlFile control;
    private final ServerLog log;
    private final RankState[] states;
    private final long[] pids;

    LocalRanks(ControlFile control, ServerLog log) {
        this.control = control;
        this.log = log;
        this.states = new RankState[control.localRankCount()];
        this.pids = new long[states.length];
        Arrays.fill(states, RankState.EXPECTED);
    }

    public RankState state(int localIndex) {
        return states[localIndex];
    }

    /** Process of a rank, 0 before it attached. */
    public long pid(int localIndex) {
        return pids[localIndex];
    }

    public void set(int localIndex, RankState state, long pid) {
        states[localIndex] = state;
        pids[localIndex] = pid;
        publish(() -> control.setRankState(localIndex, state, pid));
    }

    private void publish(Runnable change) {
        try {
            change.run();
            MemoryFaults.surface();
        } catch (InternalError | RuntimeException e) {
            log.cannotTell(control.file(), e);
        }
    }
}

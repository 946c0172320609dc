package org.tributary.wire.status;

import java.util.List;
import org.tributary.wire.RankState;
import org.tributary.wire.shm.WaitKind;

/**
 * How the processes of one node of a job are, and what its ranks wait for.
 *
 * @param job       its id
 * @param layout    of the job, as text, cut off when it is very long
 * @param jobRanks  ranks of the job
 * @param jobNodes  nodes of the job
 * @param ageNs     of the node's server
 */
public record NodeStatus(String job, int node, String layout, int jobRanks, int jobNodes, long ageNs,
                         long serverPid, ProcessState server, List<Rank> ranks) {
    public NodeStatus {
        ranks = List.copyOf(ranks);
    }

    /**
     * One rank.
     *
     * @param state    as its server has it; null when it was overwritten
     * @param pid      its process, 0 before it attached
     * @param cpuTicks processor time that it has used, in ticks of the kernel; -1 when not known
     * @param blocked  waits so far in which a thread of it has blocked
     * @param waits    of its threads, the longest first
     * @param isHarmed whether a slot or the state of the rank held what no rank writes
     */
    public record Rank(int rank, RankState state, long pid, ProcessState process, long cpuTicks, long blocked,
                       List<Wait> waits, boolean isHarmed) {
        public Rank {
            waits = List.copyOf(waits);
        }

        /** Whether it takes part in the job now. */
        public boolean isAttached() {
            return state == RankState.ATTACHED || state == null && process.isActive();
        }

        /** Whether it has left in good order, as far as it can: requests of it still wait at its server. */
        public boolean isLeaving() {
            return state == RankState.LEAVING;
        }

        /** Whether it goes on by itself once what it waits for is there; others wait for whoever has stopped it. */
        public boolean canGoOn() {
            return isAttached() && process.isActive();
        }

        /** Whether no thread of it is known to be blocked in a call. */
        public boolean computes() {
            return canGoOn() && waits.isEmpty();
        }
    }

    /**
     * A thread that is blocked; fields as in {@link org.tributary.wire.shm.WaitSlots}.
     *
     * @param ageNs for how long
     */
    public record Wait(WaitKind kind, int peer, long segment, long number, long ageNs) {
    }

    /** Whether the rank is of this node. */
    public boolean has(int rank) {
        return ranks.stream().anyMatch(own -> own.rank() == rank);
    }

    /** Ranks that take part now. */
    public long attached() {
        long attached = 0;
        for (Rank rank : ranks) {
            attached += rank.isAttached() ? 1 : 0;
        }
        return attached;
    }
}

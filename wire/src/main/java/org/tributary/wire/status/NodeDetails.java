package org.tributary.wire.status;

import java.util.List;
import java.util.Set;

/** State of the objects that ranks of the job wait for, as one node knows it: of its own ranks. */
public record NodeDetails(List<Member> members, List<Lock> locks) {
    public NodeDetails {
        members = List.copyOf(members);
        locks = List.copyOf(locks);
    }

    /**
     * Objects that ranks of a job wait for.
     *
     * @param groups  segments of the inboxes of groups
     * @param windows segments of control words of windows, whose members are wanted
     */
    public record Questions(Set<Long> groups, Set<Long> windows, Set<LockName> locks) {
        public Questions {
            groups = Set.copyOf(groups);
            windows = Set.copyOf(windows);
            locks = Set.copyOf(locks);
        }
    }

    /**
     * A mutex or the lock of a part of a window.
     *
     * @param rank  at which it is
     * @param index among the mutexes there
     */
    public record LockName(long segment, int rank, long index) {
    }

    /**
     * A rank of this node that is member of a group or window.
     *
     * @param segment of the group or window
     * @param call    that it has made last in the group, or its step in fences of the window; null when not known
     */
    public record Member(long segment, int rank, CallDescription call) {
    }

    /**
     * Who has a lock.
     *
     * @param holder the rank that has it alone, or -1
     * @param shared how many ranks share it
     */
    public record Lock(LockName name, int holder, int shared) {
    }
}

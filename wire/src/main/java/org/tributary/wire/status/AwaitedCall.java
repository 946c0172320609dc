package org.tributary.wire.status;

import org.tributary.wire.status.NodeDetails.Member;
import org.tributary.wire.status.NodeStatus.Rank;
import org.tributary.wire.status.NodeStatus.Wait;

/**
 * What all members of a group or window come to, one number after the other: a call of a collective, or a step of the
 * window's fences. A member waits there for those that are missing.
 *
 * @param segment of the group or window
 */
public record AwaitedCall(long segment, long number) {
    /** Of a wait; null when it is not for all members of anything. */
    public static AwaitedCall of(Wait wait) {
        return switch (wait.kind()) {
            case COLLECTIVE, WINDOW_FENCE, WINDOW_READY -> new AwaitedCall(wait.segment(), wait.number());
            default -> null;
        };
    }

    /**
     * Whether a member has not come to it yet, as far as is known.
     *
     * @param rank that is the member; null when its node is not known
     */
    public boolean isMissing(Member member, Rank rank) {
        boolean hasCome = member.call() != null && member.call().number() >= number;
        return !hasCome && (rank == null || rank.waits().stream().map(AwaitedCall::of).noneMatch(
            call -> call != null && call.segment == segment && call.number >= number && rank.process().isActive()));
    }
}

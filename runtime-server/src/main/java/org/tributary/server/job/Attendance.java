package org.tributary.server.job;

import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.tributary.server.memory.NodeMemory;
import org.tributary.wire.RankState;
import org.tributary.wire.codec.Role;

/**
 * Which of the node's ranks have attached and left. Each has two connections: one for requests, and a lifeline, over
 * which it is told of the end of the job. Owned by the event loop.
 */
final class Attendance {
    private static final int MISSING_NAMED = 8;

    private final int node;
    private final NodeMemory memory;
    private final Member[] requestMembers;
    private final Member[] lifelines;
    /** Lifelines that have been admitted, and have not joined yet. */
    private final Set<Member> arriving = new HashSet<>();
    private final BitSet withdrawn = new BitSet();
    private int ranksLeft;

    Attendance(int node, int localRanks, NodeMemory memory) {
        this.node = node;
        this.memory = memory;
        this.requestMembers = new Member[localRanks];
        this.lifelines = new Member[localRanks];
    }

    /** Why the connection of a rank of this node cannot be another one in that role, or null. */
    String attachedBefore(Role role, int rank) {
        int index = memory.localIndex(rank);
        Member before = role == Role.LIFELINE ? lifelines[index] : requestMembers[index];
        return before == null ? null : "rank " + rank + " has attached already, as process "
            + memory.localRanks().pid(index);
    }

    /** A lifeline is admitted, and its rank may not know it yet. */
    void lifelineAdmitted(Member lifeline) {
        arriving.add(lifeline);
    }

    void lifelineJoined(Member lifeline) {
        int index = memory.localIndex(lifeline.rank());
        arriving.remove(lifeline);
        lifelines[index] = lifeline;
        Member itsRank = requestMembers[index];
        if (itsRank != null && itsRank.hasLeft()) {
            lifeline.markLeft(); // the goodbye, on another connection, was read before this
        }
    }

    void rankJoined(Member member) {
        int index = memory.localIndex(member.rank());
        requestMembers[index] = member;
        withdrawn.clear(index);
        memory.localRanks().set(index, RankState.ATTACHED, member.pid());
    }

    /** Whether that was a lifeline which had not joined. */
    boolean givenUp(Member member) {
        return arriving.remove(member);
    }

    void lifelineClosed(Member lifeline) {
        lifelines[memory.localIndex(lifeline.rank())] = null;
    }

    /** A rank says on its lifeline that it leaves: its end is no death, if its goodbye comes. */
    void announced(Member lifeline) {
        int index = memory.localIndex(lifeline.rank());
        if (!isLifeline(lifeline)) {
            return;
        }
        lifeline.markLeft();
        if (memory.localRanks().state(index) == RankState.ATTACHED) { // otherwise the goodbye is read already
            memory.localRanks().set(index, RankState.LEAVING, memory.localRanks().pid(index));
        }
    }

    /** Whether a rank whose connection for requests has ended may have left: its lifeline has said so, or will tell. */
    boolean mayHaveLeft(Member member) {
        int index = memory.localIndex(member.rank());
        return memory.localRanks().state(index).hasSaidGoodbye() || lifelines[index] != null;
    }

    /** Whether it is the lifeline of its rank. */
    boolean isLifeline(Member member) {
        return member.role() == Role.LIFELINE && lifelines[memory.localIndex(member.rank())] == member;
    }

    /** A rank leaves in good order: its connections may close. */
    void leaves(Member member) {
        Member lifeline = lifelines[memory.localIndex(member.rank())];
        member.markLeft();
        if (lifeline != null) {
            lifeline.markLeft();
        }
    }

    /** A rank has left, and holds nothing any more; returns whether all of the node have left. */
    boolean departed(int rank) {
        int index = memory.localIndex(rank);
        memory.localRanks().set(index, RankState.DEPARTED, memory.localRanks().pid(index));
        return ++ranksLeft == requestMembers.length;
    }

    /** A rank could not complete its attachment: it has not attached, and may try again. */
    void withdrawn(Member member) {
        int index = memory.localIndex(member.rank());
        member.markLeft();
        requestMembers[index] = null;
        withdrawn.set(index);
        if (lifelines[index] != null) {
            lifelines[index].markLeft();
            lifelines[index] = null;
        }
        memory.localRanks().set(index, RankState.EXPECTED, 0);
    }

    /** Whether it gave up to attach, and has not attached since. */
    boolean hasWithdrawn(int rank) {
        return withdrawn.get(memory.localIndex(rank));
    }

    /** A rank has died; returns its process. */
    long died(int rank) {
        int index = memory.localIndex(rank);
        long pid = memory.localRanks().pid(index);
        memory.localRanks().set(index, RankState.DEAD, pid);
        return pid;
    }

    boolean areAllThere() {
        return missing().length == 0;
    }

    private int[] missing() {
        return IntStream.range(0, requestMembers.length).filter(index -> requestMembers[index] == null)
            .map(memory.ranks()::rank).toArray();
    }

    /** Which ranks have not attached in that time after the start of the server, in words. */
    String describeMissing(long timeoutNs) {
        int[] missing = missing();
        String named = IntStream.of(missing).limit(MISSING_NAMED).mapToObj(Integer::toString)
            .collect(Collectors.joining(", "));
        return (missing.length == 1 ? "rank " + named + " has" : missing.length + " ranks have")
            + " not attached to node " + node + " within " + timeoutNs / 1e9 + " s of the start of its server"
            + (missing.length == 1 ? "" : ": " + named + (missing.length > MISSING_NAMED ? ", …" : ""));
    }

    void forEachLifeline(Consumer<Member> action) {
        for (Member lifeline : lifelines) {
            if (lifeline != null) {
                action.accept(lifeline);
            }
        }
    }

    /** Whether no rank of the node can be told anything, now or when it knows that it is admitted. */
    boolean isNobodyHere() {
        for (Member lifeline : lifelines) {
            if (lifeline != null) {
                return false;
            }
        }
        return arriving.isEmpty();
    }
}

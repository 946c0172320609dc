package org.tributary.wire.status;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.tributary.wire.RankState;
import org.tributary.wire.shm.AccumulateLocks;
import org.tributary.wire.shm.ControlFile;
import org.tributary.wire.shm.WaitKind;
import org.tributary.wire.status.NodeDetails.Lock;
import org.tributary.wire.status.NodeDetails.LockName;
import org.tributary.wire.status.NodeDetails.Member;
import org.tributary.wire.status.NodeStatus.Rank;
import org.tributary.wire.status.NodeStatus.Wait;

/**
 * Who waits for whom in a job, made of what its nodes know. A rank counts as waiting for what its longest wait is for:
 * for all members of a group that are not in its call, for the holder of a lock, for the server that is to answer.
 */
public final class JobStatus {
    /** Calls of ranks that have waited for less may just be on their way. */
    private static final long SETTLED_NS = 1_000_000_000L;

    private final Map<Integer, NodeStatus> nodes = new TreeMap<>();
    private final Map<Integer, Rank> ranks = new TreeMap<>();
    private final Map<Integer, NodeStatus> nodeOf = new HashMap<>();
    private final Map<LockName, Lock> locks = new HashMap<>();
    private final Map<Long, Map<Integer, Member>> members = new TreeMap<>();
    /** Found out when asked for, by any thread. */
    private final Map<AwaitedCall, Set<Party>> missing = new ConcurrentHashMap<>();

    /** A job of which some nodes may be missing. */
    public JobStatus(Collection<NodeStatus> known, Collection<NodeDetails> details) {
        for (NodeStatus node : known) {
            nodes.put(node.node(), node);
            for (Rank rank : node.ranks()) {
                ranks.put(rank.rank(), rank);
                nodeOf.put(rank.rank(), node);
            }
        }
        for (NodeDetails of : details) {
            for (Lock lock : of.locks()) {
                locks.put(lock.name(), lock);
            }
            for (Member member : of.members()) {
                members.computeIfAbsent(member.segment(), segment -> new TreeMap<>()).put(member.rank(), member);
            }
        }
    }

    /** Questions to all nodes whose answers tell who waits for whom. */
    public static NodeDetails.Questions questions(Collection<NodeStatus> nodes) {
        Set<Long> groups = new HashSet<>();
        Set<Long> windows = new HashSet<>();
        Set<LockName> locks = new HashSet<>();
        for (NodeStatus node : nodes) {
            for (Rank rank : node.ranks()) {
                for (Wait wait : rank.waits()) {
                    switch (wait.kind()) {
                        case COLLECTIVE -> groups.add(wait.segment());
                        case WINDOW_FENCE, WINDOW_READY -> windows.add(wait.segment());
                        case MUTEX, WINDOW_LOCK -> locks.add(nameOf(wait));
                        default -> { }
                    }
                }
            }
        }
        return new NodeDetails.Questions(groups, windows, locks);
    }

    private static LockName nameOf(Wait wait) {
        return new LockName(wait.segment(), wait.peer(), wait.number());
    }

    /** The nodes that are known, by number. */
    public Collection<NodeStatus> nodes() {
        return nodes.values();
    }

    /** The ranks of these nodes, by number. */
    public Collection<Rank> ranks() {
        return ranks.values();
    }

    /** The rank, or null when its node is not known. */
    public Rank rank(int rank) {
        return ranks.get(rank);
    }

    /** The node, or null when it is not known. */
    public NodeStatus node(int node) {
        return nodes.get(node);
    }

    /** The node of a rank, or null when it is not known. */
    public NodeStatus nodeOf(int rank) {
        return nodeOf.get(rank);
    }

    /** The longest of a rank's waits, or null. */
    public static Wait waitOf(Rank rank) {
        return rank.waits().isEmpty() ? null : rank.waits().getFirst();
    }

    /** Who has the lock that is waited for, or null when that is not known. */
    public Lock lockOf(Wait wait) {
        return locks.get(nameOf(wait));
    }

    /** The call of a rank in a group, or null when it is not known. */
    public CallDescription callOf(long group, int rank) {
        Member member = members.getOrDefault(group, Map.of()).get(rank);
        return member == null ? null : member.call();
    }

    /** Whom a rank waits for; empty when it does not wait, for nobody in particular, or is stopped itself. */
    public Set<Party> waitsFor(Rank rank) {
        Set<Party> found = othersFor(rank);
        found.addAll(missingFor(rank));
        return found;
    }

    /** Members that have not come to where it waits for all of them: one and the same set for all that wait there. */
    public Set<Party> missingFor(Rank rank) {
        AwaitedCall call = waitOf(rank) == null || !rank.canGoOn() ? null : AwaitedCall.of(waitOf(rank));
        return call == null ? Set.of() : missing.computeIfAbsent(call, this::missing);
    }

    private Set<Party> missing(AwaitedCall call) {
        return members.getOrDefault(call.segment(), Map.of()).values().stream()
            .filter(member -> call.isMissing(member, ranks.get(member.rank())))
            .map(member -> Party.rank(member.rank())).collect(Collectors.toUnmodifiableSet());
    }

    /** Whom it waits for besides {@linkplain #missingFor missing members}. */
    public Set<Party> othersFor(Rank rank) {
        Set<Party> found = new TreeSet<>();
        Wait wait = waitOf(rank);
        if (wait == null || !rank.canGoOn()) {
            return found;
        }
        for (Wait each : rank.waits()) {
            addIdleServer(nodeOf(rank.rank()), each, found);
        }
        switch (wait.kind().peer()) {
            case NODE -> addServer(wait.peer(), found);
            case TOKEN -> addToken(nodeOf(rank.rank()), wait.peer(), found);
            case RANK -> addRank(rank, wait, found);
            case NONE -> { }
        }
        found.remove(Party.rank(rank.rank()));
        return found;
    }

    private void addRank(Rank rank, Wait wait, Set<Party> to) {
        int other = switch (wait.kind()) {
            case WINDOW_FENCE, WINDOW_READY -> -1;
            case COLLECTIVE -> missingFor(rank).isEmpty() && !waitsIn(wait.peer(), AwaitedCall.of(wait))
                ? wait.peer() : -1; // its step is awaited: it was stopped, or has left the call
            case MUTEX, WINDOW_LOCK -> lockOf(wait) == null ? -1 : lockOf(wait).holder();
            default -> wait.peer();
        };
        if (other >= 0) {
            to.add(Party.rank(other));
        }
    }

    private boolean waitsIn(int rank, AwaitedCall call) {
        Rank other = ranks.get(rank);
        return other != null && other.canGoOn()
            && other.waits().stream().anyMatch(wait -> call.equals(AwaitedCall.of(wait)));
    }

    /**
     * Whether only the ranks for which it waits can end its wait, unless it waits for a server, too. Not a short one:
     * what it is for may be on its way. Nor one for what a rank has left behind, or is about to give: those who are in
     * a collective or fence go on in it by themselves.
     */
    boolean isBound(Rank rank) {
        Wait wait = waitOf(rank);
        return wait != null && rank.canGoOn() && wait.ageNs() >= SETTLED_NS && switch (wait.kind()) {
            case COLLECTIVE -> !missingFor(rank).isEmpty();
            case WINDOW_FENCE, WINDOW_READY -> false;
            default -> true;
        };
    }

    private void addServer(int node, Set<Party> to) {
        if (node >= 0) {
            to.add(Party.server(node));
        }
    }

    /** A server that does nothing holds up what goes through it, whatever the rest of the wait is. */
    private void addIdleServer(NodeStatus own, Wait wait, Set<Party> to) {
        NodeStatus node = switch (wait.kind()) {
            case MUTEX, WINDOW_LOCK -> nodeOf(wait.peer());
            case ANSWER, FENCE, OPERATIONS, ROOM, CONNECTION -> nodes.get(wait.peer());
            case FLAG, NOTIFICATION, COLLECTIVE, WINDOW_FENCE, WINDOW_READY, WINDOW_COMPLETE, WINDOW_POST ->
                own == null || own.jobNodes() == 1 || own == nodeOf(wait.peer()) ? null : own; // it stores what comes
            case NONE, LEFT, ACCUMULATE -> null;
        };
        if (node != null && !node.server().isActive()) {
            to.add(Party.server(node.node()));
        }
    }

    private static void addToken(NodeStatus node, int token, Set<Party> to) {
        if (node != null && token == ControlFile.SERVER_TOKEN) {
            to.add(Party.server(node.node()));
        } else if (node != null && AccumulateLocks.isRank(token, node.ranks().size())) {
            to.add(Party.rank(node.ranks().get(token - 1).rank()));
        }
    }

    /** Two members of a group whose calls cannot meet. */
    public record Mismatch(long group, int one, CallDescription call, int other, CallDescription otherCall) {
    }

    /**
     * One for each group whose members have made calls that do not match: others of the same number, or, once nobody
     * can go on by itself, of different numbers. Before, a member may have left a call in which another still waits for
     * a third, which was stopped or has lost its server.
     */
    public List<Mismatch> mismatches() {
        List<Mismatch> found = new ArrayList<>();
        members.forEach((group, of) -> {
            List<Member> waiting = of.values().stream().filter(this::waitsIn).toList();
            boolean isSettled = waiting.size() == of.size() && isWhole()
                && waiting.stream().allMatch(member -> ranks.get(member.rank()).process() == ProcessState.RUNS);
            Map<Long, Member> byNumber = new HashMap<>();
            waiting.stream().filter(member -> {
                Member first = byNumber.putIfAbsent(member.call().number(), member);
                return first != null && first.call().key() != member.call().key();
            }).findFirst().ifPresentOrElse(
                member -> found.add(mismatch(byNumber.get(member.call().number()), member)),
                () -> waiting.stream().filter(member -> isSettled
                    && member.call().number() != waiting.getFirst().call().number()).findFirst()
                    .ifPresent(member -> found.add(mismatch(waiting.getFirst(), member))));
        });
        return found;
    }

    private static Mismatch mismatch(Member one, Member other) {
        return new Mismatch(one.segment(), one.rank(), one.call(), other.rank(), other.call());
    }

    /** Whether all nodes are known, and their servers there to carry what ranks tell each other. */
    private boolean isWhole() {
        return nodes.values().stream().allMatch(node -> node.jobNodes() == nodes.size()
            && node.server() == ProcessState.RUNS);
    }

    /** Whether it has waited for a while in the call that it has made last, and nothing is known to hold it. */
    private boolean waitsIn(Member member) {
        Rank rank = ranks.get(member.rank());
        return member.call() != null && rank != null && rank.process().isActive()
            && rank.process() != ProcessState.DEBUGGED && rank.waits().stream().anyMatch(
            wait -> wait.kind() == WaitKind.COLLECTIVE && wait.segment() == member.segment()
                && wait.number() == member.call().number() && wait.ageNs() >= SETTLED_NS);
    }

    /**
     * For how long the job has made no progress: for that long each rank that takes part has been in one and the same
     * wait. 0 when a rank is not in a wait, or when none takes part.
     */
    public long standsStillNs() {
        long shortest = ranks.values().stream().mapToLong(JobStatus::standsStillNs).min().orElse(0);
        return shortest == Long.MAX_VALUE ? 0 : shortest;
    }

    /**
     * For how long a rank has made no progress; the largest number when nothing is to come of it: it has left, or its
     * process has ended.
     */
    public static long standsStillNs(Rank rank) {
        if (rank.state() == RankState.EXPECTED) {
            return 0;
        }
        if (!rank.isAttached() || rank.process() == ProcessState.GONE) {
            return Long.MAX_VALUE;
        }
        return rank.waits().isEmpty() ? 0 : waitOf(rank).ageNs();
    }
}

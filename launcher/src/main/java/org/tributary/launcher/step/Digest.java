package org.tributary.launcher.step;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.tributary.launcher.step.NodeRates.PairRate;
import org.tributary.launcher.step.NodeRates.Rate;
import org.tributary.wire.shm.WaitKind;
import org.tributary.wire.status.AwaitedCall;
import org.tributary.wire.status.JobStatus;
import org.tributary.wire.status.NodeDetails;
import org.tributary.wire.status.NodeDetails.Lock;
import org.tributary.wire.status.NodeDetails.Member;
import org.tributary.wire.status.NodeSnapshot;
import org.tributary.wire.status.NodeStatus;
import org.tributary.wire.status.NodeStatus.Rank;

/**
 * Summary of some nodes of a job for one step: what can be added is, and of lists there is what matters most.
 * {@link #add} gives the same in any order of nodes.
 *
 * <p>In a small job nothing is left out. In a large one ({@link #isLarge}) it takes the same room for one node as
 * for all, but for a little that grows with the number of nodes up to a bound: {@link #reduce}.
 */
public final class Digest {
    /** Jobs of more nodes are large. */
    public static final int MOST_OF_SMALL_JOB = 64;
    /** The state of each rank is told in jobs of so many. */
    public static final int MOST_RANKS = 4096;
    /** Lines of each list that one agent tells, for those behind it too, in a large job. */
    public static final int LINES = 16;
    static final int HOTTEST = 10;
    private static final Comparator<Rank> LONGEST = Comparator
        .comparingLong((Rank rank) -> -JobStatus.waitOf(rank).ageNs()).thenComparingInt(Rank::rank);
    private static final Comparator<Map.Entry<Integer, Rate>> HOTTEST_FIRST = Comparator
        .comparingDouble(target -> -target.getValue().requests());

    final String job;
    /** As text that can be parsed, unless it is cut off. */
    final String layout;
    final int jobNodes;
    final int jobRanks;
    final Sums sums = new Sums();
    /** Of all ranks, by their numbers. */
    final TreeMap<Integer, RankDoes> states = new TreeMap<>();
    /** Requests by their target. */
    final TreeMap<Integer, Rate> hot = new TreeMap<>();
    final Map<View, TreeMap<Integer, Rate>> cells = new HashMap<>();
    /** Members that have not made the awaited call, by the segment of the group or window. */
    final TreeMap<Long, BitSet> missing = new TreeMap<>();
    /** Pairs that are in no cell yet; empty after {@link #sum}. */
    final List<PairRate> pairs = new ArrayList<>();
    final List<NodeLine> lines = new ArrayList<>();
    /** Nodes with ranks that matter. */
    final TreeMap<Integer, NodeStatus> nodes = new TreeMap<>();
    final Set<Member> members = new HashSet<>();
    final Set<Lock> locks = new HashSet<>();
    /** Of the layout; null when it has not been found out. */
    private RankOrder order;

    Digest(String job, String layout, int jobNodes, int jobRanks) {
        this.job = job;
        this.layout = layout;
        this.jobNodes = jobNodes;
        this.jobRanks = jobRanks;
    }

    /** Of no node of any job. */
    public static Digest none(String job) {
        return new Digest(job, "", 0, 0);
    }

    /**
     * Of one node, all that it tells.
     *
     * @param layout    of the job
     * @param latencies new calls by kind and bucket
     */
    static Digest of(NodeSnapshot node, String layout, NodeRates rates, int... latencies) {
        NodeStatus status = node.status();
        Digest digest = new Digest(status.job(), layout, status.jobNodes(), status.jobRanks());
        digest.sums.count(node, rates, latencies);
        for (Rank rank : status.ranks()) {
            digest.states.put(rank.rank(), RankDoes.of(rank));
        }
        for (PairRate pair : rates.pairs()) {
            if (pair.isKnown()) {
                digest.pairs.add(pair);
                digest.hot.merge(pair.target(), pair.rate(), Rate::plus);
            }
        }
        digest.lines.add(NodeLine.of(node, rates.total()));
        digest.nodes.put(status.node(), status);
        digest.members.addAll(node.details().members());
        digest.locks.addAll(node.details().locks());
        return digest;
    }

    /** Whether nodes are too many for all to be told; not in jobs of so many ranks that none has an order of them. */
    public static boolean isLarge(int jobNodes, int jobRanks) {
        return jobNodes > MOST_OF_SMALL_JOB && jobRanks <= RankOrder.MOST_RANKS;
    }

    /** All together; each tells of other nodes. */
    public static Digest of(String job, Collection<Digest> digests) {
        Digest first = none(job);
        for (Digest digest : digests) {
            first = first.jobNodes > 0 ? first : digest;
        }
        Digest all = new Digest(job, first.layout, first.jobNodes, first.jobRanks);
        for (Digest digest : digests) {
            all.add(digest);
        }
        return all;
    }

    /** Adds other nodes of the job. */
    private void add(Digest other) {
        sums.add(other.sums);
        states.putAll(other.states);
        other.hot.forEach((rank, rate) -> hot.merge(rank, rate, Rate::plus));
        other.cells.forEach((view, of) -> of.forEach((cell, rate) ->
            cells.computeIfAbsent(view, unseen -> new TreeMap<>()).merge(cell, rate, Rate::plus)));
        other.missing.forEach((segment, ranks) ->
            missing.computeIfAbsent(segment, unseen -> new BitSet()).or(ranks));
        pairs.addAll(other.pairs);
        lines.addAll(other.lines);
        nodes.putAll(other.nodes);
        members.addAll(other.members);
        locks.addAll(other.locks);
        order = order == null ? other.order : order;
    }

    /** Puts what grows with the job into what does not, for one node of a large job whose ranks are in that order. */
    void sum(Asked asked, RankOrder order) {
        asked.views().forEach(view -> cells.put(view, new TreeMap<>(new Grid(order, view).cells(pairs))));
        pairs.clear();
        Map<Integer, Rank> ranks = nodes.values().stream().flatMap(node -> node.ranks().stream())
            .collect(Collectors.toMap(Rank::rank, rank -> rank));
        for (Member member : members) {
            Rank rank = ranks.get(member.rank());
            Long call = asked.calls().get(member.segment());
            if (rank != null && call != null && new AwaitedCall(member.segment(), call).isMissing(member, rank)) {
                missing.computeIfAbsent(member.segment(), unseen -> new BitSet()).set(member.rank());
            }
        }
        reduce(asked, LINES);
    }

    /** Leaves of long lists what matters most. */
    public void reduce(Asked asked, int limit) {
        lines.sort(NodeLine.BUSIEST);
        lines.subList(Math.min(limit, lines.size()), lines.size()).clear();
        hot.keySet().retainAll(hottest(HOTTEST).keySet());
        if (jobRanks > MOST_RANKS) {
            states.clear();
        }
        cells.keySet().retainAll(asked.views());
        Set<Integer> kept = new HashSet<>(asked.ranks());
        longest(nodes.values(), limit).forEach(rank -> kept.add(rank.rank()));
        nodes.replaceAll((number, node) -> with(node, kept));
        Set<Integer> listed = lines.stream().map(NodeLine::node).collect(Collectors.toSet());
        nodes.values().removeIf(node -> node.ranks().isEmpty()
            && (node.server().isActive() || !listed.contains(node.node()))); // the list begins with those
        members.removeIf(member -> !kept.contains(member.rank()));
        locks.removeIf(lock -> !asked.objects().locks().contains(lock.name()));
        while (missing.size() > Asked.MOST) {
            missing.pollLastEntry();
        }
    }

    /** All ranks where one waits for a token, which counts them. */
    private static NodeStatus with(NodeStatus node, Set<Integer> kept) {
        List<Rank> own = node.ranks().stream().filter(rank -> kept.contains(rank.rank())).toList();
        boolean isToken = own.stream().flatMap(rank -> rank.waits().stream())
            .anyMatch(wait -> wait.kind().peer() == WaitKind.Peer.TOKEN);
        return new NodeStatus(node.job(), node.node(), "", node.jobRanks(), node.jobNodes(), node.ageNs(),
            node.serverPid(), node.server(), isToken ? node.ranks() : own);
    }

    /** Ranks that have waited long, the longest first. */
    public static List<Rank> longest(Collection<NodeStatus> nodes, int limit) {
        List<Rank> longest = new ArrayList<>();
        for (NodeStatus node : nodes) {
            for (Rank rank : node.ranks()) {
                if (Sums.waitsLong(rank)) {
                    longest.add(rank);
                }
            }
        }
        longest.sort(LONGEST);
        return longest.subList(0, Math.min(limit, longest.size()));
    }

    /** Whether no node is one of others than these. */
    public boolean isOf(int first, int count) {
        return sums.nodes <= count && lines.stream().mapToInt(NodeLine::node)
            .allMatch(node -> node >= first && node - first < count)
            && nodes.keySet().stream().allMatch(node -> node >= first && node - first < count);
    }

    public String job() {
        return job;
    }

    public String layout() {
        return layout;
    }

    public int jobNodes() {
        return jobNodes;
    }

    public int jobRanks() {
        return jobRanks;
    }

    public Sums sums() {
        return sums;
    }

    /** State of each rank, by rank; empty when there are too many. */
    public Map<Integer, RankDoes> states() {
        return states;
    }

    /** Nodes in a list: all, or those that matter most. */
    public List<NodeLine> lines() {
        return lines;
    }

    /** Nodes with the ranks that are known one by one. */
    public Collection<NodeStatus> nodes() {
        return nodes.values();
    }

    /** Known state of objects that ranks wait for. */
    public NodeDetails details() {
        List<Member> all = new ArrayList<>(members);
        missing.forEach((segment, ranks) -> {
            BitSet others = (BitSet) ranks.clone();
            members.stream().filter(member -> member.segment() == segment)
                .forEach(member -> others.clear(member.rank()));
            others.stream().forEach(rank -> all.add(new Member(segment, rank, null)));
        });
        return new NodeDetails(all, List.copyOf(locks));
    }

    /** Its order, for all that ask for it. */
    void setOrder(RankOrder known) {
        order = known;
    }

    /** The order of ranks in views: of the whole job, or of the nodes that are known when its layout is not. */
    public RankOrder order() {
        return order != null ? order
            : RankOrder.of(layout, jobNodes, jobRanks).orElseGet(() -> RankOrder.of(nodes.values()));
    }

    /** The cells of a view that was asked for, by number. */
    public Map<Integer, Rate> cells(View view, Grid grid) {
        Map<Integer, Rate> found = new TreeMap<>(cells.getOrDefault(view, new TreeMap<>()));
        grid.add(pairs, found);
        return found;
    }

    /** The ranks that are asked most often, in this order. */
    public Map<Integer, Rate> hottest(int limit) {
        List<Map.Entry<Integer, Rate>> targets = new ArrayList<>(hot.entrySet());
        targets.sort(HOTTEST_FIRST);
        Map<Integer, Rate> found = new LinkedHashMap<>();
        for (Map.Entry<Integer, Rate> target : targets.subList(0, Math.min(limit, targets.size()))) {
            found.put(target.getKey(), target.getValue());
        }
        return found;
    }
}

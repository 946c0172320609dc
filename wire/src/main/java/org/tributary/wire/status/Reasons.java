package org.tributary.wire.status;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.tributary.wire.shm.WaitKind;
import org.tributary.wire.status.JobStatus.Mismatch;
import org.tributary.wire.status.NodeStatus.Rank;
import org.tributary.wire.status.NodeStatus.Wait;

/**
 * Why a job does not go on, in lines: circles of ranks, collectives that do not match, and chains of who waits for whom
 * down to ranks that do not wait. Ranks in one call of a collective are one link of a chain.
 */
public final class Reasons {
    private static final int MAX_LINES = 40;
    private static final int MAX_CIRCLES = 3;
    private static final int MAX_ENDS = 3;

    private final JobStatus job;
    private final WaitGraph graph;
    private final Set<Link> shown = new HashSet<>();
    private final Set<Integer> shownServers = new HashSet<>();
    private final Set<Integer> ends = new TreeSet<>();
    private final List<String> lines = new ArrayList<>();

    public Reasons(JobStatus job) {
        this.job = job;
        this.graph = new WaitGraph(job);
        addCircles();
        job.mismatches().forEach(this::addMismatch);
        int top = lines.size();
        List<Link> links = graph.links();
        links.stream().filter(link -> !link.isAwaited && !link.waitsFor.isEmpty()).forEach(link -> addChain(link, 0));
        links.stream().filter(link -> !shown.contains(link) && !link.isAwaited).forEach(this::addAlone);
        // What only the ranks of circles wait for besides each other.
        links.stream().filter(link -> !shown.contains(link) && link.isAwaited).forEach(link -> addChain(link, 0));
        addServers(top);
        if (lines.isEmpty()) {
            lines.add(job.ranks().stream().anyMatch(Rank::isAttached) ? "no rank waits for another one"
                : "no rank takes part in the job at the moment");
        }
    }

    /** The reasons in lines, the most important first; the last line counts those that were left out, if any. */
    public List<String> lines() {
        return lines.size() <= MAX_LINES ? List.copyOf(lines) : shortened();
    }

    private List<String> shortened() {
        List<String> first = new ArrayList<>(lines.subList(0, MAX_LINES));
        first.add("(and " + (lines.size() - MAX_LINES) + " more lines)");
        return first;
    }

    /** The ranks for which others wait in the end, those of circles included: a few whose stacks tell most. */
    public List<Integer> ends() {
        return ends.stream().limit(MAX_ENDS).toList();
    }

    private void addCircles() {
        List<List<Integer>> circles = graph.circles();
        circles.stream().limit(MAX_CIRCLES).forEach(this::addCircle);
        if (circles.size() > MAX_CIRCLES) {
            lines.add("(and " + (circles.size() - MAX_CIRCLES) + " more such circles)");
        }
    }

    private void addCircle(List<Integer> circle) {
        String mayEnd = whatMayEnd(circle);
        lines.add((mayEnd.isEmpty() ? "deadlock: " : "perhaps a deadlock: ") + Words.ranks(new TreeSet<>(circle))
            + " wait for each other" + (mayEnd.isEmpty() ? "" : ", unless " + mayEnd));
        for (int i = 0; i < circle.size(); i++) {
            Link link = graph.of(circle.get(i));
            lines.add("  " + describe(link) + " -> rank " + circle.get((i + 1) % circle.size()));
            shown.add(link);
            ends.add(circle.get(i));
        }
    }

    private String whatMayEnd(List<Integer> circle) {
        if (circle.stream().anyMatch(rank -> job.rank(rank).waits().size() > 1)) {
            return "other threads of theirs end that";
        }
        if (circle.stream().anyMatch(rank -> job.rank(rank).process() == ProcessState.DEBUGGED)) {
            return "that ends when a debugger lets them go on";
        }
        Set<ProcessState> servers = EnumSet.noneOf(ProcessState.class); // none is between ranks of one node
        if (circle.stream().map(job::nodeOf).distinct().count() > 1) {
            job.nodes().forEach(node -> servers.add(node.server()));
        }
        if (servers.stream().anyMatch(server -> server != ProcessState.RUNS && server != ProcessState.LIVES)) {
            return "that ends when every server runs";
        }
        boolean isUnseen = circle.stream().anyMatch(rank -> job.rank(rank).process() == ProcessState.LIVES);
        return isUnseen || servers.contains(ProcessState.LIVES)
            ? (isUnseen ? "one of them" : "a server") + " was stopped, which cannot be seen from here" : "";
    }

    /** Servers that hold up others, though nobody is known to wait for them. */
    private void addServers(int at) {
        if (job.ranks().stream().anyMatch(rank -> rank.isAttached() || rank.isLeaving())) {
            lines.addAll(at, job.nodes().stream()
                .filter(node -> !node.server().isActive() && !shownServers.contains(node.node()))
                .map(node -> Party.server(node.node())).map(server -> server + " " + server(server)).toList());
        }
    }

    private void addMismatch(Mismatch mismatch) {
        lines.add("collective calls do not match in " + Words.group(mismatch.group()) + ": rank " + mismatch.one()
            + " is in " + mismatch.call().describe() + "; rank " + mismatch.other() + " in "
            + mismatch.otherCall().describe());
        ends.add(mismatch.one());
        ends.add(mismatch.other());
    }

    /** By a list instead of calls within calls: a chain may be as long as the job has ranks. */
    private void addChain(Link first, int depth) {
        List<Map.Entry<Party, Integer>> open = new ArrayList<>();
        open.add(Map.entry(Party.rank(first.first()), depth));
        while (!open.isEmpty() && lines.size() <= MAX_LINES) {
            Map.Entry<Party, Integer> next = open.removeLast();
            String indent = "  ".repeat(Math.min(next.getValue(), MAX_LINES));
            Link link = next.getKey().isRank() ? graph.of(next.getKey().number()) : null;
            if (link == null) {
                addParty(next.getKey(), indent);
                continue;
            }
            boolean isNew = shown.add(link);
            lines.add(indent + describe(link) + (isNew ? "" : " (see above)"));
            if (isNew && link.waitsFor.isEmpty()) {
                addEnds(link);
            }
            if (isNew) {
                int below = next.getValue() + 1;
                open.addAll(next(link).stream().map(party -> Map.entry(party, below)).toList().reversed());
            }
        }
    }

    /** A server, or a rank of a node that is not known; a server that does not run once. */
    private void addParty(Party party, String indent) {
        NodeStatus node = party.isRank() ? null : job.node(party.number());
        boolean isIdle = node != null && !node.server().isActive();
        if (isIdle && lines.size() == MAX_LINES) {
            return; // it would be cut off: it comes first
        }
        if (!isIdle || shownServers.add(party.number())) {
            lines.add(indent + party + " " + server(party));
        }
    }

    /** Each link once, by one of its ranks. */
    private Collection<Party> next(Link link) {
        Set<Link> seen = new HashSet<>();
        return link.waitsFor.stream().filter(party -> !party.isRank() || graph.of(party.number()) == null
            || seen.add(graph.of(party.number()))).toList();
    }

    /** A rank that waits for nobody in particular, or cannot go on by itself. */
    private void addAlone(Link link) {
        Rank rank = job.rank(link.first());
        boolean isStopped = rank.isAttached() && !rank.process().isActive();
        if (JobStatus.waitOf(rank) != null || isStopped || rank.isLeaving() || rank.isHarmed()) {
            lines.add(describe(link));
            addEnds(link);
        }
    }

    /** One that has left has no stack that tells anything. */
    private void addEnds(Link link) {
        link.ranks.stream().filter(rank -> !job.rank(rank).isLeaving()).forEach(ends::add);
    }

    private String describe(Link link) {
        Rank rank = job.rank(link.first());
        Wait wait = JobStatus.waitOf(rank);
        boolean isCollective = wait != null && wait.kind() == WaitKind.COLLECTIVE && rank.canGoOn();
        if (!isCollective && link.ranks.size() == 1) {
            return "rank " + rank.rank() + " " + Words.sentence(job, rank);
        }
        Set<Integer> awaited = new TreeSet<>();
        link.waitsFor.stream().filter(Party::isRank).forEach(party -> awaited.add(party.number()));
        long longest = link.ranks.stream().mapToLong(each -> JobStatus.waitOf(job.rank(each)).ageNs()).max().orElse(0);
        return Words.ranks(link.ranks) + (link.ranks.size() == 1 ? " waits" : " wait") + " for "
            + (!isCollective ? Words.wait(job, rank.rank(), wait) : (awaited.isEmpty() ? "each other"
                : Words.ranks(awaited)) + " in " + Words.call(job, rank.rank(), wait)) + ", for " + Words.age(longest);
    }

    private String server(Party party) {
        if (!party.isRank()) {
            NodeStatus node = job.node(party.number());
            return node == null ? "is on another machine" : node.server().words() + " (pid " + node.serverPid() + ")";
        }
        return "is on another machine";
    }
}

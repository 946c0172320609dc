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
    private static final int MAX_ENDS = 3;

    private final JobStatus job;
    private final Map<Integer, Link> linkOf = new HashMap<>();
    private final List<Link> links = new ArrayList<>();
    private final Set<Link> shown = new HashSet<>();
    private final Set<Integer> ends = new TreeSet<>();
    private final List<String> lines = new ArrayList<>();

    /** Ranks that wait for the same in the same call, or one rank. */
    private static final class Link {
        private final Set<Integer> ranks = new TreeSet<>();
        private final Set<Party> waitsFor = new TreeSet<>();
        private boolean isAwaited;
    }

    public Reasons(JobStatus job) {
        this.job = job;
        makeLinks();
        List<List<Integer>> cycles = job.cycles();
        List<Mismatch> mismatches = job.mismatches();
        cycles.forEach(this::addCycle);
        mismatches.forEach(this::addMismatch);
        links.stream().filter(link -> !link.isAwaited && !link.waitsFor.isEmpty()).forEach(link -> addChain(link, 0));
        links.stream().filter(link -> !shown.contains(link) && !link.isAwaited).forEach(this::addAlone);
        // What only the ranks of circles wait for besides each other.
        links.stream().filter(link -> !shown.contains(link) && link.isAwaited).forEach(link -> addChain(link, 0));
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

    private void makeLinks() {
        Map<List<Long>, Link> calls = new TreeMap<>((one, other) -> one.toString().compareTo(other.toString()));
        for (Rank rank : job.ranks()) {
            Wait wait = JobStatus.waitOf(rank);
            CallDescription call = wait == null ? null : job.callOf(wait.segment(), rank.rank());
            Link link = wait != null && wait.kind() == WaitKind.COLLECTIVE && rank.process().isActive()
                ? calls.computeIfAbsent(List.of(wait.segment(), wait.number(), call == null ? 0 : call.key()),
                    key -> newLink()) : newLink();
            link.ranks.add(rank.rank());
            link.waitsFor.addAll(rank.isAttached() && rank.process().isActive() ? job.waitsFor(rank) : Set.of());
            linkOf.put(rank.rank(), link);
        }
        for (Link link : links) {
            link.ranks.forEach(rank -> link.waitsFor.remove(Party.rank(rank)));
            link.waitsFor.stream().filter(Party::isRank).map(party -> linkOf.get(party.number()))
                .forEach(awaited -> {
                    if (awaited != null && awaited != link) {
                        awaited.isAwaited = true;
                    }
                });
        }
    }

    private Link newLink() {
        Link link = new Link();
        links.add(link);
        return link;
    }

    private void addCycle(List<Integer> cycle) {
        boolean mayGoOn = cycle.stream().anyMatch(rank -> job.rank(rank).waits().size() > 1);
        lines.add((mayGoOn ? "perhaps a deadlock: " : "deadlock: ") + Words.ranks(new TreeSet<>(cycle))
            + " wait for each other" + (mayGoOn ? ", unless other threads of theirs end that" : ""));
        for (int i = 0; i < cycle.size(); i++) {
            Rank rank = job.rank(cycle.get(i));
            lines.add("  rank " + rank.rank() + " " + Words.sentence(job, rank) + " -> rank "
                + cycle.get((i + 1) % cycle.size()));
            shown.add(linkOf.get(rank.rank()));
            ends.add(rank.rank());
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
        open.add(Map.entry(Party.rank(first.ranks.iterator().next()), depth));
        while (!open.isEmpty() && lines.size() <= MAX_LINES) {
            Map.Entry<Party, Integer> next = open.removeLast();
            String indent = "  ".repeat(Math.min(next.getValue(), MAX_LINES));
            Link link = next.getKey().isRank() ? linkOf.get(next.getKey().number()) : null;
            if (link == null) {
                lines.add(indent + next.getKey() + " " + server(next.getKey()));
                continue;
            }
            boolean isNew = shown.add(link);
            lines.add(indent + describe(link) + (isNew ? "" : " (see above)"));
            if (isNew && link.waitsFor.isEmpty()) {
                ends.addAll(link.ranks);
            }
            if (isNew) {
                int below = next.getValue() + 1;
                open.addAll(next(link).stream().map(party -> Map.entry(party, below)).toList().reversed());
            }
        }
    }

    /** Each link once, by one of its ranks. */
    private Collection<Party> next(Link link) {
        Set<Link> seen = new HashSet<>();
        return link.waitsFor.stream().filter(party -> !party.isRank() || linkOf.get(party.number()) == null
            || seen.add(linkOf.get(party.number()))).toList();
    }

    /** A rank that waits for nobody in particular, or cannot go on by itself. */
    private void addAlone(Link link) {
        Rank rank = job.rank(link.ranks.iterator().next());
        boolean isStopped = rank.isAttached() && !rank.process().isActive();
        if (JobStatus.waitOf(rank) != null || isStopped || rank.isHarmed()) {
            lines.add(describe(link));
            ends.addAll(link.ranks);
        }
    }

    private String describe(Link link) {
        Rank rank = job.rank(link.ranks.iterator().next());
        Wait wait = JobStatus.waitOf(rank);
        boolean isCollective = wait != null && wait.kind() == WaitKind.COLLECTIVE && rank.process().isActive();
        if (!isCollective) {
            return "rank " + rank.rank() + " " + Words.sentence(job, rank);
        }
        Set<Integer> awaited = new TreeSet<>();
        link.waitsFor.stream().filter(Party::isRank).forEach(party -> awaited.add(party.number()));
        long longest = link.ranks.stream().mapToLong(each -> JobStatus.waitOf(job.rank(each)).ageNs()).max().orElse(0);
        return Words.ranks(link.ranks) + (link.ranks.size() == 1 ? " waits" : " wait") + " for "
            + (awaited.isEmpty() ? "each other" : Words.ranks(awaited)) + " in "
            + Words.call(job, rank.rank(), wait) + ", for " + Words.age(longest);
    }

    private String server(Party party) {
        if (!party.isRank()) {
            NodeStatus node = job.node(party.number());
            return node == null ? "is on another machine" : node.server().words() + " (pid " + node.serverPid() + ")";
        }
        return "is on another machine";
    }
}

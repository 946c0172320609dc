package org.tributary.launcher.dashboard;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.tributary.config.EnumText;
import org.tributary.config.Json;
import org.tributary.launcher.dashboard.NodeRates.Rate;
import org.tributary.wire.RankState;
import org.tributary.wire.shm.LatencyKind;
import org.tributary.wire.status.JobStatus;
import org.tributary.wire.status.NodeSnapshot;
import org.tributary.wire.status.NodeStatus;
import org.tributary.wire.status.NodeStatus.Rank;
import org.tributary.wire.status.NodeStatus.Wait;
import org.tributary.wire.status.Party;
import org.tributary.wire.status.ProcessState;
import org.tributary.wire.status.ServerGauge;
import org.tributary.wire.status.ServerOperation;
import org.tributary.wire.status.Words;

/** A step for the page, as JSON. Its size is bounded: of long lists it has what matters most, and their length. */
final class StepJson {
    /** Lines of a list of nodes, and of waits. */
    static final int MOST_LINES = 64;
    /** Ranks that are shown one by one. */
    static final int MOST_RANKS = 4096;
    private static final int HOTTEST = 10;
    private static final int MOST_PROBLEMS = 8;
    private static final int MOST_LETTERS = 300;
    private static final long LONG_WAIT_NS = 500_000_000;
    private static final double NS_PER_S = 1e9;

    private StepJson() {
    }

    static String of(Step step, View view) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("time", step.timeMs());
        fields.put("job", job(step));
        Rate[] operations = step.operations(ServerOperation.values().length);
        fields.put("total", rate(step.total()));
        fields.put("groups", Arrays.stream(OperationGroup.sums(operations)).map(StepJson::rate).toList());
        fields.put("operations", operations(operations));
        fields.put("latencies", step.latencies().entrySet().stream()
            .map(entry -> latency(entry.getKey(), entry.getValue())).toList());
        fields.put("states", states(step.status()));
        fields.put("nodes", nodes(step));
        fields.put("matrix", new Matrix(step, view).fields());
        fields.put("hot", step.hottest(HOTTEST).stream().map(target -> List.of(target.rank(), target.node(),
            Math.round(target.rate().requests()), Math.round(target.rate().bytes()))).toList());
        fields.put("others", rate(step.others()));
        fields.put("waits", waits(step.status()));
        fields.put("gauges", gauges(step));
        fields.put("problems", problems(step));
        return Json.of(fields);
    }

    private static List<Long> rate(Rate rate) {
        return List.of(Math.round(rate.requests()), Math.round(rate.bytes()));
    }

    private static Map<String, Object> job(Step step) {
        Map<String, Object> fields = new LinkedHashMap<>();
        NodeStatus first = step.nodes().isEmpty() ? null : step.nodes().getFirst().status();
        fields.put("id", step.jobId());
        fields.put("layout", first == null ? "" : first.layout());
        fields.put("nodes", first == null ? 0 : first.jobNodes());
        fields.put("ranks", first == null ? 0 : first.jobRanks());
        fields.put("nodes_seen", step.nodes().size());
        fields.put("age_s", step.status().nodes().stream().mapToLong(NodeStatus::ageNs).max().orElse(0) / NS_PER_S);
        fields.put("stands_still_s", step.status().standsStillNs() / NS_PER_S);
        return fields;
    }

    /** Name, requests and bytes a second of each operation that there was. */
    private static List<List<Object>> operations(Rate... operations) {
        List<List<Object>> all = new ArrayList<>();
        for (ServerOperation operation : ServerOperation.values()) {
            Rate rate = operations[operation.ordinal()];
            if (rate.requests() > 0) {
                all.add(List.of(EnumText.words(operation), Math.round(rate.requests()), Math.round(rate.bytes())));
            }
        }
        return all;
    }

    /** Name, calls, and microseconds. */
    private static List<Object> latency(LatencyKind kind, Histogram of) {
        return List.of(EnumText.words(kind), of.getTotalCount(), micros(of.getValueAtPercentile(50)),
            micros(of.getValueAtPercentile(99)), micros(of.getMaxValue()));
    }

    private static double micros(long ns) {
        return Math.round(ns / 100.0) / 10.0;
    }

    /** How many ranks are in each state, and a letter for each rank in the order of ranks unless there are too many. */
    private static Map<String, Object> states(JobStatus status) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        List.of("computes", "waits", "stopped", "died", "left", "expected").forEach(word -> counts.put(word, 0));
        StringBuilder letters = new StringBuilder();
        List<Integer> numbers = new ArrayList<>();
        for (Rank rank : status.ranks()) {
            String state = state(rank);
            counts.merge(state, 1, Integer::sum);
            letters.append(state.charAt(0));
            numbers.add(rank.rank());
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("counts", counts);
        boolean areFew = numbers.size() <= MOST_RANKS;
        fields.put("letters", areFew ? letters.toString() : "");
        fields.put("ranks", areFew ? Words.ranges(numbers) : "");
        return fields;
    }

    private static String state(Rank rank) {
        if (rank.state() == RankState.DEPARTED) {
            return "left";
        }
        if (rank.state() == RankState.EXPECTED) {
            return "expected";
        }
        if (rank.state() == RankState.DEAD || rank.process() == ProcessState.GONE) {
            return "died";
        }
        return rank.process() == ProcessState.STOPPED ? "stopped" : rank.waits().isEmpty() ? "computes" : "waits";
    }

    /** Nodes whose server does not run come first, then the busiest. */
    private static List<Map<String, Object>> nodes(Step step) {
        Comparator<NodeSnapshot> order = Comparator
            .comparing((NodeSnapshot node) -> node.status().server() == ProcessState.RUNS)
            .thenComparingDouble(node -> step.nodes().size() <= MOST_LINES ? 0
                : -step.ratesOf(node.status().node()).total().requests());
        return step.nodes().stream().sorted(order).limit(MOST_LINES).map(node -> node(step, node)).toList();
    }

    private static Map<String, Object> node(Step step, NodeSnapshot node) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("node", node.status().node());
        fields.put("server", node.status().server().words());
        fields.put("pid", node.status().serverPid());
        fields.put("ranks", node.status().ranks().size());
        fields.put("attached", node.status().attached());
        fields.put("rate", rate(step.ratesOf(node.status().node()).total()));
        for (ServerGauge gauge : ServerGauge.values()) {
            fields.put(EnumText.underscored(gauge), node.counts().gauge(gauge));
        }
        return fields;
    }

    /** Of all nodes together, which are more than there are lines. */
    private static Map<String, Object> gauges(Step step) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (ServerGauge gauge : ServerGauge.values()) {
            fields.put(EnumText.underscored(gauge),
                step.nodes().stream().mapToLong(node -> node.counts().gauge(gauge)).sum());
        }
        return fields;
    }

    private static Map<String, Object> problems(Step step) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("count", step.problems().size());
        fields.put("lines", step.problems().stream().limit(MOST_PROBLEMS).map(StepJson::shortened).toList());
        return fields;
    }

    private static String shortened(String line) {
        return line.length() <= MOST_LETTERS ? line : line.substring(0, MOST_LETTERS) + "…";
    }

    private static String whom(Set<Party> parties) {
        TreeSet<Integer> ranks = parties.stream().filter(Party::isRank).map(Party::number)
            .collect(Collectors.toCollection(TreeSet::new));
        Stream<String> servers = parties.stream().filter(party -> !party.isRank()).map(Party::toString);
        return Stream.concat(ranks.isEmpty() ? Stream.empty() : Stream.of(Words.ranks(ranks)), servers)
            .collect(Collectors.joining(", "));
    }

    private static Map<String, Object> waits(JobStatus status) {
        List<Rank> waiting = status.ranks().stream()
            .filter(rank -> rank.isAttached() && JobStatus.waitOf(rank) != null
                && JobStatus.waitOf(rank).ageNs() >= LONG_WAIT_NS)
            .sorted(Comparator.comparingLong((Rank rank) -> -JobStatus.waitOf(rank).ageNs())).toList();
        Stream<Map<String, Object>> lines = waiting.stream().limit(MOST_LINES).map(rank -> {
            Wait wait = JobStatus.waitOf(rank);
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("rank", rank.rank());
            fields.put("for_s", wait.ageNs() / NS_PER_S);
            fields.put("text", Words.wait(status, rank.rank(), wait));
            fields.put("whom", whom(status.waitsFor(rank)));
            return fields;
        });
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("count", waiting.size());
        fields.put("lines", lines.toList());
        return fields;
    }
}

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
import org.tributary.launcher.step.Digest;
import org.tributary.launcher.step.NodeLine;
import org.tributary.launcher.step.NodeRates.Rate;
import org.tributary.launcher.step.RankDoes;
import org.tributary.launcher.step.RankOrder;
import org.tributary.launcher.step.Sums;
import org.tributary.launcher.step.View;
import org.tributary.wire.shm.LatencyKind;
import org.tributary.wire.status.JobStatus;
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
    private static final int HOTTEST = 10;
    private static final int MOST_PROBLEMS = 8;
    private static final int MOST_LETTERS = 300;
    private static final double NS_PER_S = 1e9;

    private StepJson() {
    }

    static String of(Step step, View view) {
        Digest digest = step.digest();
        Sums sums = digest.sums();
        RankOrder order = digest.order();
        Map<String, Object> fields = new LinkedHashMap<>();
        Rate[] operations = sums.operations();
        fields.put("time", step.timeMs());
        fields.put("job", job(digest));
        fields.put("total", rate(sums.total()));
        fields.put("groups", Arrays.stream(OperationGroup.sums(operations)).map(StepJson::rate).toList());
        fields.put("operations", operations(operations));
        fields.put("latencies", step.latencies().entrySet().stream()
            .map(entry -> latency(entry.getKey(), entry.getValue())).toList());
        fields.put("states", states(digest));
        fields.put("nodes", nodes(digest));
        fields.put("matrix", new Matrix(digest, order, view).fields());
        fields.put("hot", digest.hottest(HOTTEST).entrySet().stream().map(target -> List.of(target.getKey(),
            order.nodeOf(target.getKey()), Math.round(target.getValue().requests()),
            Math.round(target.getValue().bytes()))).toList());
        fields.put("others", rate(sums.others()));
        fields.put("waits", waits(step));
        fields.put("gauges", gauges(sums));
        fields.put("problems", problems(step));
        return Json.of(fields);
    }

    private static List<Long> rate(Rate rate) {
        return List.of(Math.round(rate.requests()), Math.round(rate.bytes()));
    }

    private static Map<String, Object> job(Digest digest) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("id", digest.job());
        fields.put("layout", shortened(digest.layout()));
        fields.put("nodes", digest.jobNodes());
        fields.put("ranks", digest.jobRanks());
        fields.put("nodes_seen", digest.sums().nodes());
        fields.put("age_s", digest.sums().ageNs() / NS_PER_S);
        fields.put("stands_still_s", digest.sums().standsStillNs() / NS_PER_S);
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
    private static Map<String, Object> states(Digest digest) {
        Map<String, Long> counts = new LinkedHashMap<>();
        for (RankDoes what : RankDoes.values()) {
            counts.put(what.word(), digest.sums().ranks(what));
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("counts", counts);
        boolean areFew = digest.states().size() <= Digest.MOST_RANKS;
        fields.put("letters", areFew ? digest.states().values().stream().map(what -> what.word().substring(0, 1))
            .collect(Collectors.joining()) : "");
        fields.put("ranks", areFew ? Words.ranges(digest.states().keySet()) : "");
        return fields;
    }

    /** Nodes whose server does not run come first, then the busiest. */
    private static List<Map<String, Object>> nodes(Digest digest) {
        Comparator<NodeLine> order = digest.sums().nodes() <= MOST_LINES
            ? Comparator.comparing(line -> line.server() == ProcessState.RUNS) : NodeLine.BUSIEST;
        return digest.lines().stream().sorted(order).limit(MOST_LINES).map(StepJson::node).toList();
    }

    private static Map<String, Object> node(NodeLine node) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("node", node.node());
        fields.put("server", node.server().words());
        fields.put("pid", node.pid());
        fields.put("ranks", node.ranks());
        fields.put("attached", node.attached());
        fields.put("rate", rate(node.rate()));
        for (ServerGauge gauge : ServerGauge.values()) {
            fields.put(EnumText.underscored(gauge), node.gauge(gauge));
        }
        return fields;
    }

    /** Of all nodes together, which are more than there are lines. */
    private static Map<String, Object> gauges(Sums sums) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (ServerGauge gauge : ServerGauge.values()) {
            fields.put(EnumText.underscored(gauge), sums.gauge(gauge));
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

    private static Map<String, Object> waits(Step step) {
        JobStatus status = step.status();
        Stream<Map<String, Object>> lines = Digest.longest(status.nodes(), MOST_LINES).stream().map(rank -> {
            Wait wait = JobStatus.waitOf(rank);
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("rank", rank.rank());
            fields.put("for_s", wait.ageNs() / NS_PER_S);
            fields.put("text", Words.wait(status, rank.rank(), wait));
            fields.put("whom", whom(status.waitsFor(rank)));
            return fields;
        });
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("count", step.digest().sums().longWaits());
        fields.put("lines", lines.toList());
        return fields;
    }
}

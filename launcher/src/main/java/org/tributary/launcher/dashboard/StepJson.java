package org.tributary.launcher.dashboard;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.ToLongFunction;
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
import org.tributary.wire.status.NodeStatus;
import org.tributary.wire.status.NodeStatus.Wait;
import org.tributary.wire.status.Party;
import org.tributary.wire.status.ProcessState;
import org.tributary.wire.status.ServerGauge;
import org.tributary.wire.status.ServerOperation;
import org.tributary.wire.status.Words;

/**
 * A step for the page, as JSON. Its size is bounded: of long lists it has what matters most, and their length. Each
 * step runs this code once or twice, so most of it is interpreted: loops in place of streams, and names that are made
 * once.
 */
final class StepJson {
    /** Lines of a list of nodes, and of waits. */
    static final int MOST_LINES = 64;
    private static final int HOTTEST = 10;
    private static final int MOST_PROBLEMS = 8;
    private static final int MOST_LETTERS = 300;
    private static final long NS_PER_MS = 1_000_000;
    private static final String[] GAUGES = names(EnumText::underscored, ServerGauge.values());
    private static final String[] OPERATIONS = names(EnumText::words, ServerOperation.values());
    private static final String[] KINDS = names(EnumText::words, LatencyKind.values());
    private static final Comparator<NodeLine> DEAD_FIRST = Comparator
        .comparing(line -> line.server() == ProcessState.RUNS);

    private StepJson() {
    }

    private static String[] names(Function<Enum<?>, String> name, Enum<?>... constants) {
        String[] names = new String[constants.length];
        for (int i = 0; i < names.length; i++) {
            names[i] = name.apply(constants[i]);
        }
        return names;
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
        fields.put("groups", groups(operations));
        fields.put("operations", operations(operations));
        fields.put("latencies", latencies(step.latencies()));
        fields.put("states", states(digest));
        fields.put("nodes", nodes(digest));
        fields.put("matrix", new Matrix(digest, order, view).fields());
        fields.put("hot", hot(digest, order));
        fields.put("others", rate(sums.others()));
        fields.put("waits", waits(step));
        fields.put("gauges", gauges(new LinkedHashMap<>(), sums::gauge));
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
        fields.put("age_ms", digest.sums().ageNs() / NS_PER_MS);
        fields.put("stands_still_ms", digest.sums().standsStillNs() / NS_PER_MS);
        return fields;
    }

    private static List<List<Long>> groups(Rate... operations) {
        List<List<Long>> all = new ArrayList<>();
        for (Rate group : OperationGroup.sums(operations)) {
            all.add(rate(group));
        }
        return all;
    }

    /** Name, requests and bytes a second of each operation that there was. */
    private static List<List<Object>> operations(Rate... operations) {
        List<List<Object>> all = new ArrayList<>();
        for (int i = 0; i < operations.length; i++) {
            if (operations[i].requests() > 0) {
                all.add(List.of(OPERATIONS[i], Math.round(operations[i].requests()),
                    Math.round(operations[i].bytes())));
            }
        }
        return all;
    }

    /** Name, calls, and nanoseconds. */
    private static List<List<Object>> latencies(Map<LatencyKind, Histogram> latencies) {
        List<List<Object>> all = new ArrayList<>();
        for (Map.Entry<LatencyKind, Histogram> latency : latencies.entrySet()) {
            Histogram of = latency.getValue();
            all.add(List.of(KINDS[latency.getKey().ordinal()], of.getTotalCount(), of.getValueAtPercentile(50),
                of.getValueAtPercentile(99), of.getMaxValue()));
        }
        return all;
    }

    /** How many ranks are in each state, and a letter for each rank in the order of ranks unless there are too many. */
    private static Map<String, Object> states(Digest digest) {
        Map<String, Object> counts = new LinkedHashMap<>();
        for (RankDoes what : RankDoes.values()) {
            counts.put(what.word(), digest.sums().ranks(what));
        }
        boolean areFew = digest.states().size() <= Digest.MOST_RANKS;
        StringBuilder letters = new StringBuilder();
        if (areFew) {
            for (RankDoes what : digest.states().values()) {
                letters.append(what.word().charAt(0));
            }
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("counts", counts);
        fields.put("letters", letters.toString());
        fields.put("ranks", areFew ? Words.ranges(digest.states().keySet()) : "");
        return fields;
    }

    /** Nodes whose server does not run come first, then the busiest. */
    private static List<Map<String, Object>> nodes(Digest digest) {
        List<NodeLine> lines = new ArrayList<>(digest.lines());
        lines.sort(digest.sums().nodes() <= MOST_LINES ? DEAD_FIRST : NodeLine.BUSIEST);
        List<Map<String, Object>> all = new ArrayList<>();
        for (NodeLine line : lines.subList(0, Math.min(MOST_LINES, lines.size()))) {
            all.add(node(line));
        }
        return all;
    }

    private static Map<String, Object> node(NodeLine node) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("node", node.node());
        fields.put("server", node.server().words());
        fields.put("pid", node.pid());
        fields.put("ranks", node.ranks());
        fields.put("attached", node.attached());
        fields.put("rate", rate(node.rate()));
        return gauges(fields, node::gauge);
    }

    /** Those of a node, or of all together, which may be more than there are lines. */
    private static Map<String, Object> gauges(Map<String, Object> fields, ToLongFunction<ServerGauge> of) {
        for (ServerGauge gauge : ServerGauge.values()) {
            fields.put(GAUGES[gauge.ordinal()], of.applyAsLong(gauge));
        }
        return fields;
    }

    /** Rank, its node, requests and bytes a second. */
    private static List<List<Object>> hot(Digest digest, RankOrder order) {
        List<List<Object>> all = new ArrayList<>();
        for (Map.Entry<Integer, Rate> target : digest.hottest(HOTTEST).entrySet()) {
            all.add(List.of(target.getKey(), order.nodeOf(target.getKey()), Math.round(target.getValue().requests()),
                Math.round(target.getValue().bytes())));
        }
        return all;
    }

    private static Map<String, Object> problems(Step step) {
        List<String> lines = new ArrayList<>();
        for (String problem : step.problems().subList(0, Math.min(MOST_PROBLEMS, step.problems().size()))) {
            lines.add(shortened(problem));
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("count", step.problems().size());
        fields.put("lines", lines);
        return fields;
    }

    private static String shortened(String line) {
        return line.length() <= MOST_LETTERS ? line : line.substring(0, MOST_LETTERS) + "…";
    }

    private static String whom(Set<Party> parties) {
        Set<Integer> ranks = new TreeSet<>();
        StringBuilder servers = new StringBuilder();
        for (Party party : parties) {
            if (party.isRank()) {
                ranks.add(party.number());
            } else {
                servers.append(servers.isEmpty() ? "" : ", ").append(party);
            }
        }
        return ranks.isEmpty() ? servers.toString()
            : Words.ranks(ranks) + (servers.isEmpty() ? "" : ", ") + servers;
    }

    private static Map<String, Object> waits(Step step) {
        JobStatus status = step.status();
        List<Map<String, Object>> lines = new ArrayList<>();
        for (NodeStatus.Rank rank : Digest.longest(status.nodes(), MOST_LINES)) {
            Wait wait = JobStatus.waitOf(rank);
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("rank", rank.rank());
            fields.put("for_ms", wait.ageNs() / NS_PER_MS);
            fields.put("text", Words.wait(status, rank.rank(), wait));
            fields.put("whom", whom(status.waitsFor(rank)));
            lines.add(fields);
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("count", step.digest().sums().longWaits());
        fields.put("lines", lines);
        return fields;
    }
}

package org.tributary.launcher.trace;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tributary.config.EnumText;
import org.tributary.launcher.status.StatusTable;
import org.tributary.wire.shm.WaitKind;
import org.tributary.wire.status.Words;

/** A {@link Summary} for people. */
final class SummaryText {
    /** Of a large job the ranks at both ends are shown. */
    private static final int MOST_RANKS = 32;
    private static final String[] TIMES = {"ns", "us", "ms", "s"};
    private static final String[] SIZES = {"B", "KiB", "MiB", "GiB", "TiB"};

    private SummaryText() {
    }

    static List<String> of(String job, List<TraceFile> files, Summary summary, Timeline timeline) {
        List<String> lines = new ArrayList<>();
        lines.add("job " + job + ": " + files.size() + " of " + files.getFirst().ranks() + " ranks, "
            + time(summary.ranks().values().stream().mapToLong(rank -> rank.elapsedNs).max().orElse(0)));
        lines.addAll(remarks(files, summary, timeline));
        lines.add("");
        lines.addAll(operations(summary));
        lines.add("");
        lines.addAll(waits(summary));
        lines.add("");
        lines.addAll(ranks(summary));
        return lines;
    }

    private static List<String> remarks(List<TraceFile> files, Summary summary, Timeline timeline) {
        List<String> lines = new ArrayList<>();
        List<Integer> missing = TraceFolder.missing(files);
        if (!missing.isEmpty()) {
            lines.add("not here: ranks " + Words.ranges(missing)
                + "; if other hosts have their files, copy them to this folder");
        }
        Set<Integer> killed = files.stream().filter(file -> file.leftNs() == 0).map(TraceFile::rank)
            .collect(Collectors.toCollection(TreeSet::new));
        if (!killed.isEmpty()) {
            lines.add("did not leave the job in good order, or have not left yet: ranks "
                + Words.ranges(new TreeSet<>(killed)));
        }
        long overwritten = summary.ranks().values().stream().mapToLong(rank -> rank.overwritten).sum();
        if (overwritten > 0) {
            lines.add("the traces hold the latest records of each rank: " + overwritten
                + " older ones were overwritten, and are not counted below; ELAPSED of these ranks counts from where"
                + " their records begin");
        }
        if (timeline.machines() > 1) {
            lines.add("times of " + timeline.machines() + " machines are compared "
                + (timeline.errorNs().isPresent() ? "to within " + time(timeline.errorNs().getAsLong())
                + ": the launcher has read their clocks" : "by their clocks, as well as these agree"));
        }
        return lines;
    }

    private static List<String> operations(Summary summary) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("OPERATION", "COUNT", "BYTES", "TIME", "MEAN", "LONGEST"));
        summary.operations().entrySet().stream()
            .sorted(Comparator.comparingLong(entry -> -entry.getValue().totalNs)).forEach(entry -> {
                Summary.Operations of = entry.getValue();
                rows.add(List.of(EnumText.words(entry.getKey()), Long.toString(of.count), size(of.bytes),
                    time(of.totalNs), time(of.totalNs / of.count), time(of.longestNs)));
            });
        return rows.size() == 1 ? List.of("no operations were recorded") : StatusTable.aligned(rows);
    }

    private static List<String> waits(Summary summary) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("WAITED FOR", "COUNT", "TIME", "MEAN", "LONGEST", "MOSTLY"));
        summary.waits().entrySet().stream()
            .sorted(Comparator.comparingLong(entry -> -entry.getValue().totalNs)).forEach(entry -> {
                Summary.Waits of = entry.getValue();
                rows.add(List.of(EnumText.words(entry.getKey()), Long.toString(of.count), time(of.totalNs),
                    time(of.totalNs / of.count), time(of.longestNs), mostly(entry.getKey(), of)));
            });
        return rows.size() == 1 ? List.of("no waits were recorded") : StatusTable.aligned(rows);
    }

    private static String mostly(WaitKind kind, Summary.Waits waits) {
        return waits.byPeerNs.entrySet().stream().max(Map.Entry.comparingByValue())
            .filter(most -> kind.peer() == WaitKind.Peer.RANK || kind.peer() == WaitKind.Peer.NODE)
            .map(most -> EnumText.words(kind.peer()) + " " + most.getKey() + " ("
                + percent(most.getValue(), waits.totalNs) + ")").orElse("-");
    }

    private static List<String> ranks(Summary summary) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("RANK", "NODE", "ELAPSED", "OPERATIONS", "WAITING", "SHARE", "OTHERS WAITED FOR IT"));
        List<Summary.Rank> all = List.copyOf(summary.ranks().values());
        Stream<Summary.Rank> shown = all.stream();
        if (all.size() > MOST_RANKS) {
            List<Summary.Rank> sorted = all.stream().sorted(Comparator.comparingLong(rank -> rank.waitingNs)).toList();
            shown = Stream.concat(sorted.subList(0, MOST_RANKS / 2).stream(),
                sorted.subList(all.size() - MOST_RANKS / 2, all.size()).stream());
        }
        shown.forEach(rank -> rows.add(List.of(Integer.toString(rank.file.rank()), Integer.toString(rank.file.node()),
            time(rank.elapsedNs), time(rank.operationsNs), time(rank.waitingNs),
            percent(rank.waitingNs, rank.elapsedNs), time(rank.awaitedNs))));
        List<String> lines = new ArrayList<>(StatusTable.aligned(rows));
        if (all.size() > MOST_RANKS) {
            lines.add("shown are the " + MOST_RANKS / 2 + " ranks that waited least, and the " + MOST_RANKS / 2
                + " that waited most, of " + all.size());
        }
        lines.add(imbalance(all));
        return lines;
    }

    private static String imbalance(List<Summary.Rank> all) {
        Summary.Rank most = all.stream().max(Comparator.comparingLong(Summary.Rank::busyNs)).orElseThrow();
        double mean = all.stream().mapToLong(Summary.Rank::busyNs).average().orElse(0);
        return "imbalance: rank " + most.file.rank() + " was busy (did not wait) longest, " + time(most.busyNs()) + ", "
            + String.format(Locale.ROOT, "%.2f", mean == 0 ? 1 : most.busyNs() / mean) + " x the mean";
    }

    private static String percent(long part, long whole) {
        return (whole == 0 ? 0 : Math.round(100.0 * part / whole)) + " %";
    }

    private static String time(long ns) {
        return scaled(ns, 1000, TIMES);
    }

    private static String size(long bytes) {
        return scaled(bytes, 1024, SIZES);
    }

    private static String scaled(double value, int step, String[] units) {
        double rest = value;
        int unit = 0;
        while (rest >= step && unit < units.length - 1) {
            rest /= step;
            unit++;
        }
        return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.2f %s", rest, units[unit]);
    }
}

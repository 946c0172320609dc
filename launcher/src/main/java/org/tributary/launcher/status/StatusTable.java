package org.tributary.launcher.status;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.tributary.wire.RankState;
import org.tributary.wire.status.JobStatus;
import org.tributary.wire.status.NodeStatus;
import org.tributary.wire.status.NodeStatus.Rank;
import org.tributary.wire.status.ProcessState;
import org.tributary.wire.status.Words;

/** Jobs and ranks as tables for people. */
public final class StatusTable {
    private static final long STANDS_STILL_NS = TimeUnit.SECONDS.toNanos(10);
    private static final String GAP = "  ";

    private StatusTable() {
    }

    /** A line for each job. */
    public static List<String> ofJobs(Collection<JobReading> jobs) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("JOB", "LAYOUT", "NODES SEEN", "RANKS", "AGE", "STATE"));
        for (JobReading job : jobs) {
            JobStatus status = job.status();
            rows.add(List.of(job.id(), layout(status), nodes(status), status.nodes().stream()
                .mapToLong(NodeStatus::attached).sum() + " of " + status.ranks().size() + " attached",
                Words.age(ageNs(status)), state(job)));
        }
        return aligned(rows);
    }

    /** A line about the job, then one for each rank. */
    public static List<String> ofRanks(JobReading job) {
        JobStatus status = job.status();
        List<String> lines = new ArrayList<>();
        lines.add("job " + job.id() + ": layout " + layout(status) + ", nodes seen: " + nodes(status) + ", age "
            + Words.age(ageNs(status)) + ", " + state(job));
        for (NodeStatus node : status.nodes()) {
            if (node.server() != ProcessState.RUNS) {
                lines.add("the server of node " + node.node() + " (pid " + node.serverPid() + ") "
                    + node.server().words());
            }
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("RANK", "NODE", "PID", "STATE"));
        for (NodeStatus node : status.nodes()) {
            for (Rank rank : node.ranks()) {
                rows.add(List.of(Integer.toString(rank.rank()), Integer.toString(node.node()),
                    rank.pid() == 0 ? "-" : Long.toString(rank.pid()), Words.sentence(status, rank)));
            }
        }
        lines.addAll(aligned(rows));
        lines.addAll(job.problems());
        return lines;
    }

    static String layout(JobStatus job) {
        return job.nodes().stream().map(NodeStatus::layout).findFirst().orElse("-");
    }

    static long ageNs(JobStatus job) {
        return job.nodes().stream().mapToLong(NodeStatus::ageNs).max().orElse(0);
    }

    private static String nodes(JobStatus job) {
        if (job.nodes().isEmpty()) {
            return "-";
        }
        return Words.ranges(job.nodes().stream().map(NodeStatus::node).collect(Collectors.toCollection(TreeSet::new)))
            + " of " + job.nodes().iterator().next().jobNodes();
    }

    /** State of the whole job, in words. */
    static String state(JobReading reading) {
        JobStatus job = reading.status();
        if (job.nodes().isEmpty()) {
            return reading.problems().isEmpty() ? "ends" : reading.problems().getFirst();
        }
        if (job.nodes().stream().allMatch(node -> node.server() == ProcessState.GONE)) {
            return "dead: 'tributary clean' removes what is left of it";
        }
        if (job.ranks().stream().noneMatch(Rank::isAttached)) {
            return job.ranks().stream().anyMatch(rank -> rank.state() == RankState.EXPECTED) ? "starts" : "ends";
        }
        long stillNs = job.standsStillNs();
        return stillNs < STANDS_STILL_NS ? "runs"
            : "a thread of each rank has waited for " + Words.age(stillNs) + ": see 'tributary status --why "
                + reading.id() + "'";
    }

    /** Rows of as many texts each as lines of columns. */
    public static List<String> aligned(List<List<String>> rows) {
        List<String> lines = new ArrayList<>();
        int columns = rows.getFirst().size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < columns - 1; i++) {
                line.append(row.get(i)).repeat(' ', widths[i] - row.get(i).length()).append(GAP);
            }
            lines.add(line.append(row.getLast()).toString());
        }
        return lines;
    }
}

package org.tributary.launcher.status;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.tributary.wire.status.NodeStatus.Rank;
import org.tributary.wire.status.Reasons;
import org.tributary.wire.status.Words;

/** Why a job does not go on, and the stacks of the ranks for which others wait in the end. */
public final class WhyReport {
    private final JobReading job;
    private final JobView view;
    private final Reasons reasons;

    /** Of {@code job}, which {@code view} has shown. */
    public WhyReport(JobReading job, JobView view) {
        this.job = job;
        this.view = view;
        this.reasons = new Reasons(job.status());
    }

    /** Waits of the ranks and their reasons, in lines. */
    public List<String> reasons() {
        List<String> lines = new ArrayList<>(reasons.lines());
        lines.addAll(job.problems());
        return lines;
    }

    /**
     * Stacks in lines.
     *
     * @param limitNs how long to wait for them; all are taken at once
     */
    public List<String> stacks(long limitNs) throws IOException, InterruptedException {
        List<Rank> ends = reasons.ends().stream().map(job.status()::rank)
            .filter(rank -> rank != null && rank.isAttached()).toList();
        if (ends.isEmpty()) {
            return List.of();
        }
        Map<Integer, List<String>> stacks = view.stacks(job.status(), ends, limitNs);
        List<String> lines = new ArrayList<>();
        for (Rank rank : ends) {
            lines.add("rank " + rank.rank() + " (node " + job.status().nodeOf(rank.rank()).node() + ", pid "
                + rank.pid() + ") " + Words.sentence(job.status(), rank) + ":");
            stacks.getOrDefault(rank.rank(), List.of("no stack: its host has not answered"))
                .forEach(line -> lines.add("    " + line));
        }
        return lines;
    }
}

package org.tributary.launcher.status;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.tributary.wire.status.NodeStatus.Rank;
import org.tributary.wire.status.Reasons;
import org.tributary.wire.status.Words;

/** Why a job does not go on, and the stacks of the ranks for which others wait in the end. */
public final class WhyReport {
    private final LocalJob.Reading job;
    private final Reasons reasons;

    public WhyReport(LocalJob.Reading job) {
        this.job = job;
        this.reasons = new Reasons(job.status());
    }

    /** Who waits for whom, in lines. */
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
    public List<String> stacks(long limitNs) {
        Map<Integer, CompletableFuture<List<String>>> stacks = new LinkedHashMap<>();
        Stacks source = new Stacks(limitNs);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int end : reasons.ends()) {
                Rank rank = job.status().rank(end);
                if (rank.isAttached()) {
                    stacks.put(end, CompletableFuture.supplyAsync(() -> source.of(rank.pid(), rank.process()),
                        threads));
                }
            }
        }
        List<String> lines = new ArrayList<>();
        stacks.forEach((number, stack) -> {
            Rank rank = job.status().rank(number);
            lines.add("rank " + number + " (node " + job.status().nodeOf(number).node() + ", pid " + rank.pid() + ") "
                + Words.sentence(job.status(), rank) + ":");
            stack.join().forEach(line -> lines.add("    " + line));
        });
        return lines;
    }
}

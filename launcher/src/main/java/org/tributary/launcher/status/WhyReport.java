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

/** Why a job does not go on, with the stacks of the ranks for which others wait in the end. */
public final class WhyReport {
    private WhyReport() {
    }

    /**
     * The report in lines.
     *
     * @param stackNs how long to wait for stacks, all of which are taken at once
     */
    public static List<String> of(LocalJob.Reading job, long stackNs) {
        Reasons reasons = new Reasons(job.status());
        List<String> lines = new ArrayList<>(reasons.lines());
        lines.addAll(job.problems());
        Map<Integer, CompletableFuture<List<String>>> stacks = new LinkedHashMap<>();
        Stacks source = new Stacks(stackNs);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int end : reasons.ends()) {
                Rank rank = job.status().rank(end);
                if (rank.isAttached()) {
                    stacks.put(end, CompletableFuture.supplyAsync(() -> source.of(rank.pid(), rank.process()),
                        threads));
                }
            }
        }
        stacks.forEach((number, stack) -> {
            Rank rank = job.status().rank(number);
            lines.add("rank " + number + " (node " + job.status().nodeOf(number).node() + ", pid " + rank.pid() + ") "
                + Words.sentence(job.status(), rank) + ":");
            stack.join().forEach(line -> lines.add("    " + line));
        });
        return lines;
    }
}

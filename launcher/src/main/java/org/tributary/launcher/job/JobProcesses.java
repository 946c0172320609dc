package org.tributary.launcher.job;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.tributary.config.JobVariables;
import org.tributary.config.ProcessFiles;

/**
 * Finds and ends what ranks have left running. A process whose parent is gone no longer shows whose child it was, but
 * every process below a rank has inherited the job's name and a rank in its environment.
 */
public final class JobProcesses {
    private static final long POLL_MS = 5;
    /** A program that starts processes faster than they can be ended is not waited for. */
    private static final int LOOKS = 20;
    /** Only a process that is stuck in the kernel outlives this, also on a busy machine: waiting would not help it. */
    private static final long KILLED_WITHIN_NS = TimeUnit.SECONDS.toNanos(10);

    private final Predicate<ProcessFiles> belongs;
    private final Set<Long> left;

    private JobProcesses(Predicate<ProcessFiles> belongs) {
        this(belongs, Set.of());
    }

    private JobProcesses(Predicate<ProcessFiles> belongs, Set<Long> left) {
        this.belongs = belongs;
        this.left = left;
    }

    /** The same but for those with these ids. */
    JobProcesses without(Set<Long> ids) {
        return new JobProcesses(belongs, ids);
    }

    /** Servers and ranks. */
    public static JobProcesses ofJob(String jobId) {
        return new JobProcesses(files -> files.findsVariable(JobVariables.JOB_ID, jobId));
    }

    /** Ranks of nodes from {@code first} to before {@code end}. */
    public static JobProcesses ranksOfNodes(String jobId, int first, int end) {
        return new JobProcesses(files ->
            files.findsVariable(JobVariables.RANK) && findsNodeOf(files, jobId, first, end));
    }

    /** Servers and ranks of nodes from {@code first} to before {@code end}. */
    static JobProcesses ofNodes(String jobId, int first, int end) {
        return new JobProcesses(files -> findsNodeOf(files, jobId, first, end));
    }

    private static boolean findsNodeOf(ProcessFiles files, String jobId, int first, int end) {
        return files.findsVariable(JobVariables.JOB_ID, jobId) && IntStream.range(first, end)
            .anyMatch(node -> files.findsVariable(JobVariables.NODE, Integer.toString(node)));
    }

    /** Processes of the job that run now, also those whose parent is gone. */
    public List<ProcessHandle> running() {
        return ProcessHandle.allProcesses()
            .filter(process -> !left.contains(process.pid()) && belongs.test(ProcessFiles.of(process))).toList();
    }

    /**
     * Those that run below processes with these ids, children of this one; after the end of their parent they can no
     * longer be found this way. Looks at all processes of the machine once, however many ids there are.
     */
    static List<ProcessHandle> below(Set<Long> ids) {
        return ProcessHandle.current().descendants()
            .filter(process -> !ids.contains(process.pid()) && isBelow(ids, process)).toList();
    }

    private static boolean isBelow(Set<Long> ids, ProcessHandle process) {
        return Stream.iterate(process.parent(), Optional::isPresent, parent -> parent.flatMap(ProcessHandle::parent))
            .anyMatch(parent -> ids.contains(parent.orElseThrow().pid()));
    }

    /**
     * Ends those that run, and {@code others}, with SIGTERM and after {@code graceNs} with SIGKILL; then what these had
     * just started, until a look finds no more. Returns when they are gone.
     */
    public void endAll(Collection<ProcessHandle> others, long graceNs) throws InterruptedException {
        Set<ProcessHandle> ended = new HashSet<>(others);
        ended.addAll(running());
        Collection<ProcessHandle> found = ended;
        for (int look = 0; look < LOOKS && !found.isEmpty(); look++) {
            end(found, graceNs);
            found = running().stream().filter(ended::add).toList();
        }
    }

    /** SIGTERM to {@code processes}, SIGKILL to those still there after {@code graceNs}; returns when they are gone. */
    private static void end(Collection<ProcessHandle> processes, long graceNs) throws InterruptedException {
        processes.forEach(ProcessHandle::destroy);
        if (!awaitEnd(processes, graceNs)) {
            processes.forEach(ProcessHandle::destroyForcibly);
            awaitEnd(processes, KILLED_WITHIN_NS);
        }
    }

    private static boolean awaitEnd(Collection<ProcessHandle> processes, long timeoutNs) throws InterruptedException {
        long startNs = System.nanoTime();
        while (processes.stream().anyMatch(JobProcesses::runs)) {
            if (System.nanoTime() - startNs > timeoutNs) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MS);
        }
        return true;
    }

    private static boolean runs(ProcessHandle process) {
        return process.isAlive() && ProcessFiles.of(process).runs();
    }
}

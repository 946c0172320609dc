package org.tributary.launcher.job;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.tributary.config.JobVariables;
import org.tributary.config.ProcessFiles;

/**
 * Finds and ends what ranks have left running. A process whose parent is gone no longer shows whose child it was, but
 * every process below a rank has inherited the job's name and a rank in its environment.
 */
public final class JobProcesses {
    private static final long POLL_MS = 5;
    /** Only a process that is stuck in the kernel outlives this; waiting longer would not help it. */
    private static final long KILLED_WITHIN_NS = TimeUnit.SECONDS.toNanos(2);

    private final String jobId;
    private final int node;

    private JobProcesses(String jobId, int node) {
        this.jobId = jobId;
        this.node = node;
    }

    public static JobProcesses ofJob(String jobId) {
        return new JobProcesses(jobId, -1);
    }

    public static JobProcesses ofNode(String jobId, int node) {
        return new JobProcesses(jobId, node);
    }

    /**
     * Ranks of the job and their descendants that run now, whichever process their parent has become; of a whole job
     * its servers, too.
     */
    public List<ProcessHandle> running() {
        return ProcessHandle.allProcesses().filter(this::belongs).toList();
    }

    /** SIGTERM to {@code processes}, SIGKILL to those still there after {@code graceNs}; returns when they are gone. */
    public static void end(Collection<ProcessHandle> processes, long graceNs) throws InterruptedException {
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

    private boolean belongs(ProcessHandle process) {
        ProcessFiles files = ProcessFiles.of(process);
        return files.has(JobVariables.JOB_ID, jobId)
            && (node < 0 || files.has(JobVariables.NODE, Integer.toString(node)) && files.has(JobVariables.RANK));
    }
}

package org.tributary.launcher.job;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.tributary.config.JobVariables;

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

    /** A zombie is dead, though nobody may ever collect it where the machine's first process does not. */
    private static boolean runs(ProcessHandle process) {
        if (!process.isAlive()) {
            return false;
        }
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"),
                StandardCharsets.ISO_8859_1);
            return !stat.startsWith(") Z", stat.lastIndexOf(')'));
        } catch (IOException e) {
            return false;
        }
    }

    private boolean belongs(ProcessHandle process) {
        String environment;
        try {
            environment = Files.readString(Path.of("/proc", Long.toString(process.pid()), "environ"),
                StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return false; // it has ended, or belongs to another user
        }
        return has(environment, JobVariables.JOB_ID, jobId)
            && (node < 0 || has(environment, JobVariables.NODE, Integer.toString(node)) && isOfRank(environment));
    }

    private static boolean isOfRank(String environment) {
        return Stream.of(environment.split("\0")).anyMatch(entry -> entry.startsWith(JobVariables.RANK + "="));
    }

    private static boolean has(String environment, String variable, String value) {
        return ("\0" + environment).contains("\0" + variable + "=" + value + "\0");
    }
}

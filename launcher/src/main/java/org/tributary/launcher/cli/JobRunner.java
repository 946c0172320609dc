package org.tributary.launcher.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Instant;
import org.tributary.launcher.job.Job;
import org.tributary.launcher.job.JobPlan;
import org.tributary.launcher.job.LineSink;
import org.tributary.launcher.job.Signals;
import org.tributary.server.NodeDirectories;

/** Runs a checked plan in this process: signals go to the job, and stale directories are swept before and after it. */
final class JobRunner {
    private static final int RADIX = 36;

    private JobRunner() {
    }

    static int run(JobPlan plan) throws IOException, InterruptedException {
        NodeDirectories.sweep(plan.settings().shmDirectory());
        LineSink err = new LineSink(new FileOutputStream(FileDescriptor.err));
        Job job = new Job(plan, newJobId(), new LineSink(new FileOutputStream(FileDescriptor.out)), err);
        Signals.receive(job::signal);
        int exitCode = job.run();
        if (exitCode != 0) {
            NodeDirectories.sweep(plan.settings().shmDirectory()); // a server that was killed could not do it
        }
        return exitCode;
    }

    /** Unique on every machine that jobs of one user share: time, process and chance. */
    private static String newJobId() {
        return Long.toString(Instant.now().getEpochSecond(), RADIX)
            + "-" + Long.toString(ProcessHandle.current().pid(), RADIX)
            + "-" + Integer.toString(new SecureRandom().nextInt(1 << 30), RADIX);
    }
}

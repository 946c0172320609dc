package org.tributary.launcher.node;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.tributary.config.JobEnvironment;
import org.tributary.launcher.job.JobFiles;
import org.tributary.launcher.job.JobProcesses;

/**
 * Listens to the launcher on standard input: {@code pid N} names a rank of these nodes, {@code abort REASON} and {@code
 * end} end the job. After {@code release} of the rank that has started it, a server ends when its ranks have left. The
 * end of the input without any of these means that the launcher has died; the server then does the
 * launcher's duty on this node, and ends all processes of the job.
 */
final class Supervisor {
    private final JobEnvironment job;
    private final int nodes;
    private final long graceNs;
    private final Orders orders;
    /** Handles, not numbers: they know when the process started, and so never reach another with a reused number. */
    private final List<ProcessHandle> ranks = new ArrayList<>();
    private final CountDownLatch reaped = new CountDownLatch(1);
    private volatile boolean reaping;

    /** {@code nodes} is the number of nodes, of which that of {@code job} is the first. */
    Supervisor(JobEnvironment job, int nodes, long graceNs, Orders orders) {
        this.job = job;
        this.nodes = nodes;
        this.graceNs = graceNs;
        this.orders = orders;
    }

    void listen(InputStream launcher) {
        Thread.ofPlatform().daemon().name("launcher-watch").start(() -> obey(launcher));
    }

    /** Returns at once unless the launcher has died. */
    void awaitReaping() throws InterruptedException {
        if (reaping) {
            reaped.await();
        }
    }

    void obey(InputStream launcher) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(launcher, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.equals("end")) {
                    orders.end();
                    return;
                } else if (line.equals("release")) {
                    return;
                } else if (line.startsWith("abort ")) {
                    orders.abort(line.substring("abort ".length()));
                } else if (line.startsWith("pid ")) {
                    ProcessHandle.of(Long.parseLong(line.substring("pid ".length()))).ifPresent(ranks::add);
                }
            }
        } catch (IOException e) {
            // A broken pipe says the same as its end.
        }
        reaping = true;
        try {
            orders.abort("the launcher of the job has died");
            List<ProcessHandle> known = Stream.concat(ranks.stream().flatMap(ProcessHandle::descendants),
                ranks.stream()).toList();
            JobProcesses.ranksOfNodes(job.jobId(), job.node(), job.node() + nodes).endAll(known, graceNs);
            JobFiles.removeOf(job.jobId(), job.node());
        } catch (UncheckedIOException e) {
            System.err.println("tributary server: cannot remove what the launcher has left: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            reaped.countDown();
        }
    }

    /** Orders of the launcher to a server. */
    interface Orders {
        /** All ranks have exited well. */
        void end();

        void abort(String reason);
    }
}

package org.tributary.benchmarks.onnode;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.MutexSet;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.server.CommunicationServer;

/**
 * A job of one node and two ranks in one JVM. Rank 0 belongs to the benchmark; rank 1 is only a target, and its thread
 * waits until the job ends.
 */
final class NodeJob {
    static final int TARGET = 1;
    private static final int RANKS = 2;
    private static final int SECRET_BYTES = 32;
    private static final long STEP_LIMIT_SECONDS = 60;

    private final CountDownLatch over = new CountDownLatch(1);
    private final ExecutorService targetThread = Executors.newSingleThreadExecutor(
        task -> Thread.ofPlatform().daemon().name("target").unstarted(task));
    private final CommunicationServer server;
    private final Future<Void> target;
    private final Rank origin;

    /** Starts the server, attaches both ranks and allocates {@code bytes} on each. */
    NodeJob(long bytes) throws Exception {
        SecureRandom random = new SecureRandom();
        byte[] secret = new byte[SECRET_BYTES];
        random.nextBytes(secret);
        String jobId = "jmh-" + HexFormat.of().toHexDigits(random.nextLong());
        Settings settings = Settings.defaults();
        server = CommunicationServer.start(description(jobId, secret).build(), settings);
        Callable<Void> targetLife = () -> {
            try (Rank _ = new Rank(description(jobId, secret).rank(TARGET).build(), settings, bytes)) {
                over.await();
                return null;
            }
        };
        target = targetThread.submit(targetLife);
        origin = new Rank(description(jobId, secret).rank(0).build(), settings, bytes);
    }

    private static JobEnvironment.Builder description(String jobId, byte[] secret) {
        return JobEnvironment.builder().jobId(jobId).secret(secret).topology(Topology.uniform(1, RANKS)).node(0);
    }

    Gas gas() {
        return origin.gas;
    }

    GlobalMemory memory() {
        return origin.memory;
    }

    MutexSet mutexes() {
        return origin.mutexes;
    }

    /** Closes both ranks and the server. */
    void end() throws InterruptedException, ExecutionException, TimeoutException {
        over.countDown();
        try {
            origin.close();
            target.get(STEP_LIMIT_SECONDS, TimeUnit.SECONDS);
        } finally {
            targetThread.shutdownNow();
            server.close();
        }
    }

    /** What one rank holds; made and closed by both ranks together, as both are collective. */
    private static final class Rank implements AutoCloseable {
        private final Gas gas;
        private final GlobalMemory memory;
        private final MutexSet mutexes;

        Rank(JobEnvironment job, Settings settings, long bytes) {
            gas = Gas.attach(job, settings);
            memory = gas.allocate(bytes);
            mutexes = gas.createMutexes(1);
        }

        @Override
        public void close() {
            mutexes.free();
            memory.free();
            gas.close();
        }
    }
}

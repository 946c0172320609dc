package org.tributary.launcher.dashboard;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.tributary.launcher.status.JobView;
import org.tributary.wire.status.NodeSnapshot;

/**
 * The page of a job, from before it starts until it ends or this process does. Takes a step of all nodes each second,
 * and less often when a step takes long, so that it never uses more than a small part of a core. Thread-safe.
 */
public final class Dashboard implements AutoCloseable {
    /** Time from step to step. */
    private static final long STEP_NS = TimeUnit.SECONDS.toNanos(1);
    /** A step may take this part of the time to the next. */
    private static final int MOST_PART = 20;
    private static final long LONGEST_PAUSE_NS = TimeUnit.SECONDS.toNanos(2);
    private static final int TOKEN_BYTES = 16;

    private final String address;
    private final PageServer server;
    private final Object monitor = new Object();
    private Thread watcher;
    private boolean isClosed;

    private Dashboard(String address, PageServer server) {
        this.address = address;
        this.server = server;
    }

    /**
     * Listens, for a job that is to come.
     *
     * @param address to listen at
     * @param port    0 for any free one
     * @throws IOException with a message that names both and the options they come from
     */
    public static Dashboard open(String address, int port) throws IOException {
        byte[] token = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(token);
        return new Dashboard(address, PageServer.open(address, port, HexFormat.of().formatHex(token)));
    }

    /** Where a browser finds the page. */
    public String url() {
        return "http://" + (address.contains(":") ? "[" + address + "]" : address) + ":" + server.port() + "/"
            + server.token() + "/";
    }

    /** Shows that job from now on; called once. */
    public void show(String jobId, JobView job) {
        watcher = Thread.ofPlatform().daemon().name("tributary-dashboard-steps").start(() -> watch(jobId, job));
    }

    private void watch(String jobId, JobView job) {
        try {
            watch(new Steps(jobId), job);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void watch(Steps steps, JobView job) throws InterruptedException {
        long nextNs = System.nanoTime();
        while (await(nextNs)) {
            long beginNs = System.nanoTime();
            server.publish(steps.next(System.currentTimeMillis(), read(job, steps)));
            long tookNs = System.nanoTime() - beginNs;
            nextNs = Math.max(nextNs + STEP_NS, beginNs + Math.clamp(tookNs * MOST_PART, 0, LONGEST_PAUSE_NS));
        }
    }

    private static List<NodeSnapshot> read(JobView job, Steps steps) throws InterruptedException {
        try {
            return job.snapshots(steps.questions());
        } catch (IOException e) {
            return List.of(); // its nodes are being made, or removed
        }
    }

    /** False when it has been closed. */
    private boolean await(long timeNs) throws InterruptedException {
        synchronized (monitor) {
            for (long left = timeNs - System.nanoTime(); left > 0 && !isClosed; left = timeNs - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(monitor, left);
            }
            return !isClosed;
        }
    }

    /** The page is gone; readers are told that the job has ended. */
    @Override
    public void close() {
        synchronized (monitor) {
            isClosed = true;
            monitor.notifyAll();
        }
        server.close();
    }
}

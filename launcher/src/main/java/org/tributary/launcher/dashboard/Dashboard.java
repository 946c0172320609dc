package org.tributary.launcher.dashboard;

import java.io.IOException;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.tributary.config.HostFacts;
import org.tributary.config.Shortage;
import org.tributary.launcher.status.JobStep;
import org.tributary.launcher.status.JobView;
import org.tributary.launcher.step.Asked;
import org.tributary.launcher.step.View;

/**
 * The page of a job, from before it starts until it ends or this process does. Takes a step of all nodes each second,
 * and less often when steps cost more than a hundredth of a core ({@link Pace}). Thread-safe.
 */
public final class Dashboard implements AutoCloseable {
    private static final int TOKEN_BYTES = 16;

    private final String address;
    private final PageServer server;
    private final Object monitor = new Object();
    private Thread watcher;
    private boolean isClosed;
    private volatile boolean isServed = true;

    private Dashboard(String address, PageServer server) {
        this.address = address;
        this.server = server;
    }

    /**
     * Listens, for a job that is to come.
     *
     * @param address       to listen at
     * @param addressOption that it comes from
     * @param port          0 for any free one
     * @param portOption    that it comes from
     * @throws IOException with a message that names all of them
     */
    public static Dashboard open(String address, String addressOption, int port, String portOption)
        throws IOException {
        byte[] token = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(token);
        return new Dashboard(address, PageServer.open(address, addressOption, port, portOption,
            HexFormat.of().formatHex(token)));
    }

    /** Where a browser finds the page. */
    public String url() {
        return url(address, server.port(), server.token());
    }

    /** Of all addresses none leads here from elsewhere, but the name of this host does. */
    static String url(String address, int port, String token) {
        String host = isAny(address) ? HostFacts.name() : address.contains(":") ? "[" + address + "]" : address;
        return "http://" + host + ":" + port + "/" + token + "/";
    }

    private static boolean isAny(String address) {
        try {
            return InetAddress.ofLiteral(address).isAnyLocalAddress();
        } catch (IllegalArgumentException e) {
            return false; // a name
        }
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
        Pace pace = new Pace();
        long firstMs = System.currentTimeMillis();
        long firstNs = System.nanoTime();
        long nextNs = firstNs;
        long usedNs = 0;
        while (await(nextNs)) {
            long beginNs = System.nanoTime();
            // Times ascend, also when the clock is set back: plots have no others.
            long timeMs = firstMs + TimeUnit.NANOSECONDS.toMillis(beginNs - firstNs);
            Step step = next(steps, timeMs, job, server.views());
            isServed = step.isServed();
            server.publish(step);
            long nowNs = Pace.threadNs() + server.usedNs();
            // Of two threads, and what the page did beside steps: but no more than these steps can have taken.
            nextNs = beginNs + pace.pauseNs(Math.clamp(nowNs - usedNs, 0, 2 * (System.nanoTime() - beginNs)));
            usedNs = nowNs;
        }
    }

    /** The next step; after any failure the last step again, with the failure: the page shows it and goes on. */
    private static Step next(Steps steps, long nowMs, JobView job, Set<View> views) throws InterruptedException {
        try {
            return steps.next(nowMs, read(job, steps.asked(views)));
        } catch (RuntimeException | Error e) {
            return steps.again(nowMs, "a step is missing: " + Shortage.describe(e));
        }
    }

    private static JobStep read(JobView job, Asked asked) throws InterruptedException {
        try {
            return job.step(asked);
        } catch (IOException e) { // its nodes are being made, or removed
            return new JobStep(List.of(), List.of(), List.of(Shortage.describe(e)));
        }
    }

    /** Whether, as far as the last step shows, a server of the job may still run. */
    public boolean isServed() {
        return isServed;
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

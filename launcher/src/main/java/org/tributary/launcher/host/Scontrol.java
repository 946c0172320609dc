package org.tributary.launcher.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.tributary.config.ConfigException;
import org.tributary.config.Shortage;

/**
 * Slurm's command that tells the nodes of an allocation. It may hang, as when the controller does not answer.
 *
 * @param program its name or path
 * @param limitNs how long it may take, its output included
 */
record Scontrol(String program, long limitNs) {
    private static final long LIMIT_S = 30;
    private static final double NS_PER_S = 1e9;

    static Scontrol ofThePath() {
        return new Scontrol("scontrol", TimeUnit.SECONDS.toNanos(LIMIT_S));
    }

    /** {@code n[0-1]} is n0 and n1. */
    List<String> hostNames(String nodes) {
        String command = "'scontrol show hostnames " + nodes + "'";
        Process process = start(nodes);
        // A process that it has started may hold its output open, so nobody may wait for the end of that without limit.
        FutureTask<byte[]> output = new FutureTask<>(() -> process.getInputStream().readAllBytes());
        Thread.ofVirtual().start(output);
        long endNs = System.nanoTime() + limitNs;
        try {
            String names = new String(output.get(limitNs, TimeUnit.NANOSECONDS), StandardCharsets.UTF_8);
            if (!process.waitFor(endNs - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                throw new TimeoutException();
            }
            if (process.exitValue() != 0 || names.isBlank()) {
                throw unknown(command + " does not tell the nodes of this allocation");
            }
            return names.lines().toList();
        } catch (TimeoutException e) {
            throw unknown(command + ", which tells the nodes of this allocation, has not answered within "
                + limitNs / NS_PER_S + " s");
        } catch (ExecutionException e) {
            throw unknown(command + ": " + Shortage.describe(e.getCause()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConfigException("interrupted");
        } finally {
            if (process.isAlive()) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        }
    }

    private Process start(String nodes) {
        try {
            return new ProcessBuilder(program, "show", "hostnames", nodes)
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        } catch (IOException e) {
            throw unknown("cannot run scontrol, which tells the nodes of this allocation: " + Shortage.describe(e));
        }
    }

    private static ConfigException unknown(String problem) {
        return new ConfigException(problem + "; name them with --hosts");
    }
}

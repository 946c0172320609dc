package org.tributary.launcher.job;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.tributary.config.Shortage;
import org.tributary.launcher.bind.Affinity;
import org.tributary.launcher.status.AttachSocket;

/** A server or rank: its process and the threads that copy its output. Used by the thread that runs the job. */
final class Child implements InputTaker {
    private final String name;
    private final Process process;
    private final List<Pump> pumps;
    private boolean ended;

    /** {@code name} is the subject of messages: {@code rank 3 (node 1, pid 1234)}. */
    private Child(String name, Process process, List<Pump> pumps) {
        this.name = name;
        this.process = process;
        this.pumps = pumps;
    }

    /**
     * Starts a process and the threads that read its output.
     *
     * @param cpus the processors that it runs on, none for any
     * @throws IOException with one line that says what has run out and what to do
     */
    static Child start(String who, String where, ProcessBuilder builder, BitSet cpus, LinePump out, LinePump err)
        throws IOException {
        Process process;
        try {
            process = Affinity.start(builder, cpus);
        } catch (IOException | OutOfMemoryError e) {
            throw new IOException("cannot start " + who + ": " + Shortage.describe(e), e);
        }
        String name = who + " (" + where + "pid " + process.pid() + ")";
        try {
            return new Child(name, process, List.of(
                Pump.start(name + " stdout", process.getInputStream(), out),
                Pump.start(name + " stderr", process.getErrorStream(), err)));
        } catch (OutOfMemoryError e) {
            process.destroyForcibly();
            throw new IOException("cannot start " + who + ", for nobody could read its output: "
                + Shortage.describe(e), e);
        }
    }

    String name() {
        return name;
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    boolean ended() {
        return ended;
    }

    void markEnded() {
        ended = true;
    }

    /** Runs {@code action} with the exit code, on another thread, once the process has ended. */
    void onExit(Ends ends, IntConsumer action) {
        ends.of(process, code -> {
            AttachSocket.removeOf(process.pid());
            action.accept(code);
        });
    }

    /** A line on the child's standard input; nothing happens if it no longer reads it. */
    void tell(String line) {
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        give(bytes, bytes.length);
    }

    /** The first bytes of {@code bytes} on the child's standard input; returns whether it still reads. */
    @Override
    public boolean give(byte[] bytes, int length) {
        try {
            OutputStream in = process.getOutputStream();
            in.write(bytes, 0, length);
            in.flush();
            return true;
        } catch (IOException e) {
            return false; // the child has ended or is ending, which its exit code will tell
        }
    }

    @Override
    public void closeInput() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // As above: nobody reads any more.
        }
    }

    /**
     * A signal and nothing else: {@link Process#destroy} would close the pipes of a process that may have more to say,
     * and wait for whoever is writing to it.
     */
    void signal(int signal) {
        if (signal == ExitCodes.SIGTERM) {
            process.toHandle().destroy();
        } else if (process.isAlive()) {
            Signals.send(process.pid(), signal);
        }
    }

    /** As with {@link #signal}, the pipes stay until it has ended. */
    void kill() {
        process.toHandle().destroyForcibly();
    }

    /** Waits until all output has been copied, but no longer than that: its reader may be slow. */
    void awaitOutput(long timeoutMs) throws InterruptedException {
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        for (Pump pump : pumps) {
            pump.join(TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime()));
        }
    }

    /** Completed when all output has been copied. */
    CompletableFuture<Void> outputEnd() {
        return CompletableFuture.allOf(pumps().map(Pump::end).toArray(CompletableFuture[]::new));
    }

    Stream<Pump> pumps() {
        return pumps.stream();
    }
}

package org.tributary.server.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.tributary.testsupport.LoggedErrors;
import org.tributary.testsupport.Stopping;
import org.tributary.wire.shm.ControlFile;
import org.tributary.wire.shm.Presence;

/** A process that is stopped while it holds a lock of accumulates, as a rank of the node. */
public final class StripeHolder implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;

    private StripeHolder(Process process) {
        this.process = process;
        this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** What the process does: takes the lock as the node's first rank until it is told to release it. */
    public static void main(String[] arguments) throws IOException {
        ControlFile control = ControlFile.open(Path.of(arguments[0]), Arena.global());
        Presence presence = control.present(1);
        int lock = Integer.parseInt(arguments[1]);
        control.accumulateLocks(1, presence::isAlive, () -> { }).acquire(lock);
        System.out.println("held");
        if (System.in.read() >= 0) {
            control.accumulateLocks(1, presence::isAlive, () -> { }).release(lock);
        }
        System.out.println("released");
    }

    /** Starts it and stops it when it has the lock. */
    public static StripeHolder stopped(Path controlFile, int lock) throws IOException, InterruptedException {
        StripeHolder holder = new StripeHolder(LoggedErrors.watch("holder", new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "--enable-native-access=ALL-UNNAMED",
            "-Xmx64m", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
            StripeHolder.class.getName(), controlFile.toString(), Integer.toString(lock)).start()));
        holder.expect("held");
        Stopping.stop(holder.process.pid());
        return holder;
    }

    private void expect(String wanted) throws IOException {
        String line = output.readLine();
        if (!wanted.equals(line)) {
            throw new IOException("the holder says " + line);
        }
    }

    /** Lets it go on and release the lock. */
    public void goOn() throws IOException, InterruptedException {
        Stopping.goOn(process.pid());
        process.getOutputStream().write(1);
        process.getOutputStream().flush();
        expect("released");
    }

    /** Ends it with the lock, stopped or not. */
    public void kill() {
        process.destroyForcibly().onExit().orTimeout(200, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        kill();
    }
}

package org.tributary.launcher.link;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.tributary.wire.socket.Silence;

/**
 * Notices, on an agent's host, that the host at the other end of its ssh has lost its power or its network. An agent
 * sees only pipes, which stay open then. So it sends a frame now and then, which the kernel of that host acknowledges
 * whatever its processes do: one that is stopped does not count as dead. Its network may have a pause, and kernels try
 * again less and less often; so an attempt after the time-out has to be in vain, too, which comes before twice that
 * time. Two threads, as a frame may have to wait for room in the pipe.
 */
public final class LauncherWatch {
    public static final String SSH_CONNECTION = "SSH_CONNECTION";
    /** Frames in the time-out. */
    private static final int BEATS = 3;

    private final IntSupplier attempts;
    private final long timeoutNs;
    private final Silence silence;
    private int lastAttempts;
    private int answers;
    /** When the time-out was over, or -1 while it is not. */
    private int attemptsAtTimeout = -1;

    /**
     * A watch that has not begun.
     *
     * @param attempts  how often the kernel has tried in vain to get an answer
     * @param timeoutNs {@code connection.silence-timeout}
     */
    LauncherWatch(IntSupplier attempts, long timeoutNs) {
        this.attempts = attempts;
        this.timeoutNs = timeoutNs;
        this.silence = new Silence(timeoutNs);
    }

    /**
     * Of the ssh that has started an agent with this environment. Empty when something else has: then the variable is
     * missing, or that of the launcher's own session.
     */
    public static Optional<LauncherWatch> of(Map<String, String> own, Map<String, String> launchers, long timeoutNs) {
        String connection = own.getOrDefault(SSH_CONNECTION, "");
        return connection.equals(launchers.get(SSH_CONNECTION)) ? Optional.empty()
            : SshConnection.of(connection).map(ssh -> new LauncherWatch(ssh::attempts, timeoutNs));
    }

    /** The variable of this process, for one that it starts by ssh: a variable of the same value there is no news. */
    public static String ownConnection() {
        return System.getenv().getOrDefault(SSH_CONNECTION, "");
    }

    /**
     * Ends this process, which has nothing to end but itself, when the host at the other end of its ssh is silent.
     *
     * @param connection that of the launcher
     * @param sender     to the launcher
     * @param last       what is still to be done then
     */
    public static void endProcess(String connection, long timeoutNs, FrameSender sender, Runnable last) {
        of(System.getenv(), Map.of(SSH_CONNECTION, connection), timeoutNs).ifPresent(watch ->
            watch.start(() -> sender.send(Codec.beat(Frame.ALL)), () -> {
                sender.giveUp();
                last.run();
                System.exit(1); // the other thread waits for what does not come
            }));
    }

    /** {@code beat} sends something; {@code silent} is called once. */
    public void start(Runnable beat, Runnable silent) {
        Thread.ofPlatform().daemon().name("beat").start(() -> {
            while (sleeps(timeoutNs / BEATS)) {
                beat.run();
            }
        });
        Thread.ofPlatform().daemon().name("watch of the launcher").start(() -> {
            while (sleeps(Silence.lookNs(timeoutNs))) {
                if (look(System.nanoTime())) {
                    silent.run();
                    return;
                }
            }
        });
    }

    /** Whether the other host counts as dead. */
    boolean look(long nowNs) {
        int now = attempts.getAsInt();
        if (now < lastAttempts) {
            answers++;
        }
        lastAttempts = now;
        if (!silence.look(answers, now > 0, nowNs)) {
            attemptsAtTimeout = -1;
            return false;
        }
        if (attemptsAtTimeout < 0) {
            attemptsAtTimeout = now;
        }
        return now > attemptsAtTimeout;
    }

    private static boolean sleeps(long ns) {
        try {
            TimeUnit.NANOSECONDS.sleep(ns);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}

package org.tributary.wire.shm;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tributary.testsupport.LoggedErrors;

/** What a child process of {@link KilledProcessTest} does with a control file, until it is killed. */
final class ShmProgram {
    /** A word of the control file that nothing uses. */
    static final long UNUSED_OFFSET = 32;

    static final int ROUNDS = 3000;

    private ShmProgram() {
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path file = Path.of(arguments[1]);
        ControlFile control = ControlFile.open(file, Arena.global());
        MemorySegment memory = SharedFile.map(file, Arena.global());
        switch (arguments[0]) {
            case "hold" -> {
                Presence presence = control.present(1);
                control.accumulateLocks(1, presence::isAlive, () -> { }).acquire(7);
                ready();
                Thread.sleep(Long.MAX_VALUE);
            }
            case "sleep" -> {
                ready();
                while (true) {
                    control.doorbell(0).sleep(() -> false, Long.MAX_VALUE);
                }
            }
            case "ring" -> {
                ready();
                while (true) {
                    control.doorbell(0).ring();
                }
            }
            case "pong" -> {
                ready();
                for (int round = 0; round < ROUNDS; round++) {
                    awaitTurn(control, memory, 1, 2 * round + 1);
                    pass(control, memory, 0, 2 * round + 2);
                }
            }
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    /** Sleeps as rank {@code index} until the turn has come. */
    static void awaitTurn(ControlFile control, MemorySegment memory, int index, int turn) {
        while (SharedWord.getAcquire(memory, UNUSED_OFFSET) != turn) {
            control.doorbell(index).sleep(
                () -> SharedWord.getAcquire(memory, UNUSED_OFFSET) == turn, Long.MAX_VALUE);
        }
    }

    static void pass(ControlFile control, MemorySegment memory, int other, int turn) {
        SharedWord.setRelease(memory, UNUSED_OFFSET, turn);
        control.doorbell(other).ring();
    }

    private static void ready() {
        System.out.println("ready");
    }

    static Process start(String what, Path file) throws IOException {
        return awaitReady(new ProcessBuilder(command(what, file)));
    }

    /** As the only child of a process that lets it stay a zombie when it ends. */
    static Process startUnreaped(String what, Path file) throws IOException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "\"$@\" & exec sleep 600", "sh"));
        command.addAll(command(what, file));
        return awaitReady(new ProcessBuilder(command));
    }

    /** In a name space of process numbers of its own, as in a container. */
    static Process startContained(String what, Path file) throws IOException {
        List<String> command = new ArrayList<>(List.of("unshare", "--pid", "--fork", "--kill-child", "--mount-proc"));
        command.addAll(command(what, file));
        return awaitReady(new ProcessBuilder(command));
    }

    private static List<String> command(String what, Path file) {
        return List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED", "-Xmx64m", "-XX:TieredStopAtLevel=1", "-cp",
            System.getProperty("java.class.path"), ShmProgram.class.getName(), what, file.toString());
    }

    private static Process awaitReady(ProcessBuilder builder) throws IOException {
        Process process = LoggedErrors.watch("child", builder.start());
        String first =
            new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)).readLine();
        if (!"ready".equals(first)) {
            process.destroyForcibly();
            throw new IOException("the child ended: " + first);
        }
        return process;
    }
}

package org.tributary.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * A Slurm of three hosts on this machine, each with a network, a name and a /dev/shm of its own. Only root can make it;
 * without, or without Slurm, tests are skipped with a message.
 */
final class Slurm implements AutoCloseable {
    private static final int NODES = 3;
    private static final Path SCRIPTS = Path.of("../integration-tests/src/test/slurm").toAbsolutePath();
    private static final long COMMAND_S = 60;
    private static final int BASE_PORT = 20_000;
    private static final int PORTS = 10_000;
    private static final AtomicInteger MADE = new AtomicInteger();

    private final Path directory;
    /** A name of its own: the kernel removes the interfaces of the one before a moment after their namespaces. */
    private final String prefix = "tr" + Long.toString(ProcessHandle.current().pid() % 1_000_000, 36)
        + Integer.toString(MADE.getAndIncrement(), 36);

    private Slurm(Path directory) {
        this.directory = directory;
    }

    /** Skips the test where that is not possible. */
    static Slurm start() throws IOException {
        for (String command : List.of("srun", "slurmctld", "slurmd", "munged", "ip", "nsenter")) {
            Launchers.assumeCommand(command, "slurm-wlm munge iproute2");
        }
        boolean isRoot = Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
        if (!isRoot) {
            System.out.println("skipped: only root can make hosts for Slurm");
        }
        Assumptions.assumeTrue(isRoot, "only root can make hosts for Slurm");
        Slurm slurm = new Slurm(Files.createTempDirectory("tributary-slurm-"));
        int port = BASE_PORT + (int) (ProcessHandle.current().pid() % PORTS);
        String said = slurm.run(List.of(SCRIPTS.resolve("start.sh").toString(), slurm.directory.toString(),
            slurm.prefix, "10.86." + ProcessHandle.current().pid() % 250, Integer.toString(port)));
        if (said != null) {
            slurm.close();
            System.out.println("skipped: Slurm does not start here: " + said);
            Assumptions.abort("Slurm does not start here: " + said);
        }
        return slurm;
    }

    /** Null when it has succeeded, otherwise what it has said. */
    private String run(List<String> command) throws IOException {
        Path output = directory.resolve("output");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            boolean ended = process.waitFor(COMMAND_S, TimeUnit.SECONDS);
            process.destroyForcibly();
            return ended && process.exitValue() == 0 ? null : Files.readString(output, StandardCharsets.UTF_8);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** SLURM_CONF. */
    String configuration() {
        return directory.resolve("slurm.conf").toString();
    }

    /** Makes a folder of /dev/shm on each of the hosts, too. */
    void makeFolder(Path shm) throws IOException {
        for (int host = 0; host < NODES; host++) {
            Files.createDirectory(on(host, shm));
        }
    }

    /** Removes it from the hosts; it has to be empty. */
    void removeFolder(Path shm) throws IOException {
        for (int host = 0; host < NODES; host++) {
            Files.delete(on(host, shm));
        }
    }

    /** Whether it is empty on all hosts. */
    boolean isEmpty(Path shm) {
        try {
            for (int host = 0; host < NODES; host++) {
                if (!Place.entries(on(host, shm)).isEmpty()) {
                    return false;
                }
            }
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A file of a host, as this machine sees it. */
    private Path on(int host, Path path) throws IOException {
        String pid = Files.readString(directory.resolve("slurmd-n" + host + ".pid")).strip();
        return Path.of("/proc", pid, "root").resolve(Path.of("/").relativize(path));
    }

    @Override
    public void close() throws IOException {
        run(List.of(SCRIPTS.resolve("stop.sh").toString(), directory.toString(), prefix));
        try (Stream<Path> tree = Files.walk(directory)) {
            for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}

package org.tributary.it;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.tributary.config.ProcessFiles;

/**
 * Hosts n0, n1, … with a name, {@code /dev/shm} and {@code /tmp} of their own, which know each other's names, and an
 * sshd each. Only ssh knows them as a0, a1, … too. Their other files are this machine's. Tests are skipped with a
 * message where such hosts cannot be made.
 */
final class SshHosts implements AutoCloseable {
    private static final Path SSHD = Path.of("/usr/sbin/sshd");
    private static final long COMMAND_S = 250;

    /** Private keys, each with a public one beside it, in a folder that all hosts see; the same for all tests. */
    private static Path keys;

    private final Path files;
    private final Hosts hosts;
    private final List<Process> keepers = new ArrayList<>();

    /**
     * Makes them.
     *
     * @param shmSizes of {@code /dev/shm} by host, as for tmpfs
     */
    SshHosts(String... shmSizes) throws IOException {
        this(false, shmSizes);
    }

    private SshHosts(boolean isIpv6, String... shmSizes) throws IOException {
        assumeTrue(Files.isExecutable(SSHD), "no sshd here (package openssh-server)");
        hosts = isIpv6 ? Hosts.makeIpv6(shmSizes.length) : Hosts.make(shmSizes.length);
        files = Files.createDirectories(Path.of("target", "ssh-" + ProcessHandle.current().pid() + "-"
            + Long.toString(System.nanoTime() & 0xffffff, 36))).toAbsolutePath();
        try {
            writeFiles();
            for (int host = 0; host < shmSizes.length; host++) {
                keepers.add(start(host, shmSizes[host]));
            }
            for (int host = 0; host < shmSizes.length; host++) {
                if (!"ready".equals(keepers.get(host).inputReader().readLine())) {
                    throw new IOException("host " + host + " does not start");
                }
            }
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** The same with addresses of IPv6 only; each name has another before it, of IPv4, which leads nowhere. */
    static SshHosts ofIpv6(String... shmSizes) throws IOException {
        return new SshHosts(true, shmSizes);
    }

    private static synchronized Path keys() throws IOException {
        if (keys == null) {
            Path folder = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "ssh-keys-");
            folder.toFile().deleteOnExit();
            for (String key : List.of("host", "user", "stranger")) {
                Path file = folder.resolve(key);
                run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file.toString());
                file.toFile().deleteOnExit();
                folder.resolve(key + ".pub").toFile().deleteOnExit();
            }
            keys = folder;
        }
        return keys;
    }

    private void writeFiles() throws IOException {
        Path keysOfAll = keys();
        StringBuilder names = new StringBuilder("127.0.0.1 localhost\n");
        StringBuilder aliases = new StringBuilder();
        for (int host = 0; host < hosts.count(); host++) {
            if (hosts.isIpv6()) {
                names.append("192.0.2.").append(host + 1).append(" n").append(host).append('\n');
            }
            aliases.append("Host a").append(host).append("\nHostName ").append(hosts.address(host)).append('\n');
            names.append(hosts.address(host)).append(" n").append(host).append('\n');
        }
        Files.writeString(files.resolve("hosts"), names);
        // An sshd leaves its parent before it listens. Port 22 is 0016 there, 0A is LISTEN.
        Files.writeString(files.resolve("listens"), """
            for look in $(seq 1000); do
                ! grep -qs ':0016 [0-9A-F:]* 0A' /proc/net/tcp /proc/net/tcp6 || exit 0
                sleep 0.02
            done
            echo 'no sshd listens' >&2
            exit 1
            """);
        writeServerConfiguration("sshd_config", keysOfAll.resolve("host"), keysOfAll.resolve("user.pub"));
        writeServerConfiguration("sshd_config_strict", keysOfAll.resolve("host"), keysOfAll.resolve("stranger.pub"));
        Files.writeString(files.resolve("ssh_config"), """
            Host *
            IdentityFile %s
            StrictHostKeyChecking no
            UserKnownHostsFile /dev/null
            LogLevel ERROR
            """.formatted(keysOfAll.resolve("user")) + aliases);
    }

    private void writeServerConfiguration(String name, Path own, Path users) throws IOException {
        Files.writeString(files.resolve(name), """
            HostKey %s
            AuthorizedKeysFile %s
            StrictModes no
            PermitRootLogin yes
            UsePAM no
            PidFile none
            """.formatted(own, users));
    }

    /** Says {@code ready} when its sshd listens. */
    private Process start(int host, String shmSize) throws IOException {
        return new ProcessBuilder(hosts.on(host, List.of("unshare", "--mount", "--uts", "--propagation",
            "private", "sh", "-ec", """
                hostname "$1"
                mount -t tmpfs -o size="$2" none /dev/shm
                mount -t tmpfs none /tmp
                mount -t tmpfs none /run
                mkdir /run/sshd
                mount --bind "$3/hosts" /etc/hosts
                /usr/sbin/sshd -f "$3/sshd_config"
                sh "$3/listens"
                echo ready
                exec cat
                """, "host", "n" + host, shmSize, files.toString())))
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    /** From now on all of them know this address of a name first, before the right one. */
    void nameFirst(String address, String name) throws IOException {
        Path names = files.resolve("hosts");
        Files.writeString(names, address + " " + name + "\n" + Files.readString(names));
    }

    /** A folder that all of them see. */
    Path files() {
        return files;
    }

    /** From now on its sshd does not know the user's key. */
    void refuse(int host) throws IOException {
        endSshd(host);
        run(on(host, List.of(SSHD.toString(), "-f", files.resolve("sshd_config_strict").toString()))
            .toArray(String[]::new));
        run(on(host, List.of("sh", files.resolve("listens").toString())).toArray(String[]::new));
    }

    /** Nobody answers at its port. */
    void endSshd(int host) throws IOException {
        for (long pid : hosts.processes(host)) {
            ProcessHandle.of(pid).filter(process -> process.info().command().orElse("").equals(SSHD.toString()))
                .ifPresent(process -> {
                    process.destroy();
                    process.onExit().join();
                });
        }
    }

    /** Kills the agent on a host. */
    void killAgent(int host) throws IOException {
        agent(host).destroyForcibly();
    }

    /** The agent on a host. */
    ProcessHandle agent(int host) throws IOException {
        return hosts.processes(host).stream().flatMap(pid -> ProcessHandle.of(pid).stream())
            .filter(process -> ProcessFiles.of(process).commandLine().getLast().equals("agent")
                && ProcessFiles.of(process).commandLine().getFirst().endsWith("java"))
            .findAny().orElseThrow();
    }

    int count() {
        return hosts.count();
    }

    String address(int host) {
        return hosts.address(host);
    }

    /** A folder that all hosts have; {@code /tmp} is none. */
    Path folder() {
        return files;
    }

    /** For {@code --launch-agent}. */
    String ssh() {
        return "ssh -x -T -o BatchMode=yes -o ConnectTimeout=60 -F " + files.resolve("ssh_config");
    }

    /** Cuts a host off the network: nobody is told. */
    void cut(int host) throws IOException {
        hosts.cut(host);
    }

    /** One host sends nothing to another any more, as behind a firewall. */
    void block(int from, int to) throws IOException {
        run(on(from, List.of("ip", "route", "add", "prohibit", hosts.address(to))).toArray(String[]::new));
    }

    /** A command as one of that host. */
    List<String> on(int host, List<String> command) {
        List<String> all = new ArrayList<>(List.of("nsenter", "-t", Long.toString(keepers.get(host).pid()), "-m", "-n",
            "-u"));
        all.addAll(command);
        return all;
    }

    /** Processes of a host that belong to a job: all but its keeper and its sshd. */
    List<String> processes(int host) throws IOException {
        return hosts.processes(host).stream().flatMap(pid -> ProcessHandle.of(pid).stream())
            .filter(process -> process.pid() != keepers.get(host).pid() && ProcessFiles.of(process).runs())
            .map(process -> process.pid() + " " + String.join(" ", ProcessFiles.of(process).commandLine()))
            .filter(line -> !line.contains("sshd")).toList();
    }

    /** Files of jobs in the host's shared memory and temporary directory. */
    List<Path> left(int host) throws IOException {
        Path root = Path.of("/proc/" + keepers.get(host).pid() + "/root");
        List<Path> left = new ArrayList<>(Place.entries(root.resolve("dev/shm")));
        left.addAll(Place.entries(root.resolve("tmp")).stream()
            .filter(entry -> entry.getFileName().toString().startsWith("tributary")).toList());
        return left;
    }

    private static void run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(COMMAND_S, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException(String.join(" ", command) + ": " + output.strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @Override
    public void close() {
        hosts.close();
        keepers.forEach(Process::destroyForcibly);
        try (Stream<Path> all = Files.walk(files)) {
            all.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
        } catch (IOException e) {
            System.err.println("cannot remove " + files + ": " + e);
        }
    }
}

package org.tributary.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** Commands of MPI that launch ranks, and what these ranks need that is not in their environment. */
final class Launchers {
    private static final String HYDRA = "mpiexec.hydra";
    private static final String OPEN_MPI = "mpirun.openmpi";

    private Launchers() {
    }

    /** Skips the test where there is no such command. */
    static void assumeCommand(String command, String packages) {
        boolean found = Stream.of((System.getenv("PATH") + ":/usr/sbin").split(":"))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, command)));
        if (!found) {
            System.out.println("skipped: there is no " + command + ": apt-get install " + packages);
        }
        Assumptions.assumeTrue(found, "there is no " + command);
    }

    /** By its name in tests; ranks are to follow. */
    static List<String> command(String launcher) {
        List<String> command = new ArrayList<>();
        switch (launcher) {
            case "hydra" -> {
                assumeCommand(HYDRA, "mpich");
                command.add(HYDRA);
            }
            case "hydra-port" -> {
                assumeCommand(HYDRA, "mpich");
                command.addAll(List.of(HYDRA, "-pmi-port"));
            }
            case "openmpi" -> {
                assumeCommand(OPEN_MPI, "openmpi-bin");
                command.addAll(List.of(OPEN_MPI, "--allow-run-as-root", "--oversubscribe"));
            }
            default -> throw new IllegalArgumentException(launcher);
        }
        return command;
    }

    /**
     * Launches four ranks on two hosts by ssh, each rank on another host than the one before.
     *
     * @param variables what ranks of all hosts are to have
     */
    static List<String> roundTheHosts(String launcher, SshHosts hosts, Collection<String> variables) {
        List<String> command = new ArrayList<>();
        Path ssh = script(hosts.folder().resolve("ssh"), "exec " + hosts.ssh() + " \"$@\"");
        if (launcher.equals("hydra")) {
            assumeCommand(HYDRA, "mpich");
            command.addAll(List.of(HYDRA, "-launcher", "ssh", "-launcher-exec", ssh.toString(), "-hosts", "n0,n1",
                "-ppn", "1", "-n", "4"));
        } else {
            assumeCommand(OPEN_MPI, "openmpi-bin");
            command.addAll(List.of(OPEN_MPI, "--allow-run-as-root", "--mca", "plm_rsh_agent", ssh.toString(), "--mca",
                "oob_tcp_if_include", "eth0", "--host", "n0:2,n1:2", "--map-by", "node", "-n", "4"));
            variables.forEach(name -> command.addAll(List.of("-x", name)));
        }
        return command;
    }

    /** The folder of a command `tributary` that is this build, and says nothing of other sources. */
    static Path home(Path work) {
        return home(work, "[ \"$1\" != server ] || { shift; exec " + quoted(Place.server()) + " \"$@\"; }\nexec "
            + quoted(Place.launcher()) + " \"$@\"");
    }

    /** One that does something else. */
    static Path home(Path work, String script) {
        return script(work.resolve("home/tributary"), script).getParent();
    }

    /** An executable of these lines. */
    static Path script(Path file, String lines) {
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, "#!/bin/sh\n" + lines + "\n");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Those ranks, of which some are in C where there is a C client; each says first where it runs. */
    static Path mixed(Path file, String rank, int rounds) {
        return script(file, "echo \"rank " + rank + " runs on $(hostname)\"\ncase " + rank + " in\n1|2) exec "
            + quoted(worker(true, rounds)) + ";;\n*) exec " + quoted(worker(false, rounds)) + ";;\nesac");
    }

    private static String quoted(List<String> command) {
        return command.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
    }

    /** A rank that works through rounds of everything and checks the answers. */
    static List<String> worker(boolean inC, int rounds) {
        List<String> command = inC && CampaignJob.hasC()
            ? new ArrayList<>(List.of(Path.of(CampaignJob.C_PROGRAM).toAbsolutePath().toString()))
            : Place.java("org.tributary.it.CampaignRank");
        command.addAll(List.of(Integer.toString(rounds), "1"));
        return command;
    }
}

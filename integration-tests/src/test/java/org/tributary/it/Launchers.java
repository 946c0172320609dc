package org.tributary.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
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

    /** The folder of a command `tributary` that is this build, and says nothing of other sources. */
    static Path home(Path work) {
        return home(work, "exec " + Place.launcher().stream().map(word -> "'" + word + "'")
            .collect(Collectors.joining(" ")) + " \"$@\"");
    }

    /** One that does something else. */
    static Path home(Path work, String script) {
        try {
            Path command = Files.createDirectories(work.resolve("home")).resolve("tributary");
            Files.writeString(command, "#!/bin/sh\n" + script + "\n");
            Files.setPosixFilePermissions(command, PosixFilePermissions.fromString("rwx------"));
            return command.getParent();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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

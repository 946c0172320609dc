package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tributary.config.Topology;
import org.tributary.launcher.job.JavaCommand;
import org.tributary.launcher.job.Libraries;
import org.tributary.testsupport.LoggedErrors;

/** The caches from which servers, ranks, launchers and agents of the distribution start. */
final class AotCachesTest {
    private static final String CACHE_OPTION = "-XX:AOTCache=";

    private static List<String> server() {
        List<String> command = JavaCommand.server(Topology.of(1, 1));
        return new ArrayList<>(command.subList(0, command.size() - JavaCommand.SUPERVISED_SERVER.size()));
    }

    private static List<String> agent() {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setsid")), "no setsid (util-linux) here, which agents need");
        List<String> command = JavaCommand.agent();
        return new ArrayList<>(command.subList(0, command.size() - JavaCommand.AGENT.size()));
    }

    @BeforeEach
    void assumeBuilt() {
        assumeTrue(server().contains("-jar"), "tested before it is packaged");
    }

    /** Everything that {@code command --version} prints. */
    private static String version(List<String> command) throws Exception {
        return output(command, "--version");
    }

    private static String output(List<String> command, String argument) throws Exception {
        command.add(argument);
        Process process = LoggedErrors.watch("tributary",
            new ProcessBuilder(command).redirectErrorStream(true).start());
        process.getOutputStream().close();
        if (!process.waitFor(Running.DEADLINE_S, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output;
    }

    @Test
    void shouldFitWhenTheDistributionHasJustBeenBuilt() throws Exception {
        for (List<String> command : List.of(server(), JavaCommand.launcher(), agent())) {
            assertTrue(command.stream().anyMatch(word -> word.startsWith(CACHE_OPTION)), command::toString);
            command.add(1, "-XX:AOTMode=on"); // ends the JVM when its cache does not fit
            version(command);
        }
    }

    /** A host's processor has nothing better to do than to start a job there: an agent reads no jar for it. */
    @Test
    void shouldHoldAllThatAnAgentNeedsToAnswer(@TempDir Path directory) throws Exception {
        List<String> command = agent();
        Path log = directory.resolve("log");
        command.add(1, "-Xlog:class+load:file=" + log);
        output(command, JavaCommand.AGENT.getFirst()); // nobody tells it to begin
        List<String> loaded = Files.readAllLines(log);
        assertTrue(loaded.stream().anyMatch(line -> line.contains("org.tributary.launcher.host.Agent ")),
            loaded::toString);
        assertEquals(List.of(), loaded.stream().filter(line -> line.contains("source: file:")).toList());
    }

    /** That of users' ranks fits them, too: their class path begins with the same jars. */
    @ParameterizedTest
    @EnumSource(value = Libraries.class, names = {"PROGRAM", "ALL"})
    void shouldFitWhenRanksRunProgramsOfTributary(Libraries libraries) throws Exception {
        List<String> command = JavaCommand.rank(libraries, "org.tributary.miniapps.jacobi.Jacobi", "/none",
            List.of("-XX:AOTMode=on"));
        assertTrue(command.stream().anyMatch(word -> word.startsWith(CACHE_OPTION)), command::toString);
        assertTrue(output(command, "--help").startsWith("Usage"));
    }

    /** What an adapter needs comes behind all else, so behind what the cache is for. */
    @Test
    void shouldFitWhenAnAdapterMovesDataOfRanks() throws Exception {
        List<String> command = JavaCommand.rank(Libraries.PROGRAM, "org.tributary.miniapps.jacobi.Jacobi",
            "/none:" + Libraries.ADAPTER.jars(), List.of("-XX:AOTMode=on"));
        assertTrue(output(command, "--help").startsWith("Usage"));
    }

    @Test
    void shouldNotBeMissedWhenTheyDoNotFit(@TempDir Path directory) throws Exception {
        List<String> command = server();
        Path jar = Path.of(command.getLast());
        Path library = directory.resolve("lib");
        link(jar.getParent(), library);
        Path other = library.resolve(jar.getFileName());
        Files.delete(other); // else the time of what was built would change
        Files.copy(jar, other);
        Files.setLastModifiedTime(other, FileTime.fromMillis(0));
        String expected = version(server());
        command.set(command.size() - 1, other.toString());
        assertEquals(expected, version(new ArrayList<>(command)));
        command.replaceAll(word -> word.startsWith(CACHE_OPTION) ? CACHE_OPTION + directory.resolve("none") : word);
        assertEquals(expected, version(command));
    }

    /** Classes of a cache say that they come from where it was made. */
    @Test
    void shouldUseTheJarsBesideItWhenTheDistributionLiesElsewhere(@TempDir Path directory) throws Exception {
        List<String> command = JavaCommand.launcher();
        Path distribution = Path.of(command.getLast()).getParent().getParent();
        link(distribution, directory.resolve("copy"));
        command.replaceAll(word -> word.replace(distribution.toString(), directory.resolve("copy").toString()));
        command.add(1, "-XX:AOTMode=on");
        for (String jar : output(command, "class-path").strip().split(":")) {
            assertTrue(jar.startsWith(directory.toString()), jar);
        }
    }

    /** Not from a copy in the temporary directory, which may be full, or hold nothing that can be executed. */
    @Test
    void shouldLoadCodeOfLibrariesFromTheDistributionWhenAServerStarts() throws Exception {
        List<String> command = JavaCommand.launcher();
        Path library = Path.of(command.getLast()).getParent();
        command.addAll(List.of("run", "--output", "plain", "--nodes", "1", "--", "/bin/sh", "-c"));
        String loaded = output(command, "for child in $(cat /proc/$PPID/task/*/children); do"
            + " grep -hs libnetty /proc/$child/maps; done; true");
        assertTrue(loaded.contains("libnetty"), loaded);
        assertTrue(loaded.lines().allMatch(line -> line.contains(library.resolve("native").toString())), loaded);
    }

    /** The same files at another place, copied only where they cannot be linked there. */
    private static void link(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path other = to.resolve(from.relativize(file));
                if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || !isLinked(file, other)) {
                    Files.copy(file, other, StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
        }
    }

    private static boolean isLinked(Path file, Path other) {
        try {
            Files.createLink(other, file);
            return true;
        } catch (IOException | UnsupportedOperationException e) {
            return false; // on another file system
        }
    }
}

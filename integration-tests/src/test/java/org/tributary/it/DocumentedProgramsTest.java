package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.launcher.job.JavaCommand;
import org.tributary.launcher.job.Libraries;
import org.tributary.server.CommunicationServer;
import org.tributary.wire.ServerAddress;

/** Programs of the documents: they compile as they stand there, and print what stands below them. */
class DocumentedProgramsTest {
    private static final Pattern PROGRAM = Pattern.compile("```java\n(.*?)```\n(.*?)(?=```java\n|\\z)", Pattern.DOTALL);
    private static final Pattern CLASS = Pattern.compile("public final class (\\w+) ");
    private static final Pattern OUTPUT = Pattern.compile("(?m)^    (\\[\\d+\\] .*)$");
    private static final Topology TOPOLOGY = Topology.uniform(2, 2);

    private final Place place = new Place();

    @AfterEach
    void close() {
        place.close();
    }

    /** A program, and what it prints, in any order. */
    private record Documented(String main, String source, List<String> output) {
    }

    private static List<Documented> programs(String document) throws IOException {
        List<Documented> programs = new ArrayList<>();
        Matcher found = PROGRAM.matcher(Files.readString(Path.of("..", document)));
        while (found.find()) {
            Matcher name = CLASS.matcher(found.group(1));
            if (name.find()) {
                programs.add(new Documented(name.group(1), found.group(1), OUTPUT.matcher(found.group(2)).results()
                    .map(line -> line.group(1)).sorted().toList()));
            }
        }
        assertFalse(programs.isEmpty(), document);
        return programs;
    }

    @TestFactory
    Stream<DynamicTest> shouldPrintWhatTheReadmeSays() throws Exception {
        List<Documented> programs = programs("README.md");
        Path classes = compile(programs);
        return programs.stream().map(program -> DynamicTest.dynamicTest(program.main, () -> {
            Running job = place.tributary("run", "--nodes", "2", "--ranks-per-node", "2", "--class-path",
                classes.toString(), program.main);
            assertEquals(0, job.exitCode(), job::toString);
            assertEquals(program.output, job.out().stream().sorted().toList(), job::toString);
            place.assertNothingLeft();
        }));
    }

    /** Ranks are processes as the launcher starts them, beside servers in this one. */
    @TestFactory
    Stream<DynamicTest> shouldPrintWhatTheGuideSays() throws Exception {
        List<Documented> programs = programs("docs/guide.md");
        Path classes = compile(programs);
        return programs.stream().map(program -> DynamicTest.dynamicTest(program.main, () -> {
            assertEquals(program.output, output(program.main, classes).stream().sorted().toList());
            place.assertNothingLeft();
        }));
    }

    private Path compile(List<Documented> programs) throws IOException {
        Path classes = Files.createDirectories(place.work().resolve("classes"));
        List<String> words = new ArrayList<>(List.of("-proc:none", "-cp", System.getProperty("java.class.path"), "-d",
            classes.toString()));
        for (Documented program : programs) {
            words.add(Files.writeString(place.work().resolve(program.main + ".java"), program.source).toString());
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        assertEquals(0, compiler.run(null, null, null, words.toArray(String[]::new)));
        return classes;
    }

    /** Lines of all ranks of a job that ends well, each behind the number of its rank. */
    private List<String> output(String main, Path classes) throws Exception {
        Settings settings = Settings.builder().environment(place.builder(List.of()).environment())
            .set("server.bind-address=127.0.0.1").build();
        Path addresses = place.work().resolve("servers");
        Files.deleteIfExists(addresses);
        List<CommunicationServer> servers = new ArrayList<>();
        try {
            List<String> lines = new ArrayList<>();
            for (int node = 0; node < TOPOLOGY.nodeCount(); node++) {
                servers.add(CommunicationServer.start(environment(addresses, node).build(), settings));
                lines.add(ServerAddress.format(servers.get(node).address()));
            }
            Files.move(Files.write(place.work().resolve("all-servers"), lines), addresses,
                StandardCopyOption.ATOMIC_MOVE);
            List<Running> ranks = new ArrayList<>();
            for (int rank = 0; rank < TOPOLOGY.rankCount(); rank++) {
                ProcessBuilder builder = place.builder(JavaCommand.rank(Libraries.RANK, main, classes.toString(),
                    List.of()));
                builder.environment().putAll(settings.toEnvironment());
                builder.environment().putAll(environment(addresses, TOPOLOGY.nodeOf(rank)).rank(rank).build()
                    .toEnvironment());
                ranks.add(place.start(builder));
            }
            List<String> output = new ArrayList<>();
            for (int rank = 0; rank < ranks.size(); rank++) {
                Running process = ranks.get(rank);
                assertEquals(0, process.exitCode(), process::toString);
                String prefix = "[" + rank + "] ";
                process.out().forEach(line -> output.add(prefix + line));
            }
            for (CommunicationServer server : servers) {
                CommunicationServer.Termination end = server.awaitTermination();
                assertTrue(end.clean(), end::toString);
            }
            return output;
        } finally {
            servers.forEach(CommunicationServer::close);
        }
    }

    private static JobEnvironment.Builder environment(Path addresses, int node) {
        return JobEnvironment.builder().jobId("documented").secret(new byte[32]).topology(TOPOLOGY).node(node)
            .serversFile(addresses);
    }
}

package org.tributary.miniapps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tributary.client.Gas;
import org.tributary.globalarrays.GlobalArray;
import org.tributary.globalarrays.file.Checkpoint;
import org.tributary.miniapps.fock.Fock;
import org.tributary.miniapps.halo.GhostExchange;
import org.tributary.miniapps.halo.Halo;
import org.tributary.miniapps.jacobi.Jacobi;
import org.tributary.miniapps.lu.Lu;
import org.tributary.miniapps.matmul.Matmul;
import org.tributary.miniapps.md.Md;
import org.tributary.miniapps.randomaccess.RandomAccess;
import org.tributary.miniapps.scf.Scf;
import org.tributary.wire.shape.ElementType;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

class ProgramsTest {
    private static final int FIELDS = 3;

    /** Name, class and help of every program in the resource that the launcher reads. */
    private static List<String[]> programs() throws IOException {
        try (InputStream in = ProgramsTest.class.getResourceAsStream("/META-INF/tributary/programs")) {
            List<String[]> programs = new ArrayList<>();
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n", -1)) {
                if (!line.isBlank()) {
                    String[] fields = line.split(" = |  # ", -1);
                    assertEquals(FIELDS, fields.length, line);
                    programs.add(fields);
                }
            }
            return programs;
        }
    }

    @Test
    void shouldNameProgramsThatCanBeStarted() throws Exception {
        List<String> names = new ArrayList<>();
        for (String[] program : programs()) {
            names.add(program[0]);
            assertNotNull(Class.forName(program[1]).getMethod("main", String[].class));
        }
        assertEquals(List.of("hello", "empty", "matmul", "jacobi", "fock", "random-access", "halo",
            "ghost-exchange", "multigrid", "lu", "md", "scf"), names);
    }

    @Test
    void shouldHaveHelpUnderTheSameName() throws Exception {
        for (String[] program : programs()) {
            Class<?> type = Class.forName(program[1]);
            if (MiniApp.class.isAssignableFrom(type)) {
                CommandLine line = new CommandLine(type.getDeclaredConstructor().newInstance());
                assertEquals(program[0], line.getCommandName());
                assertTrue(line.getUsageMessage().contains("--help"), line.getUsageMessage());
            }
        }
    }

    static Stream<Arguments> verifyingPrograms() {
        return Stream.of(
            Arguments.of((Supplier<MiniApp>) Matmul::new, "matmul --size 40 --iterations 2", "\"type\": \"double\""),
            Arguments.of((Supplier<MiniApp>) Jacobi::new, "jacobi --size 8", "\"errorBound\": "),
            Arguments.of((Supplier<MiniApp>) Fock::new, "fock --size 24 --iterations 2", "\"tasks\": 16"),
            Arguments.of((Supplier<MiniApp>) RandomAccess::new, "random-access --table-log2 10", "\"updates\": 4096"),
            Arguments.of((Supplier<MiniApp>) Halo::new, "halo --steps 5", "\"synchronization\": \"fence auto\""),
            Arguments.of((Supplier<MiniApp>) GhostExchange::new, "ghost-exchange --steps 5",
                "\"bytesOfMessage\": 16"),
            Arguments.of((Supplier<MiniApp>) Scf::new, "scf --basis STO-3G", "\"basis\": \"STO-3G\""));
    }

    @ParameterizedTest
    @MethodSource("verifyingPrograms")
    void shouldWriteFiguresInOneForm(Supplier<MiniApp> program, String words, String own, @TempDir Path folder)
        throws IOException {
        Path file = folder.resolve("figures.json");
        String name = words.split(" ")[0];
        String[] arguments = (words.substring(name.length()).strip() + " --json " + file).strip().split(" ");
        assertTrue(JobShape.TWO_NODES_OF_TWO.run(program, arguments).right());
        String json = Files.readString(file);
        assertTrue(json.startsWith("{\"program\": \"" + name + "\", \"ranks\": 4, \"nodes\": 2, "), json);
        assertTrue(json.contains("\"seconds\": ") && json.contains(own), json);
        assertTrue(json.endsWith("\"verified\": true}" + System.lineSeparator()), json);
    }

    @Test
    void shouldLeaveOutWhatWasNotVerified(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("figures.json");
        assertTrue(JobShape.ONE_NODE_OF_FOUR.run(Halo::new, "--steps", "2", "--verify=off", "--json", file.toString())
            .right());
        assertFalse(Files.readString(file).contains("verified"));
    }

    private static void refuse(Supplier<MiniApp> program, String words, String problem) {
        String message = assertThrows(ParameterException.class,
            () -> JobShape.TWO_NODES_OF_TWO.run(program, words.split(" "))).getMessage();
        assertTrue(message.contains(problem), message);
    }

    /** By the same name, by another one, by a link, and before the file is there. */
    @Test
    void shouldRefuseOptionsThatNameTheSameFile(@TempDir Path folder) throws IOException {
        String lu = "--class S --warmup 0 --checkpoint ";
        Path file = folder.resolve("f");
        Path other = Files.createDirectory(folder.resolve("d")).resolve("../f");
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("f"));
        for (int isThere = 0; isThere < 2; isThere++) {
            for (Path same : List.of(file, other, link)) {
                refuse(Lu::new, lu + file + " --json " + same, " names the same file");
            }
            refuse(Md::new, "--frame " + file + " --json " + file, " names the same file");
            refuse(Scf::new, "--density " + file + " --json " + link, " names the same file");
            if (isThere == 0) {
                assertFalse(Files.exists(file));
                Files.createFile(file);
            }
        }
        assertTrue(JobShape.ONE_NODE_OF_FOUR.run(Md::new, "--atoms", "864", "--steps", "2", "--equilibration", "0",
            "--frame", "/dev/null", "--json", "/dev/null").right());
    }

    /** Coordinates are not replaced by figures of them; a molecule with a name is no file. */
    @Test
    void shouldRefuseOutputsThatNameAnInput(@TempDir Path folder) throws IOException {
        String helium = "2\ntwo atoms\nHe 0 0 0\nHe 0 0 3\n";
        Path file = Files.writeString(folder.resolve("he2.xyz"), helium);
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("he2.xyz"));
        String scf = "--basis STO-3G --molecule ";
        for (String option : List.of("--json", "--density", "--checkpoint")) {
            refuse(Scf::new, scf + file + " " + option + " " + file, option + ": " + file
                + ": --molecule names the same file, and it would be replaced");
            refuse(Scf::new, scf + link + " " + option + " " + file, "--molecule names the same file");
        }
        assertEquals(helium, Files.readString(file));
        assertTrue(JobShape.ONE_NODE_OF_FOUR.run(Scf::new, (scf + file + " --json " + folder.resolve("figures"))
            .split(" ")).right());
        refuse(Scf::new, scf + "\0 --json " + file, "--molecule \0: rank 0 cannot read it on its host");
    }

    @Test
    void shouldRefuseALinkToWhereNoFileCanBeMade(@TempDir Path folder) throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("/no/such/state"));
        Path loop = Files.createSymbolicLink(folder.resolve("loop"), Path.of("loop"));
        for (Path file : List.of(link, loop)) {
            refuse(Lu::new, "--class S --checkpoint " + file, "--checkpoint: " + file + ": rank 0 cannot make it");
            refuse(Lu::new, "--class S --json " + file, "--json: " + file + ": rank 0 cannot make it");
        }
        Path good = Files.createSymbolicLink(folder.resolve("good"), Path.of("state"));
        assertTrue(JobShape.ONE_NODE_OF_FOUR.run(Lu::new, "--class", "S", "--checkpoint", good.toString()).right());
        assertTrue(Files.isSymbolicLink(good) && Files.isRegularFile(folder.resolve("state")));
    }

    static Stream<Arguments> tooLargePrograms() {
        return Stream.of(
            Arguments.of((Supplier<MiniApp>) RandomAccess::new, "--table-log2 40"),
            Arguments.of((Supplier<MiniApp>) Matmul::new, "--size 1000000"),
            Arguments.of((Supplier<MiniApp>) Jacobi::new, "--size 1000000 --tolerance 1e-14"));
    }

    /** Problems of 8 TiB: each rank knows, and one says so. */
    @ParameterizedTest
    @MethodSource("tooLargePrograms")
    void shouldFailOnAllRanksWhenSharedMemoryHasNoRoom(Supplier<MiniApp> program, String words) {
        for (JobShape job : JobShape.values()) {
            JobShape.Outcome outcome = job.run(program, words.split(" "));
            assertFalse(outcome.right(), outcome.printed());
            assertFalse(outcome.printed().contains("verification"), outcome.printed());
        }
    }

    @Test
    void shouldSayWhatToDoWhenMemoryRunsOut() {
        assertTrue(MiniApp.explain(new OutOfMemoryError("Java heap space"))
            .matches("Java heap space; raise .*, or -Xmx \\(--jvm-option=-Xmx…, now [0-9]+m\\); a smaller .*"));
        assertTrue(MiniApp.explain(new OutOfMemoryError("unable to create native thread: possibly out of memory"))
            .endsWith("or start fewer ranks"));
    }

    /** A program whose answer is no number. */
    @Test
    void shouldWriteJsonWhenFiguresAreNoNumbers(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("figures.json");
        assertFalse(JobShape.TWO_NODES_OF_TWO.run(NoNumbers::new, "--json", file.toString()).right());
        String json = Files.readString(file);
        assertTrue(json.contains("\"residuals\": [1.0, null], \"error\": null, \"verified\": false}"), json);
    }

    @CommandLine.Command(name = "no-numbers")
    private static final class NoNumbers extends MiniApp {
        @CommandLine.Mixin
        private JsonOption json = new JsonOption();

        @Override
        public boolean run(Gas gas, Report out) {
            Map<String, Object> figures = JsonOption.figures("no-numbers", gas);
            figures.put("residuals", List.of(1.0, Double.NaN));
            figures.put("error", Double.POSITIVE_INFINITY);
            return json.write(gas, figures, false);
        }
    }

    @Test
    void shouldFailOnAllRanksWhenACheckpointCannotBeWritten(@TempDir Path folder) {
        Path file = folder.resolve("gone").resolve("checkpoint");
        assertFalse(JobShape.TWO_NODES_OF_TWO.run(() -> new MiniApp() {
            @Override
            public boolean run(Gas gas, Report out) {
                try (GlobalArray array = GlobalArray.create(gas, "a", ElementType.DOUBLE, 2, 2)) {
                    Checkpoint.of(file, "a program", array).write(1);
                    return true;
                }
            }
        }).right());
    }
}

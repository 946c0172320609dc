package org.tributary.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.benchmarks.cold.ColdBenchmark;
import org.tributary.benchmarks.cooperation.Cooperation;
import org.tributary.benchmarks.idle.Idle;
import org.tributary.benchmarks.loops.ServerThreadsBenchmark;
import org.tributary.benchmarks.observe.ObserveBenchmark;
import org.tributary.benchmarks.onesided.OneSided;
import org.tributary.benchmarks.windows.Windows;
import org.tributary.miniapps.CommandLines;
import picocli.CommandLine;

class CommandLinesTest {
    private final StringWriter err = new StringWriter();
    private final StringWriter out = new StringWriter();

    @ParameterizedTest
    @CsvSource({
        "--ops, put+fense, put+fence",
        "--ops, 'get,fetchandadd', fetchAndAdd",
        "--sizes, 12, 'multiple of 8'",
        "--paths, remot, remote",
        "--opps, get, --ops",
        "--iterations, 1.5, '1.5'"})
    void shouldExplainAndExitWith2WhenCommandLineIsWrong(String option, String value, String explanation) {
        assertEquals(2, execute(new OneSided(), option, value));

        assertTrue(err.toString().toLowerCase(java.util.Locale.ROOT)
            .contains(explanation.toLowerCase(java.util.Locale.ROOT)), err::toString);
    }

    @ParameterizedTest
    @CsvSource({"--parts, 'overlap,fense', fence", "--seconds, abc, 'abc'",
        "--jsn, f, --json", "--seconds, 0, --seconds"})
    void shouldExplainWhenCommandLineOfWindowsIsWrong(String option, String value, String explanation) {
        assertEquals(2, execute(new Windows(), option, value));

        assertTrue(err.toString().contains(explanation), err::toString);
    }

    @Test
    void shouldSayHowToAskForHelpWhenWrong() {
        assertEquals(2, execute(new Idle(), "--seconds", "0"));

        assertTrue(err.toString().lines().anyMatch("see 'tributary bench idle --help'"::equals), err::toString);
    }

    @Test
    void shouldRefuseWhenIdleForNoTime() {
        assertEquals(2, execute(new Idle(), "--seconds", "0"));

        assertTrue(err.toString().contains("--seconds"), err::toString);
    }

    @ParameterizedTest
    @CsvSource({"--rounds, 0", "--seconds, 0", "--seconds, NaN", "--seconds, 1e9"})
    void shouldRefuseWhenObservingForNoTimeOrForEver(String option, String value) {
        assertEquals(2, execute(new ObserveBenchmark(), option, value));

        assertTrue(err.toString().contains(option), err::toString);
    }

    @ParameterizedTest
    @CsvSource({"--threads, 1", "--threads, 65", "--rounds, 0", "--iterations, 0"})
    void shouldRefuseWhenThereAreNoLoopsToCompare(String option, String value) {
        assertEquals(2, execute(new ServerThreadsBenchmark(), option, value));

        assertTrue(err.toString().contains(option), err::toString);
    }

    @ParameterizedTest
    @CsvSource({"--first, 0, --first", "--seconds, 0, --seconds", "--seconds, NaN, --seconds", "--ops, gett, get",
        "--jobs, 0, --jobs"})
    void shouldExplainWhenCommandLineOfColdIsWrong(String option, String value, String explanation) {
        assertEquals(2, execute(new ColdBenchmark(), option, value));

        assertTrue(err.toString().contains(explanation), err::toString);
    }

    @ParameterizedTest
    @CsvSource({"--rounds, 0", "--rounds, 1001", "--round-ms, 0", "--round-ms, 1001", "--task-ms, 0",
        "--task-ms, 100001", "--group-size, -1"})
    void shouldRefuseWhenCooperationCannotBeMeasuredSo(String option, String value) {
        assertEquals(2, execute(new Cooperation(), option, value));

        assertTrue(err.toString().contains(option), err::toString);
    }

    @Test
    void shouldExplainEveryOptionWhenAskedForHelp() {
        assertEquals(0, execute(new OneSided(), "--help"));

        for (String option : List.of("--ops", "--sizes", "--paths", "--targets", "--iterations", "--repeat")) {
            assertTrue(out.toString().contains(option), out::toString);
        }
    }

    @Test
    void shouldFailWith1WhenCommandThrows() {
        assertEquals(1, execute(new Failing()));

        assertTrue(err.toString().contains("no such luck"), err::toString);
    }

    @ParameterizedTest
    @ValueSource(strings = {"benchmarks", "tools"})
    void shouldNameCommandsThatExistWhenListed(String registry) throws Exception {
        for (String line : registry(registry)) {
            String name = line.substring(0, line.indexOf(" = "));
            Class<?> main = Class.forName(line.substring(line.indexOf(" = ") + 3, line.indexOf("  # ")));
            if (registry.equals("benchmarks")) {
                main.getMethod("main", String[].class);
                assertTrue(new CommandLine(main).getCommandSpec().optionsMap().containsKey("--json"), name);
            }
            assertEquals(name, main.getAnnotation(CommandLine.Command.class).name());
        }
    }

    private static List<String> registry(String name) throws IOException {
        try (InputStream file = CommandLinesTest.class.getResourceAsStream("/META-INF/tributary/" + name)) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }

    private int execute(Callable<Integer> command, String... arguments) {
        return CommandLines.of("tributary bench", command).setErr(new PrintWriter(err, true))
            .setOut(new PrintWriter(out, true))
            .execute(arguments);
    }

    @CommandLine.Command(name = "failing")
    private static final class Failing implements Callable<Integer> {
        @Override
        public Integer call() {
            throw new IllegalStateException("no such luck");
        }
    }
}

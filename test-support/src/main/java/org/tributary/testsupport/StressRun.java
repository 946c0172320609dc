package org.tributary.testsupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A run of all jcstress tests of one package, in JVMs of their own, with the class path of the caller. */
public final class StressRun {
    private static final long MARGIN_MS = TimeUnit.MINUTES.toMillis(7);
    private static final int ITERATIONS_AT_MOST = 20;

    private StressRun() {
    }

    /**
     * Runs them and has the test fail unless every outcome is one that they name.
     *
     * @param tests      their package
     * @param count      how many there are
     * @param millis     how long each is to run
     * @param jvmOptions of the JVMs that they run in
     * @param more       of jcstress
     * @param directory  for its results, empty
     */
    public static void assertOnlyNamedOutcomes(String tests, int count, int millis, String jvmOptions,
        List<String> more, Path directory) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED", "-Xmx256m", "-cp", System.getProperty("java.class.path"),
            "org.openjdk.jcstress.Main", "-t", tests, "-f", "1", "-iters", "1", "-time", Integer.toString(millis),
            "-sc", "false", "-af", "NONE", "-hs", "128", "-strideSize", "100", "-strideCount", "10", "-c", "2",
            "-jvmArgs", jvmOptions, "-r", directory.toString()));
        command.addAll(more);
        Path output = directory.resolve("output");
        Process jcstress = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true)
            .redirectOutput(output.toFile()).start();
        boolean ended = jcstress.waitFor(MARGIN_MS + (long) ITERATIONS_AT_MOST * count * millis,
            TimeUnit.MILLISECONDS);
        if (!ended) {
            jcstress.destroyForcibly();
        }
        String text = Files.readString(output);
        assertTrue(ended, text);
        assertEquals(0, jcstress.exitValue(), text);
        assertTrue(text.contains("Failed tests: No matches."), text);
        assertTrue(text.contains("Error tests: No matches."), text);
        assertTrue(text.contains("All remaining tests: " + count + " matching"), text);
    }
}

package org.tributary.wire.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the stress tests of this package, briefly; longer with {@code -Dtributary.stress.millis}. */
class StressTest {
    private static final String MILLIS = System.getProperty("tributary.stress.millis", "300");
    private static final int TESTS = 18;

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void shouldSeeOnlyNamedOutcomesWhenSharedWordsAreRacedFor(@TempDir Path directory)
        throws IOException, InterruptedException {
        Path output = directory.resolve("output");
        Process jcstress = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED", "-Xmx256m", "-cp", System.getProperty("java.class.path"),
            "org.openjdk.jcstress.Main",
            "-t", "org.tributary.wire.stress", "-f", "1", "-iters", "1", "-time", MILLIS, "-sc", "false",
            "-af", "NONE", "-hs", "128", "-strideSize", "100", "-strideCount", "10", "-c", "2",
            "-jvmArgs", "--enable-native-access=ALL-UNNAMED", "-r", directory.toString())
            .directory(directory.toFile()).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        boolean ended = jcstress.waitFor(9, TimeUnit.MINUTES);
        if (!ended) {
            jcstress.destroyForcibly();
        }
        String text = Files.readString(output);
        assertTrue(ended, text);
        assertEquals(0, jcstress.exitValue(), text);
        assertTrue(text.contains("Failed tests: No matches."), text);
        assertTrue(text.contains("Error tests: No matches."), text);
        assertTrue(text.contains("All remaining tests: " + TESTS + " matching"), text);
    }
}

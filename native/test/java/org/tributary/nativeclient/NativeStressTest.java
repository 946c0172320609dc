package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.config.JvmOptions;

/** Runs the stress tests of the package {@code stress}, briefly, or longer as part of the campaign. */
class NativeStressTest {
    private static final int TESTS = 6;

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void shouldSeeOnlyNamedOutcomesWhenJavaAndCRaceForWords(@TempDir Path directory)
        throws IOException, InterruptedException {
        run(directory, 200);
    }

    @Test
    @Tag("campaign")
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void shouldSeeOnlyNamedOutcomesForLong(@TempDir Path directory) throws IOException, InterruptedException {
        run(directory, Integer.getInteger("campaign.stress-millis", 60_000));
    }

    private static void run(Path directory, int millis) throws IOException, InterruptedException {
        NativeBuild.assumeBuilt();
        Path output = directory.resolve("output");
        Path shm = Files.createTempDirectory(Path.of("/dev/shm"), "tributary-stress-");
        String jvm = String.join(" ", JvmOptions.required()) + " -Dstress.library="
            + NativeBuild.prefix().resolve("lib").resolve("libtributary.so") + " -Dstress.directory=" + shm;
        Process jcstress = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m", "-cp", System.getProperty("java.class.path"), "org.openjdk.jcstress.Main",
            "-t", "org.tributary.nativeclient.stress", "-f", "1", "-fsm", "1", "-iters", "1", "-time",
            Integer.toString(millis), "-sc", "false", "-af", "NONE", "-hs", "128", "-strideSize", "100",
            "-strideCount", "10", "-c", "2",
            "-jvmArgs", jvm, "-r", directory.toString())
            .directory(directory.toFile()).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        boolean ended = jcstress.waitFor(9L * 60_000 + 20L * TESTS * millis, TimeUnit.MILLISECONDS);
        if (!ended) {
            jcstress.destroyForcibly();
        }
        delete(shm);
        String text = Files.readString(output);
        assertTrue(ended, text);
        assertEquals(0, jcstress.exitValue(), text);
        assertTrue(text.contains("Failed tests: No matches."), text);
        assertTrue(text.contains("Error tests: No matches."), text);
        assertTrue(text.contains("All remaining tests: " + TESTS + " matching"), text);
    }

    /** Of a process that exits the servers do not end in order. */
    private static void delete(Path directory) throws IOException {
        try (Stream<Path> tree = Files.walk(directory)) {
            for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}

package org.tributary.nativeclient;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.config.JvmOptions;
import org.tributary.testsupport.StressRun;

/** Runs the stress tests of the package {@code stress}, briefly, or longer as part of the campaign. */
class NativeStressTest {
    private static final int TESTS = 6;

    @Test
    @Timeout(value = 40, unit = TimeUnit.MINUTES)
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
        Path shm = Files.createTempDirectory(Path.of("/dev/shm"), "tributary-stress-");
        String jvm = String.join(" ", JvmOptions.required()) + " -Dstress.library="
            + NativeBuild.prefix().resolve("lib").resolve("libtributary.so") + " -Dstress.directory=" + shm;
        try {
            StressRun.assertOnlyNamedOutcomes("org.tributary.nativeclient.stress", TESTS, millis, jvm,
                List.of("-fsm", "1"), directory);
        } finally {
            delete(shm);
        }
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

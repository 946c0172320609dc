package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The scripts that build the C client, in a copy of its sources. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
final class BuildTest {
    private static final Path NATIVE = Path.of("../native");

    @BeforeEach
    void assumeTools() {
        NativeBuild.assumeTool("cmake");
        NativeBuild.assumeTool("cc");
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> tree = Files.walk(from)) {
            for (Path path : tree.toList()) {
                Path copy = to.resolve(from.relativize(path));
                if (Files.isDirectory(path)) {
                    Files.createDirectories(copy);
                } else {
                    Files.copy(path, copy);
                }
            }
        }
    }

    @Test
    void shouldBuildTheShimWhenThePathHasASpace() throws Exception {
        try (Jobs jobs = new Jobs()) {
            Path sources = jobs.work().resolve("my sources/native");
            for (String part : List.of("fabric", "cmake")) {
                copy(NATIVE.resolve(part), sources.resolve(part));
            }
            Path to = jobs.work().resolve("my shim");
            String output = jobs.start(List.of("/bin/sh", sources.resolve("fabric/build.sh").toString(),
                jobs.work().resolve("my tree").toString(), to.toString())).succeed();
            assertTrue(Files.exists(to.resolve("libtributary-fabric.so"))
                || output.contains("libfabric-dev is missing"), output);
        }
    }
}

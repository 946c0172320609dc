package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
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

    /** A folder with every command of the machine but compilers of MPI. CMake looks nowhere else, and builds nothing. */
    private static Path tools(Path folder) throws IOException {
        Files.createDirectory(folder);
        Path cmake = null;
        for (String directory : System.getenv("PATH").split(":")) {
            try (Stream<Path> commands = Files.list(Path.of(directory))) {
                for (Path command : commands.toList()) {
                    Path link = folder.resolve(command.getFileName());
                    if (command.endsWith("cmake")) {
                        cmake = cmake == null ? command : cmake;
                    } else if (!command.getFileName().toString().startsWith("mpicc") && !Files.exists(link)) {
                        Files.createSymbolicLink(link, command);
                    }
                }
            } catch (NoSuchFileException e) {
                // A PATH may name folders that do not exist.
            }
        }
        write(folder.resolve("cmake"), "case $1 in --build | --install) exit 0 ;; esac\nexec " + cmake
            + " -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF \"$@\"\n");
        return folder;
    }

    private static void write(Path script, String lines) throws IOException {
        Files.writeString(script, "#!/bin/sh\n" + lines);
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    }

    /** What {@code build.sh client} says, with those commands. */
    private static String configure(Jobs jobs, Path tools) throws Exception {
        return jobs.start(List.of("/bin/sh", NATIVE.resolve("build.sh").toRealPath().toString(),
            jobs.work().resolve("target").toString(), "client"), Map.of("PATH", tools.toString())).succeed();
    }

    @Test
    void shouldFindAPackageWhenItComesAfterTheFirstBuild() throws Exception {
        try (Jobs jobs = new Jobs()) {
            Path target = jobs.work().resolve("target");
            copy(NATIVE.resolve("target/generated-sources"), target.resolve("generated-sources"));
            Path tools = tools(jobs.work().resolve("tools"));
            String first = configure(jobs, tools);
            assertTrue(first.contains("libarmci for openmpi is not built: "), first);
            assertTrue(first.contains("the shim over libfabric is not built: "), first);
            write(tools.resolve("mpicc.openmpi"), "echo gcc -I/usr/include -lmpi\n");
            String second = configure(jobs, tools);
            assertFalse(second.contains("openmpi"), second);
            assertTrue(second.contains("libarmci for mpich is not built: "), second);
            assertEquals(second, Files.readString(target.resolve("left-out")));
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

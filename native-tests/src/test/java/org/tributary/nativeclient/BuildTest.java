package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The scripts that build the C client, in a copy of its sources. */
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

    /** A folder with all commands of the machine but compilers of MPI. CMake looks nowhere else, and builds nothing. */
    private static Path tools(Path folder) throws IOException {
        Files.createDirectory(folder);
        Path cmake = null;
        for (String directory : System.getenv("PATH").split(":")) {
            try (Stream<Path> commands = Files.list(Path.of(directory))) {
                for (Path command : commands.toList()) {
                    Path link = folder.resolve(command.getFileName());
                    if (command.endsWith("cmake")) {
                        cmake = cmake == null ? command : cmake;
                    } else if (!command.getFileName().toString().startsWith("mpicc")
                        && !Files.exists(link, LinkOption.NOFOLLOW_LINKS)) {
                        Files.createSymbolicLink(link, command);
                    }
                }
            } catch (NoSuchFileException | AccessDeniedException e) {
                // A PATH may name folders that do not exist, or are of others.
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

    /** What {@code build.sh client} says, with those commands and options of CMake. */
    private static String configure(Jobs jobs, Path tools, String... options) throws Exception {
        Path target = jobs.work().resolve("target");
        if (!Files.exists(target)) {
            copy(NATIVE.resolve("target/generated-sources"), target.resolve("generated-sources"));
        }
        return jobs.start(List.of("/bin/sh", NATIVE.resolve("build.sh").toRealPath().toString(), target.toString(),
            "client"), Map.of("PATH", tools.toString(), "NATIVE_CMAKE_OPTIONS", String.join("\n", options))).succeed();
    }

    /** A compiler wrapper whose header defines that. */
    private static Path wrapper(Path file, String macro) throws IOException {
        write(file, "[ $1 = -show ] && echo gcc -I/usr/include -lmpi || echo '#define " + macro + " 1'\n");
        return file;
    }

    @Test
    void shouldFindAPackageWhenItComesAfterTheFirstBuild() throws Exception {
        try (Jobs jobs = new Jobs()) {
            Path target = jobs.work().resolve("target");
            Path tools = tools(jobs.work().resolve("tools"));
            String first = configure(jobs, tools);
            assertTrue(first.contains("libarmci for openmpi is not built: "), first);
            assertTrue(first.contains("the shim over libfabric is not built: "), first);
            wrapper(tools.resolve("mpicc.openmpi"), "OPEN_MPI");
            String second = configure(jobs, tools);
            assertFalse(second.contains("openmpi"), second);
            assertTrue(second.contains("libarmci for mpich is not built: "), second);
            assertEquals(second, Files.readString(target.resolve("left-out")));
        }
    }

    @ParameterizedTest
    @CsvSource({"openmpi, OPEN_MPI, mpich", "mpich, MPICH_VERSION, openmpi"})
    void shouldBuildForTheMpiOfAPlainMpiccWhenNoOtherNameIsThere(String mpi, String macro, String other)
        throws Exception {
        try (Jobs jobs = new Jobs()) {
            Path tools = tools(jobs.work().resolve("tools"));
            Path mpicc = wrapper(tools.resolve("mpicc"), macro);
            String output = configure(jobs, tools);
            assertFalse(output.contains("libarmci for " + mpi), output);
            assertTrue(output.contains("libarmci for " + other + " is not built: "), output);
            Files.delete(mpicc);
            assertTrue(configure(jobs, tools).contains("libarmci for " + mpi + " is not built: "), mpi);
        }
    }

    /** Elsewhere than on Debian, CMake would take lib64, which no page names. */
    @Test
    void shouldInstallToLibAndTakeTheUsersOptionsWhenItConfigures() throws Exception {
        try (Jobs jobs = new Jobs()) {
            Path tools = tools(jobs.work().resolve("tools"));
            Path mpicc = wrapper(jobs.work().resolve("mpicc of a module"), "OPEN_MPI");
            String output = configure(jobs, tools, "-DMPICC_openmpi=" + mpicc, "-DTRIBUTARY_HOME=/a b");
            assertFalse(output.contains("openmpi"), output);
            String cache = Files.readString(jobs.work().resolve("target/cmake/CMakeCache.txt"));
            assertTrue(cache.lines().anyMatch(line -> line.matches("CMAKE_INSTALL_LIBDIR:.*=lib")), cache);
            assertTrue(cache.lines().anyMatch(line -> line.matches("TRIBUTARY_HOME:.*=/a b")), cache);
            String libraries = Files.readString(jobs.work().resolve("target/cmake/armci/armci-openmpi.pc"));
            assertTrue(libraries.contains(" -ldl\n"), libraries);
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

package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is installed to a prefix: the program of the README is built against it and runs. */
final class InstallTest {
    private static final Path CONSUMER = Path.of("../native/test/consumer").toAbsolutePath();
    private static Jobs consumer;

    @BeforeEach
    void assumeBuilt() {
        NativeBuild.assumeBuilt();
    }

    @AfterAll
    static void close() throws IOException {
        if (consumer != null) {
            consumer.close();
        }
    }

    /** The folder of the programs that CMake has built against the prefix, once for all tests. */
    private static Path consumer() throws Exception {
        if (consumer == null) {
            Jobs jobs = new Jobs();
            try {
                Path build = jobs.work().resolve("build");
                jobs.start(List.of("cmake", "-S", CONSUMER.toString(), "-B", build.toString(),
                    "-DVERSION=" + minorVersion(), "-DCMAKE_PREFIX_PATH=" + NativeBuild.prefix())).succeed();
                jobs.start(List.of("cmake", "--build", build.toString())).succeed();
                consumer = jobs;
            } finally {
                if (consumer == null) {
                    jobs.close();
                }
            }
        }
        return consumer.work().resolve("build");
    }

    /** Such as 0.1, by the name of the library. */
    private static String minorVersion() throws IOException {
        String name = NativeBuild.prefix().resolve("lib/libtributary.so").toRealPath().getFileName().toString();
        return name.replaceAll("libtributary\\.so\\.(\\d+\\.\\d+).*", "$1");
    }

    private static void greets(Jobs jobs, Path program) throws Exception {
        String output = jobs.run("1,1", List.of(), program).succeed();
        assertTrue(output.contains("rank 0 of 2 was greeted by rank 1"), output);
    }

    @Test
    void shouldBuildAProgramWhenCMakeFindsThePackage() throws Exception {
        try (Jobs jobs = new Jobs()) {
            greets(jobs, consumer().resolve("ring_shared"));
            greets(jobs, consumer().resolve("ring_static"));
        }
    }

    @Test
    void shouldBuildAProgramWhenPkgConfigFindsTheLibrary() throws Exception {
        NativeBuild.assumeTool("pkg-config");
        try (Jobs jobs = new Jobs()) {
            Path program = jobs.work().resolve("ring");
            Path libraries = NativeBuild.prefix().resolve("lib");
            jobs.start(List.of("/bin/sh", "-c", "PKG_CONFIG_PATH=" + libraries.resolve("pkgconfig") + " && export"
                + " PKG_CONFIG_PATH && cc " + CONSUMER.resolve("ring.c") + " -o " + program
                + " $(pkg-config --cflags --libs tributary) -Wl,-rpath," + libraries)).succeed();
            greets(jobs, program);
        }
    }

    /** Two ranks on two nodes, which start their own servers. */
    private static void shifts(Jobs jobs, Path home, String mpi, Path program) throws Exception {
        String mpirun = NativeBuild.assumeTool("mpirun." + mpi) + (mpi.equals("openmpi") ? " --oversubscribe" : "");
        String output = jobs.start(List.of("/bin/sh", "-c", "TRIBUTARY_HOME=" + home + " TRIBUTARY_NODES=2"
            + " OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 exec " + mpirun + " -n 2 " + program))
            .succeed();
        assertTrue(output.contains("rank 0 of 2 was greeted by rank 1"), output);
        jobs.assertNothingLeft();
    }

    @ParameterizedTest
    @ValueSource(strings = {"openmpi", "mpich"})
    void shouldBuildAnArmciProgramWhenToolsFindTheLibrary(String mpi) throws Exception {
        NativeBuild.assumeTool("mpicc." + mpi);
        NativeBuild.assumeTool("pkg-config");
        try (Jobs jobs = new Jobs()) {
            Path home = jobs.home();
            shifts(jobs, home, mpi, consumer().resolve("shift_" + mpi));
            Path program = jobs.work().resolve("shift");
            jobs.start(List.of("/bin/sh", "-c", "PKG_CONFIG_PATH=" + NativeBuild.prefix().resolve("lib/pkgconfig")
                + " && export PKG_CONFIG_PATH && cc -Wall -Wextra -Werror " + CONSUMER.resolve("shift.c") + " -o "
                + program + " $(pkg-config --cflags --libs armci-" + mpi + ")")).succeed();
            shifts(jobs, home, mpi, program);
        }
    }

    /** Until 1.0, structures that callers allocate may change with the minor version. */
    @Test
    void shouldHaveTheMinorVersionInItsNameWhileInterfacesMayChange() throws Exception {
        Path library = NativeBuild.prefix().resolve("lib/libtributary.so");
        String version = minorVersion();
        String name = "libtributary.so." + (version.startsWith("0.") ? version : version.replaceAll("\\..*", ""));
        try (Jobs jobs = new Jobs()) {
            NativeBuild.assumeTool("readelf");
            String dynamic = jobs.start(List.of("readelf", "-d", library.toString())).succeed();
            assertTrue(dynamic.contains("soname: [" + name + "]"), dynamic);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "/no/mpicc | MPICC_openmpi: there is no program /no/mpicc",
        "cc        | cc is no compiler wrapper of openmpi: its mpi.h does not define OPEN_MPI",
    })
    void shouldRefuseAWrapperWhenItIsNoneOfThatMpi(String wrapper, String message) throws Exception {
        try (Jobs jobs = new Jobs()) {
            Jobs.Running cmake = jobs.start(List.of("cmake", "-S", Path.of("../native").toAbsolutePath().toString(),
                "-B", jobs.work().resolve("build").toString(), "-DMPICC_openmpi=" + wrapper));
            assertEquals(1, cmake.exitCode(), cmake.output());
            String said = cmake.output().replaceAll("\\s+", " ");
            assertTrue(said.contains(message), said);
        }
    }

    @Test
    void shouldBeTheProgramOfTheReadme() throws Exception {
        assertTrue(Files.readString(Path.of("../README.md")).contains(Files.readString(CONSUMER.resolve("ring.c"))));
    }

    @Test
    void shouldWriteResultsWhenTheInstalledBenchmarkRuns() throws Exception {
        try (Jobs jobs = new Jobs()) {
            Path json = jobs.work().resolve("results.json");
            jobs.run("2,1", List.of("--output", "plain"), NativeBuild.prefix().resolve("bin/tributary-bench"),
                "--iterations", 20, "--sizes", "8,64K", "--repeat", 2, "--json", json).succeed();
            String text = Files.readString(json);
            assertEquals(2 * 2 * 16, text.lines().filter(line -> line.startsWith("      [\"")).count(), text);
            assertTrue(text.startsWith("{\n  \"name\": \"results\",\n"), text);
        }
    }

    /** It has so much to do that no machine does it within 3 s. */
    @Test
    void shouldSayHowMuchLongerItTakesWhenTheInstalledBenchmarkRunsLong() throws Exception {
        try (Jobs jobs = new Jobs()) {
            Jobs.Running job = jobs.run("2", List.of(), NativeBuild.prefix().resolve("bin/tributary-bench"),
                "--sizes", "8", "--repeat", 1000);
            job.await("\\[0] (tributary-bench): [0-9]+ % after [0-9]+ s, about [0-9]+ s left", 1);
            job.process().destroy();
            assertEquals(128 + 15, job.exitCode(), job.output());
            jobs.assertNothingLeft();
        }
    }
}

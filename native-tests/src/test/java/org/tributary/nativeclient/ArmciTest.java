package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.tributary.testsupport.Thorough;

/** The programs of libarmci under mpirun, bare ones and those of Global Arrays: whatever ctest knows, one test each. */
@Timeout(value = 40, unit = TimeUnit.MINUTES)
final class ArmciTest {
    private static final Pattern LISTED = Pattern.compile("Test +#\\d+: (\\S+)");
    /** What runs without MPI under sanitizers, too; with MPICH and on a cyclic layout, what has run with Open MPI. */
    private static final Pattern THOROUGH = Pattern.compile("alone-(?!secret-).*|cyclic-(order|atomics|handles)-.*"
        + "|mpich-(transfers|order|atomics|handles)-5-on-3|mpich-(transfers|misuse|secret|handles-stopped)-\\d-on-\\d"
        + "|mpich-ga_\\w+-8-on-4");
    private static final String BUILD = "--test-dir";
    /** Each program mostly waits for processes to start and to end. */
    private static final int AT_ONCE = 2;
    private final ExecutorService runners = Executors.newFixedThreadPool(AT_ONCE);
    private Jobs jobs;
    private Path home;

    @BeforeEach
    void open() throws Exception {
        NativeBuild.assumeBuilt();
        jobs = new Jobs();
        home = jobs.home();
    }

    @AfterEach
    void close() throws Exception {
        runners.shutdownNow();
        if (jobs != null) {
            jobs.close();
        }
    }

    /** Tests with that label; skipped, and said so, where the packages are missing without which there are none. */
    private Stream<DynamicTest> labelled(String mpi, String kind, String packages) throws Exception {
        NativeBuild.assumeTool("mpirun." + mpi);
        return labelled(NativeBuild.armci(), mpi, kind, packages);
    }

    private Stream<DynamicTest> labelled(Path build, String mpi, String kind, String packages) throws Exception {
        List<String> names = Files.exists(build) ? names(build, mpi, kind) : List.of();
        if (names.isEmpty()) {
            System.out.println("skipped: there are no tests of libarmci for " + mpi + " and " + kind
                + ", for which these packages are needed: " + packages);
        }
        assumeTrue(!names.isEmpty(), "packages are missing: " + packages);
        List<Future<Void>> runs = names.stream().map(name -> runners.submit(() -> run(build, name))).toList();
        return IntStream.range(0, names.size()).mapToObj(i -> DynamicTest.dynamicTest(names.get(i),
            () -> outcome(runs.get(i))));
    }

    private static void outcome(Future<Void> run) throws Throwable {
        try {
            run.get();
        } catch (ExecutionException e) {
            throw e.getCause();
        }
    }

    private List<String> names(Path build, String mpi, String kind) throws Exception {
        String listed = jobs.start(List.of("ctest", BUILD, build.toString(), "-N", "-L", "^" + mpi + "$",
            "-L", "^" + kind + "$")).succeed();
        return LISTED.matcher(listed).results().map((MatchResult found) -> found.group(1))
            .filter(name -> Thorough.isOn() || !THOROUGH.matcher(name).matches()).toList();
    }

    private Void run(Path build, String name) throws Exception {
        String output = jobs.start(List.of("env", "TRIBUTARY_HOME=" + home, "ctest", BUILD,
            build.toString(), "--verbose", "-R", "^" + name + "$")).succeed();
        assertTrue(output.contains("100% tests passed"), output);
        return null;
    }

    @TestFactory
    Stream<DynamicTest> shouldBehaveWithOpenMpi() throws Exception {
        return labelled("openmpi", "armci", "libopenmpi-dev");
    }

    @TestFactory
    Stream<DynamicTest> shouldBehaveWithMpich() throws Exception {
        return labelled("mpich", "armci", "libmpich-dev");
    }

    @TestFactory
    Stream<DynamicTest> shouldBehaveUnderSanitizers() throws Exception {
        return labelled(NativeBuild.sanitizedArmci(), "(openmpi|mpich)", "sanitized", "libopenmpi-dev or libmpich-dev");
    }

    @TestFactory
    Stream<DynamicTest> shouldHaveNoDataRaces() throws Exception {
        return labelled(NativeBuild.racedArmci(), "(openmpi|mpich)", "raced", "libopenmpi-dev or libmpich-dev");
    }

    @TestFactory
    Stream<DynamicTest> shouldRunGlobalArraysWithOpenMpi() throws Exception {
        return labelled("openmpi", "ga",
            "libglobalarrays-dev libscalapack-openmpi-dev libopenblas-dev gfortran libopenmpi-dev");
    }

    @TestFactory
    Stream<DynamicTest> shouldRunGlobalArraysWithMpich() throws Exception {
        return labelled("mpich", "ga",
            "libglobalarrays-dev libscalapack-mpich-dev libopenblas-dev gfortran libmpich-dev");
    }
}

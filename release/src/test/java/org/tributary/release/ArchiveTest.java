package org.tributary.release;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The archive, unpacked where nobody can write, on a machine without Java and Maven. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class ArchiveTest {
    private static final String TRIBUTARY = "'" + Container.PLACE + "/bin/tributary'";
    private static final String EXAMPLES = "'" + Container.PLACE + "/share/tributary-examples'";
    private static final Path MODULES = Path.of("/usr/share/modules/init/bash");
    private static final Path LMOD = Path.of("/usr/share/lmod/lmod/init/bash");

    @TempDir
    private static Path unpacked;
    private static Path release;

    @TempDir
    private Path work;
    private Container container;

    @BeforeAll
    static void unpack() throws Exception {
        Container.assumePossible();
        release = Archive.unpack(unpacked);
    }

    @BeforeEach
    void makeContainer() {
        container = new Container(release, work);
    }

    /** Made with whatever umask, as a rank of a user who did not make it meets it. */
    @Test
    void shouldBeReadableByAllAndWrittenByItsOwnerWhenMade() throws Exception {
        Container.Output listed = Container.run(List.of("tar", "-tvzf", Archive.file().toString()), work);
        assertEquals(0, listed.code(), listed.text());
        List<String> entries = listed.text().lines().filter(line -> line.matches("[-d].*")).toList();
        for (String cache : List.of("server", "rank", "launcher", "agent")) {
            assertTrue(entries.stream().anyMatch(line -> line.endsWith("/" + cache + ".aot")), listed.text());
        }
        assertEquals(List.of(), entries.stream().filter(line -> !line.matches(".r[w-][x-]r-[x-]r-[x-] .*")).toList(),
            "entries that others cannot read, or may write");
        assertTrue(Files.readString(Path.of("package.sh")).lines().anyMatch(line -> line.startsWith("umask 022")));
    }

    @Test
    void shouldHaveTheAgentOfDebuggersWhenItRuns() throws Exception {
        String modules = container.run("'" + Container.PLACE + "/lib/tributary/runtime/bin/java' --list-modules");
        assertTrue(modules.contains("jdk.jdwp.agent"), modules);
    }

    @Test
    void shouldHaveNoOtherJavaWhenItRuns() throws Exception {
        assertNotEquals(0, container.attempt("java -version || mvn -v || javac -version").code());
        assertNotEquals(0, container.attempt("touch '" + Container.PLACE + "/file'").code());
    }

    @Test
    void shouldSayVersionCommitAndJavaWhenAsked() throws Exception {
        String version = container.run(TRIBUTARY + " --version");
        assertTrue(version.startsWith("tributary " + System.getProperty("release.version") + " (commit "), version);
        assertTrue(version.contains("\nJava " + Runtime.version() + ", "), version);
        assertTrue(version.contains(Container.PLACE + "/lib/tributary/runtime"), version);
        assertFalse(version.contains("unknown"), version);
    }

    @Test
    void shouldRunAProgramOfItsOwnWhenOnSeveralNodes() throws Exception {
        String output = container.run(TRIBUTARY + " run --nodes 2 --ranks-per-node 2 matmul --size 128");
        assertTrue(output.contains(": passed"), output);
    }

    @Test
    void shouldNameItsOwnJarsWhenAskedForTheClassPath() throws Exception {
        for (String jar : container.run(TRIBUTARY + " class-path").strip().split(":")) {
            assertTrue(jar.startsWith(Container.PLACE + "/lib/tributary/lib/rank/"), jar);
        }
    }

    @Test
    void shouldRunWhenCalledThroughALinkOrFromThePath() throws Exception {
        container.run("ln -s " + TRIBUTARY + " link && ./link --version && cd / && tributary --version");
    }

    @ParameterizedTest
    @ValueSource(strings = {"launcher", "server"})
    void shouldStartFromTheCacheWhenItLiesElsewhere(String kind) throws Exception {
        String own = "'" + Container.PLACE + "/lib/tributary'/";
        container.run(own + "runtime/bin/java -XX:AOTMode=on -XX:AOTCache=" + own + kind + ".aot @" + own + kind
            + "-jvm-options -jar " + own + "lib/tributary-launcher.jar --version");
    }

    /** A rank that nobody has launched is a job of its own. The module sets the variable so, and the image. */
    @ParameterizedTest
    @ValueSource(strings = {"", "TRIBUTARY_HOME='" + Container.PLACE + "' "})
    void shouldStartRanksFromTheCacheWhenItLiesElsewhere(String variable) throws Exception {
        container.run(variable + "'" + Container.PLACE + "/lib/tributary/runtime/bin/java' -XX:AOTMode=on $("
            + TRIBUTARY + " jvm-options) org.tributary.client.rehearsal.Rehearsal");
    }

    @Test
    void shouldStartRanksFromAFileOfOptionsWhenThePathHasASpace() throws Exception {
        String place = "/opt/else where/tributary";
        Container.Output output = container.attempt(place, "tributary jvm-options --argument-file 'my options' && '"
            + place + "/lib/tributary/runtime/bin/java' -XX:AOTMode=on '@my options'"
            + " org.tributary.client.rehearsal.Rehearsal && tributary jvm-options 2>&1 >/dev/null"
            + " | grep -- '--argument-file FILE'");
        assertEquals(0, output.code(), output.text());
    }

    @Test
    void shouldStartRanksFromTheArchiveOfClassesWhenItLiesElsewhere() throws Exception {
        container.run("'" + Container.PLACE + "/lib/tributary/runtime/bin/java' -Xshare:on -version");
    }

    @Test
    void shouldRunAClassWhenItWasCompiledElsewhere() throws Exception {
        Path source = Path.of("src/main/examples/java/src/main/java/Ring.java");
        try (Stream<Path> jars = Files.list(release.resolve("lib/tributary/lib/rank"))) {
            String classPath = jars.map(Path::toString).collect(Collectors.joining(":"));
            assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, "-cp", classPath, "-d",
                work.resolve("classes").toString(), source.toString()));
        }
        String output = container.run(TRIBUTARY + " run --nodes 2 --class-path classes Ring");
        assertTrue(output.contains("[0] sum 1, counted 2"), output);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "c       | make                                           | ring       | gcc",
        "c       | cmake -B build . && cmake --build build        | build/ring | cmake",
        "fortran | make                                           | ring       | gfortran",
    })
    void shouldRunAnExampleWhenItsBuildFindsTheLibrary(String folder, String build, String program, String tool)
        throws Exception {
        Container.assumeProgram(tool);
        Container.assumeProgram("pkg-config");
        String output = container.run("export PKG_CONFIG_PATH='" + Container.PLACE + "/lib/pkgconfig'"
            + " CMAKE_PREFIX_PATH='" + Container.PLACE + "' && cp -r " + EXAMPLES + "/" + folder
            + " example && cd example && " + build + " && tributary run --nodes 2 -- ./" + program);
        assertTrue(output.contains("[0] rank 0 of 2 was greeted by rank 1"), output);
    }

    @ParameterizedTest
    @ValueSource(strings = {"openmpi", "mpich"})
    void shouldStartServersWhenAnArmciProgramRunsUnderMpirun(String mpi) throws Exception {
        Container.assumeProgram("mpirun." + mpi);
        assumeTrue(Files.exists(release.resolve("lib/tributary/" + mpi)), "libarmci for " + mpi + " was left out");
        Files.copy(Path.of("../native/test/consumer/shift.c"), work.resolve("shift.c"));
        container.run("export PKG_CONFIG_PATH='" + Container.PLACE + "/lib/pkgconfig'"
            + " && eval cc shift.c -o shift $(pkg-config --cflags --libs armci-" + mpi + ")");
        String run = "TRIBUTARY_NODES=2 mpirun." + mpi + (mpi.equals("openmpi") ? " --oversubscribe" : "")
            + " -n 2 ./shift";
        for (String command : List.of(run, "PATH=/usr/bin:/bin TRIBUTARY_HOME='" + Container.PLACE + "' " + run)) {
            String output = container.run(command);
            assertTrue(output.contains("rank 0 of 2 was greeted by rank 1"), output);
        }
    }

    @Test
    void shouldMeasureWhenTheBenchmarkInCRuns() throws Exception {
        container.run("tributary run --nodes 2 --output plain -- '" + Container.PLACE
            + "/bin/tributary-bench' --iterations 10 --sizes 8 --repeat 1 --json c.json && grep -q columns c.json");
    }

    @Test
    void shouldHaveManualPagesWhenManLooksForThem() throws Exception {
        Container.assumeProgram("man");
        for (String page : List.of("tributary", "tributary-run", "tributary-server")) {
            String text = container.run("man -M '" + Container.PLACE + "/share/man' " + page + " | cat");
            assertTrue(text.contains("SYNOPSIS") && text.contains(page.toUpperCase(Locale.ROOT) + "(1)"), text);
        }
        String run = container.run("man -M '" + Container.PLACE + "/share/man' tributary-run | cat");
        assertTrue(run.lines().anyMatch("       tributary run [OPTIONS] -- EXECUTABLE [ARGUMENT...]"::equals), run);
    }

    @Test
    void shouldCompleteWhenBashHasReadTheScript() throws Exception {
        Container.assumeProgram("bash");
        String offered = container.run("bash -c 'compopt() { :; }; source \"" + Container.PLACE
            + "/share/bash-completion/completions/tributary\"; COMP_WORDS=(tributary run matm) COMP_CWORD=2;"
            + " _tributary_complete; echo \"<${COMPREPLY[*]}>\"'");
        assertEquals("<matmul>", offered.strip());
    }

    private void shouldSetUp(Path module) throws Exception {
        assumeTrue(Files.exists(module), "needs " + module);
        String output = container.run("bash -c 'PATH=/usr/bin:/bin; export MANPATH=/usr/share/man; source "
            + module + "; module use \""
            + Container.PLACE + "/share/modulefiles\"; module load tributary && tributary run hello"
            + " && pkg-config --modversion tributary && echo \"home <$TRIBUTARY_HOME>\""
            + " && { ! command -v man || man -w tributary; } && [[ $MANPATH = *: ]]" // with the system's pages
            + " && module unload tributary && ! command -v tributary'");
        assertTrue(output.contains("home <" + Container.PLACE + ">"), output);
        String version = System.getProperty("release.version").replace("-SNAPSHOT", "");
        assertTrue(output.lines().anyMatch(version::equals), output);
    }

    @Test
    void shouldBeOnThePathWhenEnvironmentModulesLoadIt() throws Exception {
        shouldSetUp(MODULES);
    }

    @Test
    void shouldBeOnThePathWhenLmodLoadsIt() throws Exception {
        shouldSetUp(LMOD);
    }

    @Test
    void shouldHaveTheProgramsOfTheReadmeWhenTheyAreExamples() throws IOException {
        String readme = Files.readString(Path.of("../README.md"));
        for (String program : List.of("Ring", "Dot")) {
            assertTrue(readme.contains(Files.readString(
                Path.of("src/main/examples/java/src/main/java", program + ".java"))), program);
        }
    }

    @Test
    void shouldNameLicencesWhenJarsAreOfThirdParties() throws IOException {
        String licences = Files.readString(release.resolve("share/doc/tributary/THIRD-PARTY.txt"));
        for (String library : List.of("io.netty:netty-common", "info.picocli:picocli", "org.agrona:agrona")) {
            assertTrue(licences.contains(library), licences);
        }
    }

    @Test
    void shouldHaveTheTextOfItsLicenceWhenAJarIsOfThirdParties() throws IOException {
        Path texts = release.resolve("share/doc/tributary/licenses");
        List<String> names = names(release.resolve("lib/tributary/lib")).stream()
            .filter(name -> name.endsWith(".jar") && !name.startsWith("tributary-")).toList();
        assertTrue(names.size() > 30, names::toString);
        assertEquals(List.of(), names.stream().filter(jar -> {
            Path folder = texts.resolve(jar.replaceFirst("\\.jar$", "-jar"));
            return names(folder).stream().noneMatch(name -> name.matches("(?i).*(license|copyright).*"));
        }).toList(), "jars without");
        for (String jar : names) {
            if (jar.startsWith("jmh-")) {
                String own = jar.replaceFirst("\\.jar$", "");
                assertTrue(Files.exists(texts.resolve(own + "-jar").resolve(own + "-sources.jar")), jar);
            }
        }
    }

    /** Of all files in a folder, and in those in it; none when it is not there. */
    private static List<String> names(Path folder) {
        try (Stream<Path> files = Files.exists(folder) ? Files.walk(folder) : Stream.empty()) {
            return files.filter(Files::isRegularFile).map(file -> file.getFileName().toString()).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldSayWhatIsMissingWhenTributaryJavaHomeIsWrong() throws Exception {
        Container.Output output = container.attempt("TRIBUTARY_JAVA_HOME=/no/jdk " + TRIBUTARY + " --version");
        assertEquals(1, output.code(), output.text());
        assertTrue(output.text().startsWith("tributary: TRIBUTARY_JAVA_HOME=/no/jdk is no JDK"), output.text());
    }
}

package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Scripts that build, in a folder of sources of their own, with a Maven that only takes its time and fails. */
class BuildProgressTest {
    private static final String MAVEN = """
        #!/bin/sh
        echo "[INFO] Building Tributary: configuration 0.1.0-SNAPSHOT    [2/14]"
        echo "[INFO] Building Tributary: mini applications 0.1.0-SNAPSHOT [3/14]"
        sleep 15
        echo "[ERROR] no network"
        exit 1
        """;

    /** In place of a JVM: says which distribution it was given, and runs on where that says so. */
    private static final String START = """
        need_open_files() { :; }
        is_java() { :; }
        fail() { echo "tributary: $*" >&2; exit 1; }
        start() {
            cat "$2/which"
            [ ! -e "$2/runs-on" ] || exec sleep 1000
        }
        """;

    /** A clock: copies that are made within a second are not in the order of their names. */
    private static final String DATE = """
        #!/bin/sh
        echo 20260101-00000%d
        """;

    private final Place place = new Place();

    @AfterEach
    void close() {
        place.close();
    }

    @Test
    void shouldSayHowFarEachBuildIsAndWhyItFailed() throws Exception {
        makeSources(Files.readString(Path.of("..", "launcher/src/main/sh/start.sh")));
        Running command = tributary();
        Running install = install(); // at the same time
        assertBuildShown(command);
        assertBuildOfTheClientInCShown(install);
    }

    private static void assertBuildShown(Running command) throws Exception {
        assertEquals(1, command.exitCode(), command::toString);
        List<String> lines = command.err().lines().toList();
        assertEquals("building Tributary (first use)…", lines.getFirst());
        assertTrue(lines.get(1).matches("building Tributary: 1\\d s, part 3/14: mini applications"), lines::toString);
        assertTrue(lines.contains("[ERROR] no network"), lines::toString);
        assertEquals("tributary: the build failed", lines.getLast());
    }

    private static void assertBuildOfTheClientInCShown(Running install) throws Exception {
        assertEquals(1, install.exitCode(), install::toString);
        List<String> lines = install.err().lines().toList();
        assertEquals("building the C client…", lines.getFirst());
        assertTrue(lines.get(1).matches("building Tributary: 1\\d s, part 3/14: mini applications"), lines::toString);
        assertEquals("[ERROR] no network", lines.getLast());
        assertEquals(List.of(), install.out());
    }

    @Test
    void shouldInstallWhatMavenHasBuiltOfTheClientInC() throws Exception {
        makeSources(START);
        writeTool("mvn", """
            #!/bin/sh
            echo 'libarmci for mpich is not built: …' >native/target/left-out
            echo "$NATIVE_CMAKE_OPTIONS" >options
            """);
        Running install = install("-DA=a b", "-DB=b");
        assertEquals(0, install.exitCode(), install::toString);
        assertEquals(List.of("--install " + place.work().toRealPath().resolve("native/target/cmake") + " --prefix "
            + place.work().resolve("prefix")), install.out());
        assertEquals("libarmci for mpich is not built: …", install.err().lines().toList().getLast());
        assertEquals("-DA=a b\n-DB=b\n", Files.readString(place.work().resolve("options")));
    }

    @Test
    void shouldLetAllReadThePrefixWhenTheUmaskIsThatOfOneUser() throws Exception {
        makeSources(START);
        writeTool("mvn", "#!/bin/sh\n");
        Path script = installScript("mkdir -p \"$4/lib/pkgconfig\"");
        Path prefix = place.work().resolve("opt/prefix");
        Running install = start("/bin/sh", "-c", "umask 077 && exec /bin/sh \"$@\"", "sh", script.toString(),
            prefix.toString());
        assertEquals(0, install.exitCode(), install::toString);
        for (String folder : List.of("..", ".", "lib", "lib/pkgconfig")) {
            assertEquals("rwxr-xr-x", PosixFilePermissions.toString(
                Files.getPosixFilePermissions(prefix.resolve(folder))), folder);
        }
    }

    /** With a CMake that only does that. */
    private Path installScript(String cmake) throws IOException {
        Path script = Files.createDirectories(place.work().resolve("native")).resolve("install.sh");
        Files.copy(Path.of("../native/install.sh"), script);
        writeTool("cmake", "#!/bin/sh\n" + cmake + "\n");
        return script;
    }

    @Test
    void shouldSayWhichNodeJsTheSiteNeedsWhenItIsOlder() throws Exception {
        Files.createDirectory(place.work().resolve("tools"));
        writeTool("node", "#!/bin/sh\necho 18.20.4\n");
        writeTool("npm", "#!/bin/sh\necho \"$*\"\n");
        Running site = start("/bin/sh", Path.of("../site/build.sh").toRealPath().toString(), "target", "classes");
        assertEquals(1, site.exitCode(), site::toString);
        assertTrue(site.err().startsWith("the site needs npm and Node.js 20 or newer, and this machine has Node.js 1"),
            site::toString);
        assertEquals(List.of(), site.out());
    }

    private Running install(String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of("/bin/sh", installScript("echo \"$*\"").toString(),
            place.work().resolve("prefix").toString()));
        command.addAll(List.of(options));
        return start(command.toArray(String[]::new));
    }

    @Test
    void shouldRunWhatMavenHasBuiltWhenThereIsAnOlderCopy() throws Exception {
        makeSources(START);
        for (String which : List.of("first", "second")) {
            build(which, which.equals("first") ? 9 : 1);
            for (int again = 0; again < 2; again++) {
                Running command = tributary();
                assertEquals(0, command.exitCode(), command::toString);
                assertEquals(List.of(which), command.out());
            }
        }
    }

    @Test
    void shouldKeepACopyAsLongAsACommandRunsFromItWhenManyAreBuilt() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/flock")), "no flock (util-linux) here");
        makeSources(START);
        Path runsOn = Files.createFile(build("0", 0).resolve("runs-on"));
        Running job = tributary();
        job.awaitLine("0");
        Files.delete(runsOn);
        for (int next = 1; next <= 4; next++) {
            buildAndRun(next);
        }
        assertEquals(List.of("0", "2", "3", "4"), copies());
        Place.signal("TERM", job.pid());
        assertEquals(143, job.exitCode(), job::toString);
        buildAndRun(5);
        assertEquals(List.of("3", "4", "5"), copies());
    }

    @Test
    void shouldRunTheOlderCopyAndSaySoWhenTheUserMayNotBuild() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")) && ProcessHandle.current().info().user()
            .filter("root"::equals).isPresent(), "needs root, and setpriv (util-linux)");
        makeSources(START);
        Files.setPosixFilePermissions(place.work(), PosixFilePermissions.fromString("rwxr-xr-x"));
        Running none = tributaryOfAnother();
        assertEquals(1, none.exitCode(), none::toString);
        assertTrue(none.err().matches("tributary: there is no build, and nobody may not write to .*\\n?"),
            none::toString);
        build("first", 1);
        assertEquals(0, tributary().exitCode());
        Running current = tributaryOfAnother();
        assertEquals(0, current.exitCode(), current::toString);
        assertEquals("", current.err());
        build("second", 2);
        Running older = tributaryOfAnother();
        assertEquals(0, older.exitCode(), older::toString);
        assertEquals(List.of("first"), older.out());
        assertTrue(older.err().matches("tributary: this is an older build .* nobody may not write to .*\\n?"),
            older::toString);
    }

    private Running tributaryOfAnother() throws Exception {
        return start("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/bin/sh", "tributary", "run");
    }

    private void buildAndRun(int which) throws Exception {
        build(Integer.toString(which), which);
        Running command = tributary();
        assertEquals(0, command.exitCode(), command::toString);
    }

    /** As Maven leaves it; the clock of the next copy shows {@code second}. */
    private Path build(String which, int second) throws IOException {
        writeTool("date", DATE.formatted(second));
        Path built = Files.createDirectories(place.work().resolve("launcher/target/dist"));
        Files.writeString(built.resolve("which"), which + "\n");
        Files.deleteIfExists(built.resolve("stamp"));
        Files.createFile(built.resolve("stamp"));
        return built;
    }

    private List<String> copies() throws IOException {
        List<String> which = new ArrayList<>();
        for (Path copy : Place.entries(place.work().resolve("launcher/target/run"))) {
            which.add(Files.readString(copy.resolve("which")).strip());
        }
        return which.stream().sorted().toList();
    }

    private void makeSources(String start) throws IOException {
        Path root = place.work();
        Files.copy(Path.of("..", "tributary"), root.resolve("tributary"));
        Path scripts = Files.createDirectories(root.resolve("launcher/src/main/sh"));
        Files.writeString(scripts.resolve("start.sh"), start);
        Files.copy(Path.of("../launcher/src/main/sh/maven.sh"), scripts.resolve("maven.sh"));
        Files.createDirectory(root.resolve("tools"));
        writeTool("mvn", MAVEN);
    }

    private void writeTool(String name, String script) throws IOException {
        Path tool = Files.writeString(place.work().resolve("tools").resolve(name), script);
        Files.setPosixFilePermissions(tool, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Running tributary() throws Exception {
        return start("/bin/sh", "tributary", "run");
    }

    private Running start(String... command) throws Exception {
        ProcessBuilder builder = place.builder(List.of(command));
        builder.environment().put("PATH", place.work().resolve("tools") + ":" + System.getenv("PATH"));
        builder.environment().put("TRIBUTARY_JAVA_HOME", System.getProperty("java.home"));
        return place.start(builder);
    }
}

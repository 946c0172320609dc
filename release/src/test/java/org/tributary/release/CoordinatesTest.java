package org.tributary.release;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The libraries as others use them: by their coordinates in a repository. */
@Timeout(value = 400, unit = TimeUnit.SECONDS)
class CoordinatesTest {
    private static final String VERSION = System.getProperty("release.version");
    private static final Path REPOSITORY = Path.of(System.getProperty("release.repository"), "org/tributary");
    /** What Maven Central asks of each. */
    private static final List<String> REQUIRED =
        List.of("name", "description", "url", "licenses", "developers", "scm", "version");

    @TempDir
    private Path directory;

    @BeforeEach
    void assertMade() {
        assertTrue(Files.isDirectory(REPOSITORY), REPOSITORY::toString);
    }

    private static Path pom(String artifact) {
        return REPOSITORY.resolve(artifact).resolve(VERSION).resolve(artifact + "-" + VERSION + ".pom");
    }

    private static Path built(String artifact, String end) {
        return Path.of("..", artifact.replace("tributary-", ""), "target", artifact + "-" + VERSION + end);
    }

    @ParameterizedTest
    @ValueSource(strings = {"config", "wire", "fabric", "aggregation", "cooperation", "client-lib", "global-arrays",
        "runtime-server", "testing"})
    void shouldFitTheRulesOfMavenCentralWhenPublished(String module) throws IOException {
        String artifact = "tributary-" + module;
        String pom = Files.readString(pom(artifact));
        assertHasWhatIsRequired(artifact, pom);
        assertTrue(!pom.contains("<parent>") && !pom.contains("${"), pom);
        assertTrue(entries(artifact, ".jar").anyMatch(entry -> entry.endsWith(".class")));
        assertTrue(entries(artifact, "-sources.jar").anyMatch(entry -> entry.endsWith(".java")));
        assertTrue(entries(artifact, "-javadoc.jar").anyMatch(entry -> entry.equals("index.html")));
        try (JarFile jar = new JarFile(built(artifact, ".jar").toFile())) {
            Manifest manifest = jar.getManifest();
            String name = manifest.getMainAttributes().getValue("Automatic-Module-Name");
            String folder = name.replace('.', '/') + "/";
            assertTrue(entries(artifact, ".jar").anyMatch(folder::equals), name);
        }
    }

    private static void assertHasWhatIsRequired(String artifact, String pom) {
        for (String element : REQUIRED) {
            assertTrue(pom.matches("(?s).*<" + element + "[ >].*"),
                () -> artifact + " has no " + element + ":\n" + pom);
        }
    }

    private static Stream<String> entries(String artifact, String end) throws IOException {
        try (JarFile jar = new JarFile(built(artifact, end).toFile())) {
            return jar.stream().map(entry -> entry.getName()).toList().stream();
        }
    }

    /** Maven reads {@code project.version} of an imported BOM as the BOM's own. */
    @Test
    void shouldNameOneVersionWhenTheBomIsRead() throws IOException {
        String bom = Files.readString(pom("tributary-bom"));
        assertHasWhatIsRequired("tributary-bom", bom);
        assertEquals(List.of(VERSION, "${project.version}"), Pattern.compile("<version>(.*)</version>").matcher(bom)
            .results().map(match -> match.group(1)).distinct().toList(), bom);
        assertFalse(bom.contains("<parent>") || bom.contains("<properties>"), bom);
    }

    /** The example in Java takes the jars from the release, by the coordinates of the BOM, and those of its test. */
    @Test
    void shouldBuildTheExampleWhenMavenResolvesTheLibraries() throws Exception {
        Path release = Archive.unpack(directory);
        Path example = directory.resolve("example");
        copy(release.resolve("share/tributary-examples/java"), example);
        Path settings = Files.writeString(directory.resolve("settings.xml"), "<settings><mirrors><mirror><id>own</id>"
            + "<mirrorOf>central</mirrorOf><url>file://" + System.getProperty("release.localRepository")
            + "</url></mirror></mirrors></settings>");
        ok(Container.run(List.of("env", "TRIBUTARY_HOME=" + release, "JAVA_HOME=" + System.getProperty("java.home"),
            System.getProperty("release.mavenHome") + "/bin/mvn", "-B", "-q", "-s", settings.toString(),
            "-Dmaven.repo.local=" + directory.resolve("repository"), "package"), example));
        assertTrue(Files.readString(example.resolve("target/surefire-reports/SumTest.txt")).contains("Tests run: 2"));
        Container.Output output = Container.run(List.of(release.resolve("bin/tributary").toString(), "run", "--nodes",
            "2", "--class-path", "target/ring.jar", "Ring"), example);
        assertTrue(ok(output).contains("[0] sum 1, counted 2"), output.text());
    }

    private static String ok(Container.Output output) {
        assertEquals(0, output.code(), output.text());
        return output.text();
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file)));
            }
        }
    }
}

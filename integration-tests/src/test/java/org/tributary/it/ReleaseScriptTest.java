package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The script {@code tributary} of a release, in a folder that has only scripts in place of Java. */
class ReleaseScriptTest {
    private static final String RELEASE = "JAVA_VERSION=\"%s\"\nIMAGE_TYPE=\"JDK\"\n";

    private final Place place = new Place();

    @BeforeEach
    void makeAnArchive() throws IOException {
        Path own = Files.createDirectories(place.work().resolve("lib/tributary"));
        Files.copy(Path.of("../launcher/src/main/sh/start.sh"), own.resolve("start.sh"));
        Files.copy(Path.of("../release/src/main/bin/tributary"),
            Files.createDirectory(place.work().resolve("bin")).resolve("tributary"));
        makeJava(own.resolve("runtime"), "25.0.1");
    }

    @AfterEach
    void close() {
        place.close();
    }

    private static Path makeJava(Path home, String version) throws IOException {
        Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\necho $0\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(home.resolve("release"), RELEASE.formatted(version));
        return home;
    }

    private Running tributary(String javaHome, String... arguments) {
        List<String> command = new ArrayList<>(List.of("/bin/sh", "bin/tributary"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = place.builder(command);
        builder.environment().put("TRIBUTARY_JAVA_HOME", javaHome);
        return place.start(builder);
    }

    @ParameterizedTest
    @ValueSource(strings = {"17.0.9", "24", "1.8.0_392"})
    void shouldSayWhichJavaIsNeededWhenThatOfTheUserIsOlder(String version) throws Exception {
        String home = makeJava(place.work().resolve("old"), version).toString();
        Running command = tributary(home, "--version");
        assertEquals(1, command.exitCode(), command::toString);
        assertEquals("tributary: TRIBUTARY_JAVA_HOME=" + home + " is no JDK 25 or newer", command.err());
        assertEquals(List.of(), command.out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"25", "25.0.2", "26-ea"})
    void shouldRunOnTheJavaOfTheUserWhenItIsNewEnough(String version) throws Exception {
        String home = makeJava(place.work().resolve("new"), version).toString();
        Running command = tributary(home, "--version");
        assertEquals(0, command.exitCode(), command::toString);
        assertEquals(List.of(home + "/bin/java"), command.out());
    }

    @Test
    void shouldRunOnItsOwnJavaWhenTheUserNamesNone() throws Exception {
        Running command = tributary("", "--version");
        assertEquals(0, command.exitCode(), command::toString);
        assertEquals(List.of(place.work().toRealPath() + "/lib/tributary/runtime/bin/java"), command.out());
    }

    /** Other commands start sooner with a compiler that begins late. */
    @ParameterizedTest
    @CsvSource({"run --dashboard hello, true", "run --dashboard=0 hello, true", "dashboard, true", "run hello, false",
        "status, false"})
    void shouldCompileSoonWhenThereIsALivePage(String arguments, boolean isSoon) throws Exception {
        Path home = makeJava(place.work().resolve("new"), "25");
        Files.writeString(home.resolve("bin/java"), "#!/bin/sh\necho $*\n");
        Running command = tributary(home.toString(), arguments.split(" "));
        assertEquals(0, command.exitCode(), command::toString);
        String line = command.out().getFirst();
        assertTrue(line.endsWith(" " + arguments), line);
        assertEquals(isSoon, line.matches("@\\S+ .*-XX:CompileThresholdScaling=\\S+ -jar .*"), line);
    }
}

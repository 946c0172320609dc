package org.tributary.launcher.status;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever another user puts in the place of a job's files. */
@Timeout(300)
class LauncherHostTest {
    @TempDir
    private Path parent;
    private Path file;

    @BeforeEach
    void make() throws IOException {
        Path directory = Files.createDirectory(parent.resolve("tributary-job-job.1.0"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        file = directory.resolve("launcher");
    }

    private Optional<String> host() {
        return LauncherHost.of(file);
    }

    @ParameterizedTest
    @ValueSource(strings = {"login-1.cluster", "10.0.0.7", "fe80::1"})
    void shouldNameTheHostWhenTheAgentHasNotedIt(String host) throws IOException {
        String noted = "host " + host + " (pid 17)";
        Files.writeString(file, noted);
        assertEquals(Optional.of(noted), host());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "login", "host a; rm -r . (pid 1)", "host \u001b[2Jlogin (pid 1)", "host a\nb (pid 1)",
        "host $(x) (pid 1)", "host a (pid 1) and more"})
    void shouldNameNoneWhenItIsNoHost(String text) throws IOException {
        Files.writeString(file, text);
        assertEquals(Optional.empty(), host());
    }

    @Test
    void shouldNameNoneWhenItIsLong() throws IOException {
        Files.writeString(file, "host " + "a".repeat(256) + " (pid 1)");
        assertEquals(Optional.empty(), host());
    }

    @Test
    void shouldNameNoneWhenItIsALink() throws IOException {
        Files.createSymbolicLink(file, Files.writeString(parent.resolve("other"), "host a (pid 1)"));
        assertEquals(Optional.empty(), host());
    }

    @Test
    void shouldNotWaitWhenItIsAPipe() throws Exception {
        assertEquals(0, new ProcessBuilder("mkfifo", file.toString()).start().waitFor());
        assertEquals(Optional.empty(), host());
    }

    @Test
    void shouldNameNoneWhenOthersCanWriteToTheDirectory() throws IOException {
        Files.writeString(file, "host a (pid 1)");
        Files.setPosixFilePermissions(file.getParent(), PosixFilePermissions.fromString("rwxrwx---"));
        assertEquals(Optional.empty(), host());
    }

    @Test
    void shouldNameNoneWhenTheDirectoryIsALink() throws IOException {
        Files.writeString(file, "host a (pid 1)");
        Path link = Files.createSymbolicLink(parent.resolve("tributary-job-job.2.0"), file.getParent());
        assertEquals(Optional.empty(), LauncherHost.of(link.resolve("launcher")));
    }
}

package org.tributary.launcher.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.tributary.wire.shm.LockedDirectory;

class JobFilesTest {
    private static final int ATTEMPTS = 5;
    private static final String OWN = Long.toString(ThreadLocalRandom.current().nextLong(1L << 40), 36);

    @Test
    void shouldBePrivateAndGoneWhenClosed() throws IOException {
        Path directory;
        try (JobFiles files = JobFiles.create("files-test-1-" + OWN, new byte[] {1, 2, (byte) 0xfe})) {
            directory = files.serversFile().getParent();
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)));
            assertEquals("0102fe", Files.readString(files.secretFile()));
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(files.secretFile())));
            files.writeServers(List.of("a:1", "b:2"));
            assertEquals("a:1\nb:2\n", Files.readString(files.serversFile()));
            assertFalse(JobFiles.sweep().removed().contains(directory.toString()));
            assertTrue(Files.exists(directory));
        }
        assertFalse(Files.exists(directory));
    }

    @Test
    void shouldSayHowToNameAnotherFolderWhenItCannotWrite() {
        IOException e = assertThrows(IOException.class, () -> JobFiles.create("none-" + OWN + "/job", new byte[16]));
        assertEquals("cannot write the job's files: " + Path.of(System.getProperty("java.io.tmpdir"))
            .resolve("tributary-job-none-" + OWN) + "/job: no such file or folder"
            + " (JDK_JAVA_OPTIONS=-Djava.io.tmpdir=… in the environment names another folder)", e.getMessage());
    }

    @Test
    void shouldSweepWhenLauncherHasDied() throws IOException {
        boolean told = false;
        for (int i = 0; i < ATTEMPTS && !told; i++) { // another launcher of this machine may be quicker
            Path directory = Path.of(System.getProperty("java.io.tmpdir"), "tributary-job-files-test-2-" + OWN + i);
            Files.createDirectory(directory);
            Files.createFile(directory.resolve("lock-99-1"));
            Files.createFile(directory.resolve("secret"));
            told = JobFiles.sweep().removed().contains(directory.toString());
            assertFalse(Files.exists(directory));
        }
        assertTrue(told);
    }

    @Test
    void shouldListLaunchersThatLiveWhenOthersWereKilled() throws IOException {
        String killed = "files-test-3-" + OWN;
        String alive = "files-test-4-" + OWN;
        Path left = Path.of(System.getProperty("java.io.tmpdir"), "tributary-job-" + killed + ".launcher");
        Files.createDirectory(left);
        try (LockedDirectory directory = JobFiles.createOfLauncher(alive)) {
            Files.createFile(left.resolve("status"));
            Files.createFile(left.resolve("lock-99-1"));
            Files.createFile(JobFiles.statusSocket(directory));
            assertTrue(JobFiles.statusSockets().containsKey(alive));
            assertFalse(JobFiles.statusSockets().containsKey(killed));
        } finally {
            LockedDirectory.remove(left);
        }
    }
}

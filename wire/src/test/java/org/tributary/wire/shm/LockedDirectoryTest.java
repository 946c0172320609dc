package org.tributary.wire.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is swept, what is left alone, and that neither hostile names nor other sweeps disturb it. */
class LockedDirectoryTest {
    private static final String DEAD = "lock-99-1";

    @TempDir
    private Path shm;

    private Path directory(String name, Duration age, String... files) throws IOException {
        Path directory = Files.createDirectory(shm.resolve(name));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        for (String file : files) {
            Files.writeString(directory.resolve(file), "memory");
        }
        Files.setLastModifiedTime(directory, FileTime.from(Instant.now().minus(age)));
        return directory;
    }

    @Test
    void shouldTellWhatASweepWouldRemoveAndRemoveNothing() throws IOException {
        Path dead = Files.createDirectory(shm.resolve("tributary-dead-0"));
        Files.createFile(dead.resolve(DEAD));
        Files.createDirectory(shm.resolve("tributary-new-0")); // is perhaps just being locked
        Files.createDirectory(shm.resolve("something-else"));
        try (LockedDirectory own = NodeDirectory.of(shm, "own", 0).create()) {
            assertEquals(List.of(dead.toString()), NodeDirectory.stale(shm));
            assertTrue(Files.exists(dead.resolve(DEAD)) && Files.exists(own.lockFile()));
            assertEquals(List.of(dead.toString()), sweep());
        }
        assertEquals(List.of(), NodeDirectory.stale(shm));
        assertEquals(List.of(), NodeDirectory.stale(shm.resolve("none")));
    }

    private List<String> sweep() {
        LockedDirectory.Swept swept = LockedDirectory.sweep(shm, NodeDirectory.NAME);
        assertEquals(List.of(), swept.problems());
        return swept.removed();
    }

    private static void shell(Path directory, String command) throws Exception {
        Process shell = new ProcessBuilder("/bin/sh", "-c", command).directory(directory.toFile()).inheritIO().start();
        assertTrue(shell.waitFor(250, TimeUnit.SECONDS));
        assertEquals(0, shell.exitValue());
    }

    @Test
    void shouldKeepWhenOwnerLives() throws IOException {
        try (LockedDirectory own = LockedDirectory.create(shm.resolve("tributary-own-0"))) {
            Files.setLastModifiedTime(own.path(), FileTime.from(Instant.EPOCH));
            assertEquals(List.of(), sweep());
            assertEquals(List.of(), sweep());
            assertTrue(Files.exists(own.lockFile()));
            assertThrows(FileAlreadyExistsException.class, () -> LockedDirectory.create(own.path()));
            assertTrue(Files.exists(own.lockFile()));
        }
        assertEquals(List.of(), LockedDirectory.sweep(shm, NodeDirectory.NAME).removed());
        assertFalse(Files.exists(shm.resolve("tributary-own-0")));
    }

    @Test
    void shouldSweepWhenDeadOwnerHadTheNumberOfThisProcess() throws IOException {
        Path stale = directory("tributary-stale-0", Duration.ZERO, "lock-" + ProcessHandle.current().pid() + "-1");
        assertEquals(List.of(stale.toString()), sweep());
        assertFalse(Files.exists(stale));
    }

    @Test
    void shouldTellOldFromYoungWhenThereIsNoLock() throws IOException {
        Path young = directory("tributary-young-0", Duration.ZERO, "starting");
        Path old = directory("tributary-old-0", Duration.ofMinutes(2), "starting");
        assertEquals(List.of(old.toString()), sweep());
        assertTrue(Files.exists(young));
        assertFalse(Files.exists(old));
    }

    @Test
    void shouldKeepWhenNotOfAJob() throws IOException {
        Path other = directory("somebody-elses", Duration.ofDays(1), DEAD);
        Path similar = directory("tributary-notes", Duration.ofDays(1), DEAD);
        Path file = Files.writeString(shm.resolve("tributary-file-0"), "a file");
        Path tree = directory("tributary-tree-0", Duration.ofDays(1), DEAD);
        Files.createDirectory(tree.resolve("directory"));
        Files.setLastModifiedTime(tree, FileTime.from(Instant.EPOCH));
        assertEquals(List.of(), sweep());
        assertTrue(Files.exists(other) && Files.exists(similar) && Files.exists(file) && Files.exists(tree));
    }

    @Test
    void shouldKeepWhenItIsAnotherUsers() throws IOException {
        Path stale = directory("tributary-other-0", Duration.ofDays(1), DEAD);
        int user = (Integer) Files.getAttribute(stale, "unix:uid");
        LockedDirectory.Swept swept = LockedDirectory.sweep(shm, NodeDirectory.NAME, user + 1);
        assertEquals(List.of(), swept.removed());
        assertEquals(List.of(), swept.problems());
        assertTrue(Files.exists(stale.resolve(DEAD)));
    }

    @Test
    void shouldKeepWhenOthersMayWriteToIt() throws IOException {
        Path open = directory("tributary-open-0", Duration.ofDays(1), DEAD);
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertEquals(List.of(), sweep());
        assertTrue(Files.exists(open));
    }

    @Test
    void shouldFollowNoSymbolicLinkWhenSweeping() throws IOException {
        Path precious = directory("precious", Duration.ofDays(1), DEAD, "secret", "servers", "launcher.lock");
        Files.createSymbolicLink(shm.resolve("tributary-link-0"), precious);
        Path stale = directory("tributary-stale-0", Duration.ZERO, DEAD);
        Files.createSymbolicLink(stale.resolve("segment-1"), precious.resolve("secret"));
        Path linked = directory("tributary-linked-0", Duration.ZERO);
        Files.createSymbolicLink(linked.resolve(DEAD), precious.resolve("secret"));
        assertEquals(List.of(stale.toString()), sweep());
        assertFalse(LockedDirectory.remove(shm.resolve("tributary-link-0")));
        try (var left = Files.list(precious)) {
            assertEquals(4, left.count());
        }
    }

    @Test
    void shouldNotWaitWhenLockIsAPipe() throws Exception {
        Path hostile = directory("tributary-pipe-0", Duration.ZERO);
        shell(hostile, "mkfifo lock-1-1");
        assertEquals(List.of(), sweep());
    }

    @Test
    void shouldSweepTheRestWhenNamesAreHostile() throws Exception {
        shell(shm, "mkdir -m 700 \"$(printf 'tributary-\\377\\376-0')\" \"$(printf 'tributary-a\\nb-0')\""
            + " 'tributary-$(x)-0' tributary--0 'tributary-*-0' && touch -d '2 days ago' tributary-*");
        Path stale = directory("tributary-stale-0", Duration.ZERO, DEAD);
        assertEquals(List.of(stale.toString()), sweep());
    }

    @Test
    void shouldSayWhyWhenPlaceCannotBeListed() throws IOException {
        Path file = Files.createFile(shm.resolve("file"));
        assertEquals(1, LockedDirectory.sweep(file, NodeDirectory.NAME).problems().size());
        assertEquals(List.of(), LockedDirectory.sweep(shm.resolve("missing"), NodeDirectory.NAME).problems());
    }

    @Test
    void shouldRemoveEachOnceWhenManySweepAtOnce() throws Exception {
        int directories = 200;
        int sweepers = 8;
        for (int i = 0; i < directories; i++) {
            directory("tributary-stale-" + i, Duration.ZERO, DEAD, "control", "segment-1", "socket");
        }
        CyclicBarrier start = new CyclicBarrier(sweepers);
        List<Callable<List<String>>> sweeps = new ArrayList<>();
        for (int i = 0; i < sweepers; i++) {
            sweeps.add(() -> {
                start.await();
                return sweep();
            });
        }
        List<String> removed = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(sweepers)) {
            for (Future<List<String>> swept : threads.invokeAll(sweeps)) {
                removed.addAll(swept.get());
            }
        }
        removed.addAll(sweep()); // what two had opened at the same time, each took for the other's
        assertEquals(directories, removed.size());
        assertEquals(directories, removed.stream().distinct().count());
        try (var left = Files.list(shm)) {
            assertEquals(0, left.count());
        }
    }

    /** A job script may use a job id again at once. */
    @Test
    void shouldLeaveANewDirectoryAloneWhenAnOldOneOfItsNameIsSwept() throws Exception {
        int rounds = 100;
        int sweepers = 3;
        String[] files = {"control", "segment-1", "segment-2", "rings", "socket"};
        try (ExecutorService threads = Executors.newFixedThreadPool(sweepers)) {
            for (int round = 0; round < rounds; round++) {
                Path path = directory("tributary-again-0", Duration.ZERO, files);
                Files.writeString(path.resolve(DEAD), "");
                CyclicBarrier start = new CyclicBarrier(sweepers + 1);
                List<Future<List<String>>> sweeps = new ArrayList<>();
                for (int i = 0; i < sweepers; i++) {
                    sweeps.add(threads.submit(() -> {
                        start.await();
                        return sweep();
                    }));
                }
                start.await();
                try (LockedDirectory made = createAsSoonAsPossible(path)) {
                    for (String file : files) {
                        Files.writeString(path.resolve(file), "new");
                    }
                    for (Future<List<String>> swept : sweeps) {
                        swept.get(250, TimeUnit.SECONDS);
                    }
                    for (String file : files) {
                        assertTrue(Files.exists(path.resolve(file)), file + " in round " + round);
                    }
                    assertTrue(Files.exists(made.lockFile()));
                }
            }
        }
    }

    private static LockedDirectory createAsSoonAsPossible(Path path) throws IOException {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(250);
        while (true) {
            try {
                return LockedDirectory.create(path);
            } catch (FileAlreadyExistsException e) {
                assertTrue(System.nanoTime() - deadlineNs < 0, "is not swept");
            }
        }
    }
}

package org.tributary.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tributary.client.GlobalMemory;
import org.tributary.client.Group;
import org.tributary.client.MutexSet;
import org.tributary.client.window.Window;
import org.tributary.client.window.WindowOptions;
import org.tributary.config.ConfigException;

class RanksTest {
    private static final String OWN = "local-" + ProcessHandle.current().pid() + "-";

    @AfterEach
    void nothingIsLeft() throws IOException {
        for (String parent : List.of("/dev/shm", System.getProperty("java.io.tmpdir"))) {
            try (Stream<Path> entries = Files.list(Path.of(parent))) {
                assertEquals(List.of(), entries.filter(path -> path.toString().contains(OWN)).toList());
            }
        }
        assertFalse(Thread.getAllStackTraces().keySet().stream().anyMatch(t -> t.getName().startsWith("rank-")));
    }

    @Test
    void shouldRunEveryRankOnceOnItsNode() throws Exception {
        Set<String> places = ConcurrentHashMap.newKeySet();
        Ranks.of("2,1").run(gas -> assertTrue(places.add(gas.rank() + " on " + gas.node())));
        assertEquals(Set.of("0 on 0", "1 on 0", "2 on 1"), places);
    }

    @Test
    void shouldThrowWhatARankThrewThoughOthersWaitForIt() {
        IOException thrown = assertThrows(IOException.class, () -> Ranks.of("2*2").run(gas -> {
            if (gas.rank() == 3) {
                throw new IOException("no luck on rank 3");
            }
            gas.barrier();
        }));
        assertEquals("no luck on rank 3", thrown.getMessage());
        assertThrows(AssertionError.class, () -> Ranks.of("1").run(gas -> assertEquals(1, gas.rank())));
    }

    /** Its closes are collective, and the others never come: they wait for this rank. */
    @Test
    void shouldThrowWhatARankThrewThoughItClosesOnItsWay() {
        IOException thrown = assertThrows(IOException.class, () -> Ranks.of("2*2").run(gas -> {
            try (GlobalMemory memory = gas.allocate(8);
                 MutexSet mutexes = gas.createMutexes(1);
                 Group half = gas.world().split(gas.rank() % 2, 0);
                 Window window = Window.allocate(gas, half, 8, 8, WindowOptions.DEFAULT)) {
                memory.putLong(0, 0, window.bytes(gas.rank()) + mutexes.count(0));
                if (gas.rank() == 3) {
                    throw new IOException("no luck on rank 3");
                }
                gas.waitNotify(3);
            }
        }));
        assertEquals("no luck on rank 3", thrown.getMessage());
    }

    @Test
    void shouldRunWhenTheDeadlineIsFurtherThanAnySetting() throws Exception {
        Ranks.of("2").within(Duration.ofDays(2)).run(gas -> assertEquals(2, gas.rankCount()));
        Ranks.of("2").within(Duration.ofSeconds(Long.MAX_VALUE)).run(gas -> assertEquals(2, gas.rankCount()));
    }

    /** With ever more time, as ranks take some to attach: then both wait in what they have called. */
    @Test
    void shouldSayWhereRanksAreWhenTheTimeIsOver() {
        Duration deadline = Duration.ofSeconds(1);
        String message;
        do {
            deadline = deadline.multipliedBy(2);
            Ranks ranks = Ranks.of("1,1").within(deadline).with("attach.timeout=60s");
            message = assertThrows(AssertionError.class,
                () -> ranks.run(gas -> gas.waitNotify(1 - gas.rank()))).getMessage();
            assertTrue(message.startsWith("ranks still run after " + deadline.toSeconds() + ".0 s: \nrank-0\n"),
                message);
        } while (!message.matches("(?s).*Gas\\.waitNotify.*\nrank-1\n.*Gas\\.waitNotify.*"));
    }

    @Test
    void shouldEndItsRanksWhenItIsInterrupted() throws Exception {
        CountDownLatch begun = new CountDownLatch(2);
        FutureTask<Boolean> run = new FutureTask<>(() -> {
            assertThrows(InterruptedException.class, () -> Ranks.of("2").run(gas -> {
                begun.countDown();
                gas.waitNotify(gas.rank());
            }));
            return Thread.getAllStackTraces().keySet().stream().noneMatch(t -> t.getName().startsWith("rank-"));
        });
        Thread test = Thread.ofPlatform().start(run);
        begun.await();
        test.interrupt();
        assertTrue(run.get());
    }

    @Test
    void shouldRemoveTheFilesOfATestThatWasKilled() throws Exception {
        Path left = Path.of(System.getProperty("java.io.tmpdir"), "tributary-job-local-1-1-"
            + Integer.toHexString(new SecureRandom().nextInt()));
        Files.createDirectory(left, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.createFile(left.resolve("lock-1-1")); // which nobody holds
        Ranks.of("1").run(gas -> { });
        assertFalse(Files.exists(left));
    }

    @Test
    void shouldRefuseWhatIsWrongBeforeAnythingStarts() {
        assertThrows(ConfigException.class, () -> Ranks.of("2*x"));
        assertThrows(ConfigException.class, () -> Ranks.of("2").with("wait.spni=1us").run(gas -> { }));
    }

    /** The example of the guide is {@link SumTest}, which need not import its own package. */
    @Test
    void shouldBeExplainedByATestThatRuns() throws IOException {
        String test = Files.readString(Path.of("src/test/java/org/tributary/testing/SumTest.java"));
        String guide = Files.readString(Path.of("../docs/guide.md"))
            .replace("import org.tributary.testing.Ranks;\n", "");
        String example = "```java\n" + test.substring(test.indexOf("import static")) + "```";
        assertTrue(guide.contains(example), guide);
    }

    @Test
    void shouldTakeSettings() throws Exception {
        Ranks.of("1,1").with("network.encryption=aes-gcm").run(SumTest::count);
    }
}

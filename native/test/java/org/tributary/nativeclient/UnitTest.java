package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tributary.config.Settings;
import org.tributary.wire.Frames;
import org.tributary.wire.shm.AccumulateLocks;
import org.tributary.wire.shm.CollectiveLayout;
import org.tributary.wire.shm.ControlFile;
import org.tributary.wire.shm.MutexWord;
import org.tributary.wire.shm.NotifyTable;
import org.tributary.wire.shm.SegmentLayout;

/** Parts of the C client that need no job, and numbers that must be the same in C and in Java. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class UnitTest {
    @BeforeEach
    void assumeBuilt() {
        NativeBuild.assumeBuilt();
    }

    private static String outputOf(String... argument) throws Exception {
        List<String> command = new ArrayList<>(List.of(NativeBuild.sanitizedProgram("unit").toString()));
        command.addAll(List.of(argument));
        try (Jobs jobs = new Jobs()) {
            return jobs.start(command).succeed();
        }
    }

    @Test
    void shouldPassItsOwnChecks() throws Exception {
        assertTrue(outputOf().contains("all well"));
    }

    @Test
    void shouldLayOutSharedMemoryAsJavaDoes() throws Exception {
        StringBuilder expected = new StringBuilder();
        for (int size = 1; size <= 9; size++) {
            CollectiveLayout layout = new CollectiveLayout(size, 1000);
            expected.append("inbox.%d %d %d %d %d %d%n".formatted(size, layout.rounds(), layout.bytes(),
                layout.flagOffset(layout.rounds() - 1, 3, 1), layout.chunkOffset(0, 1, 0),
                layout.ackOffset(layout.rounds() - 1, 1)));
        }
        for (long segment = 0; segment < 5; segment++) {
            long id = segment << 32 | segment;
            expected.append("lock.%d %d %d%n".formatted(segment, AccumulateLocks.lockOf(id, 0),
                AccumulateLocks.lockOf(id, 123456789)));
        }
        for (int capacity = 1; capacity < 2000; capacity = 3 * capacity + 1) {
            expected.append("notify.%d %d%n".formatted(capacity, NotifyTable.bytes(capacity)));
        }
        String actual = outputOf("layout");
        assertEquals(expected.toString(), actual.substring(0, actual.indexOf("magic")));
        assertTrue(actual.contains("\nlocks " + AccumulateLocks.LOCKS + "\nstripe " + AccumulateLocks.STRIPE_BYTES
            + "\nserver.token " + ControlFile.SERVER_TOKEN + "\nmutex.stride " + MutexWord.STRIDE
            + "\npart.alignment " + SegmentLayout.PART_ALIGNMENT + "\nframe.header " + Frames.HEADER_BYTES
            + "\nvector.entry " + Frames.VECTOR_ENTRY_BYTES + "\nlevels " + Frames.MAX_LEVELS + "\n"), actual);
    }

    @Test
    void shouldKnowTheSettingsOfARankWithTheirDefaults() throws Exception {
        List<Settings.Entry> shared = Settings.builder().build().describe();
        List<Settings.Entry> dedicated = Settings.builder().set("wait.preset", "dedicated").build().describe();
        List<String> lines = outputOf("settings").lines().toList();
        assertEquals(10, lines.size());
        for (String line : lines) {
            String[] words = line.split(" ");
            assertTrue(Settings.variables().contains(words[1]), line);
            assertEquals(words[2], value(shared, words[0]), line);
            assertEquals(words[0].equals("wait.preset") ? "dedicated" : words[3], value(dedicated, words[0]), line);
            if (!words[4].equals("-")) {
                Settings.builder().set(words[0], words[4]).build();
                Settings.builder().set(words[0], words[5]).build();
            }
        }
    }

    private static String value(List<Settings.Entry> entries, String key) {
        return entries.stream().filter(entry -> entry.key().equals(key)).map(Settings.Entry::value).findFirst()
            .orElseThrow(() -> new AssertionError("no setting " + key));
    }
}

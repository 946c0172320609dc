package org.tributary.wire.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class CoreTest {
    @Test
    void shouldMoveThreadAndLeaveItAllCoresWhenThereAreSeveral() throws IOException {
        String before = allowed();
        assumeTrue(before.contains("-") || before.contains(","), "only core " + before + " may be used");
        try (Arena arena = Arena.ofConfined()) {
            Core core = new Core(arena);
            int moved = 0;
            for (int i = 0; i < 100; i++) {
                int here = SystemCalls.currentCore();
                assertTrue(core.moveToAnother());
                if (SystemCalls.currentCore() != here) { // the kernel may move it as well
                    moved++;
                }
            }
            assertTrue(moved > 50, () -> "on another core only sometimes");
        }
        assertEquals(before, allowed());
    }

    /** Of the calling thread. */
    private static String allowed() throws IOException {
        return Files.readAllLines(Path.of("/proc/thread-self/status")).stream()
            .filter(line -> line.startsWith("Cpus_allowed_list:")).findFirst().orElseThrow().split("\\s+")[1];
    }
}

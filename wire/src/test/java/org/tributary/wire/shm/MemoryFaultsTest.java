package org.tributary.wire.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Code that follows an access to memory that is gone does not run, however the JVM has compiled it. */
class MemoryFaultsTest {
    private static final int BYTES = 8192;
    private static final int WARM = 500_000;
    private static final int FAULTS = 200;

    @ParameterizedTest
    @ValueSource(strings = {"-Xint", "-XX:TieredStopAtLevel=1", "-XX:-TieredCompilation"})
    void shouldThrowBeforeWhatFollowsWhenMemoryIsGone(String how) throws Exception {
        TruncatedWordTest.assertEndsWell(Program.class, how);
    }

    /** Compiles an access and what follows it, and then takes the memory away. */
    static final class Program {
        private static int done;

        private Program() {
        }

        private static int accessAndGoOn(MemorySegment memory) {
            int word = SharedWord.getAcquire(memory, 64);
            MemoryFaults.surface();
            done++;
            return word;
        }

        /** As a loop that moves data: with the access and what follows compiled into it. */
        private static void turn(MemorySegment memory) {
            for (int i = 0; i < 5; i++) {
                accessAndGoOn(memory);
            }
        }

        public static void main(String[] arguments) throws IOException {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment memory = arena.allocate(BYTES, 64);
                for (int i = 0; i < WARM; i += 5) {
                    turn(memory);
                }
            }
            for (int i = 0; i < FAULTS; i++) {
                try {
                    TruncatedWordTest.withTruncatedFile(Program::turn);
                    throw new AssertionError("fault " + i + " has not been told");
                } catch (InternalError e) {
                    assertEquals(WARM, done, "something was done after fault " + i);
                }
            }
        }
    }
}

package org.tributary.wire.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a rank tells others besides its work throws nothing when its memory is gone, not even later: threads that hold
 * locks, or leave a {@code finally}, tell it.
 */
class KeptFaultsTest {
    /** Everything becomes part of what calls it, so that no method ends with what the JVM has noted. */
    private static final String INLINED = "-XX:-TieredCompilation -XX:InlineSmallCode=1000000";
    private static final int WARM = 300_000;
    private static final int FAULTS = 100;
    private static final int TRACES = 10;
    /** After so many turns a record stands for several. */
    private static final int GROWING = 50;

    @ParameterizedTest
    @ValueSource(strings = {"-Xint", "-XX:TieredStopAtLevel=1", INLINED})
    void shouldThrowNothingLaterWhenTheMemoryOfATraceIsGone(String how) throws Exception {
        TruncatedWordTest.assertEndsWell(Traces.class, how);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-Xint", "-XX:TieredStopAtLevel=1", INLINED})
    void shouldThrowNothingLaterWhenTheMemoryOfWaitsAndLatenciesIsGone(String how) throws Exception {
        TruncatedWordTest.assertEndsWell(Told.class, how);
    }

    /** As threads that send: each operation is recorded under a lock, which they give back. */
    static final class Traces {
        private static final ReentrantLock LOCK = new ReentrantLock();

        private Traces() {
        }

        private static void turn(Trace trace) {
            for (int i = 0; i < 5; i++) {
                LOCK.lock();
                try {
                    trace.endOneWay(TraceOperation.PUT, 1, 0, TraceLayout.LARGE_BYTES, 7);
                } finally {
                    LOCK.unlock();
                }
            }
        }

        /** Operations that are added to a record; some begin a new one. */
        private static void answer(Trace trace) {
            for (int i = 0; i < 5; i++) {
                LOCK.lock();
                try {
                    trace.answered(TraceOperation.GET, 1, 1, 0, 8, 7, 0);
                } finally {
                    LOCK.unlock();
                }
            }
        }

        private static Trace truncated(Path folder) throws IOException {
            Trace trace = Trace.create(folder, "job", 0, 0, 1);
            for (int i = 0; i < GROWING; i++) {
                answer(trace);
            }
            Path file = TraceLayout.file(folder, "job", 0);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(0);
            }
            Files.delete(file);
            return trace;
        }

        public static void main(String[] arguments) throws IOException {
            Path folder = Files.createTempDirectory("tributary-traces-");
            try {
                Trace warm = Trace.create(folder, "warm", 0, 0, 1);
                Files.delete(TraceLayout.file(folder, "warm", 0));
                for (int i = 0; i < WARM; i += 5) {
                    turn(warm);
                    answer(warm);
                }
                for (int i = 0; i < TRACES; i++) {
                    turn(truncated(folder));
                    answer(truncated(folder));
                    assertFalse(LOCK.isLocked());
                    truncated(folder).finish(true);
                }
            } finally {
                Files.delete(folder);
            }
        }
    }

    /** As threads that have waited. */
    static final class Told {
        private static int done;

        private Told() {
        }

        private static void turn(MemorySegment memory) {
            WaitSlots waits = new WaitSlots(memory);
            Latencies latencies = new Latencies(memory);
            for (int i = 0; i < 5; i++) {
                waits.end(waits.begin(WaitKind.MUTEX, 0, 0, 0));
                latencies.ended(LatencyKind.GET, System.nanoTime());
                done++;
            }
        }

        public static void main(String[] arguments) throws IOException {
            Consumer<MemorySegment> turn = Told::turn;
            MemorySegment good = Arena.global().allocate(8192, 64);
            for (int i = 0; i < WARM; i += 5) {
                turn.accept(good);
            }
            for (int i = 0; i < FAULTS; i++) {
                TruncatedWordTest.withTruncatedFile(turn);
            }
            assertEquals(WARM + 5 * FAULTS, done);
        }
    }
}

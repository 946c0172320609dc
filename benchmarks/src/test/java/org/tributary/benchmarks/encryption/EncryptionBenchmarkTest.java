package org.tributary.benchmarks.encryption;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.tributary.benchmarks.job.JvmJob;

class EncryptionBenchmarkTest {
    /** Gets into one place could not be on their way at a time. */
    @Test
    void shouldHaveEachGetAPlaceOfItsOwnWhenTheyAreAStream() throws IOException {
        try (JvmJob job = EncryptionBenchmark.start("none"); Arena arena = Arena.ofShared()) {
            MemorySegment local = arena.allocate(EncryptionBenchmark.STREAM_BYTES, Long.BYTES);
            MemorySegment there = job.rank(EncryptionBenchmark.TARGET).memory().local();
            there.fill((byte) 7);

            EncryptionBenchmark.operation(EncryptionBenchmark.Op.GET_STREAM, job.rank(0), local).once();

            for (int i = 0; i < EncryptionBenchmark.AT_ONCE; i++) {
                assertEquals(-1, local.asSlice((long) i * EncryptionBenchmark.LARGE, EncryptionBenchmark.LARGE)
                    .mismatch(there), "get " + i);
            }
        }
    }

    @Test
    void shouldTakeTheBetterOfTwoMeasurementsWhenTheCipherIsTheLimit() {
        assertEquals(new CipherSpeed(11_332, 900),
            new CipherSpeed(1_146, 900).better(new CipherSpeed(11_332, 800)));
    }
}

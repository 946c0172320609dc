package org.tributary.benchmarks.encryption;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.tributary.benchmarks.measure.Effort;
import org.tributary.benchmarks.measure.Repeatable;
import org.tributary.benchmarks.measure.Settling;
import org.tributary.benchmarks.measure.Stopwatch;
import org.tributary.wire.record.RecordOpener;
import org.tributary.wire.record.RecordSealer;
import org.tributary.wire.record.Records;

/** The cipher alone, in one thread: how many bytes it seals a second, and how many it opens. */
record CipherSpeed(double sealedMbPerSecond, double openedMbPerSecond) {
    /**
     * The cipher takes a second and 2 GiB and more before it is compiled with the instructions of the processor: it is
     * warmed up until it does not become faster.
     */
    private static final Duration WARM_UP = Duration.ofSeconds(1);
    private static final Effort EFFORT = new Effort(0, 50);
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final int BATCH = 128;
    private static final int SECRET_BYTES = 32;

    static CipherSpeed measure() throws IOException {
        byte[] secret = new byte[SECRET_BYTES];
        ByteBuffer content = ByteBuffer.allocateDirect(Records.MAX_CONTENT);
        ByteBuffer records = ByteBuffer.allocateDirect(BATCH * Records.MAX_BYTES);
        byte[] opened = RecordOpener.contentBuffer();
        double sealed = mbPerSecond(() -> {
            RecordSealer sealer = new RecordSealer(secret);
            records.clear();
            for (int i = 0; i < BATCH; i++) {
                sealer.add(content.clear());
                sealer.seal(records);
            }
        });
        double read = mbPerSecond(() -> {
            RecordOpener opener = new RecordOpener(secret);
            records.position(0).limit(BATCH * Records.MAX_BYTES);
            for (int i = 0; i < BATCH; i++) {
                opener.open(records, opened);
            }
        });
        return new CipherSpeed(sealed, read);
    }

    private static double mbPerSecond(Repeatable batch) throws IOException {
        Settling.settle(() -> {
            long begun = System.nanoTime();
            batch.once();
            return System.nanoTime() - begun;
        }, WARM_UP, Integer.MAX_VALUE, System::nanoTime);
        return Stopwatch.lasting(LIMIT).measure(batch, EFFORT).medianMbPerSecond((long) BATCH * Records.MAX_CONTENT);
    }

    /** In each direction, as the cipher alone is a limit. */
    CipherSpeed better(CipherSpeed other) {
        return new CipherSpeed(Math.max(sealedMbPerSecond, other.sealedMbPerSecond),
            Math.max(openedMbPerSecond, other.openedMbPerSecond));
    }

    /** A stream that is sealed by one thread and opened by another cannot be faster. */
    double slowerMbPerSecond() {
        return Math.min(sealedMbPerSecond, openedMbPerSecond);
    }
}

package org.tributary.benchmarks.encryption;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.tributary.benchmarks.measure.Effort;
import org.tributary.benchmarks.measure.Stopwatch;
import org.tributary.wire.record.RecordOpener;
import org.tributary.wire.record.RecordSealer;
import org.tributary.wire.record.Records;

/** The cipher alone, in one thread: how many bytes it seals a second, and how many it opens. */
record CipherSpeed(double sealedMbPerSecond, double openedMbPerSecond) {
    /** About a second before the cipher is compiled with the instructions of the processor, and what counts. */
    private static final Effort EFFORT = new Effort(500, 50);
    private static final int BATCH = 128;
    private static final int SECRET_BYTES = 32;

    static CipherSpeed measure() throws IOException {
        byte[] secret = new byte[SECRET_BYTES];
        ByteBuffer content = ByteBuffer.allocateDirect(Records.MAX_CONTENT);
        ByteBuffer records = ByteBuffer.allocateDirect(BATCH * Records.MAX_BYTES);
        byte[] opened = RecordOpener.contentBuffer();
        long bytes = (long) BATCH * Records.MAX_CONTENT;
        double sealed = new Stopwatch().measure(() -> {
            RecordSealer sealer = new RecordSealer(secret);
            records.clear();
            for (int i = 0; i < BATCH; i++) {
                sealer.add(content.clear());
                sealer.seal(records);
            }
        }, EFFORT).medianMbPerSecond(bytes);
        double read = new Stopwatch().measure(() -> {
            RecordOpener opener = new RecordOpener(secret);
            records.position(0).limit(BATCH * Records.MAX_BYTES);
            for (int i = 0; i < BATCH; i++) {
                opener.open(records, opened);
            }
        }, EFFORT).medianMbPerSecond(bytes);
        return new CipherSpeed(sealed, read);
    }

    /** A stream that is sealed by one thread and opened by another cannot be faster. */
    double slowerMbPerSecond() {
        return Math.min(sealedMbPerSecond, openedMbPerSecond);
    }
}

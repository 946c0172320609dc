package org.tributary.wire.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;
import org.tributary.wire.shm.CountsFile;

/** A server that tells its counts while another process reads them. All states share the file and its one writer. */
@JCStressTest
@Outcome(id = "0", expect = ACCEPTABLE, desc = "nothing yet, or written again and again while it was read")
@Outcome(id = "1", expect = ACCEPTABLE, desc = "what was told at one time")
@Outcome(id = "-1", expect = FORBIDDEN, desc = "something of two times")
@State
public class CountsFileStress {
    private static final int LONGS = 128;
    private static final Path FILE = StressFiles.folderFor("counts").resolve("counts");
    private static final CountsFile COUNTS = create();
    private static final ByteBuffer CONTENT = ByteBuffer.allocate(LONGS * Long.BYTES).order(ByteOrder.nativeOrder());
    private static long told;

    private static CountsFile create() {
        try {
            return CountsFile.create(FILE, Arena.global(), LONGS * Long.BYTES);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Tells the same number everywhere. */
    @Actor
    public void server() {
        told++;
        for (int i = 0; i < LONGS; i++) {
            CONTENT.putLong(i * Long.BYTES, told);
        }
        COUNTS.write(CONTENT);
    }

    /** Reads it all. */
    @Actor
    public void reader(I_Result result) {
        try {
            ByteBuffer content = CountsFile.read(FILE).order(ByteOrder.nativeOrder());
            result.r1 = content.hasRemaining() ? 1 : 0;
            for (int at = 0; at < content.limit(); at += Long.BYTES) {
                if (content.getLong(at) != content.getLong(0) || content.limit() != LONGS * Long.BYTES) {
                    result.r1 = -1;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

package org.tributary.benchmarks.onesided;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.tributary.client.shape.Strided;

/** Strided operations, each complete before the next begins. The bytes between the rows are verified too. */
final class StridedTransfers {
    private StridedTransfers() {
    }

    /** Zeros the rows of a buffer and leaves what lies between. */
    private static void clearRows(MemorySegment buffer, Rows rows) {
        for (long row = 0; row < rows.rows(); row++) {
            buffer.asSlice(row * rows.pitch(), rows.rowBytes()).fill((byte) 0);
        }
    }

    record PutFence(Endpoint at, Rows rows, Strided shape) implements Operation {
        PutFence(Endpoint at, Rows rows) {
            this(at, rows, rows.shape());
            at.fillTarget(rows.span());
            clearRows(at.source(), rows);
        }

        @Override
        public void once() {
            at.memory().putStrided(at.target(), 0, at.source(), 0, shape);
            at.gas().fence(at.target());
        }

        @Override
        public void verify() throws IOException {
            at.verifyTarget(0, rows.span());
        }
    }

    record Get(Endpoint at, Rows rows, Strided shape) implements Operation {
        Get(Endpoint at, Rows rows) {
            this(at, rows, rows.shape());
            at.fillTarget(rows.span());
            at.sink().copyFrom(at.source());
            clearRows(at.sink(), rows);
        }

        @Override
        public void once() {
            at.memory().getStrided(at.target(), 0, at.sink(), 0, shape);
        }

        @Override
        public void verify() throws IOException {
            at.verifySink(0, rows.span());
        }
    }
}

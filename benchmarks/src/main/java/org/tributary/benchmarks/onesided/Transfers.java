package org.tributary.benchmarks.onesided;

import java.io.IOException;
import org.tributary.client.shape.Scale;

/** Contiguous operations, each complete before the next begins. */
final class Transfers {
    private Transfers() {
    }

    record PutFence(Endpoint at, long bytes) implements Operation {
        @Override
        public void once() {
            at.memory().put(at.target(), 0, at.source(), 0, bytes);
            at.gas().fence(at.target());
        }

        @Override
        public void verify() throws IOException {
            at.verifyTarget(0, bytes);
        }
    }

    record Get(Endpoint at, long bytes) implements Operation {
        Get {
            at.fillTarget(bytes);
        }

        @Override
        public void once() {
            at.memory().get(at.target(), 0, at.sink(), 0, bytes);
        }

        @Override
        public void verify() throws IOException {
            at.verifySink(0, bytes);
        }
    }

    static final class AccumulateFence implements Operation {
        private static final Scale SCALE = Scale.ofDouble(1.0);
        private final Endpoint at;
        private final long bytes;
        private long additions;

        AccumulateFence(Endpoint at, long bytes) {
            this.at = at;
            this.bytes = bytes;
            at.prepareSum(bytes);
        }

        @Override
        public void once() {
            at.memory().accumulate(at.target(), 0, SCALE, at.source(), 0, bytes);
            at.gas().fence(at.target());
            additions++;
        }

        @Override
        public void verify() throws IOException {
            at.verifySum(bytes, additions);
        }
    }
}

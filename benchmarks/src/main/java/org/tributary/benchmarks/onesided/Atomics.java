package org.tributary.benchmarks.onesided;

import java.io.IOException;
import org.tributary.client.MutexSet;

/** Operations on a single word or mutex of the target. */
final class Atomics {
    private Atomics() {
    }

    static final class FetchAndAdd implements Operation {
        private final Endpoint at;
        private long expected;

        FetchAndAdd(Endpoint at) {
            this.at = at;
            expected = at.memory().getLong(at.target(), 0);
        }

        @Override
        public void once() {
            at.memory().fetchAndAdd(at.target(), 0, 1);
            expected++;
        }

        @Override
        public void verify() throws IOException {
            long sum = at.memory().getLong(at.target(), 0);
            if (sum != expected) {
                throw new IOException("the counter of rank " + at.target() + " is " + sum + ", not " + expected);
            }
        }
    }

    record LockUnlock(MutexSet mutexes, int target) implements Operation {
        @Override
        public void once() {
            mutexes.lock(target, 0);
            mutexes.unlock(target, 0);
        }

        @Override
        public void verify() throws IOException {
            if (!mutexes.tryLock(target, 0)) {
                throw new IOException("the mutex of rank " + target + " is still locked");
            }
            mutexes.unlock(target, 0);
        }
    }
}

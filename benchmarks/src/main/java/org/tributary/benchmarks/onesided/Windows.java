package org.tributary.benchmarks.onesided;

import java.io.IOException;
import org.tributary.client.remote.Handle;

/**
 * Non-blocking puts, {@link Op#WINDOW} at a time: an iteration ends when their sources can be reused, and a fence
 * completes them all at the target after the last iteration.
 */
final class Windows implements Operation {
    private static final long LINE = 64;

    private final Endpoint at;
    private final long bytes;
    /** Where each put of a window goes, and where in the source it comes from. */
    private final long[] offsets = new long[Op.WINDOW];
    /** The handle of each put of a window. */
    private final Handle[] handles = new Handle[Op.WINDOW];
    /** Handles that complete the puts of a window: one for each, or the aggregate handle alone. */
    private final Handle[] awaited;

    /** With one handle for each put, or with one aggregate handle for all of a window. */
    Windows(Endpoint at, long bytes, boolean aggregate) {
        this.at = at;
        this.bytes = bytes;
        // Apart by a cache line at least, so that nothing merges neighbours; as many places as the target's memory has.
        long apart = Math.max(bytes, LINE);
        long places = Math.clamp((at.memory().bytes(at.target()) - bytes) / apart + 1, 1, Op.WINDOW);
        for (int i = 0; i < Op.WINDOW; i++) {
            offsets[i] = i % places * apart;
        }
        Handle shared = aggregate ? at.gas().aggregateHandle() : null;
        for (int i = 0; i < Op.WINDOW; i++) {
            handles[i] = aggregate ? shared : at.gas().handle();
        }
        awaited = aggregate ? new Handle[] {shared} : handles;
    }

    @Override
    public void once() {
        for (int i = 0; i < Op.WINDOW; i++) {
            at.memory().nbPut(handles[i], at.target(), offsets[i], at.source(), offsets[i], bytes);
        }
        Handle.awaitAll(awaited);
    }

    @Override
    public void finish() {
        at.gas().fence(at.target());
    }

    @Override
    public void verify() throws IOException {
        for (long offset : offsets) {
            at.verifyTarget(offset, bytes);
        }
    }
}

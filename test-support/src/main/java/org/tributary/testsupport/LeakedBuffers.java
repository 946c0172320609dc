package org.tributary.testsupport;

import io.netty.buffer.Unpooled;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.logging.LogManager;

/** Has Netty report the buffers that were leaked: it looks when another one is made, after a garbage collection. */
final class LeakedBuffers {
    private static final String DETECTOR = "io.netty.util.ResourceLeakDetector";
    private static final long COLLECTION_MS = 2_000;

    private LeakedBuffers() {
    }

    static void report() throws InterruptedException {
        // Loaded by the first buffer: a test without Netty has no leaks, and perhaps no Netty on its class path.
        if (LogManager.getLogManager().getLogger(DETECTOR) != null) {
            awaitCollection();
            awaitCollection(); // what the first one has found is with its queues when that of the second one is
            Unpooled.directBuffer(1).release();
        }
    }

    /** Until one thing that was unreachable before is with its queue. */
    private static void awaitCollection() throws InterruptedException {
        ReferenceQueue<Object> collected = new ReferenceQueue<>();
        WeakReference<Object> unreachable = new WeakReference<>(new Object(), collected);
        System.gc();
        if (collected.remove(COLLECTION_MS) == null && unreachable.get() != null) {
            System.gc();
        }
    }
}

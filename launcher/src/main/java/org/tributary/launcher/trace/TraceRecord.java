package org.tributary.launcher.trace;

import org.tributary.config.EnumText;
import org.tributary.wire.shm.TraceLayout;
import org.tributary.wire.shm.TraceOperation;
import org.tributary.wire.shm.WaitKind;

/**
 * One record of a trace; its fields are those of {@link TraceLayout}.
 *
 * @param operation null of a wait
 * @param cause     null of an operation
 */
record TraceRecord(long beganNs, long durationNs, long bytes, int count, TraceOperation operation, WaitKind cause,
                   int peer, int thread, long segment, long number) {
    boolean isWait() {
        return cause != null;
    }

    /** As people write it. */
    String name() {
        return EnumText.words(isWait() ? cause : operation);
    }

    /** Of all operations that it stands for, as far as it is known. */
    long totalNs() {
        return durationNs * count;
    }
}

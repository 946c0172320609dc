package org.tributary.client.collective;

import org.tributary.wire.shm.Trace;
import org.tributary.wire.shm.TraceLayout;
import org.tributary.wire.shm.TraceOperation;

/**
 * How a member's collectives are recorded. Those of several nodes take many times as long as a record, and are recorded
 * each. Those of one node may take as long as two looks at the clock: long ones are recorded, short ones sampled. A
 * long one that was not timed shows by the looks at the clock in its waits. Used by one thread at a time.
 */
final class Recording {
    private final Inboxes inboxes;
    private final Trace trace;
    /** Null for several nodes. */
    private final Trace.Samples samples;
    private final long timedBytes;

    /** Of a rank that records. */
    Recording(Inboxes inboxes, boolean isOnNode) {
        this.inboxes = inboxes;
        trace = inboxes.trace();
        samples = isOnNode ? trace.samples() : null;
        timedBytes = TraceLayout.TIMED_COLLECTIVE_BYTES / inboxes.size();
    }

    /** A collective begins; returns what {@link #ended} needs. */
    long begin(int kind, long bytes) {
        return samples == null || bytes >= timedBytes || samples.isDue(TraceOperation.ofCollective(kind))
            ? System.nanoTime() : 0;
    }

    /** It has ended; not called when it fails. */
    void ended(int kind, long beganNs, int root, long bytes, long number) {
        long sinceNs = beganNs == 0 ? inboxes.waitsSinceNs() : beganNs;
        if (beganNs == 0 && inboxes.waitsSeenNs() - sinceNs < TraceLayout.LEAST_SEEN_NS) {
            samples.count(TraceOperation.ofCollective(kind), bytes);
        } else {
            record(TraceOperation.ofCollective(kind), sinceNs, root < 0 ? -1 : inboxes.worldRank(root), bytes, number);
        }
    }

    private void record(TraceOperation what, long sinceNs, int peer, long bytes, long number) {
        if (samples == null) {
            trace.operation(what, sinceNs, peer, bytes, inboxes.segment(), number);
        } else {
            samples.ended(what, sinceNs, peer, bytes, inboxes.segment(), number);
        }
    }

    /** There are no more. */
    void close() {
        if (samples != null) {
            trace.end(samples);
        }
    }
}

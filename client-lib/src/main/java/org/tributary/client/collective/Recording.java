package org.tributary.client.collective;

import org.tributary.wire.shm.LatencySample;
import org.tributary.wire.shm.Trace;
import org.tributary.wire.shm.TraceLayout;
import org.tributary.wire.shm.TraceOperation;

/**
 * How a member's collectives are recorded. Those of several nodes take many times as long as a record, and are recorded
 * each. Those of one node may take as long as two looks at the clock: long ones are recorded, short ones sampled, of
 * those whose time is taken for the live page anyhow. A long one that was not timed shows by the looks at the clock in
 * its waits. Used by one thread at a time.
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

    /** A collective begins, whose time is taken or not; returns what {@link #ended} needs. */
    long begin(long timed, long bytes) {
        return timed != LatencySample.NOT_TIMED ? timed : samples == null || bytes >= timedBytes ? System.nanoTime()
            : LatencySample.NOT_TIMED;
    }

    /**
     * It has ended; not called when it fails. Nearly all are short and only counted, which costs as little as it can:
     * what one member does more, the others wait for.
     *
     * @param ended when, or {@link LatencySample#NOT_TIMED}
     */
    void ended(int kind, long began, long ended, int root, long bytes, long number) {
        TraceOperation what = TraceOperation.ofCollective(kind);
        if (samples != null && isShort(began, ended) && (began == LatencySample.NOT_TIMED || !samples.isDue(what))) {
            samples.count(what, bytes);
        } else {
            record(what, began, root < 0 ? -1 : inboxes.worldRank(root), bytes, number);
        }
    }

    private boolean isShort(long began, long ended) {
        return began == LatencySample.NOT_TIMED
            ? inboxes.waitsSeenNs() - inboxes.waitsSinceNs() < TraceLayout.LEAST_SEEN_NS
            : ended != LatencySample.NOT_TIMED && ended - began < TraceLayout.LEAST_WAIT_NS;
    }

    private void record(TraceOperation what, long began, int peer, long bytes, long number) {
        if (samples == null) {
            trace.operation(what, began, peer, bytes, inboxes.segment(), number);
        } else {
            samples.ended(what, began == LatencySample.NOT_TIMED ? inboxes.waitsSinceNs() : began, peer, bytes,
                inboxes.segment(), number);
        }
    }

    /** There are no more. */
    void close() {
        if (samples != null) {
            trace.end(samples);
        }
    }
}

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
    /* Calls that were not timed, of one kind and size in a row: nearly all are, and cost as little as they can. */
    private int rowKind = -1;
    private long rowBytes;
    private long row;

    /** Of a rank that records. */
    Recording(Inboxes inboxes, boolean isOnNode) {
        this.inboxes = inboxes;
        trace = inboxes.trace();
        samples = isOnNode ? trace.samples(this::countRow) : null;
        timedBytes = TraceLayout.TIMED_COLLECTIVE_BYTES / inboxes.size();
    }

    /** A collective begins, whose time is taken or not; returns what {@link #ended} needs. */
    long begin(long timed, long bytes) {
        return timed != LatencySample.NOT_TIMED ? timed : samples == null || bytes >= timedBytes ? System.nanoTime()
            : LatencySample.NOT_TIMED;
    }

    /** It has ended; not called when it fails. */
    void ended(int kind, long began, int root, long bytes, long number) {
        if (began == LatencySample.NOT_TIMED && kind == rowKind && bytes == rowBytes
            && inboxes.waitsSeenNs() - inboxes.waitsSinceNs() < TraceLayout.LEAST_SEEN_NS) {
            row++;
        } else {
            endedOtherwise(kind, began, root < 0 ? -1 : inboxes.worldRank(root), bytes, number);
        }
    }

    private void endedOtherwise(int kind, long began, int peer, long bytes, long number) {
        TraceOperation what = TraceOperation.ofCollective(kind);
        if (samples == null) {
            trace.operation(what, began, peer, bytes, inboxes.segment(), number);
            return;
        }
        countRow();
        rowKind = kind;
        rowBytes = bytes;
        boolean isTimed = began != LatencySample.NOT_TIMED;
        if (isTimed || inboxes.waitsSeenNs() - inboxes.waitsSinceNs() >= TraceLayout.LEAST_SEEN_NS) {
            samples.ended(what, isTimed ? began : inboxes.waitsSinceNs(), peer, bytes, inboxes.segment(), number);
        } else {
            row = 1;
        }
    }

    private void countRow() {
        if (row > 0) {
            samples.count(TraceOperation.ofCollective(rowKind), row, row * rowBytes);
            row = 0;
        }
    }

    /** There are no more. */
    void close() {
        if (samples != null) {
            trace.end(samples);
        }
    }
}

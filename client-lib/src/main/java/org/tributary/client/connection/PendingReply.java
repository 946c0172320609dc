package org.tributary.client.connection;

import java.lang.foreign.MemorySegment;
import org.tributary.client.error.GasException;
import org.tributary.wire.shape.StridedRegion;
import org.tributary.wire.shm.WaitKind;
import org.tributary.wire.shm.WaitSlots;

/**
 * A request whose answer is on its way, and where that answer goes. Taken from and given back to its link, so that
 * requests cost no garbage. Guarded by the lock of the links.
 */
public final class PendingReply implements Awaited {
    private final int slot;
    private final StridedRegion destination = new StridedRegion();
    private final RangeCursor ranges = new RangeCursor();
    private Callback callback;
    private GasException dropped;
    private long droppedBytes;
    private boolean done;
    private long value;
    private GasException failure;
    private Contended about;
    private boolean isForRegion;
    private boolean isReadBeforeEnd;
    private RegionFacts region;

    PendingReply(int slot) {
        this.slot = slot;
    }

    int slot() {
        return slot;
    }

    void begin(Callback whenDone) {
        callback = whenDone;
        done = false;
        failure = null;
        value = 0;
        dropped = null;
        about = null;
        isForRegion = false;
        isReadBeforeEnd = false;
        region = null;
    }

    /** Nobody waits for the answer, which comes soon; but what is unread when a socket closes may break it. */
    void readBeforeEnd() {
        isReadBeforeEnd = true;
    }

    /** The request asks for something that another rank may have; told by the issuer. */
    public void asksFor(Contended what) {
        about = what;
    }

    /** Where the data of a get goes; begun by the issuer. */
    public StridedRegion destination() {
        return destination;
    }

    /** Where the data of a vector get goes instead; begun by the issuer. */
    public RangeCursor ranges() {
        return ranges;
    }

    /** Data that still comes goes nowhere, as the memory of the issuer may be gone: the request has failed. */
    void drop(GasException why) {
        if (!done && dropped == null) {
            droppedBytes = expectedBytes();
            dropped = why;
            destination.release();
            ranges.release();
        }
    }

    /** Nobody waits for the answer any more: when it comes, the reply can be reused. */
    public void abandon() {
        callback = failed -> { };
    }

    /** Whether the answer is to be read before the connection ends, though nobody waits for it. */
    boolean isDueForNobody() {
        return !done && (isReadBeforeEnd || dropped != null && droppedBytes > 0);
    }

    void accept(MemorySegment source, long offset, long length) {
        if (dropped != null) {
            return;
        }
        if (!ranges.isBegun()) {
            destination.scatter(source, offset, length, OwnersMemory.reachable(destination.memory()));
        } else {
            ranges.scatter(source, offset, length);
        }
    }

    long expectedBytes() {
        return dropped != null ? droppedBytes : ranges.isBegun() ? ranges.remaining() : destination.remaining();
    }

    boolean takesDirectReads() {
        return dropped == null && !ranges.isBegun() && destination.isContiguous() && destination.memory().isNative();
    }

    /** Completes; true when nobody waits, so that the reply can be reused at once. */
    boolean complete(long result, GasException problem) {
        value = result;
        failure = dropped != null ? dropped : problem;
        done = true;
        destination.release();
        ranges.release();
        if (callback != null) {
            callback.completed(failure);
            return true;
        }
        return false;
    }

    @Override
    public boolean isDone() {
        return done;
    }

    @Override
    public int block(WaitSlots waits, int node) {
        Contended what = about;
        return what == null ? waits.begin(WaitKind.ANSWER, node, 0, 0)
            : waits.begin(what.kind(), what.rank(), what.segment(), what.index());
    }

    /** A lock may stay with another rank for ever; all else is answered soon, into memory of the caller. */
    @Override
    public GasException whenInterrupted() {
        Contended what = about;
        return what == null ? null : what.interrupted();
    }

    /** The request asks for a region; told by the issuer. */
    void asksForRegion() {
        isForRegion = true;
    }

    boolean isForRegion() {
        return isForRegion;
    }

    /** Takes the region of the answer. */
    void tell(RegionFacts facts) {
        region = facts;
    }

    /** The region of the answer, when {@link #isDone()}; null when the request did not ask for one. */
    public RegionFacts region() {
        if (failure != null) {
            throw failure;
        }
        return region;
    }

    /** The answer, when {@link #isDone()}. */
    public long value() {
        if (failure != null) {
            throw failure;
        }
        return value;
    }
}

package org.tributary.client.adapter;

import org.tributary.client.connection.Awaited;
import org.tributary.client.connection.Callback;
import org.tributary.client.error.AdapterException;
import org.tributary.client.error.GasException;
import org.tributary.fabric.LocalMemory;

/** One put or get, which is complete when all of its pieces are. Guarded by the lock of the links. */
final class Transfer implements Awaited {
    private final boolean reads;
    private final int rank;
    private final long segment;
    private final long offset;
    private final long length;
    private final Callback callback;
    private final int number;
    private final Registration direct;
    private final boolean holdsCaller;
    private int pending;
    private int operations;
    private boolean isWhole;
    private boolean dropped;
    private GasException failure;

    /**
     * Nothing yet.
     *
     * @param callback is told of the end, unless it is null
     * @param number   by which its writes count at the target; 0 when they do not
     * @param direct   by which the adapter reads or writes the caller's memory itself, until the transfer has ended;
     *                 null when it is copied
     * @param holds    whether the endpoint must stay open for others, so that a caller whose memory it uses must stay
     */
    Transfer(boolean reads, int rank, long segment, long offset, long length, Callback callback, int number,
        Registration direct, boolean holds) {
        this.reads = reads;
        this.rank = rank;
        this.segment = segment;
        this.offset = offset;
        this.length = length;
        this.callback = callback;
        this.number = number;
        this.direct = direct;
        this.holdsCaller = holds && direct != null;
    }

    /** By which the adapter reads or writes the caller's memory itself; null when it is copied. */
    LocalMemory direct() {
        return direct == null ? null : direct.local();
    }

    /** By which its writes count at the target, or 0. */
    int number() {
        return number;
    }

    /** How many operations of the adapter it takes so far. */
    int operations() {
        return operations;
    }

    /** Whether somebody waits who is told of a failure. */
    boolean isWaitedFor() {
        return callback == null;
    }

    boolean reads() {
        return reads;
    }

    /** The rank whose memory it is. */
    int rank() {
        return rank;
    }

    long segment() {
        return segment;
    }

    /** One more piece is on its way, of so many operations. */
    void begunPiece(int operationsOfPiece) {
        pending++;
        operations += operationsOfPiece;
    }

    /** No more pieces follow. */
    void begunAll() {
        isWhole = true;
        tellEnd();
    }

    /** A piece has ended; {@code why} is null when it succeeded. */
    void endedPiece(GasException why) {
        pending--;
        fail(why);
        tellEnd();
    }

    /** Has failed, unless {@code why} is null; the first failure stays. */
    void fail(GasException why) {
        if (failure == null) {
            failure = why;
        }
    }

    private void tellEnd() {
        if (!isDone()) {
            return;
        }
        if (direct != null) {
            direct.ended();
        }
        if (callback != null) {
            callback.completed(reads ? failure : null); // of puts, fences tell
        }
    }

    /** Memory of the caller is touched no more. */
    void drop() {
        dropped = true;
    }

    boolean isDropped() {
        return dropped;
    }

    /** Whether the adapter moves some of it. */
    boolean isUnderWay() {
        return pending > 0;
    }

    @Override
    public boolean isDone() {
        return isWhole && pending == 0;
    }

    @Override
    public boolean holdsCaller() {
        return holdsCaller;
    }

    /** The failure so far, or null. */
    GasException failure() {
        return failure;
    }

    /** The exception for a problem of the provider. */
    AdapterException failed(String problem) {
        return new AdapterException((reads ? "get of " : "put of ") + length + " bytes", problem, rank, segment,
            offset);
    }
}

package org.tributary.client.remote;

import java.util.function.Supplier;
import org.tributary.client.connection.Awaited;
import org.tributary.client.connection.Callback;
import org.tributary.client.connection.Contended;
import org.tributary.client.error.GasException;
import org.tributary.wire.shm.WaitSlots;

/**
 * Stands for any number of non-blocking operations of one process. An operation is complete when its result has arrived
 * (get) or its source may be reused (put, accumulate): as in ARMCI, remote completion is what {@code fence} is for. A
 * handle is reused as soon as it has been waited for. Thread-safe.
 */
public final class Handle implements Awaited {
    private final Owner owner;
    private final Operations operations;
    private final Kind kind;
    /** By phase of {@link Operations}. */
    private final Callback[] callbacks = {problem -> completed(0, problem), problem -> completed(1, problem)};
    private final Supplier<Callback> oneMore = this::expectOne;
    private int pending;
    private GasException failure;
    private volatile Contended about;

    /** How operations are sent. */
    public enum Kind {
        /** Each at once. */
        SINGLE,
        /** Merged into one message for each target until the handle is waited for. */
        AGGREGATE,
        /** Large ones while the caller computes. */
        DEFERRED,
        /** Each at once and waited for at once, so that {@code waitAll} need not. */
        BLOCKING
    }

    /** The process whose operations handles stand for. */
    interface Owner {
        /** Sends what is buffered and says, without waiting, whether everything is complete; throws what failed. */
        boolean test(Handle handle);

        /** Waits until everything is complete; throws the first failure. */
        void await(Handle handle);
    }

    Handle(Owner owner, Operations operations, Kind kind) {
        this.owner = owner;
        this.operations = operations;
        this.kind = kind;
    }

    /** Whether operations are merged into one message for each target until the handle is waited for. */
    public boolean isAggregate() {
        return kind == Kind.AGGREGATE;
    }

    /** Whether large puts are sent while the caller computes, so that their sources must stay as they are. */
    public boolean isDeferred() {
        return kind == Kind.DEFERRED;
    }

    /** Sends what is buffered and says, without waiting, whether everything is complete; throws what failed. */
    public boolean test() {
        return owner.test(this);
    }

    /** Waits until everything is complete; throws the first failure. */
    public void await() {
        owner.await(this);
    }

    /** Waits for all of them; throws the first failure when all are complete, with any others suppressed in it. */
    public static void awaitAll(Handle... handles) {
        RuntimeException first = null;
        for (Handle handle : handles) {
            try {
                handle.await();
            } catch (RuntimeException e) {
                if (first == null) {
                    first = e;
                } else if (first != e) {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    Owner owner() {
        return owner;
    }

    /** {@link #expectOne} for a caller that does not know yet whether there is one more. */
    Supplier<Callback> oneMore() {
        return oneMore;
    }

    /** One more operation is on its way. Called with the lock of the links held. */
    public Callback expectOne() {
        pending++;
        return callbacks[kind == Kind.BLOCKING ? 0 : operations.begin()];
    }

    /** Until all is complete, the operations wait for a lock that another rank may have; told by their issuer. */
    public void asksFor(Contended what) {
        about = what;
    }

    private void completed(int phase, GasException problem) {
        pending--;
        if (pending == 0 && about != null) { // a volatile store costs more than all else here
            about = null;
        }
        if (kind != Kind.BLOCKING) {
            operations.end(phase);
        }
        if (failure == null) {
            failure = problem;
        }
    }

    /** Called with the lock of the links held. */
    @Override
    public boolean isDone() {
        return pending == 0;
    }

    @Override
    public int block(WaitSlots waits, int node) {
        Contended what = about;
        return what == null ? Awaited.super.block(waits, node)
            : waits.begin(what.kind(), what.rank(), what.segment(), what.index());
    }

    /** Throws the first failure, once. Called with the lock of the links held. */
    void throwFailure() {
        if (failure != null) {
            GasException first = failure;
            failure = null;
            throw first;
        }
    }
}

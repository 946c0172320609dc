package org.tributary.client.window;

import org.tributary.client.Gas;
import org.tributary.client.Group;
import org.tributary.wire.codec.LockMode;

/** Every way to synchronize, each with a window that uses it and an epoch in which all members access all. */
enum Style {
    FENCE_AUTO(Kind.FENCE, FenceDesign.AUTO, EpochDesign.AUTO),
    FENCE_DEFERRED(Kind.FENCE, FenceDesign.DEFERRED, EpochDesign.AUTO),
    FENCE_NAIVE(Kind.FENCE, FenceDesign.IMMEDIATE_NAIVE, EpochDesign.AUTO),
    FENCE_OPT(Kind.FENCE, FenceDesign.IMMEDIATE_OPT, EpochDesign.AUTO),
    FENCE_NOTIFY(Kind.FENCE, FenceDesign.IMMEDIATE_NOTIFY, EpochDesign.AUTO),
    EXPOSURE_AUTO(Kind.EXPOSURE, FenceDesign.DEFERRED, EpochDesign.AUTO),
    EXPOSURE_IMMEDIATE(Kind.EXPOSURE, FenceDesign.DEFERRED, EpochDesign.IMMEDIATE),
    EXPOSURE_DEFERRED(Kind.EXPOSURE, FenceDesign.DEFERRED, EpochDesign.DEFERRED),
    SHARED_AUTO(Kind.SHARED, FenceDesign.DEFERRED, EpochDesign.AUTO),
    SHARED_IMMEDIATE(Kind.SHARED, FenceDesign.DEFERRED, EpochDesign.IMMEDIATE),
    SHARED_DEFERRED(Kind.SHARED, FenceDesign.DEFERRED, EpochDesign.DEFERRED),
    EXCLUSIVE_AUTO(Kind.EXCLUSIVE, FenceDesign.DEFERRED, EpochDesign.AUTO),
    EXCLUSIVE_IMMEDIATE(Kind.EXCLUSIVE, FenceDesign.DEFERRED, EpochDesign.IMMEDIATE),
    EXCLUSIVE_DEFERRED(Kind.EXCLUSIVE, FenceDesign.DEFERRED, EpochDesign.DEFERRED),
    ALL_AUTO(Kind.ALL, FenceDesign.DEFERRED, EpochDesign.AUTO),
    ALL_IMMEDIATE(Kind.ALL, FenceDesign.DEFERRED, EpochDesign.IMMEDIATE),
    ALL_DEFERRED(Kind.ALL, FenceDesign.DEFERRED, EpochDesign.DEFERRED);

    private enum Kind { FENCE, EXPOSURE, SHARED, EXCLUSIVE, ALL }

    /** Operations of one epoch. */
    interface Operations {
        void issue() throws Exception;
    }

    private final Kind kind;
    private final WindowOptions options;

    Style(Kind kind, FenceDesign fence, EpochDesign design) {
        this.kind = kind;
        this.options = new WindowOptions(fence, design, design, false);
    }

    WindowOptions options() {
        return options;
    }

    /** How messages name its epoch. */
    String describes() {
        return switch (kind) {
            case FENCE -> "in a fence epoch";
            case EXPOSURE -> "in an access epoch begun by start";
            case ALL -> "with all parts locked";
            default -> "with the parts of ";
        };
    }

    boolean isFence() {
        return kind == Kind.FENCE;
    }

    boolean isPassive() {
        return kind == Kind.SHARED || kind == Kind.EXCLUSIVE || kind == Kind.ALL;
    }

    Window allocate(Gas gas, long bytes, int unit) {
        return Windows.allocate(gas, gas.world(), bytes, unit, options);
    }

    /** All members call this; afterwards every operation of theirs is complete at both ends. */
    void epoch(Window window, Operations operations) throws Exception {
        Group group = window.group();
        int[] all = group.worldRanks();
        switch (kind) {
            case FENCE -> {
                window.fence(Assertion.NOPRECEDE);
                operations.issue();
                window.fence(Assertion.NOSUCCEED);
            }
            case EXPOSURE -> {
                window.post(all);
                window.start(all);
                operations.issue();
                window.complete();
                window.await();
            }
            default -> {
                window.sync();
                group.barrier();
                lock(window, all); // in the same order, also exclusively: nobody waits in a circle
                operations.issue();
                unlock(window, all);
                group.barrier();
            }
        }
    }

    private void lock(Window window, int... ranks) {
        if (kind == Kind.ALL) {
            window.lockAll();
            return;
        }
        for (int rank : ranks) {
            window.lock(kind == Kind.SHARED ? LockMode.SHARED : LockMode.EXCLUSIVE, rank);
        }
    }

    private void unlock(Window window, int... ranks) {
        if (kind == Kind.ALL) {
            window.unlockAll();
            return;
        }
        for (int rank : ranks) {
            window.unlock(rank);
        }
    }
}

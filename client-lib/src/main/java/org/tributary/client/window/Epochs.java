package org.tributary.client.window;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.tributary.client.error.EpochException;

/**
 * Which epochs of a window this rank is in, and what they allow. Access epochs are of one kind at a time; locks of
 * several targets may be held together.
 */
final class Epochs {
    /** Kinds of access epochs, by the call that opens them. */
    enum Access { NONE, FENCE, START, LOCK, LOCK_ALL }

    private static final byte LOCKED = 1;

    private final String window;
    private final byte[] targets;
    private Access access = Access.NONE;
    private boolean posted;
    private boolean used;
    private int locks;

    Epochs(String window, int members) {
        this.window = window;
        this.targets = new byte[members];
    }

    Access access() {
        return access;
    }

    EpochException refuse(String what) {
        return new EpochException(window + ": " + what + " " + describe());
    }

    /** The present epoch, as messages name it. */
    String describe() {
        String exposure = posted ? ", in an exposure epoch" : "";
        return switch (access) {
            case NONE -> "outside any access epoch" + exposure;
            case FENCE -> "in a fence epoch" + (used ? " with operations" : "") + exposure;
            case START -> "in an access epoch begun by start" + exposure;
            case LOCK -> "with the parts of " + locks + " ranks locked" + exposure;
            case LOCK_ALL -> "with all parts locked" + exposure;
        };
    }

    void operation(int member, int rank, long displacement) {
        boolean allowed = switch (access) {
            case NONE -> false;
            case FENCE, LOCK_ALL -> true;
            case START, LOCK -> targets[member] == LOCKED;
        };
        if (!allowed) {
            throw refuse("operation on rank " + rank + " at displacement " + displacement);
        }
    }

    /** An operation has been issued or queued. */
    void noteOperation() {
        used = true;
    }

    /** A fence ends the epoch before it and begins one, unless nothing is to succeed. */
    void fence(Set<Assertion> assertions) {
        if (access != Access.NONE && access != Access.FENCE || posted) {
            throw refuse("fence");
        }
        if (assertions.contains(Assertion.NOPRECEDE) && used) {
            throw refuse("fence with NOPRECEDE");
        }
        access = assertions.contains(Assertion.NOSUCCEED) ? Access.NONE : Access.FENCE;
        used = false;
    }

    /** Whether no access epoch is open; a fence after which nothing was issued has opened none. */
    private boolean leavesFence() {
        if (access == Access.FENCE && !used) {
            access = Access.NONE;
        }
        return access == Access.NONE;
    }

    void start(int... members) {
        if (!leavesFence()) {
            throw refuse("start");
        }
        access = Access.START;
        for (int member : members) {
            targets[member] = LOCKED;
        }
    }

    void complete() {
        if (access != Access.START) {
            throw refuse("complete");
        }
        access = Access.NONE;
        used = false;
        Arrays.fill(targets, (byte) 0);
    }

    void post() {
        if (posted || access == Access.FENCE && used) {
            throw refuse("post");
        }
        posted = true;
    }

    void checkPosted(String call) {
        if (!posted) {
            throw refuse(call);
        }
    }

    void exposureEnded() {
        posted = false;
    }

    void lock(int member, int rank) {
        if (access != Access.LOCK && !leavesFence()) {
            throw refuse("lock of rank " + rank);
        }
        if (targets[member] == LOCKED) {
            throw refuse("second lock of rank " + rank);
        }
        access = Access.LOCK;
        targets[member] = LOCKED;
        locks++;
    }

    void unlock(int member, int rank) {
        if (access != Access.LOCK || targets[member] != LOCKED) {
            throw refuse("unlock of rank " + rank);
        }
        targets[member] = 0;
        if (--locks == 0) {
            access = Access.NONE;
            used = false;
        }
    }

    void lockAll() {
        if (!leavesFence()) {
            throw refuse("lockAll");
        }
        access = Access.LOCK_ALL;
    }

    void unlockAll() {
        if (access != Access.LOCK_ALL) {
            throw refuse("unlockAll");
        }
        access = Access.NONE;
        used = false;
    }

    /** Whether the present access epoch is one of locks. */
    boolean isPassive() {
        return access == Access.LOCK || access == Access.LOCK_ALL;
    }

    void checkPassive(String call) {
        if (!isPassive()) {
            throw refuse(call);
        }
    }

    void checkLocked(int member, int rank, String call) {
        checkPassive(call);
        if (access == Access.LOCK && targets[member] != LOCKED) {
            throw refuse(call + " of rank " + rank);
        }
    }

    /** Before the window is given up. */
    void checkIdle() {
        if (access != Access.NONE && (access != Access.FENCE || used) || posted) {
            throw refuse("close");
        }
    }

    static Set<Assertion> set(Assertion... assertions) {
        if (assertions.length == 0) {
            return Set.of();
        }
        Set<Assertion> set = EnumSet.noneOf(Assertion.class);
        set.addAll(Arrays.asList(assertions));
        return set;
    }
}

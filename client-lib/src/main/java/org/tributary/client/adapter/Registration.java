package org.tributary.client.adapter;

import java.lang.foreign.MemorySegment;
import org.tributary.fabric.LocalMemory;

/**
 * Memory of callers that the adapter uses itself: all of it, where the provider needs no registration, or a registered
 * part. Guarded by the lock of the links.
 */
final class Registration {
    private final LocalMemory local;
    private final MemorySegment.Scope scope;
    private final long begin;
    private final long end;
    private boolean isKept;
    private int users;
    private long lastUse;

    private Registration(LocalMemory local, MemorySegment.Scope scope, long begin, long end, boolean isKept) {
        this.local = local;
        this.scope = scope;
        this.begin = begin;
        this.end = end;
        this.isKept = isKept;
    }

    /** All memory of the process, which stays until the endpoint closes. */
    static Registration ofAll(LocalMemory local) {
        return new Registration(local, null, 0, Long.MAX_VALUE, true);
    }

    /** A range that has been registered; {@code isKept}: for later transfers, too. */
    static Registration of(LocalMemory local, MemorySegment range, boolean isKept) {
        return new Registration(local, range.scope(), range.address(), range.address() + range.byteSize(), isKept);
    }

    /** By which operations name it. */
    LocalMemory local() {
        return local;
    }

    long bytes() {
        return end - begin;
    }

    /** Whether later transfers may use it. */
    boolean isKept() {
        return isKept;
    }

    /** Whether the memory between two addresses is in it, and no other has been at its addresses since. */
    boolean holds(MemorySegment.Scope of, long low, long high) {
        return isKept && begin <= low && high <= end && scope.equals(of) && scope.isAlive();
    }

    /** Whether its memory has been freed. */
    boolean isDead() {
        return scope != null && !scope.isAlive();
    }

    /** A transfer uses it; uses have ascending numbers. */
    void begun(long use) {
        users++;
        lastUse = use;
    }

    /** A transfer has ended. */
    void ended() {
        if (--users == 0 && !isKept) {
            local.close();
        }
    }

    boolean isInUse() {
        return users > 0;
    }

    long lastUse() {
        return lastUse;
    }

    /** No later transfer uses it; closes it when those under way have ended. */
    void drop() {
        isKept = false;
        if (users == 0) {
            local.close();
        }
    }
}

package org.tributary.fabric;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;

/** Something of libfabric's that has to be closed, after what was made of it. */
abstract class NativeObject implements AutoCloseable {
    private final NativeObject owner;
    private final SequencedSet<NativeObject> parts = new LinkedHashSet<>();
    private long handle;

    NativeObject(NativeObject owner, long handle) {
        this.owner = owner;
        this.handle = handle;
        if (owner != null) {
            owner.parts.add(this);
        }
    }

    /**
     * The number by which the shim knows it.
     *
     * @throws IllegalStateException when it is closed
     */
    final long handle() {
        if (handle == -1) {
            throw new IllegalStateException(this + " is closed");
        }
        return handle;
    }

    /** Ends it, for the shim. */
    abstract void release(long closing);

    /** Closes what was made of it, last made first, and then itself. Does nothing the second time. */
    @Override
    public final void close() {
        if (handle == -1) {
            return;
        }
        List.copyOf(parts.reversed()).forEach(NativeObject::close);
        long closing = handle;
        handle = -1;
        if (owner != null) {
            owner.parts.remove(this);
        }
        release(closing);
    }
}

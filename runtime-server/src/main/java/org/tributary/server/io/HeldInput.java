package org.tributary.server.io;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/** What has been read of one connection and has to wait, in the order in which it came. Owned by the event loop. */
public final class HeldInput {
    private final KeptRequests memory;
    private final ArrayDeque<KeptRequests.Piece> pieces = new ArrayDeque<>(1);
    private int from;

    /** Without anything yet; its bytes are kept in {@code memory}. */
    public HeldInput(KeptRequests memory) {
        this.memory = memory;
    }

    public boolean isEmpty() {
        return pieces.isEmpty();
    }

    /** Bytes come behind those that wait. */
    public void add(MemorySegment source, int at, int length) {
        pieces.addLast(memory.keep(source, at, length));
    }

    /** The piece that is first in turn. */
    public KeptRequests.Piece first() {
        return pieces.getFirst();
    }

    /** Where the bytes of {@link #first} begin that still wait. */
    public int from() {
        return from;
    }

    /** The bytes of {@link #first} before {@code end} have been dealt with; returns whether these are all of them. */
    public boolean taken(int end) {
        from = end;
        boolean isDone = end == pieces.getFirst().length();
        if (isDone) {
            memory.giveBack(pieces.removeFirst());
            from = 0;
        }
        return isDone;
    }

    /** Forgets all. */
    public void drop() {
        while (!isEmpty()) {
            memory.giveBack(pieces.removeFirst());
        }
        from = 0;
    }
}

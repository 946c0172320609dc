package org.tributary.client.collective;

import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;

/** A member whose sends go nowhere and whose waits succeed at once. */
class AloneInboxes implements Inboxes {
    private final int size;
    private final MemorySegment own;

    AloneInboxes(int size, MemorySegment own) {
        this.size = size;
        this.own = own;
    }

    @Override
    public int self() {
        return 0;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public int nodeOf(int member) {
        return member % 2;
    }

    @Override
    public MemorySegment own() {
        return own;
    }

    @Override
    public void send(int member, long dataOffset, MemorySegment source, long sourceOffset, long length,
        long flagOffset, long flagValue) {
    }

    @Override
    public void await(long flagOffset, long value, boolean exactly, int from, Doubt doubt) {
    }

    @Override
    public boolean read(int member, long offset, MemorySegment target, BooleanSupplier enough) {
        return false;
    }

    @Override
    public String nameOf(int member) {
        return "member " + member;
    }

    @Override
    public RuntimeException fail(String why) {
        return new IllegalStateException(why);
    }
}

package org.tributary.client.collective;

import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import org.tributary.wire.shm.CallLayout;
import org.tributary.wire.shm.CollectiveLayout;

/**
 * Finds out that members have not called the same. A member never takes a flag of another call for one of its own call.
 * So in a collective that does not match, members wait. Each then reads the calls of two others: of the member that it
 * waits for, and of the next one in the group. At least one member finds a difference, because
 * <ul>
 * <li>no member leaves a call before all have made the same one, so that calls of one number are compared;
 * <li>when all of them have called, and each is what the next one is, all are the same.
 * </ul>
 * Members that have not come yet, or have gone on, have another number and are left alone.
 */
final class Mismatch implements Inboxes.Doubt {
    private final Inboxes inboxes;
    private final Call own;
    private final long offset;
    private final MemorySegment copy = MemorySegment.ofArray(new long[CallLayout.BYTES / Long.BYTES]);
    private final Call other = new Call(copy);

    Mismatch(Inboxes inboxes, CollectiveLayout layout, Call own) {
        this.inboxes = inboxes;
        this.own = own;
        this.offset = layout.callOffset();
    }

    @Override
    public void ask(int from, BooleanSupplier enough) {
        compare(from, enough);
        int next = (inboxes.self() + 1) % inboxes.size();
        if (next != from) {
            compare(next, enough);
        }
    }

    private void compare(int member, BooleanSupplier enough) {
        if (look(member, enough) && own.contradicts(other)) {
            throw inboxes.fail("collective calls do not match in a group of " + inboxes.size() + ": "
                + inboxes.nameOf(inboxes.self()) + " is in " + own.describe() + "; " + inboxes.nameOf(member)
                + " in " + other.describe());
        }
    }

    private boolean look(int member, BooleanSupplier enough) {
        return inboxes.read(member, offset, copy, enough) && other.read();
    }

    @Override
    public long number() {
        return own.number();
    }

    @Override
    public String calls(int from) {
        return own.describe() + " of a group of " + inboxes.size()
            + (look(from, () -> false) ? "; its last one there was " + other.describe() : "");
    }
}

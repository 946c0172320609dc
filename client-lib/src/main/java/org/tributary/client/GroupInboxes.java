package org.tributary.client;

import java.lang.foreign.MemorySegment;
import org.tributary.client.collective.Inboxes;

/** A group's inboxes in global memory: writing into one is a put with flag, whichever way that travels. */
final class GroupInboxes implements Inboxes {
    private final Gas gas;
    private final Members members;
    private final GlobalMemory inboxes;

    GroupInboxes(Gas gas, Members members, GlobalMemory inboxes) {
        this.gas = gas;
        this.members = members;
        this.inboxes = inboxes;
    }

    @Override
    public int self() {
        return members.self();
    }

    @Override
    public int size() {
        return members.size();
    }

    @Override
    public int nodeOf(int member) {
        return gas.topology().nodeOf(members.worldRank(member));
    }

    @Override
    public MemorySegment own() {
        return inboxes.local();
    }

    @Override
    public void send(int member, long dataOffset, MemorySegment source, long sourceOffset, long length,
        long flagOffset, long flagValue) {
        int rank = members.worldRank(member);
        if (length == 0) {
            inboxes.setFlag(rank, flagOffset, flagValue);
        } else {
            inboxes.putWithFlag(rank, dataOffset, source, sourceOffset, length, flagOffset, flagValue);
        }
    }

    @Override
    public void await(long flagOffset, long value, int from) {
        inboxes.awaitFlagAtLeast(flagOffset, value, from < 0 ? -1 : members.worldRank(from));
    }
}

package org.tributary.client;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.tributary.client.error.GasException;
import org.tributary.client.error.OutOfSharedMemoryException;
import org.tributary.wire.shape.ReduceOp;
import org.tributary.wire.shm.CollectiveLayout;
import org.tributary.wire.shm.MutexWord;
import org.tributary.wire.shm.SegmentLayout;

/**
 * Collective allocation: the members agree on sizes and a number, the lowest member of each node asks its server, and
 * nobody is told of success before every server has reserved its part. Thread-safe as its callers are.
 */
final class Allocator {
    private static final int DATA = 0;
    private static final int MUTEXES = 1;
    private static final int WINDOW = 2;
    private static final int FAILURE_BYTES = 512;
    private static final long NO_FAILURE = Long.MAX_VALUE;

    private final Gas gas;
    private final int chunkBytes;
    private final Set<GlobalMemory> mapped = ConcurrentHashMap.newKeySet();
    private int numbersDrawn;

    Allocator(Gas gas, int chunkBytes) {
        this.gas = gas;
        this.chunkBytes = chunkBytes;
    }

    /** The group of all ranks; its inboxes exist since the servers started. */
    Group worldGroup() {
        CollectiveLayout layout = new CollectiveLayout(gas.rankCount(), chunkBytes);
        LocalNode node = gas.localNode();
        int[] local = IntStream.range(node.firstRank(), node.firstRank() + node.rankCount()).toArray();
        long[] sizes = new long[local.length];
        Arrays.fill(sizes, layout.bytes());
        LocalParts parts = new LocalParts(node, CollectiveLayout.WORLD_SEGMENT, new SegmentLayout(local, sizes));
        Members members = Members.world(gas.rank(), gas.rankCount());
        GlobalMemory inboxes = remember(new GlobalMemory(gas, null, members, CollectiveLayout.WORLD_SEGMENT,
            PartSizes.uniform(layout.bytes()), parts));
        return new Group(gas, null, members, inboxes, layout);
    }

    GlobalMemory allocate(Group group, long bytes) {
        return allocate(group, bytes, DATA);
    }

    GlobalMemory allocateMutexes(Group group, int count) {
        return allocate(group, count * MutexWord.STRIDE, MUTEXES);
    }

    /** Control words of a window. */
    GlobalMemory allocateWindow(Group group, long bytes) {
        return allocate(group, bytes, WINDOW);
    }

    private GlobalMemory allocate(Group group, long bytes, int kind) {
        group.checkMember();
        long[] agreed = group.allgather(new long[] {bytes, drawNumber()});
        long id = agreed[1];
        long[] sizes = new long[group.size()];
        for (int member = 0; member < sizes.length; member++) {
            sizes[member] = agreed[2 * member];
            if (sizes[member] < 0) {
                throw new IllegalArgumentException("rank " + group.worldRank(member) + " asks for " + sizes[member]
                    + " bytes");
            }
        }
        SegmentLayout layout = layoutOnNode(group.members(), sizes);
        create(group, group.members(), id, kind, layout);
        return remember(new GlobalMemory(gas, group, group.members(), id, PartSizes.of(sizes),
            new LocalParts(gas.localNode(), id, layout)));
    }

    /**
     * Makes a group with inboxes of its own; collective over the parent.
     *
     * @param members of the group that this rank belongs to, or null when it belongs to none
     */
    Group group(Group parent, Members members) {
        long[] numbers = parent.allgather(new long[] {drawNumber()});
        if (members == null) {
            create(parent, null, 0, DATA, null);
            return new Group(gas, parent, Members.none(), null, null);
        }
        long id = numbers[parent.groupRank(members.worldRank(0))];
        CollectiveLayout layout = new CollectiveLayout(members.size(), chunkBytes);
        long[] sizes = new long[members.size()];
        Arrays.fill(sizes, layout.bytes());
        SegmentLayout onNode = layoutOnNode(members, sizes);
        create(parent, members, id, DATA, onNode);
        GlobalMemory inboxes = remember(new GlobalMemory(gas, null, members, id, PartSizes.uniform(layout.bytes()),
            new LocalParts(gas.localNode(), id, onNode)));
        return new Group(gas, parent, members, inboxes, layout);
    }

    /** A number that no other segment of the job has or will have. */
    private synchronized long drawNumber() {
        return (gas.rank() + 1L) << 32 | ++numbersDrawn;
    }

    private GlobalMemory remember(GlobalMemory memory) {
        mapped.add(memory);
        return memory;
    }

    private SegmentLayout layoutOnNode(Members members, long[] sizes) {
        LocalNode node = gas.localNode();
        int[] local = IntStream.range(0, members.size()).map(members::worldRank).filter(node::isLocal).sorted()
            .toArray();
        // More than a long can count no machine has: the server refuses it as it does anything that is too large.
        long most = Long.MAX_VALUE / Math.max(1, local.length) & -SegmentLayout.PART_ALIGNMENT;
        long[] localSizes = Arrays.stream(local).mapToLong(rank -> Math.min(sizes[members.groupRank(rank)], most))
            .toArray();
        return new SegmentLayout(local, localSizes);
    }

    private void create(Group agreeing, Members members, long id, int kind, SegmentLayout layout) {
        boolean leads = members != null && layout.rank(0) == gas.rank();
        GasException failure = leads ? tryCreate(id, kind, layout) : null;
        long firstFailing = agreeing.allreduce(ReduceOp.MIN, failure == null ? NO_FAILURE : agreeing.rank());
        if (firstFailing == NO_FAILURE) {
            return;
        }
        if (leads && failure == null) {
            free(id);
        }
        byte[] description = new byte[FAILURE_BYTES];
        if (agreeing.rank() == firstFailing) {
            describe(failure, description);
        }
        agreeing.broadcast((int) firstFailing, description);
        throw failureFrom(description);
    }

    private GasException tryCreate(long id, int kind, SegmentLayout layout) {
        int[] ranks = new int[layout.partCount()];
        long[] lengths = new long[ranks.length];
        for (int part = 0; part < ranks.length; part++) {
            ranks[part] = layout.rank(part);
            lengths[part] = layout.length(part);
        }
        try {
            gas.request(gas.node(), (link, reply) -> link.writer().allocate(reply, id, kind, ranks, lengths));
            return null;
        } catch (OutOfSharedMemoryException e) {
            return e;
        }
    }

    private void describe(GasException failure, byte[] description) {
        OutOfSharedMemoryException space = (OutOfSharedMemoryException) failure;
        byte[] text = space.mount().getBytes(StandardCharsets.UTF_8);
        int length = Math.min(text.length, FAILURE_BYTES - 64);
        ByteBuffer.wrap(description).putInt(space.node()).putLong(space.needInBytes()).putLong(space.freeInBytes())
            .putInt(length).put(text, 0, length);
    }

    private static OutOfSharedMemoryException failureFrom(byte[] description) {
        ByteBuffer buffer = ByteBuffer.wrap(description);
        int node = buffer.getInt();
        long need = buffer.getLong();
        long free = buffer.getLong();
        byte[] text = new byte[buffer.getInt()];
        buffer.get(text);
        return new OutOfSharedMemoryException(node, need, free, new String(text, StandardCharsets.UTF_8));
    }

    /** Memory of a number, or null. */
    GlobalMemory find(long id) {
        return mapped.stream().filter(memory -> memory.id() == id).findAny().orElse(null);
    }

    /** Frees memory that no member uses any more; {@code members} have passed a barrier. */
    void free(GlobalMemory memory, Members members) {
        LocalNode node = gas.localNode();
        int leader = IntStream.range(0, members.size()).map(members::worldRank).filter(node::isLocal).min()
            .orElseThrow();
        if (leader == gas.rank()) {
            free(memory.id());
        }
        if (mapped.remove(memory)) {
            memory.unmap();
        }
    }

    private void free(long id) {
        gas.request(gas.node(), (link, reply) -> link.writer().free(reply, id));
    }

    void close() {
        mapped.forEach(GlobalMemory::unmap);
        mapped.clear();
    }
}

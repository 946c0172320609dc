package org.tributary.client;

import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.tributary.client.collective.Collectives;
import org.tributary.client.node.LocalNode;
import org.tributary.client.node.LocalParts;
import org.tributary.client.remote.RemoteAccess;
import org.tributary.client.segment.ClosedSegments;
import org.tributary.client.segment.GroupInboxes;
import org.tributary.client.segment.Members;
import org.tributary.client.segment.NewSegment;
import org.tributary.client.segment.PartSizes;
import org.tributary.client.segment.SegmentAccess;
import org.tributary.wire.shm.CollectiveLayout;
import org.tributary.wire.shm.MutexWord;
import org.tributary.wire.shm.Purpose;
import org.tributary.wire.shm.SegmentKind;
import org.tributary.wire.shm.SegmentLayout;

/**
 * Collective allocation: the members agree on sizes and a number, the lowest member of each node asks its server, and
 * nobody is told of success before every server has reserved its part and every member has mapped it. Whatever goes
 * wrong on one member is everybody's exception, and nothing of the segment is left. Thread-safe as its callers are.
 */
final class Allocator implements Group.Maker {
    /** Numbers of segments have the rank that has drawn them, + 1, above this. */
    private static final int RANK_SHIFT = 32;

    private final RemoteAccess access;
    private final int chunkBytes;
    private final Set<SegmentAccess> mapped = ConcurrentHashMap.newKeySet();
    private int numbersDrawn;

    Allocator(RemoteAccess access, int chunkBytes) {
        this.access = access;
        this.chunkBytes = chunkBytes;
    }

    /** The group of all ranks; its inboxes exist since the servers started. */
    Group worldGroup() {
        CollectiveLayout layout = new CollectiveLayout(access.topology().rankCount(), chunkBytes);
        LocalNode node = access.node();
        int[] local = node.ranks().toArray();
        long[] sizes = new long[local.length];
        Arrays.fill(sizes, layout.bytes());
        LocalParts parts = new LocalParts(node, CollectiveLayout.WORLD_SEGMENT, new SegmentLayout(local, sizes));
        Members members = Members.world(access.rank(), access.topology().rankCount());
        return group(null, layout, remember(inboxes(members, CollectiveLayout.WORLD_SEGMENT, layout, parts)));
    }

    private SegmentAccess inboxes(Members members, long id, CollectiveLayout layout, LocalParts parts) {
        return new SegmentAccess(access, members, id, PartSizes.uniform(layout.bytes()), parts, false);
    }

    private Group group(Group parent, CollectiveLayout layout, SegmentAccess inboxes) {
        GroupInboxes between = new GroupInboxes(access, inboxes);
        return new Group(access, this, parent, inboxes.members(), inboxes, between.closed(),
            new Collectives(layout, between));
    }

    GlobalMemory allocate(Group group, long bytes, String what) {
        return group.during(Purpose.ALLOCATE, 0, what, () -> allocate(group, bytes, SegmentKind.DATA));
    }

    GlobalMemory allocateMutexes(Group group, int count) {
        return group.during(Purpose.CREATE_MUTEXES, 0, "",
            () -> allocate(group, count * MutexWord.STRIDE, SegmentKind.MUTEXES));
    }

    /** Control words of a window. */
    GlobalMemory allocateWindow(Group group, long bytes, String what) {
        return group.during(Purpose.CREATE_WINDOW, 0, what, () -> allocate(group, bytes, SegmentKind.WINDOW));
    }

    private GlobalMemory allocate(Group group, long bytes, SegmentKind kind) {
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
        NewSegment made = new NewSegment(access, group.collectives(), id, "memory",
            layoutOnNode(group.members(), sizes));
        made.create(kind);
        SegmentAccess segment = made.complete(parts ->
            new SegmentAccess(access, group.members(), id, PartSizes.of(sizes), parts, true));
        return new GlobalMemory(access, group, remember(segment));
    }

    /** Makes a group with inboxes of its own. */
    @Override
    public Group group(Group parent, Members members) {
        return parent.during(Purpose.CREATE_GROUP, 0, "", () -> make(parent, members));
    }

    private Group make(Group parent, Members members) {
        long[] all = parent.allgather(new long[] {drawNumber(), members == null ? 0 : members.digest()});
        if (members == null) {
            NewSegment others = new NewSegment(access, parent.collectives(), 0, "the group", null);
            others.create(SegmentKind.DATA);
            return others.complete(none -> new Group(access, this, parent, Members.none(), null, null, null));
        }
        long id = all[2 * parent.groupRank(members.worldRank(0))];
        CollectiveLayout layout = new CollectiveLayout(members.size(), chunkBytes);
        long[] sizes = new long[members.size()];
        Arrays.fill(sizes, layout.bytes());
        NewSegment made = new NewSegment(access, parent.collectives(), id, "the group",
            layoutOnNode(members, sizes));
        made.create(SegmentKind.DATA, () -> checkSame(parent, members, all));
        Group group = made.complete(parts -> group(parent, layout, inboxes(members, id, layout, parts)));
        remember(group.inboxes());
        return group;
    }

    /** Members of one group name the same ones in the same order; {@code all} has two numbers of each of the parent. */
    private void checkSame(Group parent, Members members, long[] all) {
        for (int member = 0; member < members.size(); member++) {
            int rank = members.worldRank(member);
            if (all[2 * parent.groupRank(rank) + 1] != members.digest()) {
                throw new IllegalArgumentException("rank " + rank + " names other members of the group than rank "
                    + access.rank());
            }
        }
    }

    /** A number that no other segment of the job has or will have. */
    private synchronized long drawNumber() {
        return (access.rank() + 1L) << RANK_SHIFT | ++numbersDrawn;
    }

    private SegmentAccess remember(SegmentAccess memory) {
        mapped.add(memory);
        return memory;
    }

    private SegmentLayout layoutOnNode(Members members, long[] sizes) {
        LocalNode node = access.node();
        int[] local = IntStream.range(0, members.size()).map(members::worldRank).filter(node::isLocal).sorted()
            .toArray();
        // More than a long can count no machine has: the server refuses it as it does anything that is too large.
        long most = Long.MAX_VALUE / Math.max(1, local.length) & -SegmentLayout.PART_ALIGNMENT;
        long[] localSizes = Arrays.stream(local).mapToLong(rank -> Math.min(sizes[members.groupRank(rank)], most))
            .toArray();
        return new SegmentLayout(local, localSizes);
    }

    /** Memory of a number, or null. */
    SegmentAccess find(long id) {
        return mapped.stream().filter(memory -> memory.id() == id).findAny().orElse(null);
    }

    /** Of each node the lowest member has the server remove its part. */
    @Override
    public void close(SegmentAccess memory, ClosedSegments until) {
        LocalNode node = access.node();
        Members members = memory.members();
        int leader = IntStream.range(0, members.size()).map(members::worldRank).filter(node::isLocal).min()
            .orElseThrow();
        if (leader == access.rank()) {
            until.add(memory.id());
        }
        if (mapped.remove(memory)) {
            memory.unmap();
        }
    }

    /** Memory is refused to operations, which this rank's threads may go on to make while it leaves. */
    void refuse() {
        mapped.forEach(SegmentAccess::refuse);
    }

    void close() {
        mapped.forEach(SegmentAccess::unmap);
        mapped.clear();
    }
}

package org.tributary.client;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.tributary.client.collective.Collectives;
import org.tributary.client.error.GasException;
import org.tributary.client.remote.RemoteAccess;
import org.tributary.client.segment.ClosedSegments;
import org.tributary.client.segment.Members;
import org.tributary.client.segment.SegmentAccess;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;
import org.tributary.wire.shm.Purpose;

/**
 * Ranks that do something together. Every member makes the same collective calls in the same order, one thread at a
 * time; sizes, operations, types and roots must agree. When calls do not match, none of them returns, and within a
 * second or so the job ends with a message that names two of them. Buffers may be heap or native.
 *
 * <p>Collectives take O(log n) steps (an all-to-all of
 * blocks beyond 12 KiB / log2 n goes directly to every member instead), inside a node through shared memory, and do not
 * fence one-sided operations.
 */
public final class Group implements AutoCloseable {
    /** Members who split a group tell each other the color above this, and the key below. */
    private static final int COLOR_SHIFT = 32;

    private final RemoteAccess access;
    private final Maker maker;
    private final Group parent;
    private final Members members;
    private final SegmentAccess inboxes;
    /** Of segments whose users are members; null on a rank that is no member. */
    private final ClosedSegments segments;
    private final Collectives collectives;
    private final Map<Class<?>, Object> attributes = new HashMap<>(2);
    private boolean closed;

    /** Makes groups and takes them back. */
    interface Maker {
        /** A group of those members, or, if null, one that this rank is no member of; collective over the parent. */
        Group group(Group parent, Members members);

        /** This rank uses memory no more; it is taken back when all members are known to have closed it. */
        void close(SegmentAccess memory, ClosedSegments until);
    }

    /** The last three are null on a rank that is no member. */
    Group(RemoteAccess access, Maker maker, Group parent, Members members, SegmentAccess inboxes,
        ClosedSegments segments, Collectives collectives) {
        this.access = access;
        this.maker = maker;
        this.parent = parent;
        this.members = members;
        this.inboxes = inboxes;
        this.segments = segments;
        this.collectives = collectives;
    }

    Members members() {
        return members;
    }

    /** Where members receive what collectives send; null on a rank that is no member. */
    SegmentAccess inboxes() {
        return inboxes;
    }

    /** This rank's number in the group, or -1 when it is no member. */
    public int rank() {
        return members.self();
    }

    /** Number of members; 0 for a group that this rank is no member of. */
    public int size() {
        return members.size();
    }

    /** Whether this rank is a member. */
    public boolean isMember() {
        return members.self() >= 0;
    }

    /** A member's number among all ranks. */
    public int worldRank(int groupRank) {
        return members.worldRank(groupRank);
    }

    /** A rank's number in the group, or -1 when it is no member. */
    public int groupRank(int worldRank) {
        return members.groupRank(worldRank);
    }

    /** The members' numbers among all ranks, in the group's order. */
    public int[] worldRanks() {
        return IntStream.range(0, size()).map(members::worldRank).toArray();
    }

    /**
     * Something that a library keeps with this group, as an attribute of a communicator in MPI: made when it is first
     * asked for, which is collective where making it is.
     */
    public <T> T attribute(Class<T> kind, Supplier<T> make) {
        Object kept = attributes.get(kind);
        if (kept == null) {
            kept = make.get();
            attributes.put(kind, kept);
        }
        return kind.cast(kept);
    }

    void checkMember() {
        if (!isMember() || closed) {
            throw new IllegalStateException(closed ? "the group is closed"
                : "rank " + access.rank() + " is no member of the group");
        }
    }

    /** Of this member; throws when the rank is none. */
    Collectives collectives() {
        checkMember();
        return collectives;
    }

    /**
     * Collectives of the body are steps of that, which all members must be in; see {@link Collectives#during}.
     *
     * @param body throws a {@link GasException} or an {@link IllegalArgumentException} on all members or on none;
     *             after anything else this member takes no more of the steps, and the others hear of that
     */
    <T> T during(Purpose purpose, long subject, String text, Supplier<T> body) {
        access.calls().begin();
        try {
            Collectives inside = collectives();
            try {
                inside.during(purpose, subject, text);
                return body.get();
            } catch (GasException | IllegalArgumentException e) {
                throw e;
            } catch (RuntimeException | Error e) {
                inside.giveUp();
                throw e;
            } finally {
                inside.itself();
            }
        } finally {
            access.calls().end();
        }
    }

    /**
     * Makes a group of some members, in the order given; collective over this group. The others get a group that they
     * are no member of.
     */
    public Group create(int... groupRanks) {
        return during(Purpose.CREATE_GROUP, 0, "", () -> {
            Members chosen = Members.of(access.rank(), Arrays.stream(groupRanks).map(members::worldRank).toArray());
            return maker.group(this, chosen.self() >= 0 ? chosen : null);
        });
    }

    /**
     * Makes a group of all members with the same color, ordered by key and then by number in this group; collective
     * over this group. A negative color: no group.
     */
    public Group split(int color, int key) {
        return during(Purpose.SPLIT, 0, "", () -> {
            long[] all = allgather(new long[] {(long) color << COLOR_SHIFT | key & 0xFFFF_FFFFL});
            if (color < 0) {
                return maker.group(this, null);
            }
            int[] chosen = IntStream.range(0, all.length)
                .filter(member -> (int) (all[member] >> COLOR_SHIFT) == color).boxed()
                .sorted(Comparator.comparingInt(member -> (int) all[member]))
                .mapToInt(members::worldRank).toArray();
            return maker.group(this, Members.of(access.rank(), chosen));
        });
    }

    /**
     * Closes the group; collective over it, but waits for no other member, as {@link GlobalMemory#close}. Its memory
     * goes back during the next collective of the group that it was made from. When a member calls a collective of the
     * group that this one has closed, the job ends with a message that says so. Nothing happens on those that are no
     * members, nor at another close.
     *
     * @throws IllegalStateException for the group of all ranks, which {@link Gas#close} ends
     */
    @Override
    public void close() {
        if (parent == null) {
            throw new IllegalStateException("the group of all ranks cannot be closed");
        }
        if (isMember() && !closed) {
            collectives.during(Purpose.CLOSE_GROUP, 0, "");
            collectives.giveUp();
            collectives.close();
            closed = true;
            ClosedSegments outer = parent.openSegments();
            for (long segment : segments.takeAll()) {
                outer.add(segment);
            }
            maker.close(inboxes, outer);
        }
    }

    /** Memory of the group has been closed by this member. */
    void close(SegmentAccess memory) {
        if (!closed) {
            collectives.closed(memory.id());
        }
        maker.close(memory, openSegments());
    }

    private ClosedSegments openSegments() {
        Group open = this;
        while (open.closed) {
            open = open.parent;
        }
        return open.segments;
    }

    /** Waits until every member has come here. Does not fence. */
    public void barrier() {
        collectives().barrier();
    }

    /** Copies the root's whole buffer to every member's, which is of the same size. */
    public void broadcast(int root, MemorySegment buffer) {
        collectives().broadcast(root, buffer);
    }

    /** Combines the members' elements at the root; {@code receive} matters only there. */
    public void reduce(int root, ReduceOp op, ElementType type, MemorySegment send, MemorySegment receive) {
        collectives().reduce(root, op, type, send, receive);
    }

    /** Combines the members' elements on every member, bit for bit alike; the buffers may be one. */
    public void allreduce(ReduceOp op, ElementType type, MemorySegment send, MemorySegment receive) {
        collectives().allreduce(op, type, send, receive);
    }

    /** Combines the members' elements; member i gets block i. {@code send} has {@code size()} blocks. */
    public void reduceScatter(ReduceOp op, ElementType type, MemorySegment send, MemorySegment receive) {
        collectives().reduceScatter(op, type, send, receive);
    }

    /** Gathers every member's block on every member; {@code receive} has {@code size()} blocks. */
    public void allgather(MemorySegment send, MemorySegment receive) {
        collectives().allgather(send, receive);
    }

    /** Sends block i to member i; both buffers have {@code size()} equal blocks. */
    public void allToAll(MemorySegment send, MemorySegment receive) {
        collectives().allToAll(send, receive);
    }

    /** Combines one number. */
    public double allreduce(ReduceOp op, double value) {
        double[] one = {value};
        allreduce(op, one);
        return one[0];
    }

    /** Combines one number. */
    public long allreduce(ReduceOp op, long value) {
        long[] one = {value};
        allreduce(op, one);
        return one[0];
    }

    /** Combines arrays element by element, in place. */
    public void allreduce(ReduceOp op, double[] inOut) {
        MemorySegment buffer = MemorySegment.ofArray(inOut);
        allreduce(op, ElementType.DOUBLE, buffer, buffer);
    }

    /** Combines arrays element by element, in place. */
    public void allreduce(ReduceOp op, float[] inOut) {
        MemorySegment buffer = MemorySegment.ofArray(inOut);
        allreduce(op, ElementType.FLOAT, buffer, buffer);
    }

    /** Combines arrays element by element, in place. */
    public void allreduce(ReduceOp op, long[] inOut) {
        MemorySegment buffer = MemorySegment.ofArray(inOut);
        allreduce(op, ElementType.LONG, buffer, buffer);
    }

    /** Combines arrays element by element, in place. */
    public void allreduce(ReduceOp op, int[] inOut) {
        MemorySegment buffer = MemorySegment.ofArray(inOut);
        allreduce(op, ElementType.INT, buffer, buffer);
    }

    /** Copies the root's array to every member's. */
    public void broadcast(int root, byte[] array) {
        broadcast(root, MemorySegment.ofArray(array));
    }

    /** Copies the root's array to every member's. */
    public void broadcast(int root, int[] array) {
        broadcast(root, MemorySegment.ofArray(array));
    }

    /** Copies the root's array to every member's. */
    public void broadcast(int root, long[] array) {
        broadcast(root, MemorySegment.ofArray(array));
    }

    /** Copies the root's array to every member's. */
    public void broadcast(int root, float[] array) {
        broadcast(root, MemorySegment.ofArray(array));
    }

    /** Copies the root's array to every member's. */
    public void broadcast(int root, double[] array) {
        broadcast(root, MemorySegment.ofArray(array));
    }

    /** Every member's number, by member. */
    public long[] allgather(long value) {
        return allgather(new long[] {value});
    }

    /** Every member's array one after the other; they are of the same length. */
    public long[] allgather(long[] values) {
        checkMember();
        long[] all = new long[Math.multiplyExact(values.length, size())];
        allgather(MemorySegment.ofArray(values), MemorySegment.ofArray(all));
        return all;
    }
}

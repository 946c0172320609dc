package org.tributary.client.window;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.Group;

/**
 * Accesses to a member's part in epochs that go on, kept beside the part. Each member writes into an area of its own at
 * every target, so that nobody waits for anybody: it appends first and looks at the areas of the others then, so of two
 * members that access at the same time at least one sees the other.
 *
 * <pre>
 *   0           64 + 16 * member                       then for each member
 *   +-----------+--------------------------+-------+----------------------------+
 *   | exposure  | version = generation     | epoch | capacity times an Access   |
 *   | number    |   &lt;&lt; 32 | accesses   |       |                            |
 *   +-----------+--------------------------+-------+----------------------------+
 * </pre>
 *
 * <p>Generations tell a reader that what it has read was being replaced. The accesses in an area count only for ranks
 * in the same epoch, so those of fences and exposures need not be withdrawn. Owned by one window.
 */
final class AccessJournal {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final int MOST = 1024;
    private static final int LEAST = 64;
    private static final int ALL_MEMBERS = 64 * 1024;
    private static final int HEADERS = 64;
    private static final int HEADER_BYTES = 16;
    private static final int ATTEMPTS = 16;

    /** Is shown the accesses of the others. */
    interface Visitor {
        void access(int member, Access access);
    }

    private final Gas gas;
    private final Group group;
    private final GlobalMemory memory;
    private final int capacity;
    private final long[] generations;
    private final int[] counts;
    private final long[] epochs;
    private long exposure;

    /** Collective. */
    AccessJournal(Gas gas, Group group) {
        this.gas = gas;
        this.group = group;
        this.capacity = Math.max(LEAST, Math.min(MOST, ALL_MEMBERS / group.size()));
        this.memory = gas.allocate(group, area(group.size()));
        this.generations = new long[group.size()];
        this.counts = new int[group.size()];
        this.epochs = new long[group.size()];
    }

    private long header(int member) {
        return HEADERS + (long) member * HEADER_BYTES;
    }

    private long area(int member) {
        return header(group.size()) + (long) member * capacity * Access.BYTES;
    }

    /** Gives the own part's next exposure a number, before anybody learns of it. */
    void beginExposure() {
        memory.local().set(LONG, 0, ++exposure);
        VarHandle.fullFence();
    }

    /** Number of a member's present exposure. */
    long exposureOf(int member) {
        return memory.getLong(group.worldRank(member), 0);
    }

    /** Appends to the own area at a target; whether there was space. */
    boolean append(int member, long epoch, List<Access> accesses) {
        int rank = group.worldRank(member);
        if (epochs[member] != epoch) {
            replace(member, 0);
            memory.putLong(rank, header(group.rank()) + 8, epoch);
            epochs[member] = epoch;
        }
        int count = counts[member];
        if (count + accesses.size() > capacity) {
            return false;
        }
        MemorySegment records = MemorySegment.ofArray(new long[accesses.size() * Access.BYTES / Long.BYTES]);
        for (int i = 0; i < accesses.size(); i++) {
            accesses.get(i).write(records, (long) i * Access.BYTES);
        }
        memory.put(rank, area(group.rank()) + (long) count * Access.BYTES, records);
        counts[member] = count + accesses.size();
        publish(member);
        return true;
    }

    /** Takes back the latest of the own accesses at a target. */
    void takeBack(int member, int accesses) {
        replace(member, counts[member] - accesses);
    }

    /** Keeps only these of the own accesses at a target. */
    void keep(int member, long epoch, List<Access> accesses) {
        if (epochs[member] == epoch && counts[member] > 0) {
            replace(member, 0);
            if (!accesses.isEmpty()) {
                append(member, epoch, accesses);
            }
        }
    }

    private void replace(int member, int count) {
        generations[member]++;
        counts[member] = count;
        publish(member);
    }

    private void publish(int member) {
        int rank = group.worldRank(member);
        // After the records: a node sees stores in their order, servers execute in the order of one connection.
        memory.setFlag(rank, header(group.rank()), generations[member] << Integer.SIZE | counts[member]);
        gas.fence(rank);
        VarHandle.fullFence(); // a rank that looks now has been seen or sees this
    }

    /** Shows what other members access at a target in an epoch. */
    void visit(int member, long epoch, Visitor visitor) {
        MemorySegment headers = MemorySegment.ofArray(new long[2 * group.size()]);
        for (int attempt = 0; attempt < ATTEMPTS && !tryVisit(member, epoch, headers, visitor); attempt++) {
            Thread.onSpinWait();
        }
    }

    private boolean tryVisit(int member, long epoch, MemorySegment headers, Visitor visitor) {
        int rank = group.worldRank(member);
        memory.get(rank, HEADERS, headers);
        VarHandle.fullFence();
        for (int other = 0; other < group.size(); other++) {
            long version = headers.get(LONG, (long) other * HEADER_BYTES);
            int count = (int) version;
            if (other == group.rank() || count == 0 || headers.get(LONG, (long) other * HEADER_BYTES + 8) != epoch) {
                continue;
            }
            MemorySegment records = MemorySegment.ofArray(new long[count * Access.BYTES / Long.BYTES]);
            memory.get(rank, area(other), records);
            VarHandle.fullFence();
            if (memory.getLong(rank, header(other)) >>> Integer.SIZE != version >>> Integer.SIZE) {
                return false; // its epoch ends just now, or it has begun another one
            }
            for (int i = 0; i < count; i++) {
                visitor.access(other, Access.read(records, (long) i * Access.BYTES));
            }
        }
        return true;
    }

    /** Collective. */
    void close() {
        memory.close();
    }
}

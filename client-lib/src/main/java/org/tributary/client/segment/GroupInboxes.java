package org.tributary.client.segment;

import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import org.tributary.client.collective.Inboxes;
import org.tributary.client.error.FirstFailure;
import org.tributary.client.error.GasException;
import org.tributary.client.error.JobAbortedException;
import org.tributary.client.node.Cause;
import org.tributary.client.node.RankStates;
import org.tributary.client.remote.RemoteAccess;
import org.tributary.wire.codec.SignalOp;
import org.tributary.wire.shm.Latencies;
import org.tributary.wire.shm.Trace;
import org.tributary.wire.shm.WaitKind;

/** A group's inboxes in global memory: writing into one is a put with flag, whichever way that travels. */
public final class GroupInboxes implements Inboxes, Cause {
    private final RemoteAccess access;
    private final Members members;
    private final SegmentAccess inboxes;
    private final MemorySegment own;
    private final RankStates states;
    private final ClosedSegments closed = new ClosedSegments();
    private Doubt asked;
    private long waitsSinceNs;
    private long waitsSeenNs;

    public GroupInboxes(RemoteAccess access, SegmentAccess inboxes) {
        this.access = access;
        this.members = inboxes.members();
        this.inboxes = inboxes;
        this.own = inboxes.shared(access.rank());
        this.states = access::stateOf;
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
        return access.topology().nodeOf(members.worldRank(member));
    }

    @Override
    public int worldRank(int member) {
        return members.worldRank(member);
    }

    @Override
    public Trace trace() {
        return access.node().trace();
    }

    @Override
    public void waited(long sinceNs, long seenNs) {
        waitsSinceNs = waitsSinceNs == 0 ? sinceNs : waitsSinceNs;
        waitsSeenNs = seenNs;
    }

    @Override
    public long waitsSinceNs() {
        return waitsSinceNs;
    }

    @Override
    public long waitsSeenNs() {
        return waitsSeenNs;
    }

    @Override
    public Latencies latencies() {
        return access.node().latencies();
    }

    @Override
    public MemorySegment own() {
        return own;
    }

    @Override
    public void begin() {
        access.calls().begin();
        closed.called();
        waitsSinceNs = 0;
        waitsSeenNs = 0;
    }

    @Override
    public void returned() {
        FirstFailure failures = new FirstFailure();
        for (long id : closed.takeDue()) {
            failures.attempt(() -> NewSegment.free(access, id));
        }
        failures.rethrow();
    }

    /** Segments that this member has closed while others may still use them. */
    public ClosedSegments closed() {
        return closed;
    }

    @Override
    public void end() {
        access.calls().end();
    }

    @Override
    public void send(int member, long dataOffset, MemorySegment source, long sourceOffset, long length,
        long flagOffset, long flagValue) {
        int rank = members.worldRank(member);
        if (length == 0) {
            inboxes.signal(rank, flagOffset, SignalOp.SET, flagValue);
        } else {
            inboxes.putWithFlag(rank, dataOffset, source, sourceOffset, length, null, flagOffset, flagValue);
        }
    }

    @Override
    public void await(long flagOffset, long value, boolean exactly, int from, Doubt doubt) {
        try {
            asked = doubt;
            access.flushBeforeWaiting();
            access.node().awaitWord(own, flagOffset, value, exactly, members.worldRank(from), states, this);
        } catch (JobAbortedException e) {
            // Others wait for this rank as it has waited for one that is gone; if the job has failed, they know.
            throw access.hasFailed() || access.calls().isLeaving() ? e
                : fail(e.getMessage() + ", in " + doubt.calls(from));
        }
    }

    @Override
    public WaitKind kind() {
        return WaitKind.COLLECTIVE;
    }

    @Override
    public long segment() {
        return inboxes.id();
    }

    @Override
    public long number(long offset) {
        return asked.number();
    }

    @Override
    public void doubt(int from, BooleanSupplier enough) {
        asked.ask(members.groupRank(from), enough);
    }

    @Override
    public boolean read(int member, long offset, MemorySegment target, BooleanSupplier enough) {
        int rank = members.worldRank(member);
        try {
            if (access.node().isLocal(rank)) {
                inboxes.fetch(null, rank, offset, target, 0, target.byteSize(), null);
                return true;
            }
            return fetch(rank, offset, target, enough);
        } catch (JobAbortedException e) {
            throw e;
        } catch (GasException e) {
            return false;
        }
    }

    /** An answer that comes too late finds memory of its own. */
    private boolean fetch(int rank, long offset, MemorySegment target, BooleanSupplier enough) {
        MemorySegment copy = MemorySegment.ofArray(new byte[(int) target.byteSize()]);
        boolean came = access.request(access.topology().nodeOf(rank), (link, reply) -> {
            reply.destination().begin(copy, 0, copy.byteSize());
            link.writer().get(reply, inboxes.id(), rank, offset, copy.byteSize());
        }, enough).isPresent();
        if (came) {
            target.copyFrom(copy);
        }
        return came;
    }

    @Override
    public String nameOf(int member) {
        return "rank " + members.worldRank(member) + " (node " + nodeOf(member) + ")";
    }

    @Override
    public RuntimeException fail(String why) {
        return access.abort(why);
    }
}

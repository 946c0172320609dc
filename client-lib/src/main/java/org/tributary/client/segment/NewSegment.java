package org.tributary.client.segment;

import java.util.function.Function;
import org.tributary.client.collective.Collectives;
import org.tributary.client.node.LocalParts;
import org.tributary.client.remote.RemoteAccess;
import org.tributary.wire.shm.SegmentKind;
import org.tributary.wire.shm.SegmentLayout;

/**
 * A segment while it is made: the servers make the files of their nodes, then every member maps that of its node. When
 * either fails on any member, everybody gets that failure and what there is of the segment is taken back.
 */
public final class NewSegment {
    private final RemoteAccess access;
    private final Collectives agreeing;
    private final long id;
    private final String what;
    private final SegmentLayout layout;
    private boolean created;
    private LocalParts parts;

    /**
     * Nothing yet.
     *
     * @param agreeing of the group that has to agree; collective over it
     * @param what     is made, in the message of a failure
     * @param layout   of the parts on this node; null on a member that agrees and gets nothing
     */
    public NewSegment(RemoteAccess access, Collectives agreeing, long id, String what, SegmentLayout layout) {
        this.access = access;
        this.agreeing = agreeing;
        this.id = id;
        this.what = what;
        this.layout = layout;
    }

    /** The lowest member of each node asks its server; returns when all servers have reserved their parts. */
    public void create(SegmentKind kind) {
        create(kind, () -> { });
    }

    /** As above, when all members have passed a check. */
    public void create(SegmentKind kind, Runnable check) {
        CommonResult.reach(access, agreeing, what, CommonResult.REFUSED, () -> {
            check.run();
            if (layout != null && layout.rank(0) == access.rank()) {
                request(kind);
                created = true;
            }
            return null;
        }, this::takeBack);
    }

    private void request(SegmentKind kind) {
        int[] ranks = new int[layout.partCount()];
        long[] lengths = new long[ranks.length];
        for (int part = 0; part < ranks.length; part++) {
            ranks[part] = layout.rank(part);
            lengths[part] = layout.length(part);
        }
        access.request(access.ownNode(),
            (link, reply) -> link.writer().allocate(reply, id, kind.ordinal(), ranks, lengths));
    }

    /**
     * Maps the file and makes of it what it is for; returns when all members have done so.
     *
     * @param use of the parts, which are null on a member that gets nothing
     */
    public <T> T complete(Function<LocalParts, T> use) {
        return CommonResult.reach(access, agreeing, what, CommonResult.SYSTEM, () -> {
            if (layout != null) {
                parts = new LocalParts(access.node(), id, layout);
            }
            return use.apply(parts);
        }, this::takeBack);
    }

    private void takeBack() {
        if (parts != null) {
            parts.unmap();
        }
        if (created) {
            free(access, id);
        }
    }

    /** Has the node's server remove its part of a segment. */
    public static void free(RemoteAccess access, long id) {
        access.request(access.ownNode(), (link, reply) -> link.writer().free(reply, id));
    }
}

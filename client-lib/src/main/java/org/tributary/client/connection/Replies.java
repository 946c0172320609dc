package org.tributary.client.connection;

import java.io.IOException;
import java.util.Arrays;
import org.tributary.client.error.GasException;
import org.tributary.wire.codec.ErrorCode;
import org.tributary.wire.codec.ErrorDecoder;

/**
 * The requests of one connection that wait for an answer, by the number that the answer carries. Passes answers on.
 * Guarded by the lock of the links.
 */
final class Replies implements ReplyReader.Receiver {
    /** Takes answers for which no request waits. */
    interface Listener {
        /** The node of a rank, or {@code otherwise} when there is no such rank. */
        int nodeOf(int rank, int otherwise);

        /** Requests for a node are to take their route from now on. */
        void takeRoute(int node);

        /** A server says that another one is gone. */
        void lost(String server);
    }

    private final int node;
    private final AckLedger ledger;
    private final LinkSet<?>.Membership awaiting;
    private final Listener listener;
    private PendingReply[] replies = new PendingReply[64];
    private int[] free = new int[64];
    private int freeCount;
    private int made;
    /** Null when there are no channels of the network adapter. */
    private FastPath fastPath;

    /** Of the server of a node. {@code awaiting}: whether answers are due. */
    Replies(int node, AckLedger ledger, LinkSet<?>.Membership awaiting, Listener listener) {
        this.node = node;
        this.ledger = ledger;
        this.awaiting = awaiting;
        this.listener = listener;
    }

    /** Has that hear of channels from now on. */
    void tellOfChannels(FastPath path) {
        fastPath = path;
    }

    /** A request whose answer nobody waits for yet, or goes to {@code callback}. */
    PendingReply expect(Callback callback) {
        PendingReply reply;
        if (freeCount > 0) {
            reply = replies[free[--freeCount]];
        } else {
            if (made == replies.length) {
                replies = Arrays.copyOf(replies, 2 * made);
                free = Arrays.copyOf(free, 2 * made);
            }
            reply = new PendingReply(made);
            replies[made++] = reply;
        }
        reply.begin(callback);
        awaiting.addToSet();
        return reply;
    }

    /** The answer has been dealt with. */
    void giveBack(PendingReply reply) {
        free[freeCount++] = reply.slot();
        if (areNoneDue()) {
            awaiting.removeFromSet();
        }
    }

    boolean areNoneDue() {
        return made == freeCount;
    }

    /** All requests that are not answered have failed: their answers are read and dropped. */
    void dropAll(GasException why) {
        for (int i = 0; i < made; i++) {
            replies[i].drop(why);
        }
    }

    /** Whether answers are still to be read for which nobody waits. */
    boolean areAnyDueForNobody() {
        for (int i = 0; i < made; i++) {
            if (replies[i].isDueForNobody()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void ack(long executed) throws IOException {
        ledger.executed(executed);
    }

    @Override
    public void value(long requestId, long value) throws IOException {
        PendingReply reply = waiting(requestId);
        checkAsksForRegion(reply, false);
        if (reply.expectedBytes() > 0) {
            throw new IOException("node " + node + " answered without data, not with " + reply.expectedBytes()
                + " bytes");
        }
        complete(reply, value, null);
    }

    @Override
    public void error(ErrorDecoder error) throws IOException {
        long requestId = error.requestId();
        if (error.code() == ErrorCode.NODE_LOST) {
            listener.lost(error.detail());
        }
        GasException failure = RemoteErrors.toException(error, listener.nodeOf(error.rank(), node));
        if (requestId >= 0) {
            complete(waiting(requestId), 0, failure);
        } else if (error.code() != ErrorCode.SEGMENT_UNKNOWN || !ledger.mayBeFreed(error.segmentId())) {
            ledger.failed(failure);
        }
    }

    @Override
    public void region(long requestId, RegionFacts facts) throws IOException {
        PendingReply reply = waiting(requestId);
        checkAsksForRegion(reply, true);
        reply.tell(facts);
        complete(reply, 0, null);
    }

    @Override
    public void takeRoute() {
        listener.takeRoute(node);
    }

    @Override
    public void channel(ChannelFacts facts) throws IOException {
        fastPath().granted(facts);
    }

    @Override
    public void channelWanted() throws IOException {
        fastPath().wanted();
    }

    @Override
    public void credit(long freed) throws IOException {
        fastPath().credit(freed);
    }

    private FastPath fastPath() throws IOException {
        if (fastPath == null) {
            throw new IOException("node " + node + " tells of a channel, and there are none");
        }
        return fastPath;
    }

    @Override
    public PendingReply dataBegins(long requestId, long length) throws IOException {
        PendingReply reply = waiting(requestId);
        checkAsksForRegion(reply, false);
        if (reply.expectedBytes() != length) {
            throw new IOException("node " + node + " answered with " + length + " bytes, not "
                + reply.expectedBytes());
        }
        return reply;
    }

    @Override
    public void dataComplete(PendingReply reply) {
        complete(reply, 0, null);
    }

    private void checkAsksForRegion(PendingReply reply, boolean isTold) throws IOException {
        if (reply.isForRegion() && !isTold) {
            throw new IOException("node " + node + " answered without telling of a region");
        }
        if (isTold && !reply.isForRegion()) {
            throw new IOException("node " + node + " told of a region, for which nobody has asked");
        }
    }

    private PendingReply waiting(long requestId) throws IOException {
        PendingReply reply = requestId < 0 || requestId >= made ? null : replies[(int) requestId];
        if (reply == null || reply.isDone()) {
            throw new IOException("node " + node + " answered request " + requestId + ", which was not made");
        }
        return reply;
    }

    private void complete(PendingReply reply, long value, GasException failure) {
        if (reply.complete(value, failure)) {
            giveBack(reply);
        }
    }
}

package org.tributary.server.observe;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.tributary.wire.status.ServerCounts;
import org.tributary.wire.status.ServerOperation;

/**
 * Requests that one event loop has executed, in plain fields, so that counting costs an addition. Owned by that loop;
 * any other reads values that are perhaps a moment old.
 */
public final class RequestCounts {
    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

    private final Pairs pairs;
    private final long[] requests = new long[ServerOperation.values().length];
    private final long[] bytes = new long[ServerOperation.values().length];
    /** An array, so that it is read as the others are. */
    private final long[] rejected = new long[1];

    /** Of one of so many loops, of which each has an equal share of the pairs that are counted on their own. */
    RequestCounts(int loops) {
        pairs = new Pairs(ServerCounts.MAX_PAIRS / loops);
    }

    /** A request was executed. */
    public void executed(ServerOperation operation, long payloadBytes) {
        requests[operation.ordinal()]++;
        bytes[operation.ordinal()] += payloadBytes;
    }

    /** The same for a request of a rank, or of nobody in particular if that is negative, for memory of another. */
    public void executed(ServerOperation operation, int requester, int target, long payloadBytes) {
        executed(operation, payloadBytes);
        if (requester >= 0) {
            pairs.add(requester, target, payloadBytes);
        }
    }

    /** A request was answered with an error. */
    public void rejected() {
        rejected[0]++;
    }

    long requests(int operation) {
        return (long) LONGS.getOpaque(requests, operation);
    }

    long bytes(int operation) {
        return (long) LONGS.getOpaque(bytes, operation);
    }

    /** Of all operations. */
    long executed() {
        long all = 0;
        for (int operation = 0; operation < requests.length; operation++) {
            all += requests(operation);
        }
        return all;
    }

    long rejectedRequests() {
        return (long) LONGS.getOpaque(rejected, 0);
    }

    Pairs pairs() {
        return pairs;
    }
}

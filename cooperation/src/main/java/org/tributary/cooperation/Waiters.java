package org.tributary.cooperation;

import java.util.Arrays;

/**
 * Lists of the waiters of a request: one, or several whose requests were combined. Kept in one pool, because most live
 * only for a round trip: arrays that are used again make no garbage. Owned by the event loop.
 */
final class Waiters {
    static final int NONE = -1;
    /** What one takes. */
    static final int BYTES_EACH = 4 * Integer.BYTES + 2 * Long.BYTES;

    private int[] sources = new int[16];
    private int[] requesters = new int[16];
    private long[] ids = new long[16];
    private long[] prefixes = new long[16];
    private int[] replyBytes = new int[16];
    private int[] nexts = new int[16];
    private int free = NONE;
    private int used;

    /**
     * A list of one.
     *
     * @param requester the rank that the request comes from
     * @param id the request's id at its source, or the number of a one-way request
     * @param prefix what was added by those before it in the list
     */
    int add(int source, int requester, long id, long prefix, int reply) {
        int at = free;
        if (at == NONE) {
            at = used++;
            if (at == sources.length) {
                sources = Arrays.copyOf(sources, 2 * at);
                requesters = Arrays.copyOf(requesters, 2 * at);
                ids = Arrays.copyOf(ids, 2 * at);
                prefixes = Arrays.copyOf(prefixes, 2 * at);
                replyBytes = Arrays.copyOf(replyBytes, 2 * at);
                nexts = Arrays.copyOf(nexts, 2 * at);
            }
        } else {
            free = nexts[at];
        }
        sources[at] = source;
        requesters[at] = requester;
        ids[at] = id;
        prefixes[at] = prefix;
        replyBytes[at] = reply;
        nexts[at] = NONE;
        return at;
    }

    /** Puts one, which is alone, behind the first of a list: the first stays where the queue knows it. */
    void insertAfter(int first, int at) {
        nexts[at] = nexts[first];
        nexts[first] = at;
    }

    int source(int at) {
        return sources[at];
    }

    int requester(int at) {
        return requesters[at];
    }

    long id(int at) {
        return ids[at];
    }

    long prefix(int at) {
        return prefixes[at];
    }

    int replyBytes(int at) {
        return replyBytes[at];
    }

    int next(int at) {
        return nexts[at];
    }

    /** Gives one back; returns what followed it. */
    int free(int at) {
        int next = nexts[at];
        nexts[at] = free;
        free = at;
        return next;
    }
}

package org.tributary.cooperation;

import java.util.Arrays;

/**
 * Lists of those who have a share in a request: one origin, or several whose requests became one. Kept in one pool, as
 * most live only for a trip.
 */
final class Shares {
    static final int NONE = -1;

    private int[] origins = new int[16];
    private int[] askers = new int[16];
    private long[] ids = new long[16];
    private long[] prefixes = new long[16];
    private int[] replyBytes = new int[16];
    private int[] nexts = new int[16];
    private int free = NONE;
    private int used;

    /**
     * A list of one.
     *
     * @param asker the rank that the request comes from
     * @param id the request's id at its origin, or the number of a one-way request
     * @param prefix what was added by those before it in the list
     */
    int add(int origin, int asker, long id, long prefix, int reply, int next) {
        int at = free;
        if (at == NONE) {
            at = used++;
            if (at == origins.length) {
                origins = Arrays.copyOf(origins, 2 * at);
                askers = Arrays.copyOf(askers, 2 * at);
                ids = Arrays.copyOf(ids, 2 * at);
                prefixes = Arrays.copyOf(prefixes, 2 * at);
                replyBytes = Arrays.copyOf(replyBytes, 2 * at);
                nexts = Arrays.copyOf(nexts, 2 * at);
            }
        } else {
            free = nexts[at];
        }
        origins[at] = origin;
        askers[at] = asker;
        ids[at] = id;
        prefixes[at] = prefix;
        replyBytes[at] = reply;
        nexts[at] = next;
        return at;
    }

    /** Puts one behind the first of a list: the first stays where the queue knows it. */
    void insertAfter(int first, int origin, int asker, long id, long prefix, int reply) {
        int at = add(origin, asker, id, prefix, reply, nexts[first]);
        nexts[first] = at;
    }

    int origin(int at) {
        return origins[at];
    }

    int asker(int at) {
        return askers[at];
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

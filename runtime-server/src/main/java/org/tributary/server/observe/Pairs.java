package org.tributary.server.observe;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.tributary.wire.status.ServerCounts.Pair;

/**
 * Requests and payload by the rank that asks and the rank whose memory it asks for: a table of open addressing that
 * grows as pairs come up. A connection mostly asks for the same pair again, so the last one is found without a search.
 * Owned by the event loop.
 */
final class Pairs {
    private static final int FIRST_SLOTS = 64;
    private static final long FREE = -1;
    private static final int NOBODY = -1;
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    private final int maxPairs;
    private long[] keys = new long[FIRST_SLOTS];
    private long[] requests = new long[FIRST_SLOTS];
    private long[] bytes = new long[FIRST_SLOTS];
    private int count;
    private int last;
    private long otherRequests;
    private long otherBytes;

    /** Counts so many pairs on their own, and what is beyond them together. */
    Pairs(int maxPairs) {
        this.maxPairs = maxPairs;
        Arrays.fill(keys, FREE);
    }

    void add(int requester, int target, long payloadBytes) {
        long key = (long) requester << Integer.SIZE | target;
        int slot = keys[last] == key ? last : slotOf(key);
        if (slot < 0) {
            otherRequests++;
            otherBytes += payloadBytes;
            return;
        }
        last = slot;
        requests[slot]++;
        bytes[slot] += payloadBytes;
    }

    /** Of a pair that may be new; below 0 when there is no room for it. */
    private int slotOf(long key) {
        int slot = search(key);
        if (keys[slot] == key) {
            return slot;
        }
        if (count == maxPairs) {
            return -1;
        }
        if (2 * (count + 1) > keys.length) {
            grow();
            slot = search(key);
        }
        count++;
        keys[slot] = key;
        return slot;
    }

    private int search(long key) {
        int slot = (int) (key * SPREAD >>> Integer.SIZE) & keys.length - 1;
        while (keys[slot] != key && keys[slot] != FREE) {
            slot = slot + 1 & keys.length - 1;
        }
        return slot;
    }

    private void grow() {
        long[] oldKeys = keys;
        long[] oldRequests = requests;
        long[] oldBytes = bytes;
        keys = new long[2 * oldKeys.length];
        requests = new long[keys.length];
        bytes = new long[keys.length];
        Arrays.fill(keys, FREE);
        for (int old = 0; old < oldKeys.length; old++) {
            if (oldKeys[old] != FREE) {
                int slot = search(oldKeys[old]);
                keys[slot] = oldKeys[old];
                requests[slot] = oldRequests[old];
                bytes[slot] = oldBytes[old];
            }
        }
        last = 0;
    }

    /** All that has been counted. */
    List<Pair> list() {
        List<Pair> pairs = new ArrayList<>(count + 1);
        for (int slot = 0; slot < keys.length; slot++) {
            if (keys[slot] != FREE) {
                pairs.add(new Pair((int) (keys[slot] >>> Integer.SIZE), (int) keys[slot], requests[slot],
                    bytes[slot]));
            }
        }
        if (otherRequests > 0) {
            pairs.add(new Pair(NOBODY, NOBODY, otherRequests, otherBytes));
        }
        return pairs;
    }
}

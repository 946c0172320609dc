package org.tributary.server.observe;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.tributary.wire.status.ServerCounts.Pair;

/**
 * Requests and payload by the rank that asks and the rank whose memory it asks for: a table of open addressing that
 * grows as pairs come up. A connection mostly asks for the same pair again, so the last one is found without a search.
 * Owned by the event loop whose requests it counts; any other may list them, with counts that are a moment old.
 */
final class Pairs {
    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int FIRST_SLOTS = 64;
    private static final long FREE = -1;
    private static final int NOBODY = -1;
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    /** Replaced by one with more slots when it is half full. */
    private static final class Table {
        private final long[] keys;
        private final long[] requests;
        private final long[] bytes;

        private Table(int slots) {
            keys = new long[slots];
            requests = new long[slots];
            bytes = new long[slots];
            Arrays.fill(keys, FREE);
        }

        private int search(long key) {
            int slot = (int) (key * SPREAD >>> Integer.SIZE) & keys.length - 1;
            while (keys[slot] != key && keys[slot] != FREE) {
                slot = slot + 1 & keys.length - 1;
            }
            return slot;
        }
    }

    private final int maxPairs;
    /** The volatile write is the partner of the read in {@link #forEach}: what is in a new table is seen with it. */
    private volatile Table table = new Table(FIRST_SLOTS);
    private int count;
    private int last;
    private volatile long otherRequests;
    private volatile long otherBytes;

    /** Counts so many pairs on their own, and what is beyond them together. */
    Pairs(int maxPairs) {
        this.maxPairs = maxPairs;
    }

    void add(int requester, int target, long payloadBytes) {
        add(requester, target, 1, payloadBytes);
    }

    private void add(int requester, int target, long requests, long payloadBytes) {
        long key = (long) requester << Integer.SIZE | target;
        Table now = table;
        int slot = key == FREE ? -1 : now.keys[last] == key ? last : slotOf(key);
        if (slot < 0) {
            addToOthers(requests, payloadBytes);
            return;
        }
        last = slot;
        now = table;
        now.requests[slot] += requests;
        now.bytes[slot] += payloadBytes;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    private void addToOthers(long requests, long payloadBytes) {
        otherRequests += requests;
        otherBytes += payloadBytes;
    }

    /** Of a pair that may be new; below 0 when there is no room for it. */
    private int slotOf(long key) {
        int slot = table.search(key);
        if (table.keys[slot] == key) {
            return slot;
        }
        if (count == maxPairs) {
            return -1;
        }
        if (2 * (count + 1) > table.keys.length) {
            grow();
            slot = table.search(key);
        }
        count++;
        table.keys[slot] = key;
        return slot;
    }

    private void grow() {
        Table old = table;
        Table larger = new Table(2 * old.keys.length);
        for (int from = 0; from < old.keys.length; from++) {
            if (old.keys[from] != FREE) {
                int slot = larger.search(old.keys[from]);
                larger.keys[slot] = old.keys[from];
                larger.requests[slot] = old.requests[from];
                larger.bytes[slot] = old.bytes[from];
            }
        }
        last = 0;
        table = larger;
    }

    private interface Action {
        void accept(int requester, int target, long requests, long bytes);
    }

    private void forEach(Action action) {
        Table now = table;
        for (int slot = 0; slot < now.keys.length; slot++) {
            long key = (long) LONGS.getOpaque(now.keys, slot);
            if (key != FREE) {
                action.accept((int) (key >>> Integer.SIZE), (int) key, (long) LONGS.getOpaque(now.requests, slot),
                    (long) LONGS.getOpaque(now.bytes, slot));
            }
        }
        if (otherRequests > 0) {
            action.accept(NOBODY, NOBODY, otherRequests, otherBytes);
        }
    }

    /** All that has been counted. */
    List<Pair> list() {
        List<Pair> pairs = new ArrayList<>();
        forEach((requester, target, requests, bytes) -> pairs.add(new Pair(requester, target, requests, bytes)));
        return pairs;
    }

    /** All that several have counted: every pair that one of them counts on its own. */
    static List<Pair> sum(List<Pairs> all) {
        if (all.size() == 1) {
            return all.getFirst().list();
        }
        Pairs sum = new Pairs(all.stream().mapToInt(each -> each.maxPairs).sum());
        all.forEach(each -> each.forEach(sum::add));
        return sum.list();
    }
}

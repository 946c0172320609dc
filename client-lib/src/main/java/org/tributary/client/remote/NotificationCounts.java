package org.tributary.client.remote;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.agrona.collections.Long2LongHashMap;

/**
 * Which notification of each rank the next thread waits for. Each wait has a number of its own; one that fails gives
 * its number to the next, as its notification may still come. Thread-safe.
 */
final class NotificationCounts {
    private final Long2LongHashMap awaited = new Long2LongHashMap(0);
    private final Long2LongHashMap seen = new Long2LongHashMap(0);
    /** Numbers lower than others that threads wait for; few have failed so. */
    private final Map<Integer, TreeSet<Long>> givenBack = new HashMap<>();

    /** The number of the notification that the caller waits for; {@link #came} or {@link #failed} follows. */
    synchronized long next(int rank) {
        if (!givenBack.isEmpty()) {
            TreeSet<Long> numbers = givenBack.get(rank);
            if (numbers != null) {
                long lowest = numbers.removeFirst();
                if (numbers.isEmpty()) {
                    givenBack.remove(rank);
                }
                return lowest;
            }
        }
        long next = awaited.get(rank) + 1;
        awaited.put(rank, next);
        return next;
    }

    /** How many have come at least. */
    synchronized long seen(int rank) {
        return seen.get(rank);
    }

    /** So many have come. */
    synchronized void came(int rank, long number) {
        seen.put(rank, Math.max(number, seen.get(rank)));
    }

    /** The wait for a notification has failed. */
    synchronized void failed(int rank, long number) {
        givenBack.computeIfAbsent(rank, key -> new TreeSet<>()).add(number);
    }
}

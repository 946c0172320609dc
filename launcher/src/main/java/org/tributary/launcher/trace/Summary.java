package org.tributary.launcher.trace;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.tributary.wire.shm.TraceOperation;
import org.tributary.wire.shm.WaitKind;

/** Sums over the traces of a job: by operation, by cause of waits, by rank. */
final class Summary {
    private final Map<TraceOperation, Operations> operations = new EnumMap<>(TraceOperation.class);
    private final Map<WaitKind, Waits> waits = new EnumMap<>(WaitKind.class);
    private final Map<Integer, Rank> ranks = new TreeMap<>();

    /** Operations of all ranks of one kind; times in nanoseconds. */
    static final class Operations {
        long count;
        long bytes;
        /** Estimated from those that were timed. */
        long totalNs;
        long longestNs;

        private void add(TraceRecord record) {
            count += record.count();
            bytes += record.bytes();
            totalNs += record.totalNs();
            longestNs = Math.max(longestNs, record.durationNs());
        }
    }

    /** Waits of all ranks for one cause; times in nanoseconds. */
    static final class Waits {
        long count;
        long totalNs;
        long longestNs;
        /** By what was waited for: a rank or a node, as the kind says. */
        final Map<Integer, Long> byPeerNs = new TreeMap<>();

        private void add(TraceRecord record) {
            count++;
            totalNs += record.durationNs();
            longestNs = Math.max(longestNs, record.durationNs());
            if (record.peer() >= 0 && record.cause().peer() != WaitKind.Peer.TOKEN) {
                byPeerNs.merge(record.peer(), record.durationNs(), Long::sum);
            }
        }
    }

    /** Times in nanoseconds. */
    static final class Rank {
        /** Null when others have waited for the rank and its file was not added. */
        TraceFile file;
        /** Older records that are gone. */
        long overwritten;
        /** From when it attached, or from when on its records are complete. */
        long elapsedNs;
        long operationsNs;
        /** In which all of its threads that record anything waited. */
        long waitingNs;
        /** Time of the others' waits for it. */
        long awaitedNs;

        /** Time in which a thread did not wait. */
        long busyNs() {
            return Math.max(0, elapsedNs - waitingNs);
        }
    }

    /** Adds what a rank has recorded. */
    void add(TraceFile file, TraceRing records) {
        Rank rank = ranks.computeIfAbsent(file.rank(), first -> new Rank());
        rank.file = file;
        rank.overwritten = records.overwritten();
        long fromNs = records.completeFromNs();
        rank.elapsedNs = records.endNs() - fromNs;
        Idleness idleness = new Idleness(fromNs);
        Map<Integer, Long> waitsUntilNs = new HashMap<>();
        for (TraceRecord record : records) {
            idleness.lives(record);
            if (!record.isWait()) {
                add(rank, record);
            } else if (noteIfOutermost(record, waitsUntilNs)) {
                add(rank, record);
                idleness.waits(record);
            }
        }
        rank.waitingNs = idleness.ns();
    }

    /**
     * Whether a wait, the next of its thread, is not during another, such as for an answer while in doubt of a peer; if
     * so, notes when it ends.
     */
    private static boolean noteIfOutermost(TraceRecord wait, Map<Integer, Long> untilNs) {
        Long until = untilNs.get(wait.thread());
        if (until != null && wait.beganNs() < until) {
            return false;
        }
        untilNs.put(wait.thread(), wait.beganNs() + wait.durationNs());
        return true;
    }

    private void add(Rank rank, TraceRecord record) {
        if (record.isWait()) {
            waits.computeIfAbsent(record.cause(), first -> new Waits()).add(record);
            if (record.cause().peer() == WaitKind.Peer.RANK && record.peer() >= 0) {
                ranks.computeIfAbsent(record.peer(), first -> new Rank()).awaitedNs += record.durationNs();
            }
        } else {
            operations.computeIfAbsent(record.operation(), first -> new Operations()).add(record);
            rank.operationsNs += record.totalNs();
        }
    }

    Map<TraceOperation, Operations> operations() {
        return operations;
    }

    Map<WaitKind, Waits> waits() {
        return waits;
    }

    /** Ranks whose files were added, by number. */
    Map<Integer, Rank> ranks() {
        Map<Integer, Rank> here = new TreeMap<>(ranks);
        here.values().removeIf(rank -> rank.file == null); // awaited, but its file is not here
        return here;
    }
}

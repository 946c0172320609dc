package org.tributary.client.collective;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.tributary.wire.shm.CollectiveLayout;

/** Runs the members of a group as threads over {@link AuditedInboxes}. */
final class TestGroup {
    /** Changes algorithms early, so that small data goes through all of them. */
    static final Tuning EARLY = new Tuning(256, 40);
    private static final long TIMEOUT_S = 200;

    /** What a member does. */
    interface Body {
        void run(int self, Collectives collectives) throws Exception;
    }

    private TestGroup() {
    }

    /** Runs the body on every member; {@code delays} of a thousand calls of the inboxes dawdle. */
    static void run(int[] nodeOf, int chunkBytes, Tuning tuning, long seed, int delays, Body body) {
        run(nodeOf, chunkBytes, tuning, seed, member -> delays, body);
    }

    /** As above, with members that differ in their delays. */
    static void run(int[] nodeOf, int chunkBytes, Tuning tuning, long seed, IntUnaryOperator delays, Body body) {
        CollectiveLayout layout = new CollectiveLayout(nodeOf.length, chunkBytes);
        try (Arena arena = Arena.ofShared()) {
            AuditedInboxes group = new AuditedInboxes(layout, nodeOf, arena, TimeUnit.SECONDS.toNanos(TIMEOUT_S));
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int i = 0; i < nodeOf.length; i++) {
                    int self = i;
                    Inboxes inboxes = group.of(self, new Random(seed * 31 + self),
                        delays.applyAsInt(self));
                    threads.execute(() -> {
                        try {
                            AuditedInboxes.enter(inboxes);
                            body.run(self, new Collectives(layout, inboxes, tuning));
                            AuditedInboxes.leave(inboxes);
                        } catch (Throwable e) {
                            group.fail(e);
                        }
                    });
                }
            } // waits for the members; every wait of theirs has a deadline
            if (group.failure() != null) {
                throw new AssertionError("group of " + nodeOf.length + " on nodes " + Arrays.toString(nodeOf)
                    + ", chunks of " + chunkBytes + ", seed " + seed, group.failure());
            }
            group.checkAllAwaited();
        }
    }

    /** Node maps worth trying: one node, all alone, halves, interleaved, uneven, random. */
    static List<int[]> nodeMaps(int size) {
        Random random = new Random(size);
        List<int[]> maps = new ArrayList<>();
        maps.add(new int[size]);
        if (size > 1) {
            maps.add(fill(size, i -> i));
        }
        if (size > 2) {
            maps.add(fill(size, i -> 2 * i / size));
            maps.add(fill(size, i -> i % 3));
            maps.add(fill(size, i -> i < size / 2 ? 7 : -i));
            maps.add(fill(size, i -> random.nextInt(size / 2 + 1)));
        }
        return maps;
    }

    static int[] fill(int size, IntUnaryOperator nodeOf) {
        return IntStream.range(0, size).map(nodeOf).toArray();
    }
}

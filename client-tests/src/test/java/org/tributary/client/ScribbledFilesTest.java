package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tributary.client.error.GasException;
import org.tributary.client.shape.Scale;
import org.tributary.client.testing.TestJob;
import org.tributary.testsupport.ToleratesErrors;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;
import org.tributary.wire.shm.CountsFile;
import org.tributary.wire.shm.SharedFile;
import org.tributary.wire.status.ServerCounts;

/**
 * Random stores into the control file, the rings and the counts of a node while its ranks work: either the ranks and
 * servers go on and their results are right, or the job ends with one reason, which all of them know, within bounded
 * time.
 */
@ToleratesErrors("closed LOCAL_RANK of rank .*: ") // what is in a ring becomes no frame
class ScribbledFilesTest {
    private static final int ROUNDS = 200;
    /** What nobody has stored before is for the campaign, not for the build of a change that is about others. */
    private static final long SEED = 1;
    private static final long ROUND_S = 100;
    private static final String LAYOUT = "2,1 combine node";
    private static final int RINGS_HEADER = 256;
    private static final int BLOCKS = 66_048;
    private static final int TABLE = 384;

    /** A store somewhere in a file. */
    private record Store(String file, long at, int bytes, long value) {
        void apply(MemorySegment memory) {
            for (int i = 0; i < bytes; i++) {
                memory.set(ValueLayout.JAVA_BYTE, at + i, (byte) (value >>> 8 * i));
            }
        }
    }

    /** Ranks and servers of a job, until a store ends it. */
    private static final class Running implements AutoCloseable {
        private final Arena arena = Arena.ofShared();
        private final TestJob job = TestJob.start(LAYOUT, "attach.timeout=15s", "connect.timeout=15s", "job.grace=1s",
            "cooperation.ring-bytes=4k", "wait.spin=0");
        private final MemorySegment control;
        private final MemorySegment rings;
        private final MemorySegment counts;
        private final List<Gas> ranks = new ArrayList<>();
        private final List<GlobalMemory> memories = new ArrayList<>();
        private final List<MutexSet> mutexes = new ArrayList<>();
        private long turns;

        Running() throws Exception {
            Path directory = job.server(0).directory();
            control = SharedFile.map(directory.resolve("control"), arena);
            rings = SharedFile.map(directory.resolve("rings"), arena);
            counts = SharedFile.map(directory.resolve("counts"), arena);
            List<CompletableFuture<Void>> made = new ArrayList<>();
            for (int rank = 0; rank < 3; rank++) {
                ranks.add(job.attach(rank));
                memories.add(null);
                mutexes.add(null);
            }
            for (int rank = 0; rank < 3; rank++) {
                int which = rank;
                made.add(task(() -> {
                    memories.set(which, ranks.get(which).allocate(4096));
                    mutexes.set(which, ranks.get(which).createMutexes(1));
                }));
            }
            for (CompletableFuture<Void> each : made) {
                each.get(ROUND_S, TimeUnit.SECONDS);
            }
        }

        private static CompletableFuture<Void> task(Runnable work) {
            CompletableFuture<Void> done = new CompletableFuture<>();
            Thread.ofPlatform().daemon().start(() -> {
                try {
                    work.run();
                    done.complete(null);
                } catch (Throwable e) {
                    done.completeExceptionally(e);
                }
            });
            return done;
        }

        /** Not among the bytes of a request: what that becomes may be another request, of which nobody knows. */
        private Store store(Random random) {
            long value = random.nextInt(4) == 0 ? random.nextInt(3) - 1 : random.nextLong();
            int bytes = 1 << random.nextInt(4);
            if (random.nextInt(8) == 0) {
                return new Store("counts", random.nextLong(counts.byteSize() - 7), bytes, value);
            }
            if (random.nextInt(3) == 0) {
                long ring = (rings.byteSize() - RINGS_HEADER) / 2;
                long at = switch (random.nextInt(4)) {
                    case 0 -> RINGS_HEADER + random.nextInt(2) * ring + random.nextLong(RINGS_HEADER - 8);
                    case 1 -> RINGS_HEADER + random.nextInt(2) * ring + random.nextInt(2) * 128;
                    default -> random.nextLong(RINGS_HEADER);
                };
                return new Store("rings", at & -4, bytes, value);
            }
            long block = (control.byteSize() - BLOCKS) / 2;
            return switch (random.nextInt(4)) {
                case 0 -> new Store("control", random.nextLong(512) & -4, bytes, value);
                // A lock that seems to be held by a rank that lives is as one whose holder is stopped: waited for.
                case 1 -> new Store("control", 512 + random.nextLong(BLOCKS - 512) & -4, 4, value | 0x100);
                default -> new Store("control",
                    BLOCKS + random.nextInt(2) * block + random.nextLong(TABLE - 7) & -4, bytes, value);
            };
        }

        /**
         * Into a table of notifications, all of which have been seen, two at least of each rank: a count that begins
         * anew is less then. Others that are lost nobody can know of.
         */
        private Store tableStore(Random random) {
            long block = (control.byteSize() - BLOCKS) / 2;
            long at = BLOCKS + random.nextInt(2) * block + TABLE + random.nextLong(block - TABLE);
            return new Store("control", at & -4, 4, random.nextLong());
        }

        private void apply(Store store) {
            store.apply(switch (store.file()) {
                case "rings" -> rings;
                case "counts" -> counts;
                default -> control;
            });
        }

        /** All ranks do something of everything while somebody stores; what ended it, or nothing if all went right. */
        List<Throwable> turn(Random random, List<Store> stores) throws InterruptedException {
            if (turns > 1 && random.nextInt(3) == 0) {
                stores.add(tableStore(random));
                apply(stores.getLast());
            }
            return turn(() -> {
                for (int i = random.nextInt(4); i >= 0; i--) {
                    LockSupport.parkNanos(random.nextInt(1_000_000));
                    stores.add(store(random));
                    apply(stores.getLast());
                }
            });
        }

        List<Throwable> turn(Runnable meanwhile) throws InterruptedException {
            turns++;
            List<CompletableFuture<Void>> working = new ArrayList<>();
            for (int rank = 0; rank < 3; rank++) {
                int which = rank;
                working.add(task(() -> work(which)));
            }
            meanwhile.run();
            List<Throwable> failures = new ArrayList<>();
            boolean isStuck = false;
            for (CompletableFuture<Void> each : working) {
                try {
                    each.get(isStuck ? 0 : ROUND_S, TimeUnit.SECONDS);
                } catch (ExecutionException e) {
                    failures.add(e.getCause());
                } catch (TimeoutException e) {
                    isStuck = true;
                }
            }
            if (isStuck) {
                AssertionError stuck = new AssertionError("not all have ended within " + ROUND_S + " s");
                failures.forEach(stuck::addSuppressed);
                throw stuck;
            }
            return failures;
        }

        private void work(int rank) {
            Gas gas = ranks.get(rank);
            GlobalMemory memory = memories.get(rank);
            for (int target = 0; target < 3; target++) {
                memory.fetchAndAdd(target, 0, 1);
                memory.accumulate(target, 8, Scale.one(ElementType.LONG),
                    MemorySegment.ofArray(new long[] {1}), 0, 8);
                gas.notify(target);
            }
            for (int source = 0; source < 3; source++) {
                gas.waitNotify(source);
            }
            MutexSet mutex = mutexes.get(rank);
            mutex.lock(0, 0);
            memory.putLong(0, 16, memory.getLong(0, 16) + 1);
            gas.fence(0);
            mutex.unlock(0, 0);
            assertEquals(3, gas.world().allreduce(ReduceOp.SUM, 1L));
            gas.barrier();
            assertEquals(3 * turns, memory.getLong(rank, 0), "fetch-and-add");
            assertEquals(3 * turns, memory.getLong(rank, 8), "accumulate");
            assertEquals(3 * turns, memory.getLong(0, 16), "under a mutex");
            gas.barrier();
        }

        String reason(int node) throws Exception {
            CompletableFuture<String> ended = new CompletableFuture<>();
            Thread.ofPlatform().daemon().start(() -> {
                try {
                    ended.complete(job.server(node).awaitTermination().reason());
                } catch (InterruptedException | RuntimeException e) {
                    ended.completeExceptionally(e);
                }
            });
            return ended.get(ROUND_S, TimeUnit.SECONDS);
        }

        @Override
        public void close() {
            for (Gas gas : ranks) {
                try {
                    gas.close();
                } catch (GasException e) {
                    assertTrue(gas.access().hasFailed());
                }
            }
            job.close();
            arena.close();
        }
    }

    @Test
    void shouldGoOnRightlyOrEndWithOneReasonWhenControlFileAndRingsAreScribbled() throws Exception {
        scribble(Long.getLong("campaign.seed", SEED), ROUNDS);
    }

    /** The server never reads what stands there, and tells everything again. */
    @Test
    void shouldTellRightlyAgainWhenCountsAreScribbled() throws Exception {
        Running running = new Running();
        Path file = running.job.server(0).directory().resolve("counts");
        running.counts.fill((byte) 0x55);
        assertEquals(List.of(), running.turn(() -> { }));
        while (!isTold(file)) {
            Thread.onSpinWait();
        }
        running.close();
    }

    private static boolean isTold(Path file) throws IOException {
        try {
            return !ServerCounts.decode(CountsFile.read(file)).operations().isEmpty();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    @Test
    @Tag("campaign")
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void shouldGoOnRightlyOrEndWithOneReasonInThousandsOfRounds() throws Exception {
        scribble(Long.getLong("campaign.seed", System.nanoTime() >>> 16),
            Integer.getInteger("campaign.stores", 20_000));
    }

    private static void scribble(long seed, int rounds) throws Exception {
        Random random = new Random(seed);
        List<Store> stores = new ArrayList<>();
        Running running = new Running();
        int ended = 0;
        try {
            for (int round = 0; round < rounds; round++) {
                List<Throwable> failures = running.turn(random, stores);
                if (!failures.isEmpty()) {
                    ended++;
                    assertOneReason(running, failures);
                    running.close();
                    stores.clear();
                    running = new Running();
                }
            }
            running.close();
        } catch (Exception | AssertionError e) {
            // It is not closed: a thread may be using what would be closed.
            throw new AssertionError("campaign.seed=" + seed + ", stores into this job " + stores + "\n" + stacks(), e);
        }
        System.out.println("campaign.seed=" + seed + ": " + rounds + " stores, " + ended + " jobs ended by one");
    }

    /** With no place left for a rank that notifies for the first time, or again. */
    @Test
    void shouldEndNamingTheTableWhenAllItsEntriesAreOfNoRank() throws Exception {
        Running running = new Running();
        long table = BLOCKS + (running.control.byteSize() - BLOCKS) / 2 + TABLE;
        for (long at = table; at < running.control.byteSize(); at += 16) {
            new Store("control", at, 4, 0x7F00_0000).apply(running.control);
        }
        List<Throwable> failures = running.turn(() -> { });
        assertFalse(failures.isEmpty());
        assertOneReason(running, failures);
        assertTrue(running.reason(0).contains("the notification table of rank 1 in ")
            && running.reason(0).contains(" is of rank "), running.reason(0));
        running.close();
    }

    private static String stacks() {
        StringBuilder text = new StringBuilder();
        Thread.getAllStackTraces().forEach((thread, frames) -> {
            text.append(thread.getName()).append('\n');
            Stream.of(frames).forEach(frame -> text.append("    ").append(frame).append('\n'));
        });
        return text.toString();
    }

    private static void assertOneReason(Running running, List<Throwable> failures) throws Exception {
        for (Throwable failure : failures) {
            if (!(failure instanceof GasException)) {
                throw new AssertionError("no clear failure", failure);
            }
        }
        String reason = running.reason(0);
        assertEquals(reason, running.reason(1));
        if (Boolean.getBoolean("scribble.show")) {
            System.out.println(reason);
        }
    }
}

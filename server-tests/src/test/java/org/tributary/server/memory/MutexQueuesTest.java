package org.tributary.server.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.tributary.config.Topology;
import org.tributary.wire.shm.LockedDirectory;
import org.tributary.wire.shm.MutexWord;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.shm.SegmentKind;
import org.tributary.wire.shm.SegmentLayout;

/** Queues against a serial model: one holder and a list for each mutex. */
class MutexQueuesTest {
    private static final int RANKS = 6;
    private static final int MUTEXES = 2;

    /** What a rank does. */
    enum Deed { LOCK, FAST_LOCK, UNLOCK, FAST_UNLOCK, LEAVE }

    /** Who does it, with which mutex. */
    record Step(Deed deed, int rank, int mutex) {
    }

    /** One mutex as it should be. */
    private static final class Model {
        private final List<Integer> queue = new ArrayList<>();
        private int holder = -1;

        void next() {
            holder = queue.isEmpty() ? -1 : queue.removeFirst();
        }
    }

    /** The real queues and their model, side by side. */
    private static final class Pair {
        private final MutexQueues queues = new MutexQueues(Pair::isLocal, RANKS);
        private final SegmentRegistry registry;
        private final NodeSegment segment;
        private final MemorySegment words;
        private final Model[] models = new Model[MUTEXES];
        private final List<String> grants = new ArrayList<>();
        private final List<String> expected = new ArrayList<>();

        Pair(Path directory) throws IOException {
            Topology topology = Topology.of(1, RANKS - 1);
            registry = new SegmentRegistry(new NodeDirectory(directory), topology, 0);
            registry.create(1, SegmentKind.MUTEXES, new SegmentLayout(new int[] {0}, new long[] {MUTEXES * 64L}));
            registry.create(2, SegmentKind.DATA, new SegmentLayout(new int[] {0}, new long[] {64}));
            segment = registry.find(1);
            words = segment.part(0);
            // A data word that reads like a held mutex is none.
            registry.find(2).part(0).set(java.lang.foreign.ValueLayout.JAVA_LONG, 0, 3);
            for (int i = 0; i < MUTEXES; i++) {
                models[i] = new Model();
            }
        }

        /** The last rank is one of another node: it does nothing without the server. */
        private static boolean isLocal(int rank) {
            return rank < RANKS - 1;
        }

        void lock(int rank, int mutex) {
            Model model = models[mutex];
            if (model.holder == rank || model.queue.contains(rank)) {
                return;
            }
            if (model.holder < 0) {
                model.holder = rank;
                expected.add(rank + " has " + mutex);
            } else {
                model.queue.add(rank);
            }
            queues.lock(segment, 0, MutexWord.offset(mutex), new WaiterQueues.Waiter() {
                @Override
                public int rank() {
                    return rank;
                }

                @Override
                public void granted() {
                    grants.add(rank + " has " + mutex);
                }

                @Override
                public void freed() {
                    throw new AssertionError("nothing is freed");
                }
            });
        }

        void fastLock(int rank, int mutex) {
            Model model = models[mutex];
            boolean free = model.holder < 0;
            if (free) {
                model.holder = rank;
            }
            assertEquals(free, isLocal(rank) ? MutexWord.tryAcquire(words, MutexWord.offset(mutex), rank)
                : queues.tryLock(segment, 0, MutexWord.offset(mutex), rank));
        }

        /** As a rank of the node does: by itself while nobody waits, else with the server. */
        void unlock(int rank, int mutex, boolean fast) {
            Model model = models[mutex];
            if (model.holder != rank) {
                return;
            }
            if (fast && isLocal(rank) && MutexWord.tryRelease(words, MutexWord.offset(mutex), rank)) {
                assertEquals(List.of(), model.queue, "the fast release overtook");
            } else {
                assertTrue(queues.unlock(segment, 0, MutexWord.offset(mutex), rank));
            }
            passOn(model, mutex);
        }

        private void passOn(Model model, int mutex) {
            model.next();
            if (model.holder >= 0) {
                expected.add(model.holder + " has " + mutex);
            }
        }

        void leave(int rank) {
            for (int mutex = 0; mutex < MUTEXES; mutex++) {
                models[mutex].queue.remove((Integer) rank);
            }
            for (int mutex = 0; mutex < MUTEXES; mutex++) {
                if (models[mutex].holder == rank) {
                    passOn(models[mutex], mutex);
                }
            }
            queues.rankGone(rank, registry);
        }

        void check() {
            int waiting = 0;
            for (int mutex = 0; mutex < MUTEXES; mutex++) {
                assertEquals(models[mutex].holder, MutexWord.holder(words, MutexWord.offset(mutex)));
                waiting += models[mutex].queue.size();
            }
            assertEquals(waiting, queues.waiting());
            assertEquals(expected, grants);
        }
    }

    @Provide
    Arbitrary<List<Step>> steps() {
        return Combinators.combine(Arbitraries.of(Deed.class), Arbitraries.integers().between(0, RANKS - 1),
            Arbitraries.integers().between(0, MUTEXES - 1)).as(Step::new).list().ofMaxSize(60);
    }

    private interface Check {
        void run(Pair pair);
    }

    private static void withPair(Check check) throws IOException {
        Path directory = Files.createTempDirectory(Path.of("/dev/shm"), "mutex-queues-test-");
        try {
            Pair pair = new Pair(directory);
            check.run(pair);
            pair.registry.close();
        } finally {
            LockedDirectory.remove(directory);
        }
    }

    /** The main loop has seen that a rank holds it; then another loop releases it, and a third one takes it. */
    @Example
    void shouldLeaveAMutexToItsHolderWhenItHasChangedHandsMeanwhile() throws IOException {
        withPair(pair -> {
            pair.fastLock(3, 0);
            assertFalse(pair.queues.unlock(pair.segment, 0, MutexWord.offset(0), RANKS - 1));
            pair.check();
            assertFalse(pair.queues.unlock(pair.segment, 0, MutexWord.offset(1), RANKS - 1), "nobody holds it");
            pair.check();
        });
    }

    @Property(tries = 300)
    void shouldGrantLikeTheModelWhenRanksLockUnlockAndLeave(@ForAll("steps") List<Step> steps) throws IOException {
        withPair(pair -> {
            for (Step step : steps) {
                switch (step.deed()) {
                    case LOCK -> pair.lock(step.rank(), step.mutex());
                    case FAST_LOCK -> pair.fastLock(step.rank(), step.mutex());
                    case UNLOCK -> pair.unlock(step.rank(), step.mutex(), false);
                    case FAST_UNLOCK -> pair.unlock(step.rank(), step.mutex(), true);
                    case LEAVE -> pair.leave(step.rank());
                    default -> throw new AssertionError(step);
                }
                pair.check();
            }
        });
    }
}

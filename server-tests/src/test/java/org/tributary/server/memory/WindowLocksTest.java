package org.tributary.server.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.tributary.config.Topology;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.shm.LockedDirectory;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.shm.SegmentKind;
import org.tributary.wire.shm.SegmentLayout;
import org.tributary.wire.shm.WindowLayout;
import org.tributary.wire.shm.WindowLock;

/** Locks of windows against a serial model: readers or a writer, and a list of waiters. */
class WindowLocksTest {
    private static final int RANKS = 6;
    private static final int LOCAL = 3;

    /** What a rank does. */
    enum Deed { LOCK, ANOTHER, PASS, TRY, UNLOCK, LEAVE }

    /**
     * Who does it, how. A rank of the node that may do without the server does so when {@code fast}, and for a rank of
     * another node the loop of its connection without the main one.
     */
    record Step(Deed deed, int rank, LockMode mode, boolean fast) {
    }

    /** Who waits, whether for more than one operation, and whether as a reader that holds another lock. */
    record Wish(int rank, LockMode mode, boolean keeps, boolean first) {
    }

    /** The lock as it should be. */
    private static final class Model {
        private final TreeSet<Integer> readers = new TreeSet<>();
        private final List<Wish> queue = new ArrayList<>();
        private final List<String> grants = new ArrayList<>();
        private int writer = -1;

        boolean isFree(LockMode mode) {
            return writer < 0 && (mode == LockMode.SHARED || readers.isEmpty());
        }

        boolean knows(int rank) {
            return writer == rank || readers.contains(rank) || queue.stream().anyMatch(wish -> wish.rank() == rank);
        }

        void take(int rank, LockMode mode) {
            if (mode == LockMode.SHARED) {
                readers.add(rank);
            } else {
                writer = rank;
            }
        }

        void passOn() {
            while (!queue.isEmpty() && isFree(queue.getFirst().mode())) {
                Wish wish = queue.removeFirst();
                grants.add(wish.toString());
                if (wish.keeps()) {
                    take(wish.rank(), wish.mode());
                }
            }
        }

        void release(int rank) {
            readers.remove(rank);
            writer = writer == rank ? -1 : writer;
            passOn();
        }
    }

    /** The real lock and its model, side by side. */
    private static final class Pair {
        private final WindowLocks locks = new WindowLocks(rank -> rank < LOCAL, RANKS);
        private final SegmentRegistry registry;
        private final NodeSegment window;
        private final MemorySegment words;
        private final Model model = new Model();
        private final List<String> grants = new ArrayList<>();
        private final List<Integer> dropped = new ArrayList<>();
        /** Of ranks of other nodes. */
        private final Map<Integer, TakenWindowLocks> taken = new HashMap<>();
        /** Those of them that share the lock, which the main loop does not know. */
        private final Set<Integer> readersOnLoops = new HashSet<>();

        Pair(Path directory) throws IOException {
            registry = new SegmentRegistry(new NodeDirectory(directory), Topology.of(LOCAL, RANKS - LOCAL), 0);
            registry.create(1, SegmentKind.WINDOW,
                new SegmentLayout(new int[] {0}, new long[] {WindowLayout.bytes(RANKS)}));
            window = registry.find(1);
            words = window.part(0);
            for (int rank = LOCAL; rank < RANKS; rank++) {
                taken.put(rank, new TakenWindowLocks(rank));
            }
        }

        /** The loop of a rank of another node takes the lock without the main one. */
        private boolean tryOnLoop(int rank, LockMode mode) {
            boolean isTaken = taken.get(rank).tryLock(window, 0, mode);
            if (isTaken && mode == LockMode.SHARED) {
                readersOnLoops.add(rank);
            }
            return isTaken;
        }

        /** Before the main loop decides. */
        private void tellMain(int rank) {
            if (rank >= LOCAL) {
                taken.get(rank).tellMain(locks, window, 0);
                readersOnLoops.remove(rank);
            }
        }

        private void asks(int rank) {
            if (rank >= LOCAL) {
                taken.get(rank).asks(window, 0);
            }
        }

        /** The same for an operation under the lock. */
        private boolean passOnLoop(int rank, LockMode mode) {
            boolean isEntered = taken.get(rank).tryEnter(window, 0, mode);
            if (isEntered) {
                assertTrue(taken.get(rank).tryLeave(window, 0, mode));
            }
            return isEntered;
        }

        private WindowLocks.Waiter waiter(Wish wish) {
            return new WindowLocks.Waiter() {
                @Override
                public int rank() {
                    return wish.rank();
                }

                @Override
                public LockMode mode() {
                    return wish.mode();
                }

                @Override
                public boolean keepsLock() {
                    return wish.keeps();
                }

                @Override
                public boolean goesFirst() {
                    return wish.first();
                }

                @Override
                public void granted() {
                    grants.add(wish.toString());
                    if (wish.mode() == LockMode.EXCLUSIVE) {
                        assertEquals(wish.rank(), WindowLock.exclusiveHolder(words));
                        assertEquals(0, WindowLock.sharedHolders(words));
                    } else {
                        assertEquals(-1, WindowLock.exclusiveHolder(words));
                    }
                }

                @Override
                public void freed() {
                    throw new AssertionError("nothing is freed");
                }

                @Override
                public void dropped() {
                    dropped.add(wish.rank());
                }
            };
        }

        void lock(Wish wish, boolean fast) {
            if (model.knows(wish.rank())) {
                return;
            }
            model.queue.add(wish.first() ? 0 : model.queue.size(), wish);
            if (model.queue.size() == 1 || wish.first()) {
                model.passOn();
            }
            int rank = wish.rank();
            if (fast && rank >= LOCAL
                && (wish.keeps() ? tryOnLoop(rank, wish.mode()) : passOnLoop(rank, wish.mode()))) {
                grants.add(wish.toString());
                return;
            }
            tellMain(rank);
            if (wish.keeps()) {
                asks(rank);
            }
            locks.lock(window, 0, waiter(wish));
        }

        void attempt(Step step) {
            if (model.knows(step.rank())) {
                return;
            }
            boolean free = model.queue.isEmpty() && model.isFree(step.mode());
            if (free) {
                model.take(step.rank(), step.mode());
            }
            if (step.fast() && step.rank() < LOCAL) {
                assertEquals(free, WindowLock.tryAcquire(words, step.mode(), step.rank()));
            } else if (!step.fast() || !tryOnLoop(step.rank(), step.mode())) {
                tellMain(step.rank());
                boolean isTaken = locks.tryLock(window, 0, step.mode(), step.rank());
                assertEquals(free, isTaken);
                if (isTaken) {
                    asks(step.rank());
                }
            } else {
                assertTrue(free, "taken by a loop");
            }
        }

        /** As a rank, or the loop of its connection, does: by itself while nobody waits, else with the main loop. */
        void unlock(Step step) {
            int rank = step.rank();
            LockMode mode = model.writer == rank ? LockMode.EXCLUSIVE : LockMode.SHARED;
            if (mode == LockMode.SHARED && !model.readers.contains(rank)) {
                assertFalse(locks.unlock(window, 0, LockMode.EXCLUSIVE, rank), "not held");
                if (rank >= LOCAL || model.readers.stream().noneMatch(reader -> reader < LOCAL)) {
                    assertFalse(locks.unlock(window, 0, LockMode.SHARED, rank), "not held");
                }
                return;
            }
            boolean awaited = !model.queue.isEmpty();
            model.release(rank);
            if (step.fast() && rank >= LOCAL && taken.get(rank).tryUnlock(window, 0, mode)) {
                assertFalse(awaited, "passed on by the main loop only");
                readersOnLoops.remove(rank);
                return;
            }
            if (step.fast() && rank < LOCAL) {
                boolean released = WindowLock.tryRelease(words, mode, rank);
                assertEquals(!awaited, released, "release without the server");
                if (released) {
                    return;
                }
            }
            tellMain(rank);
            assertEquals(true, locks.unlock(window, 0, mode, rank));
            if (rank >= LOCAL) {
                taken.get(rank).forgets(window, 0);
            }
        }

        void leave(int rank) {
            if (rank < LOCAL && model.readers.contains(rank)) {
                return; // which readers of the node there are is known to nobody; the job ends when one dies
            }
            List<Integer> waited = model.queue.stream().map(Wish::rank).filter(waiter -> waiter == rank).toList();
            model.queue.removeIf(wish -> wish.rank() == rank);
            model.release(rank);
            dropped.clear();
            if (rank >= LOCAL) {
                taken.get(rank).tellMain(locks);
                readersOnLoops.remove(rank);
            }
            locks.rankGone(rank, registry);
            assertEquals(waited, dropped);
        }

        void check() {
            assertEquals(model.grants, grants);
            assertEquals(model.writer, WindowLock.exclusiveHolder(words));
            assertEquals(model.readers.size(), WindowLock.sharedHolders(words));
            assertEquals(model.queue.size(), locks.waiting());
            boolean contended = words.get(java.lang.foreign.ValueLayout.JAVA_LONG, WindowLayout.LOCK) < 0;
            assertEquals(!model.queue.isEmpty(), contended);
            locks.check(registry);
            assertEquals(readersOnLoops.size(), window.enteredOnLoops(0) - window.leftOnLoops(0));
            for (int rank = LOCAL; rank < RANKS; rank++) {
                int other = rank;
                boolean keeps = model.writer == rank || model.readers.contains(rank)
                    || model.queue.stream().anyMatch(wish -> wish.rank() == other && wish.keeps());
                assertEquals(keeps && !readersOnLoops.contains(rank), locks.isHeld(window, 0, rank));
            }
        }
    }

    @Provide
    Arbitrary<List<Step>> steps() {
        return Combinators.combine(Arbitraries.of(Deed.class), Arbitraries.integers().between(0, RANKS - 1),
            Arbitraries.of(LockMode.SHARED, LockMode.EXCLUSIVE), Arbitraries.of(true, false)).as(Step::new).list()
            .ofMaxSize(80);
    }

    @Property(tries = 600)
    void shouldGrantLikeTheModelWhenRanksLockUnlockAndLeave(@ForAll("steps") List<Step> steps) throws IOException {
        Path directory = Files.createTempDirectory(Path.of("/dev/shm"), "window-locks-test-");
        try {
            Pair pair = new Pair(directory);
            for (Step step : steps) {
                switch (step.deed()) {
                    case LOCK -> pair.lock(new Wish(step.rank(), step.mode(), true, false), step.fast());
                    case ANOTHER -> pair.lock(new Wish(step.rank(), LockMode.SHARED, true, true), step.fast());
                    case PASS -> pair.lock(new Wish(step.rank(), step.mode(), false, false), step.fast());
                    case TRY -> pair.attempt(step);
                    case UNLOCK -> pair.unlock(step);
                    default -> pair.leave(step.rank());
                }
                pair.check();
            }
            pair.registry.close();
        } finally {
            LockedDirectory.remove(directory);
        }
    }
}

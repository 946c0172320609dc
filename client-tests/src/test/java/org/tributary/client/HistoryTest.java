package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.shape.Scale;
import org.tributary.client.testing.TestJob;
import org.tributary.client.window.EpochDesign;
import org.tributary.client.window.Window;
import org.tributary.client.window.WindowOptions;
import org.tributary.testsupport.Linearizability;
import org.tributary.testsupport.Linearizability.Action;
import org.tributary.testsupport.Linearizability.Event;
import org.tributary.testsupport.ToleratesErrors;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/** Ranks of several groups work on the same words at once; what each of them saw must fit one order. */
@ToleratesErrors("for a lock of accumulates") // a busy machine takes so long
class HistoryTest {
    private static final int ROUNDS = 12;
    /** Of each of the 8 ranks: no history may have more than {@link Linearizability#MAX_EVENTS}. */
    private static final int OPERATIONS = 7;
    private static final int WORDS = 3;

    /** One that does all on one word at {@code rank}; each round has its own word. */
    private interface Operations {
        void run(Gas gas, Word word, SplittableRandom random);
    }

    private record Word(GlobalMemory memory, MutexSet mutexes, int rank, long offset, List<Event> history) {
        void record(Action action, long operand, LongSupplier operation) {
            long beganNs = System.nanoTime();
            long answer = operation.getAsLong();
            history.add(new Event(action, operand, answer, beganNs, System.nanoTime()));
        }
    }

    private static void run(String layout, Operations operations) {
        List<List<Event>> histories = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            histories.add(Collections.synchronizedList(new ArrayList<>()));
        }
        try (TestJob job = TestJob.start(layout)) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(ROUNDS * Long.BYTES);
                MutexSet mutexes = gas.createMutexes(1);
                SplittableRandom random = new SplittableRandom(gas.rank());
                for (int round = 0; round < ROUNDS; round++) {
                    gas.barrier();
                    operations.run(gas, new Word(memory, mutexes, round * WORDS % gas.rankCount(),
                        (long) round * Long.BYTES, histories.get(round)), random);
                }
                gas.barrier();
            });
        }
        for (List<Event> history : histories) {
            assertEquals(8 * OPERATIONS, history.size());
            assertTrue(Linearizability.holds(history, 0), history::toString);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"4*2", "4*2 forward", "4*2 aggregate", "4*2 aggregate direct", "4*2 combine",
        "4*2 combine direct", "4*2 combine node"})
    void shouldFitOneOrderWhenRanksFetchAndAddAndSwap(String layout) {
        run(layout, (gas, word, random) -> {
            for (int i = 0; i < OPERATIONS; i++) {
                long operand = random.nextLong(1 << 20);
                if (i % 3 == 2) {
                    word.record(Action.SWAP, operand, () -> word.memory.swap(word.rank, word.offset, operand));
                } else {
                    word.record(Action.FETCH_AND_ADD, operand,
                        () -> word.memory.fetchAndAdd(word.rank, word.offset, operand));
                }
            }
        });
    }

    /** Few add at the same time, as every order of those has to be tried. */
    @ParameterizedTest
    @ValueSource(strings = {"4*2", "4*2 forward", "4*2 aggregate direct", "4*2 combine", "4*2 combine node"})
    void shouldFitOneOrderWhenRanksAccumulateAndGet(String layout) {
        run(layout, (gas, word, random) -> {
            MemorySegment source = MemorySegment.ofArray(new long[1]);
            for (int i = 0; i < OPERATIONS; i++) {
                if (i % 2 == 0) {
                    word.record(Action.READ, 0, () -> word.memory.getLong(word.rank, word.offset));
                } else {
                    long operand = random.nextLong(1 << 20);
                    source.set(ValueLayout.JAVA_LONG, 0, operand);
                    word.record(Action.ADD, operand, () -> {
                        word.memory.accumulate(word.rank, word.offset, Scale.ofLong(1), source, 0, Long.BYTES);
                        gas.fence(word.rank);
                        return 0;
                    });
                }
            }
        });
    }

    /** What is read and then written under a lock is one step. */
    @ParameterizedTest
    @ValueSource(strings = {"4*2", "4*2 forward", "4*2 aggregate direct", "4*2 combine", "4*2 combine node"})
    void shouldFitOneOrderWhenRanksLock(String layout) {
        run(layout, (gas, word, random) -> {
            for (int i = 0; i < OPERATIONS; i++) {
                long operand = random.nextLong(1 << 20);
                word.record(Action.FETCH_AND_ADD, operand, () -> {
                    word.mutexes.lock(word.rank, 0);
                    long before = word.memory.getLong(word.rank, word.offset);
                    word.memory.putLong(word.rank, word.offset, before + operand);
                    gas.fence(word.rank);
                    word.mutexes.unlock(word.rank, 0);
                    return before;
                });
            }
        });
    }

    /** One operation under the lock of a window travels with the request for it, several follow the grant. */
    @ParameterizedTest
    @ValueSource(strings = {"4*2", "4*2 aggregate direct", "4*2 combine node"})
    void shouldFitOneOrderWhenOperationsTravelWithTheLock(String layout) {
        run(layout, (gas, word, random) -> {
            MemorySegment value = MemorySegment.ofArray(new long[1]);
            Window window = Window.create(gas, gas.world(), word.memory, 0, ROUNDS * Long.BYTES, 1,
                WindowOptions.DEFAULT.withLock(EpochDesign.DEFERRED));
            for (int i = 0; i < OPERATIONS; i++) {
                long operand = random.nextLong(1 << 20);
                switch (i % 3) {
                    case 0 -> word.record(Action.FETCH_AND_ADD, operand, () -> {
                        window.lock(LockMode.EXCLUSIVE, word.rank);
                        window.get(word.rank, word.offset, value);
                        window.flush(word.rank);
                        long before = value.get(ValueLayout.JAVA_LONG, 0);
                        value.set(ValueLayout.JAVA_LONG, 0, before + operand);
                        window.put(word.rank, word.offset, value);
                        window.unlock(word.rank);
                        return before;
                    });
                    case 1 -> word.record(Action.ADD, operand, () -> {
                        value.set(ValueLayout.JAVA_LONG, 0, operand);
                        window.lock(LockMode.SHARED, word.rank);
                        window.accumulate(word.rank, word.offset, ReduceOp.SUM, ElementType.LONG, value, 0, Long.BYTES);
                        window.unlock(word.rank);
                        return 0;
                    });
                    default -> word.record(Action.READ, 0, () -> {
                        window.lock(LockMode.SHARED, word.rank);
                        window.get(word.rank, word.offset, value);
                        window.unlock(word.rank);
                        return value.get(ValueLayout.JAVA_LONG, 0);
                    });
                }
            }
            gas.barrier();
            window.close();
        });
    }
}

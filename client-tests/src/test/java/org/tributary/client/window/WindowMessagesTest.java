package org.tributary.client.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.EveryPath;
import org.tributary.client.Gas;
import org.tributary.client.Group;
import org.tributary.client.Jobs;
import org.tributary.client.remote.Traffic;
import org.tributary.client.testing.TestJob;
import org.tributary.config.Topology;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/** How many messages each design takes, exactly, by the counters of the ranks and of the servers. */
class WindowMessagesTest {
    private static final int MEMBERS = 4;
    /** Too long to be merged with others into one message. */
    private static final int ALONE = 4_000;
    private static final long QUESTIONS_NS = 200_000_000;
    private static final int ROUNDS = 5;

    private interface Calls {
        void run() throws Exception;
    }

    /** What calls took; a rank that waits for longer than 200 ms asks how the others are, which counts, too. */
    private record Counted(Traffic traffic, boolean mayHaveAsked) {
        Counted plus(Counted other) {
            return new Counted(new Traffic(traffic.requests() + other.traffic.requests(), traffic.answers()
                + other.traffic.answers()), mayHaveAsked || other.mayHaveAsked);
        }
    }

    private static Counted during(Gas gas, Calls calls) throws Exception {
        Jobs.readAnswers(gas); // to a question of an earlier wait, too
        Traffic before = gas.traffic();
        long beganNs = System.nanoTime();
        calls.run();
        boolean mayHaveAsked = System.nanoTime() - beganNs >= QUESTIONS_NS;
        return new Counted(gas.traffic().since(before), mayHaveAsked);
    }

    private static void assertTraffic(long requests, long answers, Counted counted, String what) {
        if (!counted.mayHaveAsked()) {
            assertEquals(new Traffic(requests, answers), counted.traffic(), what);
        } else {
            assertTrue(counted.traffic().requests() >= requests && counted.traffic().answers() >= answers,
                () -> what + ": " + counted);
        }
    }

    private static WindowOptions options(FenceDesign fence, EpochDesign design) {
        return new WindowOptions(fence, design, design, false);
    }

    /** Rank 0 calls while rank 1, on another node, waits. */
    private static void towardsOther(EpochDesign design, LockCalls calls) {
        Jobs.run("2*1", gas -> {
            Windows.use(Windows.allocate(gas, gas.world(), 10 * ALONE, 8,
                options(FenceDesign.DEFERRED, design)), window -> {
                gas.barrier();
                if (gas.rank() == 0) {
                    calls.run(gas, window);
                }
                gas.barrier();
            });
        });
    }

    private interface LockCalls {
        void run(Gas gas, Window window) throws Exception;
    }

    private static Counted locked(Gas gas, Window window, LockMode mode, Calls calls, Assertion... assertions)
        throws Exception {
        return during(gas, () -> {
            window.lock(mode, 1, assertions);
            calls.run();
            window.unlock(1);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {8, ALONE})
    void shouldTakeOneRequestAndOneReplyWhenOneOperationIsDeferred(int bytes) {
        MemorySegment buffer = Jobs.random(1, bytes);
        towardsOther(EpochDesign.DEFERRED, (gas, window) -> {
            for (LockMode mode : List.of(LockMode.SHARED, LockMode.EXCLUSIVE)) {
                assertTraffic(1, 1, locked(gas, window, mode, () -> window.put(1, 0, buffer)), mode + " put");
                assertTraffic(1, 1, locked(gas, window, mode, () -> window.get(1, 0, buffer)), mode + " get");
                assertTraffic(1, 1, locked(gas, window, mode,
                    () -> window.accumulate(1, 0, ReduceOp.MAX, ElementType.INT, buffer, 0, bytes)), mode + " acc");
                assertTraffic(0, 0, locked(gas, window, mode, () -> { }), mode + " nothing");
            }
        });
    }

    @Test
    void shouldTakeGrantAndAcknowledgementWhenImmediate() {
        MemorySegment buffer = Jobs.random(1, 8);
        towardsOther(EpochDesign.IMMEDIATE, (gas, window) -> {
            for (LockMode mode : List.of(LockMode.SHARED, LockMode.EXCLUSIVE)) {
                assertTraffic(3, 2, locked(gas, window, mode, () -> window.put(1, 0, buffer)), mode + " put");
                assertTraffic(3, 3, locked(gas, window, mode, () -> window.get(1, 0, buffer)), mode + " get");
                assertTraffic(2, 2, locked(gas, window, mode, () -> { }), mode + " nothing");
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 5})
    void shouldReleaseWithTheLastOperationWhenSeveralAreDeferred(int count) {
        MemorySegment buffer = Jobs.random(1, ALONE);
        MemorySegment short8 = Jobs.random(1, 8);
        towardsOther(EpochDesign.DEFERRED, (gas, window) -> {
            Calls puts = () -> {
                for (int i = 0; i < count; i++) {
                    window.put(1, (long) i * ALONE / 8, buffer);
                }
            };
            Calls shortPuts = () -> {
                for (int i = 0; i < count; i++) {
                    window.put(1, i, short8);
                }
            };
            Calls getFirst = () -> {
                window.get(1, (long) count * ALONE / 8, Jobs.empty(ALONE));
                puts.run();
            };
            assertTraffic(1 + count, 2, locked(gas, window, LockMode.EXCLUSIVE, puts), "exclusive: ack");
            assertTraffic(1 + count, 2, locked(gas, window, LockMode.SHARED, puts), "shared: ack");
            assertTraffic(1 + 1, 2, locked(gas, window, LockMode.EXCLUSIVE, shortPuts), "merged, exclusive");
            assertTraffic(1 + 1, 2, locked(gas, window, LockMode.SHARED, shortPuts), "merged, shared");
            assertTraffic(2 + count, 2, locked(gas, window, LockMode.SHARED, getFirst), "data instead of ack");
            assertTraffic(2 + count, 2, locked(gas, window, LockMode.EXCLUSIVE, getFirst), "exclusive with get");
        });
    }

    @Test
    void shouldTakeNoLockWhenNobodyConflicts() {
        MemorySegment buffer = Jobs.random(1, 8);
        for (EpochDesign design : new EpochDesign[] {EpochDesign.IMMEDIATE, EpochDesign.DEFERRED}) {
            towardsOther(design, (gas, window) -> {
                assertTraffic(2, 1, locked(gas, window, LockMode.SHARED, () -> window.put(1, 0, buffer),
                    Assertion.NOCHECK), design + ": put and what asks whether it is there");
                assertTraffic(1, 1, locked(gas, window, LockMode.SHARED, () -> window.get(1, 0, buffer),
                    Assertion.NOCHECK), design + ": get");
            });
        }
    }

    @Test
    void shouldBeCountedByServersAsWhatItIsWhenLocked() {
        try (TestJob job = TestJob.start(Topology.parse("2*1"), "server.metrics-port=0")) {
            job.run(gas -> {
                try (Window deferred = Windows.allocate(gas, gas.world(), 10 * ALONE, 8,
                    options(FenceDesign.DEFERRED, EpochDesign.DEFERRED));
                     Window immediate = Windows.allocate(gas, gas.world(), 10 * ALONE, 8,
                         options(FenceDesign.DEFERRED, EpochDesign.IMMEDIATE))) {
                    gas.barrier();
                    if (gas.rank() == 0) {
                        String[] operations = {"locked_put", "locked_get", "locked_accumulate", "lock_window",
                            "unlock_window", "put"};
                        long[] before = counters(job, operations);
                        MemorySegment buffer = Jobs.random(1, ALONE);
                        locked(gas, deferred, LockMode.SHARED, () -> deferred.put(1, 0, buffer));
                        locked(gas, deferred, LockMode.SHARED, () -> deferred.get(1, 0, buffer));
                        locked(gas, deferred, LockMode.SHARED,
                            () -> deferred.accumulate(1, 0, ReduceOp.SUM, ElementType.INT, buffer, 0, 8));
                        locked(gas, immediate, LockMode.SHARED, () -> immediate.put(1, 0, buffer));
                        locked(gas, deferred, LockMode.SHARED, () -> {
                            deferred.put(1, 0, buffer);
                            deferred.put(1, ALONE / 8, buffer);
                        });
                        long[] after = counters(job, operations);
                        for (int i = 0; i < after.length; i++) {
                            after[i] -= before[i];
                        }
                        assertEquals("[1, 1, 1, 2, 1, 3]", Arrays.toString(after), Arrays.toString(operations));
                    }
                    gas.barrier();
                }
            });
        }
    }

    private static long[] counters(TestJob job, String... operations) {
        String page = job.metrics(1);
        return Arrays.stream(operations).mapToLong(operation -> {
            Matcher line = Pattern.compile("(?m)^tributary_requests_total\\{node=\"1\",operation=\"" + operation
                + "\"} (\\S+)$").matcher(page);
            assertTrue(line.find(), () -> operation + " in " + page);
            return (long) Double.parseDouble(line.group(1));
        }).toArray();
    }

    @EveryPath
    void shouldTakeNoMessageWhenTargetIsOnTheNode(String layout) {
        Jobs.run(layout, gas -> {
            int[] neighbours = IntStream.range(0, gas.rankCount()).filter(gas::sameNode).toArray();
            int next = neighbours[(IntStream.of(neighbours).boxed().toList().indexOf(gas.rank()) + 1)
                % neighbours.length];
            Group node = gas.world().create(neighbours);
            for (Style style : Style.values()) {
                Windows.use(Windows.allocate(gas, node, 10 * ALONE, 8, style.options()), window -> {
                    node.barrier();
                    MemorySegment buffer = Jobs.random(1, ALONE);
                    Counted counted = during(gas, () -> {
                        if (style.isPassive()) {
                            LockMode mode = style.name().startsWith("EXCLUSIVE") ? LockMode.EXCLUSIVE
                                : LockMode.SHARED;
                            window.lock(mode, next); // everyone that of another one, so that nobody has to wait
                            access(window, next, buffer);
                            window.unlock(next);
                            window.sync();
                            node.barrier();
                            window.lockAll();
                            access(window, next, buffer);
                            window.unlockAll();
                        } else if (style.isFence()) {
                            window.fence();
                            access(window, next, buffer);
                            window.fence();
                            window.fence(Assertion.NOSUCCEED);
                        } else {
                            window.post(neighbours);
                            window.start(neighbours);
                            access(window, next, buffer);
                            window.complete();
                            window.await();
                        }
                    });
                    assertTraffic(0, 0, counted, style.toString());
                    node.barrier();
                });
            }
            node.close();
        });
    }

    private static void access(Window window, int rank, MemorySegment buffer) {
        window.put(rank, 0, buffer);
        window.get(rank, ALONE / 8, buffer);
        window.accumulate(rank, ALONE / 4, ReduceOp.SUM, ElementType.DOUBLE, buffer, 0, ALONE);
        window.fetchAndOp(rank, ALONE / 2, ReduceOp.SUM, ElementType.LONG, buffer, Jobs.empty(8));
        window.compareAndSwap(rank, ALONE / 2, ElementType.LONG, buffer, buffer, Jobs.empty(8));
    }

    /** Requests of one rank in the collectives that fences use, measured by themselves. */
    private record Collectives(long barrier, long reduceScatter, long allreduce) {
        static Collectives measure(Gas gas) throws Exception {
            MemorySegment all = MemorySegment.ofArray(new long[gas.rankCount()]);
            MemorySegment one = MemorySegment.ofArray(new long[1]);
            Collectives least = new Collectives(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);
            for (int i = 0; i < ROUNDS; i++) { // without a question in one of them
                least = new Collectives(Math.min(least.barrier, requests(gas, gas.world()::barrier)),
                    Math.min(least.reduceScatter, requests(gas,
                        () -> gas.world().reduceScatter(ReduceOp.SUM, ElementType.LONG, all, one))),
                    Math.min(least.allreduce, requests(gas,
                        () -> gas.world().allreduce(ReduceOp.SUM, ElementType.LONG, all, all))));
            }
            assertTrue(least.barrier > 0 && least.reduceScatter > 0 && least.allreduce > 0);
            return least;
        }

        private static long requests(Gas gas, Calls calls) throws Exception {
            return during(gas, calls).traffic().requests();
        }

        long opening(FenceDesign design) {
            return design == FenceDesign.DEFERRED ? 0 : barrier;
        }

        private long reopening(FenceDesign design) {
            return design == FenceDesign.IMMEDIATE_NAIVE ? MEMBERS - 1 : opening(design);
        }

        long closing(FenceDesign design, int puts, boolean finished, boolean succeed) {
            return puts + (finished ? puts : 0)
                + (design == FenceDesign.IMMEDIATE_NOTIFY ? allreduce : reduceScatter)
                + (succeed ? reopening(design) : 0);
        }
    }

    @ParameterizedTest
    @CsvSource({"DEFERRED, false", "IMMEDIATE_NAIVE, true", "IMMEDIATE_OPT, true", "IMMEDIATE_NOTIFY, false"})
    void shouldTakeMessagesOfItsDesignWhenFenced(FenceDesign design, boolean finishes) {
        Jobs.run(MEMBERS + "*1", gas -> {
            Windows.use(Windows.allocate(gas, gas.world(), 2 * ALONE, 8,
                options(design, EpochDesign.DEFERRED)), window -> {
                Collectives collectives = Collectives.measure(gas);
                for (int size : new int[] {16, ALONE}) {
                    for (int puts = 0; puts < MEMBERS; puts++) {
                        for (boolean succeed : new boolean[] {true, false}) {
                            fences(gas, window, design, finishes, collectives, puts, size, succeed);
                        }
                    }
                }
                assertTraffic(0, 0, during(gas, () -> window.fence(Assertion.NOPRECEDE, Assertion.NOSUCCEED)),
                    "a fence between nothing and nothing");
            });
        });
    }

    private static void fences(Gas gas, Window window, FenceDesign design, boolean finishes, Collectives collectives,
        int puts, int size, boolean succeed) throws Exception {
        MemorySegment buffer = Jobs.random(1, size);
        Assertion[] last = succeed ? new Assertion[0] : new Assertion[] {Assertion.NOSUCCEED};
        String what = design + ", " + puts + " puts of " + size + (succeed ? "" : ", no successor");
        assertTraffic(collectives.opening(design), 0, during(gas, () -> window.fence(Assertion.NOPRECEDE)),
            what + ": first fence");
        assertTraffic(collectives.closing(design, puts, finishes, succeed), 0, during(gas, () -> {
            for (int i = 1; i <= puts; i++) {
                window.put((gas.rank() + i) % MEMBERS, 0, buffer);
            }
            window.fence(last);
        }), what + ": second fence");
        if (succeed) {
            window.fence(Assertion.NOPRECEDE, Assertion.NOSUCCEED);
        }
        window.fence(Assertion.NOPRECEDE);
        assertTraffic(collectives.closing(design, puts, false, succeed), puts, during(gas, () -> {
            for (int i = 1; i <= puts; i++) {
                window.get((gas.rank() + i) % MEMBERS, 0, Jobs.empty(size));
            }
            window.fence(last);
        }), what + ": second fence after gets instead");
        if (succeed) {
            window.fence(Assertion.NOPRECEDE, Assertion.NOSUCCEED);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"IMMEDIATE", "DEFERRED"})
    void shouldTakeMessagesOfItsDesignWhenPosted(EpochDesign design) {
        boolean deferred = design == EpochDesign.DEFERRED;
        Jobs.run(MEMBERS + "*1", gas -> {
            Windows.use(Windows.allocate(gas, gas.world(), 4 * ALONE, 8,
                options(FenceDesign.DEFERRED, design)), window -> {
                gas.barrier();
                int right = (gas.rank() + 1) % MEMBERS;
                MemorySegment buffer = Jobs.random(1, ALONE);
                assertTraffic(deferred ? 2 : 3, 0, posted(gas, window, () -> window.put(right, 0, buffer)), "put");
                assertTraffic(deferred ? 2 : 3, 1, posted(gas, window, () -> window.get(right, 0, buffer)), "get");
                assertTraffic(deferred ? 4 : 5, 1, posted(gas, window, () -> {
                    window.get(right, 0, buffer);
                    window.put(right, ALONE / 8, buffer);
                    window.accumulate(right, ALONE / 4, ReduceOp.SUM, ElementType.INT, buffer, 0, ALONE);
                }), "several");
                assertTraffic(2, 0, posted(gas, window, () -> window.put(right, 0, buffer, 0, 16)), "short put");
                assertTraffic(2, 0, posted(gas, window, () -> { }), "nothing");
                assertTraffic(deferred ? 1 : 2, 0, posted(gas, window, () -> window.put(right, 0, buffer),
                    Assertion.NOCHECK), "put, certain");
                assertTraffic(1, 0, posted(gas, window, () -> { }, Assertion.NOCHECK), "nothing, certain");
            });
        });
    }

    private static Counted posted(Gas gas, Window window, Calls calls, Assertion... assertions) throws Exception {
        int left = (gas.rank() + MEMBERS - 1) % MEMBERS;
        Counted post = during(gas, () -> window.post(new int[] {left}, assertions));
        gas.barrier();
        Counted rest = during(gas, () -> {
            window.start(new int[] {(gas.rank() + 1) % MEMBERS}, assertions);
            calls.run();
            window.complete();
            window.await();
        });
        return post.plus(rest);
    }
}

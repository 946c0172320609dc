package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.error.GasException;
import org.tributary.client.error.JobAbortedException;
import org.tributary.client.testing.TestJob;
import org.tributary.client.window.EpochDesign;
import org.tributary.client.window.FenceDesign;
import org.tributary.client.window.Window;
import org.tributary.client.window.WindowOptions;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;
import org.tributary.wire.shm.Purpose;

/** Collective calls that do not match: nobody returns, and everybody hears which two calls differ. */
class MismatchTest {
    private static final WindowOptions FIXED = new WindowOptions(FenceDesign.DEFERRED, EpochDesign.DEFERRED,
        EpochDesign.IMMEDIATE, false);

    private interface Call {
        void run(Gas gas);
    }

    private record Difference(Call others, String theirName, Call odd, String oddName) {
    }

    private static MemorySegment longs(int count) {
        return MemorySegment.ofArray(new long[count]);
    }

    private static Difference difference(String how, int ranks) {
        return switch (how) {
            case "length" -> new Difference(gas -> gas.world().allreduce(ReduceOp.SUM, new long[2]),
                "allreduce sum of 2 long", gas -> gas.world().allreduce(ReduceOp.SUM, new long[4]),
                "allreduce sum of 4 long");
            case "long vectors" -> new Difference(gas -> gas.world().allreduce(ReduceOp.SUM, new long[2000]),
                "allreduce sum of 2000 long", gas -> gas.world().allreduce(ReduceOp.SUM, new long[9000]),
                "allreduce sum of 9000 long");
            case "operation" -> new Difference(gas -> gas.world().allreduce(ReduceOp.SUM, 1.5),
                "allreduce sum of 1 double", gas -> gas.world().allreduce(ReduceOp.MAX, 1.5),
                "allreduce maximum of 1 double");
            case "type" -> new Difference(gas -> gas.world().allreduce(ReduceOp.SUM, 1L), "allreduce sum of 1 long",
                gas -> gas.world().allreduce(ReduceOp.SUM, 1.0), "allreduce sum of 1 double");
            case "barrier" -> new Difference(Gas::barrier, "barrier",
                gas -> gas.world().allreduce(ReduceOp.SUM, 1L), "allreduce sum of 1 long");
            case "root" -> new Difference(gas -> gas.world().broadcast(0, new byte[40]),
                "broadcast of 40 bytes from member 0", gas -> gas.world().broadcast(ranks - 1, new byte[40]),
                "broadcast of 40 bytes from member " + (ranks - 1));
            case "reduce" -> new Difference(
                gas -> gas.world().reduce(0, ReduceOp.MIN, ElementType.LONG, longs(3), longs(3)),
                "reduce minimum of 3 long to member 0",
                gas -> gas.world().reduce(1, ReduceOp.MIN, ElementType.LONG, longs(3), longs(3)),
                "reduce minimum of 3 long to member 1");
            case "gather" -> new Difference(gas -> gas.world().allgather(new long[1]), "allgather of 8 bytes each",
                gas -> gas.world().allgather(new long[3]), "allgather of 24 bytes each");
            case "all-to-all" -> new Difference(gas -> gas.world().allToAll(longs(ranks), longs(ranks)),
                "all-to-all of 8 bytes each",
                gas -> gas.world().allToAll(longs(4000 * ranks), longs(4000 * ranks)),
                "all-to-all of 32000 bytes each");
            case "scatter" -> new Difference(gas -> gas.world().reduceScatter(ReduceOp.SUM, ElementType.LONG,
                longs(ranks), longs(1)), "reduce-scatter sum of 1 long each", gas -> gas.world().barrier(), "barrier");
            case "missing" -> new Difference(gas -> {
                gas.world().broadcast(0, new byte[8]);
                gas.barrier();
            }, "broadcast of 8 bytes from member 0", Gas::barrier, "barrier");
            case "allocate" -> new Difference(gas -> gas.allocate(gas.rank()), "allocate (allgather of 16 bytes each)",
                gas -> gas.createMutexes(1), "create mutexes (allgather of 16 bytes each)");
            case "purpose" -> new Difference(gas -> gas.allocate(gas.world(), 8, "array of 3 x 5"),
                "allocate array of 3 x 5 (allgather of 16 bytes each)",
                gas -> gas.allocate(gas.world(), 8, "array of 5 x 3"),
                "allocate array of 5 x 3 (allgather of 16 bytes each)");
            case "close" -> new Difference(closeThenBarrier(1), "barrier after close of segment 100000001",
                closeThenBarrier(0), "barrier");
            case "close more" -> new Difference(closeThenBarrier(2), "barrier after close of 2 segments",
                closeThenBarrier(1), "barrier after close of segment 100000001");
            case "close group" -> new Difference(gas -> gas.world().split(0, 0).barrier(), "barrier", gas -> {
                gas.world().split(0, 0).close();
                gas.barrier();
            }, "close the group (barrier)");
            case "group" -> new Difference(gas -> gas.world().split(0, 0),
                "split the group (allgather of 8 bytes each)", gas -> gas.world().create(gas.rank()),
                "create a group (allgather of 16 bytes each)");
            default -> differentWindows(how);
        };
    }

    private static Difference differentWindows(String how) {
        return switch (how) {
            case "window" -> new Difference(gas -> Window.createDynamic(gas, gas.world(),
                WindowOptions.DEFAULT.withFence(FenceDesign.DEFERRED)),
                "create a window without memory, fences DEFERRED, exposures AUTO, locks AUTO"
                    + " (allgather of 16 bytes each)",
                gas -> gas.allocate(8), "allocate (allgather of 16 bytes each)");
            case "options" -> new Difference(gas -> Window.createDynamic(gas, gas.world(), FIXED),
                "create a window without memory, fences DEFERRED, exposures DEFERRED, locks IMMEDIATE"
                    + " (allgather of 16 bytes each)",
                gas -> Window.createDynamic(gas, gas.world(), FIXED.withLock(EpochDesign.AUTO).withChecks(true)),
                "create a window without memory, fences DEFERRED, exposures DEFERRED, locks AUTO, checked"
                    + " (allgather of 16 bytes each)");
            default -> throw new IllegalArgumentException(how);
        };
    }

    private static Call closeThenBarrier(int count) {
        return gas -> {
            List<GlobalMemory> memories = List.of(gas.allocate(8), gas.allocate(8));
            memories.subList(0, count).forEach(GlobalMemory::close);
            gas.barrier();
        };
    }

    @ParameterizedTest
    @CsvSource({"1*2, close", "2*2, close more", "2*1, close group", "1*2, length", "2*1, length", "'3,1,2', length",
        "2*2, long vectors", "1*3, operation", "2*1, operation", "1*2, type",
        "2*1, type", "1*2, barrier", "2*1, barrier",
        "2*2 combine node, barrier",
        "2*2, root", "1*3, reduce", "1*2, gather", "2*2, all-to-all", "1*2, scatter", "1*3, missing", "2*1, missing",
        "1*2, allocate", "1*2, purpose", "2*1, group", "1*2, window", "2*1, options"})
    void shouldNameBothCallsWhenTheyDiffer(String layout, String how) throws Exception {
        differ(layout, how);
    }

    private static void differ(String layout, String how) throws Exception {
        int ranks = TestJob.topology(layout).rankCount();
        Difference difference = difference(how, ranks);
        Map<Integer, String> heard = new ConcurrentHashMap<>();
        try (TestJob job = Jobs.start(layout)) {
            Thread[] threads = IntStream.range(0, ranks).mapToObj(rank -> Thread.ofPlatform().daemon().start(() -> {
                try (Gas gas = job.attach(rank)) {
                    gas.barrier();
                    (rank == ranks - 1 ? difference.odd : difference.others).run(gas);
                    heard.put(rank, "got through");
                } catch (JobAbortedException e) {
                    heard.put(rank, e.getMessage());
                } catch (RuntimeException | AssertionError e) {
                    heard.put(rank, "failed otherwise: " + e);
                }
            })).toArray(Thread[]::new);
            for (Thread thread : threads) {
                assertTrue(thread.join(Duration.ofSeconds(200)), () -> "a rank still waits: " + heard);
            }
        }
        assertEquals(ranks, heard.size());
        heard.forEach((rank, message) -> {
            assertTrue(message.startsWith("collective calls do not match in a group of " + ranks + ": rank "), message);
            assertTrue(message.contains(" in " + difference.theirName + ", call "), message);
            assertTrue(message.contains(" in " + difference.oddName + ", call "), message);
            assertTrue(message.contains("rank " + (ranks - 1) + " (node "), message);
        });
    }

    /** A member that is late, or in a collective of another group, is no mismatch, however long others wait. */
    @ParameterizedTest
    @ValueSource(strings = {"1*3", "3*1"})
    void shouldGoOnWhenOthersAreInAnotherGroup(String layout) {
        Jobs.run(layout, gas -> {
            Group pair = gas.world().split(gas.rank() < 2 ? 0 : 1, gas.rank());
            if (gas.rank() == 0) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1500));
            }
            if (gas.rank() < 2) {
                assertEquals(3, pair.allreduce(ReduceOp.SUM, gas.rank() + 1L));
            }
            assertEquals(3, gas.world().allreduce(ReduceOp.SUM, 1L));
            gas.barrier();
        });
    }

    @Test
    void shouldTellEveryMemberWhenListsOfAGroupDiffer() {
        Jobs.run("1,2", gas -> {
            GasException refused = assertThrows(GasException.class,
                () -> gas.world().create(gas.rank() == 2 ? new int[] {0, 2} : new int[] {0, 1, 2}));
            assertTrue(refused.getMessage().contains("names other members of the group than rank"),
                refused.getMessage());
            gas.barrier();
            assertEquals(3, gas.world().create(0, 1, 2).size());
        });
    }

    /** A member that fails inside a collective does not leave the others waiting. */
    @Test
    void shouldSayWhoHasGivenUpWhenAMemberFailsInside() throws Exception {
        CountDownLatch gaveUp = new CountDownLatch(1);
        try (TestJob job = Jobs.start("1*2"); Gas gas = job.attach(0); Arena arena = Arena.ofConfined()) {
            MemorySegment ofAnotherThread = arena.allocate(64);
            Thread other = Thread.ofPlatform().daemon().start(() -> {
                try (Gas failing = job.attach(1)) {
                    assertThrows(WrongThreadException.class, () -> failing.world().broadcast(0, ofAnotherThread));
                    gaveUp.countDown();
                    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(20));
                } catch (GasException e) {
                    gaveUp.countDown();
                }
            });
            String message = assertThrows(JobAbortedException.class, () -> {
                gas.world().broadcast(0, new byte[64]);
                gas.world().barrier();
            }).getMessage();
            assertTrue(message.contains("in a failed broadcast of 64 bytes from member 0, call 1"), message);
            gaveUp.await();
            other.interrupt();
        }
    }

    /** Nor does one that fails between the steps of a call. */
    @ParameterizedTest
    @ValueSource(strings = {"1*2", "2*1"})
    void shouldSayWhoHasGivenUpWhenAMemberFailsBetweenSteps(String layout) throws Exception {
        CountDownLatch heard = new CountDownLatch(1);
        try (TestJob job = Jobs.start(layout); Gas gas = job.attach(0)) {
            Thread other = Thread.ofPlatform().daemon().start(() -> {
                try (Gas failing = job.attach(1)) {
                    Group world = failing.world();
                    assertThrows(OutOfMemoryError.class, () -> world.during(Purpose.ALLOCATE, 0, "", () -> {
                        world.allgather(new long[] {8, 1});
                        throw new OutOfMemoryError("Java heap space");
                    }));
                    heard.await();
                } catch (InterruptedException | GasException e) {
                    heard.countDown(); // the job has ended, as it should
                }
            });
            String message = assertThrows(JobAbortedException.class, () -> gas.allocate(8)).getMessage();
            assertTrue(message.contains("in allocate (allreduce minimum of 1 long), call 2"), message);
            assertTrue(message.contains("in a failed allocate (barrier), call 2"), message);
            heard.countDown();
            other.join();
        }
    }

    /** What all members throw leaves the group usable. */
    @Test
    void shouldGoOnWhenAllMembersFailBetweenSteps() {
        Jobs.run("1,2", gas -> {
            assertThrows(IllegalArgumentException.class, () -> gas.allocate(gas.world(), gas.rank() - 2, ""));
            assertThrows(IllegalArgumentException.class, () -> gas.world().create(0, 0));
            gas.barrier();
        });
    }
}

package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.error.GasException;
import org.tributary.client.error.JobAbortedException;
import org.tributary.client.remote.Handle;
import org.tributary.client.shape.Scale;
import org.tributary.client.shape.Strided;
import org.tributary.client.testing.TestJob;
import org.tributary.client.window.Assertion;
import org.tributary.client.window.EpochDesign;
import org.tributary.client.window.FenceDesign;
import org.tributary.client.window.Window;
import org.tributary.client.window.WindowOptions;
import org.tributary.config.Topology;
import org.tributary.testsupport.ToleratesErrors;
import org.tributary.wire.RankState;

/** A rank that leaves its job while its other threads are in calls: these end, before anything is taken from them. */
@ToleratesErrors("for a lock of accumulates") // a busy machine takes so long
class LeavingTest {
    private static final long DEADLINE_S = 200;
    private static final int LARGE = 1 << 18;

    private interface Call {
        void make();
    }

    /** Rank 0's calls, which end only because it leaves; {@code other} is the last rank. */
    private static List<Call> calls(Gas gas, GlobalMemory memory, MutexSet mutexes, Group pair) {
        int other = gas.rankCount() - 1;
        MemorySegment large = Arena.ofAuto().allocate(LARGE);
        Scale scale = Scale.ofDouble(1);
        return List.of(
            () -> memory.awaitFlag(0, 1, -1),
            () -> gas.waitNotify(other),
            () -> mutexes.lock(other, 0),
            pair::barrier,
            () -> forEver(() -> assertEquals(42, memory.getLong(other, 8))),
            () -> {
                Handle handle = gas.handle();
                long[] values = new long[64];
                MemorySegment to = MemorySegment.ofArray(values);
                forEver(() -> {
                    for (int i = 0; i < values.length; i++) {
                        memory.nbGet(handle, other, 8, to, 8L * i, 8);
                    }
                    handle.await();
                });
            },
            () -> forEver(() -> memory.put(other, 64, large)),
            () -> forEver(() -> memory.accumulate(other, 64, scale, large, 0, LARGE)),
            () -> forEver(() -> memory.fetchAndAdd(other, 16, 1)),
            () -> forEver(() -> gas.fence(other)),
            () -> forEver(gas::waitAll));
    }

    private static void forEver(Call call) {
        while (true) {
            call.make();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "1,1", "2,1", "2*2 combine", "2*2 aggregate node", "1,1 encrypted"})
    void shouldEndTheCallsOfOtherThreadsWhenARankLeaves(String layout) {
        Jobs.run(layout, gas -> {
            int other = gas.rankCount() - 1;
            GlobalMemory memory = gas.allocate(1 << 19);
            MutexSet mutexes = gas.createMutexes(1);
            Group pair = gas.world().split(gas.rank() == 0 || gas.rank() == other ? 1 : -1, 0);
            if (gas.rank() == other) {
                memory.putLong(other, 8, 42);
                mutexes.lock(other, 0);
            }
            gas.barrier();
            if (gas.rank() == 0) {
                leaveThemWaiting(gas, calls(gas, memory, mutexes, pair));
            } else {
                awaitDeparture(gas);
            }
        });
    }

    private static void awaitDeparture(Gas gas) throws InterruptedException {
        while (gas.access().stateOf(0) != RankState.DEPARTED) {
            assertFalse(gas.access().hasFailed());
            Thread.sleep(1);
        }
    }

    private static void leaveThemWaiting(Gas gas, List<Call> calls) throws Exception {
        CountDownLatch begun = new CountDownLatch(calls.size());
        List<FutureTask<JobAbortedException>> threads = new ArrayList<>();
        for (Call call : calls) {
            FutureTask<JobAbortedException> thread = new FutureTask<>(() -> {
                begun.countDown();
                return assertThrows(JobAbortedException.class, call::make);
            });
            threads.add(thread);
            Thread.ofPlatform().daemon().start(thread);
        }
        begun.await();
        Thread.sleep(50); // until they wait
        gas.close();
        for (FutureTask<JobAbortedException> thread : threads) {
            String message = thread.get(DEADLINE_S, TimeUnit.SECONDS).getMessage();
            assertTrue(message.startsWith("rank 0 leaves the job: another thread has called Gas.close")
                || message.startsWith("rank 0 has left the job"), message);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "1,1"})
    void shouldSayThatTheRankHasLeftWhenACallFollows(String layout) {
        try (TestJob job = TestJob.start(layout)) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(64);
                MutexSet mutexes = gas.createMutexes(1);
                Handle handle = gas.handle();
                Window fenced = Window.allocate(gas, gas.world(), 64, 1, WindowOptions.DEFAULT
                    .withFence(FenceDesign.DEFERRED));
                Window exposed = Window.allocate(gas, gas.world(), 64, 1, WindowOptions.DEFAULT
                    .withExposure(EpochDesign.IMMEDIATE));
                exposed.post(new int[] {1 - gas.rank()});
                gas.barrier();
                gas.close();
                List<Call> calls = List.of(gas::barrier, gas::fenceAll, gas::waitAll, handle::await, handle::test,
                    gas.world()::barrier, () -> gas.allocate(8), () -> gas.fence(0), () -> gas.fence(1),
                    () -> gas.notify(0), () -> gas.notify(1), () -> gas.waitNotify(1), () -> memory.putLong(0, 0, 1),
                    () -> memory.putLong(1, 0, 1), () -> memory.getLong(0, 0), () -> memory.fetchAndAdd(1, 0, 1),
                    memory::local, () -> memory.awaitFlag(0, 1, -1), () -> mutexes.lock(0, 0),
                    () -> mutexes.lock(1, 0), () -> mutexes.tryLock(1, 0), () -> mutexes.unlock(0, 0),
                    () -> fenced.fence(Assertion.NOPRECEDE), () -> fenced.fence(), exposed::test, exposed::await);
                for (int call = 0; call < calls.size(); call++) {
                    Call made = calls.get(call);
                    String message = assertThrows(JobAbortedException.class, made::make, "call " + call).getMessage();
                    assertTrue(message.contains("rank " + gas.rank() + " has left the job"), call + ": " + message);
                }
                memory.close();
                mutexes.close();
                gas.close();
            });
        }
    }

    /** A thread that a pool has cancelled. */
    @Test
    void shouldSayGoodbyeWhenTheThreadThatClosesIsInterrupted() {
        Jobs.run("1,1", gas -> {
            GlobalMemory memory = gas.allocate(64);
            gas.barrier();
            if (gas.rank() == 0) {
                memory.putLong(1, 0, 42);
                Thread.currentThread().interrupt();
                gas.close();
                assertTrue(Thread.interrupted());
            } else {
                awaitDeparture(gas);
                assertEquals(42, memory.getLong(1, 0));
            }
        });
    }

    /** At each step that it takes. */
    @ParameterizedTest
    @ValueSource(strings = {"2", "1,1", "1,1 encrypted", "2*2 combine"})
    void shouldSayGoodbyeWhenTheThreadIsInterruptedAgainAndAgainWhileItCloses(String layout) {
        Jobs.run(layout, gas -> {
            int other = gas.rankCount() - 1;
            GlobalMemory memory = gas.allocate(LARGE);
            gas.barrier();
            if (gas.rank() == 0) {
                Handle handle = gas.deferredHandle();
                memory.nbPut(handle, other, 8, Arena.ofAuto().allocate(LARGE - 8), 0, LARGE - 8);
                memory.putLong(other, 0, 42);
                closeInterrupted(gas);
            } else {
                awaitDeparture(gas);
                assertEquals(gas.rank() == other ? 42 : 0, memory.getLong(gas.rank(), 0));
            }
        });
    }

    private static void closeInterrupted(Gas gas) throws InterruptedException {
        Thread closing = Thread.currentThread();
        AtomicBoolean begun = new AtomicBoolean();
        AtomicBoolean closed = new AtomicBoolean();
        Thread interrupting = Thread.ofPlatform().daemon().start(() -> {
            while (!closed.get()) {
                closing.interrupt();
                begun.set(true);
            }
        });
        while (!begun.get()) {
            Thread.onSpinWait();
        }
        try {
            gas.close();
            assertTrue(closing.isInterrupted());
        } finally {
            closed.set(true);
            while (interrupting.isAlive()) {
                Thread.onSpinWait();
            }
            assertTrue(Thread.interrupted());
        }
    }

    /** Rows of less than a message, and of several. */
    @ParameterizedTest
    @CsvSource({"64, false", "34603008, false", "64, true", "34603008, true"})
    void shouldEndAnOperationOfManyMessagesWhenARankLeaves(int rowBytes, boolean gets) {
        Jobs.run("1,1", gas -> {
            GlobalMemory memory = gas.allocate(rowBytes);
            gas.barrier();
            if (gas.rank() == 0) {
                Strided endless = new Strided(rowBytes, new long[] {1 << 20, 1 << 17}, new long[2], new long[2]);
                MemorySegment rows = Arena.ofAuto().allocate(rowBytes);
                leaveThemWaiting(gas, List.of(gets ? () -> memory.getStrided(1, 0, rows, 0, endless)
                    : () -> memory.putStrided(1, 0, rows, 0, endless)));
            } else {
                awaitDeparture(gas);
            }
        });
    }

    @Test
    void shouldLeaveOnceWhenThreadsCloseTogether() {
        try (TestJob job = TestJob.start(Topology.parse("1,1"))) {
            job.run(gas -> {
                gas.barrier();
                List<FutureTask<Void>> threads = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    FutureTask<Void> thread = new FutureTask<>(gas::close, null);
                    threads.add(thread);
                    Thread.ofPlatform().daemon().start(thread);
                }
                for (FutureTask<Void> thread : threads) {
                    thread.get(DEADLINE_S, TimeUnit.SECONDS);
                }
                assertThrows(JobAbortedException.class, gas::barrier);
            });
        }
    }

    /** A sum that was begun is whole, though the rank leaves in the middle of it. */
    @Test
    void shouldCompleteSumsThatHaveBegunWhenARankLeaves() {
        int doubles = 1 << 18;
        Jobs.run("2", gas -> {
            GlobalMemory memory = gas.allocate(8L * doubles);
            gas.barrier();
            if (gas.rank() == 0) {
                addForEver(memory, doubles);
                return; // which closes
            }
            awaitDeparture(gas);
            double first = memory.local().get(ValueLayout.JAVA_DOUBLE, 0);
            assertTrue(first >= 1);
            for (int i = 0; i < doubles; i++) {
                assertEquals(first, memory.local().get(ValueLayout.JAVA_DOUBLE, 8L * i), "element " + i);
            }
        });
    }

    private static void addForEver(GlobalMemory memory, int doubles) throws InterruptedException {
        double[] ones = new double[doubles];
        Arrays.fill(ones, 1);
        CountDownLatch begun = new CountDownLatch(2);
        Thread.ofPlatform().daemon().start(() -> assertThrows(JobAbortedException.class, () -> forEver(() -> {
            memory.accumulate(1, 0, Scale.ofDouble(1), MemorySegment.ofArray(ones), 0, 8L * doubles);
            begun.countDown();
        })));
        begun.await();
    }

    /** A thread that does not come out of a call keeps what it may use: closing says so, and the rank has left. */
    @Test
    void shouldUnmapNothingWhenACallDoesNotEnd() {
        try (TestJob job = TestJob.start(Topology.parse("1"))) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(64);
                MemorySegment part = memory.local();
                gas.access().calls().begin();
                String message = assertThrows(GasException.class, gas::close).getMessage();
                assertTrue(message.matches("rank 0 has left job .*, but 1 calls of other threads have not ended within"
                    + " 5 s: what may be in use stays mapped"), message);
                part.set(ValueLayout.JAVA_LONG, 0, 1);
                assertThrows(JobAbortedException.class, () -> memory.putLong(0, 0, 1));
                gas.access().calls().end();
                gas.close();
            });
        }
    }

    /** Memory of a caller may be gone as soon as its call has ended, though answers and payload are on their way. */
    @ParameterizedTest
    @ValueSource(strings = {"1,1", "2*2 combine"})
    void shouldTouchNoMemoryOfCallersOnceTheirCallsHaveEnded(String layout) {
        Jobs.run(layout, gas -> {
            int other = gas.rankCount() - 1;
            GlobalMemory memory = gas.allocate(1 << 20);
            gas.barrier();
            if (gas.rank() != 0) {
                awaitDeparture(gas);
                return;
            }
            leaveThemWaiting(gas, List.of(
                () -> inOwnArena(target -> memory.get(other, 0, target)),
                () -> inOwnArena(target -> {
                    Handle handle = gas.handle();
                    memory.nbGet(handle, other, 0, target, 0, LARGE);
                    memory.nbGet(handle, other, 0, target, 0, LARGE);
                    handle.await();
                }),
                () -> inOwnArena(source -> {
                    Handle handle = gas.deferredHandle();
                    memory.nbPut(handle, other, LARGE, source, 0, LARGE);
                    handle.await();
                })));
        });
    }

    private interface Use {
        void of(MemorySegment memory);
    }

    private static void inOwnArena(Use use) {
        while (true) {
            try (Arena arena = Arena.ofShared()) {
                use.of(arena.allocate(LARGE));
            }
        }
    }
}

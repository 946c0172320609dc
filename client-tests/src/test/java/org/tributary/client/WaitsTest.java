package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.tributary.client.testing.TestJob;
import org.tributary.client.window.Assertion;
import org.tributary.client.window.EpochDesign;
import org.tributary.client.window.FenceDesign;
import org.tributary.client.window.Window;
import org.tributary.client.window.WindowOptions;
import org.tributary.testsupport.ToleratesErrors;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;
import org.tributary.wire.shm.AccumulateLocks;
import org.tributary.wire.shm.ControlFile;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.shm.SegmentKind;
import org.tributary.wire.shm.SegmentParts;
import org.tributary.wire.shm.WaitKind;
import org.tributary.wire.shm.WindowLayout;
import org.tributary.wire.status.JobStatus;
import org.tributary.wire.status.NodeDetails;
import org.tributary.wire.status.NodeReader;
import org.tributary.wire.status.NodeStatus;
import org.tributary.wire.status.NodeStatus.Wait;
import org.tributary.wire.status.Party;
import org.tributary.wire.status.ProcessState;

/** What ranks say of their waits, as it is read from outside. */
class WaitsTest {
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(200);
    private static final int ROUNDS = 100;
    private static final int MUTEX = 2;
    /** Where the number of the first rank's process is in the control file of a node. */
    private static final long PID = 66_048 + 72;

    /** All that a rank can wait for here; rank 0 has it. */
    private static final class Objects {
        private final GlobalMemory memory;
        private final MutexSet mutexes;
        private final Window window;

        Objects(Gas gas) {
            memory = gas.allocate(64);
            mutexes = gas.createMutexes(MUTEX + 1);
            window = Window.allocate(gas, gas.world(), 64, 1, WindowOptions.DEFAULT
                .withLock(EpochDesign.IMMEDIATE).withExposure(EpochDesign.IMMEDIATE));
        }
    }

    private static JobStatus status(TestJob job) {
        List<NodeReader> readers = List.of(new NodeReader(new NodeDirectory(job.server(0).directory())),
            new NodeReader(new NodeDirectory(job.server(1).directory())));
        List<NodeStatus> nodes = new ArrayList<>();
        try {
            for (NodeReader reader : readers) {
                nodes.add(reader.read());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new JobStatus(nodes, readers.stream().map(reader -> reader.read(JobStatus.questions(nodes))).toList());
    }

    /** Looks until rank 1 is in that wait, and waits for rank 0. */
    private static void awaitWait(TestJob job, WaitKind kind, int peer) {
        long untilNs = System.nanoTime() + DEADLINE_NS;
        JobStatus status = status(job);
        Wait wait = JobStatus.waitOf(status.rank(1));
        while (wait == null || wait.kind() != kind || wait.peer() != peer
            || !status.waitsFor(status.rank(1)).equals(Set.of(Party.rank(0)))) {
            String found = status.rank(1).toString();
            assertTrue(System.nanoTime() < untilNs, () -> "rank 1: " + found);
            LockSupport.parkNanos(1_000_000);
            status = status(job);
            wait = JobStatus.waitOf(status.rank(1));
        }
        assertEquals(kind == WaitKind.MUTEX ? MUTEX : kind == WaitKind.FLAG ? 8 : wait.number(), wait.number());
    }

    private static void have(Objects objects, WaitKind kind, int home) {
        if (kind == WaitKind.MUTEX) {
            objects.mutexes.lock(home, MUTEX);
        } else if (kind == WaitKind.WINDOW_LOCK) {
            objects.window.lock(LockMode.EXCLUSIVE, home);
        }
    }

    private static void block(Gas gas, Objects objects, WaitKind kind, int home) {
        switch (kind) {
            case NOTIFICATION -> gas.waitNotify(0);
            case FLAG -> objects.memory.awaitFlag(8, 5, 0);
            case MUTEX -> {
                objects.mutexes.lock(home, MUTEX);
                objects.mutexes.unlock(home, MUTEX);
            }
            case WINDOW_LOCK -> {
                objects.window.lock(LockMode.EXCLUSIVE, home);
                objects.window.unlock(home);
            }
            case WINDOW_POST -> {
                objects.window.start(new int[] {0});
                objects.window.put(0, 0, MemorySegment.ofArray(new long[1]));
                objects.window.complete();
            }
            case WINDOW_COMPLETE -> {
                objects.window.post(new int[] {0});
                objects.window.await();
            }
            default -> { } // the barrier that follows
        }
    }

    private static void letGo(Gas gas, Objects objects, WaitKind kind, int home) {
        switch (kind) {
            case NOTIFICATION -> gas.notify(1);
            case FLAG -> objects.memory.setFlag(1, 8, 5);
            case MUTEX -> objects.mutexes.unlock(home, MUTEX);
            case WINDOW_LOCK -> objects.window.unlock(home);
            case WINDOW_POST -> {
                objects.window.post(new int[] {1});
                objects.window.await();
            }
            case WINDOW_COMPLETE -> {
                objects.window.start(new int[] {1});
                objects.window.complete();
            }
            default -> { } // the barrier that follows
        }
    }

    /** Rank 1 waits for the answer to one request, which locks, puts and unlocks at rank 2. */
    @Test
    void shouldBeToldWhoHasTheLockWhenAnOperationTravelsWithIt() {
        try (TestJob job = TestJob.start("2,1")) {
            job.run(gas -> {
                MemorySegment one = MemorySegment.ofArray(new long[] {1});
                try (Window window = Window.allocate(gas, gas.world(), 64, 1,
                    WindowOptions.DEFAULT.withLock(EpochDesign.DEFERRED).withExposure(EpochDesign.DEFERRED)
                        .withFence(FenceDesign.DEFERRED))) {
                    if (gas.rank() == 0) {
                        window.lock(LockMode.EXCLUSIVE, 2);
                        window.put(2, 0, one);
                        window.flush(2);
                    }
                    gas.barrier();
                    if (gas.rank() == 1) {
                        window.lock(LockMode.SHARED, 2);
                        window.put(2, 8, one);
                        window.unlock(2);
                    } else if (gas.rank() == 0) {
                        awaitWait(job, WaitKind.WINDOW_LOCK, 2);
                        window.unlock(2);
                    }
                    gas.barrier();
                }
            });
        }
    }

    /** The second rank of node 0, or the only one of node 1, waits for rank 0. */
    @ParameterizedTest
    @CsvSource({"NOTIFICATION, 0", "FLAG, 0", "MUTEX, 1", "MUTEX, 2", "COLLECTIVE, 0", "WINDOW_LOCK, 1",
        "WINDOW_LOCK, 2", "WINDOW_POST, 0", "WINDOW_COMPLETE, 0"})
    void shouldBeToldForWhomWhenARankBlocks(WaitKind kind, int peer) {
        try (TestJob job = TestJob.start("2,1")) {
            job.run(gas -> {
                Objects objects = new Objects(gas);
                if (gas.rank() == 0) {
                    have(objects, kind, peer);
                }
                gas.barrier();
                if (gas.rank() == 1) {
                    block(gas, objects, kind, peer);
                } else if (gas.rank() == 0) {
                    awaitWait(job, kind, peer);
                    letGo(gas, objects, kind, peer);
                }
                gas.barrier();
            });
        }
    }

    /** In a container that numbers processes otherwise, the rank's number is that of another process here. */
    @Test
    void shouldTellNothingOfAnotherProcessWhenItHasTheNumberOfARank() throws Exception {
        Process another = new ProcessBuilder("sleep", "1000").start();
        try (TestJob job = TestJob.start("1,1")) {
            job.run(gas -> {
                if (gas.rank() == 0) {
                    assertEquals(ProcessState.RUNS, status(job).rank(0).process());
                    setPid(job, another.pid());
                    NodeStatus.Rank rank = status(job).rank(0);
                    setPid(job, ProcessHandle.current().pid());
                    assertEquals(another.pid(), rank.pid());
                    assertEquals(ProcessState.LIVES, rank.process());
                    assertEquals(-1, rank.cpuTicks());
                }
                gas.barrier();
            });
        } finally {
            another.destroyForcibly();
        }
    }

    /** Of the first rank of node 0. */
    private static void setPid(TestJob job, long pid) {
        NodeDirectory directory = new NodeDirectory(job.server(0).directory());
        try (RandomAccessFile control = new RandomAccessFile(directory.control().toFile(), "rw")) {
            control.seek(PID);
            control.write(ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(pid).array());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Nobody waits any more for a rank in the last fence that it has made. */
    @ParameterizedTest
    @EnumSource(value = FenceDesign.class, names = {"DEFERRED", "IMMEDIATE_NAIVE", "IMMEDIATE_OPT", "IMMEDIATE_NOTIFY"})
    void shouldTellHowFarRanksAreInFencesOfAWindow(FenceDesign design) {
        try (TestJob job = TestJob.start("2,1")) {
            job.run(gas -> {
                try (Window window = Window.allocate(gas, gas.world(), 64, 1,
                    WindowOptions.DEFAULT.withFence(design))) {
                    window.fence(Assertion.NOPRECEDE);
                    window.put((gas.rank() + 1) % gas.rankCount(), 0, MemorySegment.ofArray(new long[1]));
                    window.fence();
                    window.fence(Assertion.NOSUCCEED);
                    gas.barrier();
                    assertEquals(List.of(WindowLayout.readyStep(3), WindowLayout.readyStep(3)), fenceSteps(job));
                    gas.barrier();
                }
            });
        }
    }

    /** What rank 4 has sent to rank 1 is held up in the server of node 0. Rank 2 holds it up, and looks. */
    @ParameterizedTest
    @CsvSource({"DEFERRED, true", "IMMEDIATE_NAIVE, true", "IMMEDIATE_OPT, false", "IMMEDIATE_NOTIFY, false"})
    @ToleratesErrors("for a lock of accumulates") // a busy machine takes so long
    void shouldWaitForNobodyInAFenceWhenAllHaveSent(FenceDesign design, boolean isReady) {
        try (TestJob job = TestJob.start("3,2"); Arena arena = Arena.ofShared()) {
            job.run(gas -> {
                boolean looks = gas.rank() == 2;
                Group group = gas.world().split(looks ? -1 : 1, 0);
                Window window = looks ? null
                    : Window.allocate(gas, group, 64, 1, WindowOptions.DEFAULT.withFence(design));
                AccumulateLocks locks = looks ? holdStripes(job, arena) : null;
                gas.barrier();
                if (looks) {
                    try {
                        awaitSteps(job, List.of(isReady ? WindowLayout.readyStep(2) : WindowLayout.sentStep(2),
                            WindowLayout.sentStep(2)));
                    } finally {
                        IntStream.range(0, AccumulateLocks.LOCKS).forEach(locks::release);
                    }
                } else {
                    window.fence(Assertion.NOPRECEDE);
                    if (gas.rank() == 4) {
                        window.accumulate(1, 0, ReduceOp.SUM, ElementType.LONG, MemorySegment.ofArray(new long[] {7}),
                            0, Long.BYTES);
                    }
                    window.fence();
                    assertEquals(gas.rank() == 1 ? 7 : 0, window.local().get(ValueLayout.JAVA_LONG, 0));
                    group.barrier();
                    window.close();
                }
                gas.barrier();
            });
        }
    }

    /** As the rank that looks. */
    private static AccumulateLocks holdStripes(TestJob job, Arena arena) throws IOException {
        AccumulateLocks locks = ControlFile.open(new NodeDirectory(job.server(0).directory()).control(), arena)
            .accumulateLocks(3, token -> true, () -> { });
        IntStream.range(0, AccumulateLocks.LOCKS).forEach(locks::acquire);
        return locks;
    }

    /** Looks until ranks 0 and 1 are at these steps, rank 1 waits for nobody, and rank 0 for rank 1 alone. */
    private static void awaitSteps(TestJob job, List<Long> steps) {
        long untilNs = System.nanoTime() + DEADLINE_NS;
        while (true) {
            JobStatus status = status(job);
            Wait wait = JobStatus.waitOf(status.rank(1));
            if (wait != null && wait.kind() == WaitKind.WINDOW_FENCE && fenceSteps(job).equals(steps)
                && status.waitsFor(status.rank(1)).isEmpty()
                && status.waitsFor(status.rank(0)).equals(Set.of(Party.rank(1)))) {
                return;
            }
            assertTrue(System.nanoTime() < untilNs, () -> status.rank(0) + ", " + status.rank(1) + ", steps "
                + fenceSteps(job) + ", waits for " + status.waitsFor(status.rank(0)) + " and "
                + status.waitsFor(status.rank(1)));
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Of the only window, on node 0. */
    private static List<Long> fenceSteps(TestJob job) {
        NodeDirectory directory = new NodeDirectory(job.server(0).directory());
        try (Stream<Path> files = Files.list(directory.path())) {
            Set<Long> windows = files.map(file -> file.getFileName().toString())
                .filter(name -> name.startsWith("parts-")).map(name -> Long.parseUnsignedLong(name.substring(6), 16))
                .filter(id -> SegmentParts.read(directory.parts(id)).orElseThrow().kind() == SegmentKind.WINDOW)
                .collect(Collectors.toSet());
            return new NodeReader(directory).read(new NodeDetails.Questions(Set.of(), windows, Set.of())).members()
                .stream().map(member -> member.call().number()).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldWriteNothingWhenWaitsEndWhileTheyPoll() {
        CountDownLatch looked = new CountDownLatch(1);
        try (TestJob job = TestJob.start("2,1", "wait.spin=1h")) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(64);
                int next = (gas.rank() + 1) % gas.rankCount();
                int last = (gas.rank() + gas.rankCount() - 1) % gas.rankCount();
                memory.getLong(next, 0);
                memory.getLong(last, 0); // all connections are open now, for which a rank blocks
                gas.barrier();
                long before = status(job).rank(gas.rank()).blocked();
                for (int round = 0; round < ROUNDS; round++) {
                    memory.putLong(next, 8, round);
                    gas.fence(next);
                    memory.fetchAndAdd(last, 16, 1);
                    gas.notify(next);
                    gas.waitNotify(last);
                    gas.barrier();
                }
                assertEquals(before, status(job).rank(gas.rank()).blocked());
                looked.countDown();
                gas.barrier();
            });
        }
        assertEquals(0, looked.getCount());
    }
}

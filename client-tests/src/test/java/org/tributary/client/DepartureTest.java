package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.error.JobAbortedException;
import org.tributary.client.testing.TestJob;
import org.tributary.config.JvmOptions;
import org.tributary.testsupport.LoggedErrors;
import org.tributary.wire.RankState;
import org.tributary.wire.shm.ControlFile;

/** Nobody waits for a rank that is gone, whether it left or died. */
class DepartureTest {
    private static final long DEADLINE_S = 200;
    private static final long CHILD_S = 200;
    /** Longer than a rank waits before it looks whether another one is still there. */
    private static final long SEEN_MS = 300;

    @ParameterizedTest
    @CsvSource({"1*2, barrier", "2*1, barrier", "1*2, flag", "2*1, flag", "1*2, notify", "2*1, notify"})
    void shouldThrowWhenAwaitedRankHasLeft(String layout, String how) throws Exception {
        try (TestJob job = Jobs.start(layout); Gas gas = job.attach(0)) {
            FutureTask<Void> leaver = start(() -> {
                try (Gas other = job.attach(1)) {
                    other.allocate(64);
                }
            });
            GlobalMemory memory = gas.allocate(64);
            leaver.get(DEADLINE_S, TimeUnit.SECONDS);
            FutureTask<Void> waiter = start(() -> {
                switch (how) {
                    case "barrier" -> gas.barrier();
                    case "flag" -> memory.awaitFlag(0, 1, 1);
                    default -> gas.waitNotify(1);
                }
            });
            assertTrue(abortOf(waiter).getMessage().contains("rank 1 has left the job"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1*2", "2*1", "2*2", "3,1,2", "cyclic:3,1,2", "2*2 combine node"})
    void shouldEndAllOthersWhenProcessOfRankDies(String layout) throws Exception {
        int ranks = TestJob.topology(layout).rankCount();
        try (TestJob job = Jobs.start(layout)) {
            Process child = startChild(job, 1);
            child.getOutputStream().close();
            try {
                AtomicBoolean computing = new AtomicBoolean(true);
                List<FutureTask<Void>> others = new ArrayList<>();
                for (int rank = 0; rank < ranks; rank++) {
                    int number = rank;
                    if (rank != 1) {
                        others.add(start(() -> waitSomehow(job, number, computing)));
                    }
                }
                assertTrue(child.waitFor(CHILD_S, TimeUnit.SECONDS), "the child has not ended");
                assertEquals(3, child.exitValue());
                for (FutureTask<Void> other : others) {
                    String reason = abortOf(other).getMessage();
                    assertTrue(reason.startsWith("rank 1 (node "), reason);
                }
            } finally {
                child.destroyForcibly();
            }
        }
    }

    /** The server shows that a rank is dead a moment before it tells why the job ends. */
    @Test
    void shouldTellTheReasonOfTheServerWhenARankIsSeenDeadBefore() throws Exception {
        try (TestJob job = Jobs.start("1*2"); Arena arena = Arena.ofShared()) {
            Process child = startChild(job, 1);
            try (Gas gas = job.attach(0)) {
                gas.allocate(64);
                gas.createMutexes(1);
                gas.barrier();
                FutureTask<Void> waiter = start(gas::barrier);
                ControlFile.open(job.server(0).directory().resolve("control"), arena)
                    .setRankState(1, RankState.DEAD, child.pid());
                Thread.sleep(SEEN_MS);
                child.destroyForcibly();
                String reason = abortOf(waiter).getMessage();
                assertTrue(reason.startsWith("rank 1 (node "), reason);
            } finally {
                child.destroyForcibly();
            }
        }
    }

    /** Rank 0 waits for the mutex that rank 1 holds, the others in a barrier or by turning over remote words. */
    private static void waitSomehow(TestJob job, int rank, AtomicBoolean computing) {
        try (Gas gas = job.attach(rank)) {
            GlobalMemory memory = gas.allocate(64);
            MutexSet mutexes = gas.createMutexes(1);
            gas.barrier();
            if (rank == 0) {
                mutexes.lock(1, 0);
                gas.barrier();
            } else if (rank % 2 == 0) {
                gas.barrier();
            } else {
                while (computing.get()) {
                    memory.fetchAndAdd(0, 0, 1);
                    gas.fenceAll();
                    gas.access().links().all().getFirst().poll();
                    memory.awaitFlagAtLeast(0, 0, -1);
                    gas.access().request(gas.node(), (link, reply) -> link.writer().probe(reply, gas.rank()));
                }
            }
        }
    }

    private static Process startChild(TestJob job, int rank) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JvmOptions.required());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Dying.class.getName()));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(job.environmentOf(rank).toEnvironment());
        builder.environment().putAll(job.settings().toEnvironment());
        return LoggedErrors.watch("rank " + rank, builder.start());
    }

    /** A rank that takes a mutex and dies, at the end of its input, without leaving. */
    static final class Dying {
        private Dying() {
        }

        public static void main(String[] arguments) throws IOException {
            Gas gas = Gas.attach();
            gas.allocate(64);
            MutexSet mutexes = gas.createMutexes(1);
            mutexes.lock(1, 0);
            gas.barrier();
            System.in.readAllBytes();
            Runtime.getRuntime().halt(3);
        }
    }

    private interface Body {
        void run() throws Exception;
    }

    private static FutureTask<Void> start(Body body) {
        FutureTask<Void> task = new FutureTask<>(() -> {
            body.run();
            return null;
        });
        Thread.ofPlatform().daemon().start(task);
        return task;
    }

    private static JobAbortedException abortOf(FutureTask<Void> task) {
        ExecutionException ended =
            assertThrows(ExecutionException.class, () -> task.get(DEADLINE_S, TimeUnit.SECONDS));
        if (ended.getCause() instanceof JobAbortedException aborted) {
            return aborted;
        }
        throw new AssertionError("not told that the job is aborted", ended.getCause());
    }
}

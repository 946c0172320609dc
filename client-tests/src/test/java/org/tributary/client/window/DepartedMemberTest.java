package org.tributary.client.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.client.Gas;
import org.tributary.client.Jobs;
import org.tributary.client.error.JobAbortedException;
import org.tributary.client.testing.TestJob;
import org.tributary.config.JvmOptions;
import org.tributary.config.Topology;
import org.tributary.testsupport.LoggedErrors;
import org.tributary.wire.codec.LockMode;

/** Nobody waits in an epoch for a member that leaves without its part in it, or goes on after it. */
class DepartedMemberTest {
    private static final long DEADLINE_S = 200;

    /** Runs a program in a job that fails. */
    private static void runFailing(String layout, TestJob.RankProgram program) throws Exception {
        try (TestJob job = Jobs.start(layout)) {
            List<FutureTask<Void>> ranks = IntStream.range(0, TestJob.topology(layout).rankCount())
                .mapToObj(rank -> new FutureTask<Void>(() -> {
                    try (Gas gas = job.attach(rank)) {
                        program.run(gas);
                    }
                    return null;
                })).toList();
            ranks.forEach(rank -> Thread.ofPlatform().daemon().start(rank));
            for (FutureTask<Void> rank : ranks) {
                rank.get(DEADLINE_S, TimeUnit.SECONDS);
            }
        }
    }

    private static void assertNames(int rank, Runnable wait) {
        String message = assertThrows(JobAbortedException.class, wait::run).getMessage();
        assertTrue(message.contains("rank " + rank + " has left the job"), message);
    }

    @ParameterizedTest
    @CsvSource({"1*2, IMMEDIATE_NAIVE", "2*1, IMMEDIATE_NAIVE", "2*1, IMMEDIATE_OPT", "1*2, IMMEDIATE_NOTIFY"})
    void shouldEndTheFirstFenceWhenAMemberHasLeft(String layout, FenceDesign design) throws Exception {
        runFailing(layout, gas -> {
            Window window = Windows.allocate(gas, gas.world(), 64, 8, WindowOptions.DEFAULT.withFence(design));
            if (gas.rank() == 0) {
                assertNames(1, () -> window.fence(Assertion.NOPRECEDE));
            }
        });
    }

    /** Rank 1 leaves with the lock of rank 0's part; in the end nobody holds it. */
    @ParameterizedTest
    @CsvSource({"1*2, false, false", "1*2, true, false", "1*2, false, true", "2*1, false, false", "2*1, true, true"})
    void shouldPassTheLockOnWhenAReaderHasLeft(String layout, boolean all, boolean awaited) {
        Topology topology = TestJob.topology(layout);
        try (TestJob job = TestJob.start(topology, "server.metrics-port=0")) {
            job.run(gas -> {
                Window window = Windows.allocate(gas, gas.world(), 64, 8, WindowOptions.DEFAULT);
                if (gas.rank() == 1) {
                    read(window, all);
                    gas.notify(0);
                    if (awaited) {
                        LockCircleTest.awaitWaiting(job, topology, 1);
                    }
                } else {
                    gas.waitNotify(1);
                    for (int round = 0; round < 2; round++) {
                        window.lock(LockMode.EXCLUSIVE, 0);
                        window.unlock(0);
                    }
                    window.close();
                }
            });
        }
    }

    private static void read(Window window, boolean all) {
        if (all) {
            window.lockAll();
        } else {
            window.lock(LockMode.SHARED, 0);
        }
        window.get(0, 0, Jobs.empty(8));
        window.flush(0); // holds it, whatever the design
    }

    @Test
    void shouldPassTheLockOnWhenTheProcessOfAReaderHasEnded() throws Exception {
        try (TestJob job = Jobs.start("1*2")) {
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(JvmOptions.required());
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), Reader.class.getName()));
            ProcessBuilder builder = new ProcessBuilder(command);
            builder.environment().putAll(job.environmentOf(1).toEnvironment());
            builder.environment().putAll(job.settings().toEnvironment());
            Process reader = LoggedErrors.watch("rank 1", builder.start());
            try (Gas gas = job.attach(0)) {
                Window window = Windows.allocate(gas, gas.world(), 64, 8, WindowOptions.DEFAULT);
                gas.waitNotify(1);
                window.lock(LockMode.EXCLUSIVE, 0);
                window.unlock(0);
                assertEquals(0, reader.waitFor());
            } finally {
                reader.destroyForcibly();
            }
        }
    }

    /** The rank that calls System.exit. */
    static final class Reader {
        private Reader() {
        }

        public static void main(String[] arguments) {
            Gas gas = Gas.attach();
            Window window = Windows.allocate(gas, gas.world(), 64, 8, WindowOptions.DEFAULT);
            read(window, false);
            gas.notify(0);
            System.exit(0);
        }
    }

    /** Rank 1 ends its access epoch, and waits for the rank that waits for rank 2. */
    @ParameterizedTest
    @CsvSource({"1*3, DEFERRED", "3*1, DEFERRED", "3*1, IMMEDIATE", "2*2, DEFERRED"})
    void shouldEndTheExposureWhenOneOfItsOriginsHasLeft(String layout, EpochDesign design) {
        Jobs.run(layout, gas -> {
            Window window = Windows.allocate(gas, gas.world(), 64, 8, WindowOptions.DEFAULT.withExposure(design));
            if (gas.rank() == 0) {
                window.post(new int[] {1, 2});
                assertNames(2, window::await);
                gas.notify(1);
            } else if (gas.rank() == 1) {
                window.start(new int[] {0});
                window.put(0, 0, MemorySegment.ofArray(new long[] {1}));
                window.complete();
                gas.waitNotify(0);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"1*2, IMMEDIATE_NAIVE", "2*1, IMMEDIATE_NAIVE"})
    void shouldEndTheJobWhenAnotherCallMeetsTheFirstFence(String layout, FenceDesign design) throws Exception {
        runFailing(layout, gas -> {
            Window window = Windows.allocate(gas, gas.world(), 64, 8, WindowOptions.DEFAULT.withFence(design));
            assertThrows(JobAbortedException.class, () -> {
                if (gas.rank() == 0) {
                    window.fence(Assertion.NOPRECEDE);
                } else {
                    gas.allocate(64);
                }
            });
        });
    }
}

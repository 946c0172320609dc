package org.tributary.client.window;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.client.Gas;
import org.tributary.client.Jobs;
import org.tributary.client.error.JobAbortedException;
import org.tributary.client.testing.TestJob;

/** Nobody waits in an epoch for a member that leaves without its part in it, or goes on after it. */
class DepartedMemberTest {
    private static final long DEADLINE_S = 40;

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

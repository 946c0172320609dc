package org.tributary.client.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.client.Gas;
import org.tributary.client.Jobs;
import org.tributary.client.error.JobAbortedException;
import org.tributary.client.testing.TestJob;
import org.tributary.config.JvmOptions;
import org.tributary.testsupport.LoggedErrors;
import org.tributary.wire.codec.LockMode;

/** Whatever epoch a rank is in when it is killed, nobody waits for it any more soon after. */
class WindowDeathTest {
    private static final long SOON_S = 100;
    private static final long START_S = 100;
    private static final int VICTIM = 1;

    private static WindowOptions options(FenceDesign fence, EpochDesign design) {
        return new WindowOptions(fence, design, design, false);
    }

    @ParameterizedTest
    @CsvSource({
        "2*2, fence, DEFERRED, AUTO", "1*3, fence, IMMEDIATE_NAIVE, AUTO", "2*2, fence, IMMEDIATE_NAIVE, AUTO",
        "3*1, fence, IMMEDIATE_OPT, AUTO", "2*2, fence, IMMEDIATE_NOTIFY, AUTO", "2*2, fence, AUTO, AUTO",
        "1*3, exposed, AUTO, IMMEDIATE", "2*2, exposed, AUTO, DEFERRED", "1*3, accessing, AUTO, IMMEDIATE",
        "2*2, accessing, AUTO, DEFERRED", "1*3, locking, AUTO, IMMEDIATE", "2*2, locking, AUTO, IMMEDIATE",
        "2*2, locking, AUTO, DEFERRED", "1*3, locked all, AUTO, AUTO", "2*2, locked all, AUTO, AUTO",
        "1*3, locking all, AUTO, IMMEDIATE", "2*2, locking all, AUTO, DEFERRED", "1*3, testing, AUTO, DEFERRED",
        "2*2, testing, AUTO, IMMEDIATE", "3*1, locking, AUTO, IMMEDIATE", "3*1, locked all, AUTO, DEFERRED"})
    void shouldEndWaitsOfOthersWhenRankIsKilled(String layout, String how, FenceDesign fence, EpochDesign design)
        throws Exception {
        int ranks = TestJob.topology(layout).rankCount();
        try (TestJob job = Jobs.start(layout)) {
            Process victim = startVictim(job, how, fence, design);
            try {
                CountDownLatch waiting = new CountDownLatch(ranks - 1);
                List<FutureTask<Void>> others = new ArrayList<>();
                for (int rank = 0; rank < ranks; rank++) {
                    if (rank != VICTIM) {
                        others.add(start(job, rank, how, options(fence, design), waiting));
                    }
                }
                BufferedReader output = victim.inputReader();
                assertEquals("in the epoch", output.readLine());
                assertTrue(waiting.await(START_S, TimeUnit.SECONDS), "the others do not get there");
                victim.destroyForcibly();
                for (FutureTask<Void> other : others) {
                    ExecutionException ended =
                        assertThrows(ExecutionException.class, () -> other.get(SOON_S, TimeUnit.SECONDS));
                    assertTrue(ended.getCause() instanceof JobAbortedException, () -> "ended by " + ended.getCause());
                    assertTrue(ended.getCause().getMessage().startsWith("rank " + VICTIM + " (node "),
                        () -> ended.getCause().getMessage());
                }
            } finally {
                victim.destroyForcibly();
            }
        }
    }

    private static FutureTask<Void> start(TestJob job, int rank, String how, WindowOptions options,
        CountDownLatch waiting) {
        FutureTask<Void> task = new FutureTask<>(() -> {
            try (Gas gas = job.attach(rank)) {
                Window window = Windows.allocate(gas, gas.world(), 64, 8, options);
                enter(gas, window, how);
                waiting.countDown();
                waitForVictim(gas, window, how);
            }
            return null;
        });
        Thread.ofPlatform().daemon().start(task);
        return task;
    }

    /** What everyone does, the victim included, before it is killed. */
    private static void enter(Gas gas, Window window, String how) {
        boolean victim = gas.rank() == VICTIM;
        int[] victims = {VICTIM};
        gas.barrier();
        switch (how) {
            case "fence" -> {
                window.fence();
                window.put(0, gas.rank(), Jobs.random(1, 8));
            }
            case "exposed", "testing" -> {
                if (victim) {
                    window.start(new int[0]);
                } else {
                    window.post(victims);
                }
            }
            case "accessing" -> { }
            case "locked all" -> {
                if (victim) {
                    window.lockAll();
                    window.put(0, 0, Jobs.random(1, 8));
                    window.flush(0);
                }
                gas.barrier();
            }
            default -> {
                if (victim) {
                    window.lock(LockMode.EXCLUSIVE, 0);
                    window.put(0, 0, Jobs.random(1, 8));
                    window.flush(0); // holds it, whatever the design
                }
                gas.barrier();
            }
        }
    }

    private static void waitForVictim(Gas gas, Window window, String how) {
        int[] victims = {VICTIM};
        switch (how) {
            case "fence" -> window.fence();
            case "exposed" -> window.await();
            case "testing" -> {
                while (!window.test()) {
                    Thread.onSpinWait();
                }
            }
            case "accessing" -> {
                window.start(victims);
                window.put(VICTIM, 0, Jobs.random(1, 8));
                window.complete();
            }
            case "locked all" -> {
                window.lock(LockMode.EXCLUSIVE, 0);
                window.put(0, 1, Jobs.random(1, 8));
                window.unlock(0);
                gas.barrier();
            }
            case "locking" -> {
                window.lock(gas.rank() % 2 == 0 ? LockMode.EXCLUSIVE : LockMode.SHARED, 0);
                window.put(0, 1, Jobs.random(1, 8));
                window.unlock(0);
                gas.barrier(); // the rank that got the lock when it was passed on
            }
            default -> {
                window.lockAll();
                window.put(0, gas.rank(), Jobs.random(1, 8));
                window.unlockAll();
                gas.barrier();
            }
        }
    }

    private static Process startVictim(TestJob job, String how, FenceDesign fence, EpochDesign design)
        throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JvmOptions.required());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Victim.class.getName(), how,
            fence.name(), design.name()));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(job.environmentOf(VICTIM).toEnvironment());
        builder.environment().putAll(job.settings().toEnvironment());
        return LoggedErrors.watch("rank " + VICTIM, builder.start());
    }

    /** The rank that is killed. */
    static final class Victim {
        private Victim() {
        }

        public static void main(String[] arguments) {
            Gas gas = Gas.attach();
            Window window = Windows.allocate(gas, gas.world(), 64, 8,
                options(FenceDesign.valueOf(arguments[1]), EpochDesign.valueOf(arguments[2])));
            enter(gas, window, arguments[0]);
            System.out.println("in the epoch");
            while (gas.rankCount() > 0) {
                Thread.onSpinWait();
            }
        }
    }
}

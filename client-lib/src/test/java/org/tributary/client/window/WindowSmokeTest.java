package org.tributary.client.window;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.client.Gas;
import org.tributary.client.testing.TestJob;
import org.tributary.config.Topology;

class WindowSmokeTest {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    @ParameterizedTest
    @CsvSource({"DEFERRED,4", "IMMEDIATE_NAIVE,4", "IMMEDIATE_OPT,4", "IMMEDIATE_NOTIFY,4", "AUTO,4",
        "DEFERRED,2*2", "IMMEDIATE_NAIVE,2*2", "IMMEDIATE_OPT,2*2", "IMMEDIATE_NOTIFY,2*2", "AUTO,2*2"})
    void shouldMoveDataWhenFenced(FenceDesign design, String layout) {
        try (TestJob job = TestJob.start(Topology.parse(layout))) {
            job.run(gas -> fences(gas, design));
        }
    }

    private static void fences(Gas gas, FenceDesign design) {
        try (Arena arena = Arena.ofShared();
             Window window = Window.allocate(gas, gas.world(), 1 << 20, 8, WindowOptions.DEFAULT.withFence(design))) {
            int n = gas.rankCount();
            int right = (gas.rank() + 1) % n;
            int left = (gas.rank() + n - 1) % n;
            MemorySegment buffer = arena.allocate(1 << 20, 8);
            MemorySegment got = arena.allocate(8, 8);
            for (int epoch = 1; epoch <= 50; epoch++) {
                long bytes = epoch % 10 == 0 ? 1 << 19 : 16;
                window.fence(Assertion.NOPRECEDE);
                buffer.set(LONG, 0, 1000L * epoch + gas.rank());
                buffer.set(LONG, bytes - 8, 7000L * epoch + gas.rank());
                window.put(right, 1, buffer, 0, bytes);
                window.fence(Assertion.NOSUCCEED);
                assertEquals(1000L * epoch + left, window.local().get(LONG, 8));
                assertEquals(7000L * epoch + left, window.local().get(LONG, bytes));
                window.fence(Assertion.NOPRECEDE);
                window.get(right, 1, got);
                window.fence();
                assertEquals(1000L * epoch + gas.rank(), got.get(LONG, 0));
                window.fence(Assertion.NOSUCCEED);
            }
            if (gas.rank() == 0) {
                System.out.println(design + " " + window.fenceChoice() + " " + gas.traffic());
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"DEFERRED,4", "IMMEDIATE,4", "AUTO,4", "DEFERRED,2*2", "IMMEDIATE,2*2", "AUTO,2*2"})
    void shouldMoveDataWhenPostedAndLocked(EpochDesign design, String layout) {
        try (TestJob job = TestJob.start(Topology.parse(layout))) {
            job.run(gas -> epochs(gas, design));
        }
    }

    private static void epochs(Gas gas, EpochDesign design) {
        try (Arena arena = Arena.ofShared();
             Window window = Window.allocate(gas, gas.world(), 1 << 20, 8,
                 WindowOptions.DEFAULT.withExposure(design).withLock(design))) {
            int n = gas.rankCount();
            int right = (gas.rank() + 1) % n;
            int left = (gas.rank() + n - 1) % n;
            MemorySegment buffer = arena.allocate(1 << 20, 8);
            MemorySegment got = arena.allocate(8, 8);
            for (int epoch = 1; epoch <= 50; epoch++) {
                long bytes = epoch % 10 == 0 ? 1 << 19 : 16;
                buffer.set(LONG, 0, 1000L * epoch + gas.rank());
                buffer.set(LONG, bytes - 8, 7000L * epoch + gas.rank());
                window.post(new int[] {left});
                window.start(new int[] {right});
                window.put(right, 1, buffer, 0, bytes);
                window.complete();
                window.await();
                assertEquals(1000L * epoch + left, window.local().get(LONG, 8));
                assertEquals(7000L * epoch + left, window.local().get(LONG, bytes));
                gas.barrier();
                window.lock(LockMode.EXCLUSIVE, right);
                window.put(right, 0, buffer, 0, 8);
                window.unlock(right);
                window.lock(LockMode.SHARED, right);
                window.get(right, 0, got);
                window.unlock(right);
                assertEquals(1000L * epoch + gas.rank(), got.get(LONG, 0));
                window.lock(LockMode.SHARED, right);
                window.put(right, 0, buffer, 0, 8);
                window.put(right, 8, buffer, 0, 8);
                window.get(right, 1, got);
                window.unlock(right);
                gas.barrier();
            }
            if (gas.rank() == 0) {
                System.out.println(design + " " + window.exposureChoice() + " " + window.lockChoice());
            }
        }
    }
}

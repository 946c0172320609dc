package org.tributary.server.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tributary.wire.shm.CountsFile;

/** What an event loop watches it watches on, or somebody hears that it does not. */
class GuardedTasksTest {
    private final EventLoop loop = new DefaultEventLoop();
    private final BlockingQueue<Throwable> faults = new LinkedBlockingQueue<>();
    private final GuardedTasks tasks = new GuardedTasks(loop, faults::add);

    @TempDir
    private Path folder;

    @AfterEach
    void stop() {
        loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    private static Stream<Consumer<GuardedTasks.Task>> ways() {
        return Stream.of(GuardedTasks.Task::soon, task -> task.after(1), task -> task.every(0, 1));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void shouldTellOfTheFaultWhenATaskFails(Consumer<GuardedTasks.Task> way) throws InterruptedException {
        RuntimeException fault = new IllegalStateException("impossible");
        way.accept(tasks.task(() -> {
            throw fault;
        }));
        assertSame(fault, faults.take());
        OutOfMemoryError shortage = new OutOfMemoryError("no memory");
        way.accept(tasks.task(() -> {
            throw shortage;
        }));
        while (faults.take() != shortage) {
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldGoOffOnceWhenAnAlarmIsSetAgainAndAgain() throws Exception {
        BlockingQueue<Integer> runs = new LinkedBlockingQueue<>();
        int[] set = new int[1];
        GuardedTasks.Alarm alarm = tasks.alarm(() -> runs.add(set[0]));
        loop.submit(() -> {
            for (int i = 1; i <= 100; i++) {
                set[0] = i;
                alarm.after(0);
            }
        }).get();
        assertEquals(100, runs.take());
        tasks.after(0, () -> runs.add(-1)); // behind all that were due
        assertEquals(-1, runs.take());
        loop.submit(() -> alarm.after(0)).get();
        assertEquals(100, runs.take(), "set once more");
    }

    /** A look that fails once is no reason never to look again. */
    @Test
    void shouldGoOnWhenOneOfManyRunsFails() throws InterruptedException {
        BlockingQueue<Integer> runs = new LinkedBlockingQueue<>();
        tasks.task(() -> {
            runs.add(runs.size());
            if (runs.size() == 1) {
                throw new IllegalStateException("only once");
            }
        }).every(0, 1);
        faults.take();
        while (runs.size() < 3) {
            Thread.onSpinWait();
        }
        assertTrue(faults.isEmpty());
    }

    @Test
    void shouldTellOfTheFaultWhenCountsCannotBeCollected() throws Exception {
        RuntimeException fault = new IllegalStateException("impossible");
        ServerMetrics metrics = new ServerMetrics(0);
        metrics.gauge("broken", "Fails", this, self -> {
            throw fault;
        });
        try (Arena arena = Arena.ofShared()) {
            new CountsWriter(metrics, CountsFile.create(folder.resolve("counts"), arena, 4096)).begin(tasks);
            assertSame(fault, faults.take());
            stopped();
        }
    }

    @Test
    void shouldTellOfTheFaultWhenTheMemoryOfCountsIsGone() throws Exception {
        try (Arena arena = Arena.ofShared()) {
            CountsFile counts = CountsFile.create(folder.resolve("counts"), arena, 4096);
            Files.write(folder.resolve("counts"), new byte[0]);
            new CountsWriter(new ServerMetrics(0), counts).begin(tasks);
            assertTrue(faults.take() instanceof InternalError);
            stopped();
        }
    }

    private void stopped() throws InterruptedException {
        loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).await();
    }
}

package org.tributary.wire.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tributary.config.Topology;
import org.tributary.testsupport.Stopping;
import org.tributary.wire.RankState;

/** Two processes on one control file, one of which gets SIGKILL at the worst moment. */
class KilledProcessTest {
    private static final Duration DEADLINE = Duration.ofSeconds(200);

    private final Arena arena = Arena.ofShared();
    private Path directory;
    private Path file;
    private ControlFile control;
    private MemorySegment memory;
    private Process child;
    private Presence presence;

    @BeforeEach
    void create() throws IOException {
        directory = Files.createTempDirectory(Path.of("/dev/shm"), "killed-process-test-");
        file = directory.resolve("control");
        control = ControlFile.create(file, arena, Topology.of(2), 0, 2);
        memory = SharedFile.map(file, arena);
    }

    @AfterEach
    void remove() throws IOException, InterruptedException {
        if (child != null) {
            kill();
        }
        if (presence != null) {
            presence.close();
        }
        Files.delete(file);
        Files.delete(directory);
    }

    private void kill() throws InterruptedException {
        child.destroyForcibly();
        assertTrue(child.waitFor(200, TimeUnit.SECONDS));
    }

    private int sleepers() {
        return SharedWord.getVolatile(memory, ControlFile.RANK_BLOCKS_OFFSET + 4);
    }

    private void awaitSleepers(int count) {
        long deadlineNs = System.nanoTime() + DEADLINE.toNanos();
        while (sleepers() != count) {
            assertTrue(System.nanoTime() < deadlineNs, () -> sleepers() + " sleepers");
            Thread.onSpinWait();
        }
    }

    private AccumulateLocks locks(int token) throws IOException {
        presence = control.present(token);
        return control.accumulateLocks(token, presence::isAlive, () -> { });
    }

    private int holder() {
        return SharedWord.getVolatile(memory, ControlFile.LOCKS_OFFSET + 7 * 64);
    }

    private Thread keepsWaiting(AccumulateLocks own) throws InterruptedException {
        Thread acquiring = Thread.ofPlatform().daemon().start(() -> own.acquire(7));
        assertFalse(acquiring.join(Duration.ofMillis(300)), "taken from a holder that lives");
        return acquiring;
    }

    @Test
    void shouldTakeOverWhenHolderOfAccumulateLockIsKilled() throws IOException, InterruptedException {
        child = ShmProgram.start("hold", file);
        AccumulateLocks own = locks(2);
        Thread acquiring = keepsWaiting(own);
        own.acquire(8); // no other lock is concerned
        kill();
        assertTrue(acquiring.join(DEADLINE), "not taken over");
        assertEquals(2, holder());
        own.release(7);
        presence.close();
        locks(ControlFile.SERVER_TOKEN).acquire(7);
        assertEquals(ControlFile.SERVER_TOKEN, holder());
    }

    /** Each calls itself process 1, or another number that means somebody else, or nobody, outside. */
    @Test
    void shouldNotTakeOverWhenHolderLivesInAnotherContainer() throws IOException, InterruptedException {
        try {
            child = ShmProgram.startContained("hold", file);
        } catch (IOException e) {
            Assumptions.abort("no name space of process numbers can be made here: " + e.getMessage());
        }
        control.setRankState(0, RankState.ATTACHED, 1L << 30); // a number that no process has here
        AccumulateLocks own = locks(2);
        assertFalse(own.tryAcquire(7, 7), "taken from a holder that lives");
        Thread acquiring = keepsWaiting(own);
        kill();
        assertTrue(acquiring.join(DEADLINE), "not taken over");
        assertEquals(2, holder());
    }

    @Test
    void shouldWaitOrGiveUpWhenHolderIsStopped() throws IOException, InterruptedException {
        child = ShmProgram.start("hold", file);
        Stopping.stop(child.pid());
        AccumulateLocks own = locks(2);
        assertFalse(own.tryAcquire(6, 7));
        assertTrue(own.tryAcquire(6, 8), "an attempt that failed has kept a lock");
        keepsWaiting(own);
        AccumulateLocks checking = control.accumulateLocks(2, presence::isAlive, () -> {
            throw new IllegalStateException("the job has ended");
        });
        assertThrows(IllegalStateException.class, () -> checking.acquire(5, 7));
        assertTrue(own.tryAcquire(5, 5), "an attempt that failed has kept a lock");
        Stopping.goOn(child.pid());
    }

    @Test
    void shouldTakeOverWhenWordNamesNobody() throws IOException {
        AccumulateLocks own = locks(1);
        for (int nobody : new int[] {3, -1, Integer.MIN_VALUE, 1_000_000, ControlFile.SERVER_TOKEN}) {
            SharedWord.setRelease(memory, ControlFile.LOCKS_OFFSET + 7 * 64, nobody);
            own.acquire(7);
            assertEquals(1, holder());
        }
    }

    @Test
    void shouldRefuseWhenAnotherIsPresent() throws IOException {
        presence = control.present(1);
        assertTrue(assertThrows(IOException.class, () -> control.present(1).close()).getMessage()
            .contains("cannot attach twice"));
        try (Presence other = control.present(2)) {
            assertTrue(other.isAlive(1));
            presence.close();
            assertFalse(other.isAlive(1));
        }
    }

    @Test
    void shouldTakeOverWhenHolderOfAccumulateLockIsAZombie() throws IOException, InterruptedException {
        child = ShmProgram.startUnreaped("hold", file);
        ProcessHandle holder = child.children().findFirst().orElseThrow();
        assertTrue(holder.destroyForcibly());
        AccumulateLocks own = locks(2);
        Thread acquiring = Thread.ofPlatform().daemon().start(() -> own.acquire(7));
        assertTrue(acquiring.join(DEADLINE), "not taken over");
        assertEquals(2, holder());
        assertTrue(ProcessHandle.of(holder.pid()).isPresent(), "still there, as a zombie");
    }

    @Test
    void shouldWakeOthersWhenSleeperIsKilled() throws IOException, InterruptedException {
        child = ShmProgram.start("sleep", file);
        awaitSleepers(1);
        kill();
        assertEquals(1, sleepers(), "the dead one is still counted");
        wakesAnother(2);
        assertEquals(1, sleepers());
    }

    private void wakesAnother(int sleepersThen) throws InterruptedException {
        AtomicBoolean changed = new AtomicBoolean();
        Thread sleeper = Thread.ofPlatform().daemon().start(() -> {
            while (!changed.get()) {
                control.doorbell(0).sleep(changed::get, Long.MAX_VALUE);
            }
        });
        awaitSleepers(sleepersThen);
        changed.set(true);
        control.doorbell(0).ring();
        assertTrue(sleeper.join(DEADLINE), "slept through the ring");
    }

    @Test
    void shouldWakeSleepersWhenRingerIsKilledWhileRinging() throws IOException, InterruptedException {
        child = ShmProgram.start("ring", file);
        for (int i = 0; i < 100; i++) {
            control.doorbell(0).sleep(() -> false, Long.MAX_VALUE); // each is ended by the child
        }
        kill();
        wakesAnother(1);
        assertEquals(0, sleepers());
    }

    @Test
    void shouldLoseNoWakeUpWhenTwoProcessesTakeTurns() throws IOException, InterruptedException {
        child = ShmProgram.start("pong", file);
        Thread ping = Thread.ofPlatform().daemon().start(() -> {
            for (int round = 0; round < ShmProgram.ROUNDS; round++) {
                ShmProgram.pass(control, memory, 1, 2 * round + 1);
                ShmProgram.awaitTurn(control, memory, 0, 2 * round + 2);
            }
        });
        assertTrue(ping.join(DEADLINE), () -> "stuck at turn "
            + SharedWord.getVolatile(memory, ShmProgram.UNUSED_OFFSET));
        assertTrue(child.waitFor(200, TimeUnit.SECONDS));
        assertEquals(0, child.exitValue());
    }

    @Test
    void shouldReturnWhenTimeoutEnds() {
        control.doorbell(0).sleep(() -> false, 2_000_000); // for ever would be longer than this test may take
        assertEquals(0, sleepers());
    }
}

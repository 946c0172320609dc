package org.tributary.server.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.wire.codec.Role;

/** A server whose ranks do not all come, on an event loop whose clock stands still until it is moved. */
class AttachTimeoutTest {
    private static final long TIMEOUT_S = 30;
    private static final long LOOK_MS = 100;

    private StillLife still;

    @TempDir
    private Path shm;

    @AfterEach
    void close() {
        still.close();
    }

    private void start(int ranks) throws IOException {
        still = new StillLife(shm, ranks, rank -> { });
        still.life().expectRanks(TimeUnit.SECONDS.toNanos(TIMEOUT_S));
    }

    private Member attach(int rank) {
        return still.attach(rank, Role.LOCAL_RANK);
    }

    /** The server runs, and looks at the clock. */
    private void passTime(long time, TimeUnit unit) {
        for (long leftMs = unit.toMillis(time); leftMs > 0; leftMs -= LOOK_MS) {
            jump(Math.min(leftMs, LOOK_MS), TimeUnit.MILLISECONDS);
        }
    }

    /** The server does not run. */
    private void jump(long time, TimeUnit unit) {
        still.channel().advanceTimeBy(time, unit);
        still.channel().runPendingTasks();
    }

    private String reason() {
        assertTrue(still.life().termination().isDone());
        JobLife.End end = still.life().termination().join();
        assertFalse(end.clean());
        return end.reason();
    }

    @Test
    void shouldNameTheRankWhenOneHasNotAttachedInTime() throws IOException {
        start(3);
        attach(0);
        attach(2);
        passTime(TimeUnit.SECONDS.toMillis(TIMEOUT_S) - 1, TimeUnit.MILLISECONDS);
        assertFalse(still.life().termination().isDone());
        passTime(1, TimeUnit.MILLISECONDS);
        assertEquals("rank 1 has not attached to node 0 within 30.0 s of the start of its server;"
            + " start all ranks, or raise attach.timeout", reason());
    }

    @Test
    void shouldGiveRanksTheirTimeWhenServerDidNotRun() throws IOException {
        start(2);
        attach(0);
        passTime(1, TimeUnit.SECONDS);
        jump(10 * TIMEOUT_S, TimeUnit.SECONDS);
        passTime(TIMEOUT_S - 2, TimeUnit.SECONDS);
        assertFalse(still.life().termination().isDone());
        passTime(1, TimeUnit.SECONDS);
        assertTrue(reason().startsWith("rank 1 has not attached"), reason());
    }

    @Test
    void shouldNameTheFirstWhenManyHaveNotAttached() throws IOException {
        start(12);
        attach(1);
        attach(3);
        passTime(TIMEOUT_S, TimeUnit.SECONDS);
        assertEquals("10 ranks have not attached to node 0 within 30.0 s of the start of its server:"
            + " 0, 2, 4, 5, 6, 7, 8, 9, …; start all ranks, or raise attach.timeout", reason());
    }

    @Test
    void shouldTellThoseWhoHaveAttachedWhenOneHasNot() throws IOException {
        start(2);
        attach(0);
        still.attach(0, Role.LIFELINE);
        passTime(TIMEOUT_S, TimeUnit.SECONDS);
        ByteBuf abort = still.channel().readOutbound();
        assertTrue(abort.toString(StandardCharsets.UTF_8).contains("rank 1 has not attached"), "no reason in it");
        abort.release();
    }

    @Test
    void shouldRunOnWhenAllHaveAttachedEvenIfOneHasLeft() throws IOException {
        start(2);
        still.life().goodbye(attach(0));
        attach(1);
        passTime(10 * TIMEOUT_S, TimeUnit.SECONDS);
        assertFalse(still.life().termination().isDone());
    }
}

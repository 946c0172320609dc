package org.tributary.client.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.tributary.client.error.JobAbortedException;

/** Threads in calls of a rank while another one has it leave. */
class CallsTest {
    private static final long LONG_NS = TimeUnit.HOURS.toNanos(1);
    private static final Runnable NOBODY_SLEEPS = () -> { };

    private final Calls calls = new Calls(7);

    @Test
    void shouldWaitUntilCallsHaveEnded() {
        calls.begin();
        AtomicInteger woken = new AtomicInteger();
        assertEquals(0, calls.stop(LONG_NS, () -> {
            if (woken.incrementAndGet() == 3) {
                calls.end();
            }
        }));
        assertEquals(3, woken.get());
    }

    @Test
    void shouldSayHowManyHaveNotEndedWhenTheTimeIsOver() {
        calls.begin();
        calls.begin();
        assertEquals(2, calls.stop(1, NOBODY_SLEEPS));
    }

    @Test
    void shouldEndCallsOfOthersButNotOfTheThreadThatLeaves() {
        AtomicInteger letGo = new AtomicInteger();
        calls.beforeEnding(letGo::incrementAndGet);
        calls.check();
        assertFalse(calls.isLeaving());
        calls.stop(LONG_NS, NOBODY_SLEEPS);
        assertTrue(calls.isLeaving());
        calls.begin();
        calls.check();
        calls.end();
        assertEquals(0, letGo.get());
        CompletionException thrown = assertThrows(CompletionException.class,
            CompletableFuture.runAsync(calls::begin)::join);
        assertEquals("rank 7 leaves the job: another thread has called Gas.close", thrown.getCause().getMessage());
        assertEquals(1, letGo.get());
        assertEquals(0, calls.stop(1, NOBODY_SLEEPS), "a call that was refused has not begun");
    }

    @Test
    void shouldRefuseEverybodyWhenTheRankHasLeft() {
        calls.stop(LONG_NS, NOBODY_SLEEPS);
        calls.refuseAll();
        assertEquals("rank 7 has left the job: Gas.close has been called",
            assertThrows(JobAbortedException.class, calls::begin).getMessage());
        assertThrows(CompletionException.class, CompletableFuture.runAsync(calls::check)::join);
    }

    @Test
    void shouldBlameNobodyWhenTheProcessEnds() {
        calls.endWithProcess();
        calls.stop(LONG_NS, NOBODY_SLEEPS);
        CompletionException thrown = assertThrows(CompletionException.class,
            CompletableFuture.runAsync(calls::begin)::join);
        assertEquals("rank 7 leaves the job: its process ends", thrown.getCause().getMessage());
        calls.refuseAll();
        assertEquals("rank 7 has left the job: its process ends",
            assertThrows(JobAbortedException.class, calls::begin).getMessage());
    }

    /** Either the call is refused, or it is waited for. */
    @Test
    void shouldNeverBeAloneWithACallWhenBothBeginAtOnce() throws InterruptedException {
        for (int round = 0; round < 500; round++) {
            Calls own = new Calls(round);
            CountDownLatch both = new CountDownLatch(2);
            AtomicInteger inside = new AtomicInteger();
            CompletableFuture<Void> call = CompletableFuture.runAsync(() -> {
                both.countDown();
                own.begin();
                inside.set(1);
                Thread.onSpinWait();
                inside.set(0);
                own.end();
            });
            both.countDown();
            both.await();
            assertEquals(0, own.stop(LONG_NS, NOBODY_SLEEPS));
            assertEquals(0, inside.get());
            call.handle((nothing, refused) -> refused).join();
        }
    }
}

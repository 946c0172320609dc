package org.tributary.client.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.tributary.client.connection.MemoryTransport;
import org.tributary.client.connection.ServerLink;

class FarewellTest {
    /** As a thread that has the lock, and that a busy machine does not let run. */
    private static final long HELD_NS = TimeUnit.MILLISECONDS.toNanos(1500);

    private final Rank rank = new Rank();
    private final ServerLink link = rank.link(0, new MemoryTransport());
    private final DeferredSender sender = new DeferredSender(rank.lock(), rank.deferred(), rank.failure(), 0);
    private final Router router = new Router(rank.lock(), node -> node, new Connector() {
        @Override
        public Admitted connectToServer(int node) {
            throw new AssertionError();
        }

        @Override
        public Admitted openDirect(int node) {
            throw new AssertionError();
        }

        @Override
        public void end() {
            // Nothing is opened.
        }
    }, null, null, rank.waitLoop(), rank.failure(), System::nanoTime);
    private final Farewell farewell = new Farewell(rank.lock(), List.of(link), router, rank.waitLoop(),
        rank.readiness(), sender, rank.failure(), 0);

    /** Without a goodbye the rank would pass for dead, and the job fail. */
    @Test
    void shouldSayGoodbyeWhenAnotherThreadHasTheLockForAWhile() throws InterruptedException, IOException {
        CountDownLatch held = new CountDownLatch(1);
        AtomicInteger announced = new AtomicInteger();
        Thread holder = Thread.ofPlatform().daemon().start(() -> {
            rank.lock().lock();
            held.countDown();
            LockSupport.parkNanos(HELD_NS);
            rank.lock().unlock();
        });
        held.await();
        assertTrue(farewell.leave(announced::incrementAndGet, () -> true));
        assertEquals(1, announced.get());
        holder.join();
    }

    /** Its call has been awaited for that long already. */
    @Test
    void shouldHaveNoPatienceWithTheLockWhenItWasKeptWhileCallsWereAwaited() throws InterruptedException {
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch ends = new CountDownLatch(1);
        Thread holder = Thread.ofPlatform().daemon().start(() -> {
            rank.lock().lock();
            held.countDown();
            Uninterrupted.await(Long.MAX_VALUE, leftNs -> ends.await(leftNs, TimeUnit.NANOSECONDS));
            rank.lock().unlock();
        });
        held.await();
        farewell.lookAtLock();
        assertEquals(Calls.PATIENCE_NS, farewell.lockPatienceNs());
        farewell.haveAwaitedCalls();
        assertTrue(farewell.lockPatienceNs() < Calls.PATIENCE_NS);
        assertFalse(farewell.withLock(() -> { }));
        ends.countDown();
        holder.join();
        assertTrue(farewell.leave(() -> { }, () -> true));
    }

    @Test
    void shouldHavePatienceWithTheLockWhenItWasFreeWhileCallsWereAwaited() {
        farewell.lookAtLock();
        farewell.haveAwaitedCalls();
        assertEquals(Calls.PATIENCE_NS, farewell.lockPatienceNs());
        assertTrue(farewell.leave(() -> { }, () -> true));
    }
}

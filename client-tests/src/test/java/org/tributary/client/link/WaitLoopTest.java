package org.tributary.client.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.client.connection.Answers;
import org.tributary.client.connection.Awaited;
import org.tributary.client.connection.ChannelFacts;
import org.tributary.client.connection.MemoryTransport;
import org.tributary.client.connection.PendingReply;
import org.tributary.client.connection.RequestChannel;
import org.tributary.client.connection.ServerLink;
import org.tributary.client.error.GasException;
import org.tributary.client.error.JobAbortedException;
import org.tributary.wire.shm.SharedFile;
import org.tributary.wire.shm.Trace;
import org.tributary.wire.shm.TraceLayout;
import org.tributary.wire.shm.WaitKind;

/** A waiting thread reads connections that are awaited or ready, however many others there are. */
class WaitLoopTest {
    private static final int MANY = 1000;

    private final Answers answers = new Answers();
    private final List<MemoryTransport> transports = new ArrayList<>();
    private final List<ServerLink> links = new ArrayList<>();

    private Rank connect(Rank rank, int count) {
        for (int node = 0; node < count; node++) {
            MemoryTransport transport = new MemoryTransport();
            transports.add(transport);
            links.add(rank.link(node, transport));
        }
        return rank;
    }

    private int reads() {
        return transports.stream().mapToInt(MemoryTransport::reads).sum();
    }

    @Test
    void shouldReadOnlyTheAwaitedConnectionWhenItSpins() {
        Rank rank = connect(new Rank(Thread.currentThread(), TimeUnit.HOURS.toNanos(1), System::nanoTime), MANY);
        PendingReply reply = links.get(7).expect(null);
        CompletableFuture<Void> waits = CompletableFuture.runAsync(() -> rank.waitLoop().await(reply, links.get(7)));
        await(() -> transports.get(7).reads() > 100);
        transports.get(7).arrive(answers.value(0, 42));
        waits.join();
        assertEquals(42, reply.value());
        assertEquals(transports.get(7).reads(), reads());
        assertEquals(0, rank.readiness().selections());
    }

    /** How often the clock is looked at until an answer comes, which it does at the fifth look. */
    private int looks(long stepNs, Trace trace) {
        AtomicInteger looks = new AtomicInteger();
        links.clear();
        transports.clear();
        Rank rank = connect(new Rank(Thread.currentThread(), TimeUnit.HOURS.toNanos(1), () -> {
            if (looks.incrementAndGet() == 5) {
                transports.getFirst().arrive(answers.value(0, 42));
            }
            return looks.get() * stepNs;
        }), 1);
        rank.waitLoop().waits().record(trace);
        PendingReply reply = links.getFirst().expect(null);
        rank.waitLoop().await(reply, links.getFirst());
        assertEquals(42, reply.value());
        return looks.get();
    }

    @Test
    void shouldLookAtTheClockOnceMoreOnlyWhenItRecordsAndHasWaitedLong(@TempDir Path folder) throws Exception {
        Trace trace = Trace.create(folder, "job", 0, 0, 1);
        MemorySegment file = SharedFile.map(TraceLayout.file(folder, "job", 0), Arena.ofAuto());
        int unrecorded = looks(TimeUnit.MICROSECONDS.toNanos(1), null);
        assertEquals(unrecorded, looks(TimeUnit.MICROSECONDS.toNanos(1), trace));
        assertEquals(0, file.get(ValueLayout.JAVA_LONG, TraceLayout.NEXT_OFFSET));
        assertEquals(unrecorded + 1, looks(TimeUnit.MICROSECONDS.toNanos(20), trace));
        assertEquals(1, file.get(ValueLayout.JAVA_LONG, TraceLayout.NEXT_OFFSET));
        assertEquals(TraceLayout.WAIT + WaitKind.ANSWER.ordinal(), file.get(ValueLayout.JAVA_INT,
            TraceLayout.RECORDS_OFFSET + TraceLayout.KIND_OFFSET));
    }

    @Test
    void shouldReadOnlyReadyConnectionsWhenItWakesUp() {
        Rank rank = connect(new Rank(), MANY);
        PendingReply reply = links.get(7).expect(null);
        CompletableFuture<Void> waits = CompletableFuture.runAsync(() -> rank.waitLoop().await(reply, links.get(7)));
        await(() -> rank.readiness().selections() > 0);
        transports.get(8).arrive(answers.ack(0));
        transports.get(7).arrive(answers.value(0, 42));
        waits.join();
        assertTrue(transports.get(8).reads() <= 2, () -> transports.get(8).reads() + " reads");
        assertEquals(transports.get(7).reads() + transports.get(8).reads(), reads());
    }

    @Test
    void shouldReadOnlyConnectionsWithAnswersDueWhenAnythingIsAwaited() {
        Rank rank = connect(new Rank(Thread.currentThread(), TimeUnit.HOURS.toNanos(1), System::nanoTime), MANY);
        PendingReply one = links.get(3).expect(null);
        PendingReply other = links.get(4).expect(null);
        CompletableFuture<Void> waits = CompletableFuture.runAsync(
            () -> rank.waitLoop().await(() -> one.isDone() && other.isDone(), null));
        await(() -> transports.get(3).reads() > 100);
        transports.get(3).arrive(answers.value(0, 1));
        transports.get(4).arrive(answers.value(0, 2));
        waits.join();
        assertEquals(transports.get(3).reads() + transports.get(4).reads(), reads());
    }

    @Test
    void shouldReadOnlyReadyConnectionsWhenAnswersAreDueOnMany() {
        Rank rank = connect(new Rank(Thread.currentThread(), TimeUnit.HOURS.toNanos(1), System::nanoTime), MANY);
        links.forEach(link -> link.expect(null));
        PendingReply last = links.get(MANY - 1).expect(null);
        CompletableFuture<Void> waits = CompletableFuture.runAsync(() -> rank.waitLoop().await(last, null));
        await(() -> rank.readiness().selections() > 100);
        for (int node = 10; node < 20; node++) {
            transports.get(node).arrive(answers.value(0, node));
        }
        transports.get(MANY - 1).arrive(Answers.join(answers.value(0, 1), answers.value(1, 2)));
        waits.join();
        assertTrue(reads() <= 12, () -> reads() + " reads");
    }

    /** Whoever left early would do so with memory in use that the answer goes to. */
    @Test
    void shouldSleepUntilTheAnswerComesWhenInterrupted() {
        Rank rank = connect(new Rank(), 2);
        List<CompletableFuture<Boolean>> waits = new ArrayList<>();
        for (int node = 0; node < 2; node++) { // one sleeps in the kernel, the other hears from it
            ServerLink link = links.get(node);
            PendingReply reply = link.expect(null);
            waits.add(CompletableFuture.supplyAsync(() -> {
                Thread.currentThread().interrupt();
                rank.waitLoop().await(reply, link);
                return Thread.interrupted();
            }, task -> Thread.ofPlatform().daemon().start(task)));
            await(() -> rank.readiness().selections() > 0);
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        for (int node = 1; node >= 0; node--) {
            transports.get(node).arrive(answers.value(0, node));
            assertTrue(waits.get(node).join());
        }
        assertTrue(rank.readiness().selections() <= 100, () -> rank.readiness().selections() + " selections");
    }

    /** One sleeps in the kernel and reads for a thousand that wait for connections of their own. */
    @Test
    void shouldServeEverybodyWhenManyThreadsWait() throws Exception {
        Rank rank = connect(new Rank(), 8);
        List<CompletableFuture<Void>> waits = new ArrayList<>();
        List<PendingReply> replies = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (ServerLink link : links) {
            PendingReply reply = link.expect(null);
            replies.add(reply);
            CompletableFuture<Void> wait = new CompletableFuture<>();
            waits.add(wait);
            threads.add(Thread.ofPlatform().start(() -> {
                rank.waitLoop().await(reply, link);
                wait.complete(null);
            }));
        }
        for (int node = 7; node >= 0; node--) {
            transports.get(node).arrive(answers.value(0, node));
            waits.get(node).get(200, TimeUnit.SECONDS);
            assertEquals(node, replies.get(node).value());
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** The thread that sleeps in the kernel finds that a connection broke, and all hear of it at once. */
    @Test
    void shouldTellEverybodyWhenAConnectionBreaks() throws InterruptedException, TimeoutException {
        Rank rank = connect(new Rank(), 3);
        PendingReply first = links.get(0).expect(null);
        PendingReply second = links.get(1).expect(null);
        CompletableFuture<Void> one = CompletableFuture.runAsync(() -> rank.waitLoop().await(first, links.get(0)));
        await(() -> rank.readiness().selections() > 0);
        CompletableFuture<Void> other = CompletableFuture.runAsync(() -> rank.waitLoop().await(second, links.get(1)));
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        transports.get(2).end();
        for (CompletableFuture<Void> wait : List.of(one, other)) {
            ExecutionException thrown = assertThrows(ExecutionException.class, () -> wait.get(200, TimeUnit.SECONDS));
            assertEquals(JobAbortedException.class, thrown.getCause().getClass());
            assertTrue(thrown.getCause().getMessage().contains("node 2"), thrown::toString);
        }
    }

    /** Is busy until it has been polled so often. */
    private static final class Counted implements NetworkAdapter {
        private final int until;
        private volatile int polls;
        private volatile int looks;
        private volatile int naps;

        Counted(int until) {
            this.until = until;
        }

        @Override
        public boolean isBusy() {
            return polls < until;
        }

        @Override
        public boolean isBusy(int node) {
            return isBusy();
        }

        @Override
        public Awaited allSoFar(int node) {
            return () -> !isBusy();
        }

        @Override
        public boolean poll() {
            polls = polls + 1;
            return polls == until;
        }

        @Override
        public RequestChannel openChannel(ServerLink link, ChannelFacts facts) {
            throw new AssertionError("nobody asks");
        }

        @Override
        public int flushesBeforeAsking() {
            return Integer.MAX_VALUE;
        }

        @Override
        public void nap(long longestNs) {
            naps = naps + 1;
            LockSupport.parkNanos(longestNs);
        }

        @Override
        public void lookAtServers() {
            looks = looks + 1;
        }

        @Override
        public void letGo(GasException why) {
            throw new AssertionError("nobody leaves");
        }

        @Override
        public void close() {
            throw new AssertionError("nobody leaves");
        }
    }

    @Test
    void shouldNapInsteadOfSleepingWhenTheAdapterIsBusy() {
        Rank rank = connect(new Rank(), 1);
        Counted adapter = new Counted(50);
        rank.waitLoop().setAdapter(adapter);
        rank.waitLoop().await(adapter.allSoFar(0), null);
        assertEquals(50, adapter.polls);
        assertTrue(adapter.looks > 10, () -> adapter.looks + " looks");
        assertTrue(adapter.naps > 10, () -> adapter.naps + " naps");
        assertEquals(0, rank.readiness().selections());
    }

    /** Nothing but naps wakes up for the adapter, and so a thread that sleeps has to hear when it begins. */
    @Test
    void shouldMakeProgressWhenTheAdapterBeginsWhileSomebodySleeps() throws Exception {
        Rank rank = connect(new Rank(), 1);
        PendingReply reply = links.get(0).expect(null);
        CompletableFuture<Void> waits = CompletableFuture.runAsync(() -> rank.waitLoop().await(reply, links.get(0)));
        await(() -> rank.readiness().selections() > 0);
        Counted adapter = new Counted(20);
        rank.lock().lock();
        try {
            rank.waitLoop().setAdapter(adapter);
            rank.waitLoop().arrived();
        } finally {
            rank.lock().unlock();
        }
        await(() -> !adapter.isBusy());
        transports.get(0).arrive(answers.value(0, 42));
        waits.get(200, TimeUnit.SECONDS);
        assertEquals(42, reply.value());
    }

    @Test
    void shouldThrowWhenTheJobFails() {
        Rank rank = connect(new Rank(), 1);
        PendingReply reply = links.get(0).expect(null);
        CompletableFuture<Void> waits = CompletableFuture.runAsync(() -> rank.waitLoop().await(reply, links.get(0)));
        await(() -> rank.readiness().selections() > 0);
        rank.failure().fail("the test says so");
        ExecutionException thrown = assertThrows(ExecutionException.class, () -> waits.get(200, TimeUnit.SECONDS));
        assertEquals("the test says so", thrown.getCause().getMessage());
    }

    @Test
    void shouldLookAfterHostsWhileItSpins() {
        Rank rank = connect(new Rank(Thread.currentThread(), TimeUnit.HOURS.toNanos(1), System::nanoTime), 1);
        PendingReply reply = links.get(0).expect(null);
        CompletableFuture<Void> waits = CompletableFuture.runAsync(() -> rank.waitLoop().await(reply, links.get(0)));
        await(() -> rank.looks() > 10);
        transports.get(0).arrive(answers.value(0, 1));
        waits.join();
    }

    private static void await(java.util.function.BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(100_000);
        }
    }

    /** The adapter reads into memory of a thread, which may free it when its call ends. */
    @Test
    void shouldNotEndACallBeforeItsTransferWhenTheRankLeaves() throws Exception {
        Rank rank = connect(new Rank(), 1);
        AtomicBoolean hasEnded = new AtomicBoolean();
        CountDownLatch waits = new CountDownLatch(1);
        Awaited transfer = new Awaited() {
            @Override
            public boolean isDone() {
                waits.countDown();
                return hasEnded.get();
            }

            @Override
            public boolean holdsCaller() {
                return true;
            }
        };
        CompletableFuture<Void> call = CompletableFuture.runAsync(() -> rank.waitLoop().await(transfer, null));
        waits.await();
        assertEquals(1, rank.failure().calls().stop(TimeUnit.MILLISECONDS.toNanos(20), () -> { }));
        assertFalse(call.isDone());
        hasEnded.set(true);
        rank.failure().wakeWaiting();
        call.get(200, TimeUnit.SECONDS);
    }

    /** Its operation has begun before. */
    @Test
    void shouldWaitForATransferWhenTheRankHasBegunToLeave() {
        Rank rank = connect(new Rank(), 1);
        Counted adapter = new Counted(3);
        rank.waitLoop().setAdapter(adapter);
        CompletableFuture.runAsync(() -> rank.failure().calls().stop(0, () -> { })).join();
        rank.waitLoop().await(new Awaited() {
            @Override
            public boolean isDone() {
                return !adapter.isBusy();
            }

            @Override
            public boolean holdsCaller() {
                return true;
            }
        }, null);
        assertEquals(3, adapter.polls);
        assertThrows(JobAbortedException.class, () -> rank.waitLoop().await(() -> true, null));
    }

    /** Closing has waited for it in vain. */
    @Test
    void shouldEndACallBeforeItsTransferWhenTheRankHasLeft() throws Exception {
        Rank rank = connect(new Rank(), 1);
        CountDownLatch waits = new CountDownLatch(1);
        Awaited never = new Awaited() {
            @Override
            public boolean isDone() {
                waits.countDown();
                return false;
            }

            @Override
            public boolean holdsCaller() {
                return true;
            }
        };
        CompletableFuture<Void> call = CompletableFuture.runAsync(() -> rank.waitLoop().await(never, null));
        waits.await();
        rank.failure().calls().stop(0, () -> { });
        rank.failure().calls().refuseAll();
        rank.failure().wakeWaiting();
        ExecutionException thrown = assertThrows(ExecutionException.class, () -> call.get(200, TimeUnit.SECONDS));
        assertEquals(JobAbortedException.class, thrown.getCause().getClass());
    }
}

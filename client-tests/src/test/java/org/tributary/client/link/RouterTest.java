package org.tributary.client.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.tributary.client.connection.Answers;
import org.tributary.client.connection.MemoryTransport;
import org.tributary.client.connection.ServerLink;
import org.tributary.client.error.AttachException;
import org.tributary.client.error.GasException;
import org.tributary.client.error.JobAbortedException;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.cooperation.CooperationOptions;

/** A connection that takes long to open holds up threads that need it, and no others. */
class RouterTest {
    private static final int BULK = 1 << 20;

    private final Rank rank = new Rank();
    private final Answers answers = new Answers();
    private final AtomicLong clockNs = new AtomicLong(TimeUnit.HOURS.toNanos(1));
    private final Gates gates = new Gates();
    private final List<String> turnedAway = new ArrayList<>();
    private final Map<ServerLink, MemoryTransport> transports = new ConcurrentHashMap<>();
    private Router router;

    /** Each attempt to connect to a node ends when the test says so. */
    private final class Gates implements Connector {
        private final Map<Integer, CompletableFuture<Void>> gates = new ConcurrentHashMap<>();
        private final AtomicInteger attempts = new AtomicInteger();
        private volatile boolean ended;

        CompletableFuture<Void> shut(int node) {
            CompletableFuture<Void> gate = new CompletableFuture<>();
            gates.put(node, gate);
            return gate;
        }

        @Override
        public Admitted connectToServer(int node) {
            attempts.incrementAndGet();
            assertFalse(rank.lock().isHeldByCurrentThread(), "the lock is held");
            CompletableFuture<Void> gate = gates.get(node);
            try {
                if (gate != null) {
                    gate.get(200, TimeUnit.SECONDS);
                }
            } catch (ExecutionException e) {
                throw (RuntimeException) e.getCause();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AttachException("interrupted", e);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            return new Admitted(new MemoryTransport(), Rank.MAX_PAYLOAD);
        }

        @Override
        public Admitted openDirect(int node) {
            try {
                return connectToServer(node);
            } catch (GasException e) {
                return null;
            }
        }

        @Override
        public void end() {
            ended = true;
        }
    }

    private final class Adopter implements Router.Adopter {
        @Override
        public ServerLink adopt(int node, Connector.Admitted admitted, ServerLink retired) {
            ServerLink link = rank.link(node, (MemoryTransport) admitted.transport());
            transports.put(link, (MemoryTransport) admitted.transport());
            return link;
        }

        @Override
        public void turnAway(int node, Connector.Admitted admitted, boolean isDirect) {
            turnedAway.add(node + (isDirect ? " direct" : ""));
        }
    }

    /** Every request goes to its target's server. */
    private Router direct() {
        router = new Router(rank.lock(), node -> node, gates, new Adopter(), null, rank.waitLoop(), rank.failure(),
            clockNs::get);
        return router;
    }

    /** Every request goes through the server of node 0, or directly. */
    private Router cooperating(int direct) {
        Settings settings = Settings.builder().set("cooperation.mode=forward").set("cooperation.group-size=4")
            .set("cooperation.direct-connections=" + direct).build();
        CooperationOptions options = CooperationOptions.of(settings, Topology.parse("16*1"));
        router = new Router(rank.lock(), node -> 0, gates, new Adopter(), new DirectLinks(options), rank.waitLoop(),
            rank.failure(), clockNs::get);
        locked(() -> router.connectTo(0));
        return router;
    }

    private <T> T locked(java.util.function.Supplier<T> action) {
        rank.lock().lock();
        try {
            return action.get();
        } finally {
            rank.lock().unlock();
        }
    }

    private CompletableFuture<ServerLink> elsewhere(IntFunction<ServerLink> action, int node) {
        return CompletableFuture.supplyAsync(() -> locked(() -> action.apply(node)),
            task -> Thread.ofPlatform().daemon().start(task));
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(100_000);
        }
    }

    @Test
    void shouldHoldUpNobodyElseWhenAConnectionIsOpened() {
        direct();
        CompletableFuture<Void> gate = gates.shut(1);
        CompletableFuture<ServerLink> slow = elsewhere(router::connectTo, 1);
        await(() -> gates.attempts.get() == 1);
        ServerLink other = locked(() -> router.connectTo(2));
        assertEquals(2, other.node());
        assertFalse(slow.isDone());
        gate.complete(null);
        assertEquals(1, slow.join().node());
    }

    @Test
    void shouldOpenOneConnectionWhenSeveralThreadsNeedIt() {
        direct();
        CompletableFuture<Void> gate = gates.shut(1);
        List<CompletableFuture<ServerLink>> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            all.add(elsewhere(router::connectTo, 1));
        }
        await(() -> gates.attempts.get() == 1);
        gate.complete(null);
        ServerLink link = all.get(0).join();
        all.forEach(each -> assertSame(link, each.join()));
        assertEquals(1, gates.attempts.get());
    }

    @Test
    void shouldTellEverybodyWhenAConnectionCannotBeOpened() {
        direct();
        CompletableFuture<Void> gate = gates.shut(1);
        CompletableFuture<ServerLink> first = elsewhere(router::connectTo, 1);
        await(() -> gates.attempts.get() == 1);
        CompletableFuture<ServerLink> second = elsewhere(router::connectTo, 1);
        await(() -> locked(() -> rank.lock().hasWaiters(router.condition())));
        gate.completeExceptionally(new AttachException("node 1 does not listen", null));
        for (CompletableFuture<ServerLink> each : List.of(first, second)) {
            ExecutionException thrown = assertThrows(ExecutionException.class, () -> each.get(200, TimeUnit.SECONDS));
            assertInstanceOf(AttachException.class, thrown.getCause());
            assertEquals("node 1 does not listen", thrown.getCause().getMessage());
        }
        assertEquals(1, gates.attempts.get());
        gates.gates.clear();
        assertEquals(1, locked(() -> router.connectTo(1)).node()); // the next one tries again
    }

    @Test
    void shouldConnectAllTheSameWhenTheThreadThatOpensAConnectionForAllIsInterrupted() {
        direct();
        CompletableFuture<Void> gate = gates.shut(1);
        CompletableFuture<Thread> opener = new CompletableFuture<>();
        CompletableFuture<ServerLink> first = elsewhere(node -> {
            opener.complete(Thread.currentThread());
            return router.connectTo(node);
        }, 1);
        await(() -> gates.attempts.get() == 1);
        CompletableFuture<ServerLink> second = elsewhere(router::connectTo, 1);
        await(() -> locked(() -> rank.lock().hasWaiters(router.condition())));
        gates.gates.clear();
        opener.join().interrupt();
        ExecutionException thrown = assertThrows(ExecutionException.class, () -> first.get(200, TimeUnit.SECONDS));
        assertEquals("interrupted", thrown.getCause().getMessage());
        assertEquals(1, second.join().node());
        assertEquals(2, gates.attempts.get());
        assertFalse(gate.isDone());
    }

    @Test
    void shouldEndTheWaitWhenTheJobFails() {
        direct();
        CompletableFuture<Void> gate = gates.shut(1);
        CompletableFuture<ServerLink> slow = elsewhere(router::connectTo, 1);
        await(() -> gates.attempts.get() == 1);
        CompletableFuture<ServerLink> waits = elsewhere(router::connectTo, 1);
        rank.failure().fail("the test says so");
        ExecutionException thrown = assertThrows(ExecutionException.class, () -> waits.get(200, TimeUnit.SECONDS));
        assertInstanceOf(JobAbortedException.class, thrown.getCause());
        gate.complete(null);
        slow.join();
    }

    @Test
    void shouldTurnAwayWhatComesWhenTheRankHasLeft() {
        direct();
        CompletableFuture<Void> gate = gates.shut(1);
        CompletableFuture<ServerLink> slow = elsewhere(router::connectTo, 1);
        await(() -> gates.attempts.get() == 1);
        CompletableFuture<Void> closes = CompletableFuture.runAsync(() -> {
            rank.lock().lock();
            try {
                router.close(Long.MAX_VALUE);
            } finally {
                rank.lock().unlock();
            }
        });
        await(() -> gates.ended);
        assertFalse(closes.isDone());
        gate.complete(null);
        closes.join();
        assertThrows(ExecutionException.class, () -> slow.get(200, TimeUnit.SECONDS));
        assertEquals(List.of("1"), turnedAway);
        assertThrows(JobAbortedException.class, () -> locked(() -> router.connectTo(2)));
        assertEquals(1, gates.attempts.get());
    }

    @Test
    void shouldTakeTheRouteWhileADirectConnectionIsOpened() {
        cooperating(2);
        ServerLink route = locked(() -> router.connectTo(5));
        CompletableFuture<Void> gate = gates.shut(5);
        CompletableFuture<ServerLink> slow = elsewhere(node -> router.connectTo(node, BULK), 5);
        await(() -> gates.attempts.get() == 2);
        assertSame(route, locked(() -> router.connectTo(5, BULK)));
        assertSame(route, locked(() -> router.connectTo(6, BULK))); // one at a time
        gate.complete(null);
        assertNotSame(route, slow.join());
        assertSame(slow.join(), locked(() -> router.connectTo(5, BULK)));
        assertEquals(2, gates.attempts.get());
    }

    /** What went along the route meanwhile has been executed before anything goes directly. */
    @Test
    void shouldWaitForWhatIsUnderWayWhenTheWayChanges() throws Exception {
        cooperating(2);
        ServerLink route = locked(() -> router.connectTo(5));
        CompletableFuture<Void> gate = gates.shut(5);
        CompletableFuture<ServerLink> slow = elsewhere(node -> router.connectTo(node, BULK), 5);
        await(() -> gates.attempts.get() == 2);
        rank.lock().lock();
        try {
            router.connectTo(5).writer().notifyRank(5);
            route.issuedOneWay(false, true);
        } catch (java.io.IOException e) {
            throw new IllegalStateException(e);
        } finally {
            rank.lock().unlock();
        }
        gate.complete(null);
        await(() -> transports.get(route).written().length > 0); // a fence
        assertFalse(slow.isDone());
        transports.get(route).arrive(answers.ack(1));
        assertEquals(5, slow.get(200, TimeUnit.SECONDS).node());
    }

    @Test
    void shouldKeepTheRouteWhenNoConnectionIsAdmitted() {
        cooperating(2);
        gates.shut(5).completeExceptionally(new AttachException("contended", null));
        ServerLink route = locked(() -> router.connectTo(5));
        assertSame(route, locked(() -> router.connectTo(5, BULK)));
        assertSame(route, locked(() -> router.connectTo(5, BULK)));
        assertEquals(2, gates.attempts.get(), "asked again too soon");
    }

    @Test
    void shouldGiveThePlaceOfTheLeastUsedToAnother() {
        cooperating(1);
        ServerLink first = locked(() -> router.connectTo(5, BULK));
        ServerLink second = locked(() -> router.connectTo(6, BULK));
        assertEquals(5, first.node());
        assertEquals(6, second.node());
        assertFalse(transports.get(first).isOpen());
        assertEquals(0, locked(() -> router.connectTo(5)).node());
        clockNs.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertEquals(5, locked(() -> router.connectTo(5, BULK)).node());
        assertFalse(transports.get(second).isOpen());
    }

    @Test
    void shouldGoBackToTheRouteWhenTheServerSaysSo() {
        cooperating(1);
        ServerLink direct = locked(() -> router.connectTo(5, BULK));
        locked(() -> {
            router.takeRoute(5);
            return null;
        });
        clockNs.addAndGet(1);
        assertEquals(0, locked(() -> router.connectTo(5, BULK)).node());
        assertFalse(transports.get(direct).isOpen());
    }
}

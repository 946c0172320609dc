package org.tributary.server.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.tributary.config.Settings;
import org.tributary.fabric.Domain;
import org.tributary.fabric.Endpoint;
import org.tributary.fabric.FabricException;
import org.tributary.fabric.Provider;
import org.tributary.fabric.Region;
import org.tributary.server.observe.ServerLog;
import org.tributary.server.observe.ServerMetrics;
import org.tributary.server.testing.AdapterClient;
import org.tributary.server.testing.ServerLogLines;
import org.tributary.testsupport.ExpectsErrors;

/** What an adapter tells the loop of its server. */
class NodeAdapterTest {
    private static final long DEADLINE_S = 200;

    private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private final List<Throwable> faults = new ArrayList<>();

    private NodeAdapter open(BiFunction<Endpoint, MemorySegment, Region> registering) {
        AdapterClient.assumeFabric();
        return NodeAdapter.open(AdapterClient.provider(AdapterClient.first()), 0, Settings.defaults(), tasks::add,
            new ServerMetrics(0), new ServerLog(0), faults::add, Domain::open, registering);
    }

    /** One that says that it is cxi; what it moves goes by the provider of the tests. */
    private NodeAdapter openAsCxi() {
        AdapterClient.assumeFabric();
        Provider real = AdapterClient.provider(AdapterClient.first());
        Provider cxi = new Provider("cxi", "cxi0", null, true, 0, 1 << 30, 8, 64, false, false, true, false, 8);
        return NodeAdapter.open(cxi, 0, Settings.defaults(), tasks::add, new ServerMetrics(0), new ServerLog(0),
            faults::add, each -> Domain.open(real), Endpoint::register);
    }

    private void runNext() throws InterruptedException {
        tasks.poll(DEADLINE_S, TimeUnit.SECONDS).run();
    }

    @Test
    void shouldTellKeysWhenMemoryIsRegistered() throws Exception {
        try (Arena arena = Arena.ofConfined(); NodeAdapter adapter = open(Endpoint::register)) {
            List<String> told = new ArrayList<>();
            adapter.register(3, arena.allocate(4096), () -> told.add("registered"));
            assertTrue(adapter.has(3) && adapter.key(3) == null);
            runNext();
            assertEquals(4096, adapter.key(3).bytes());
            adapter.close(3, () -> told.add("closed"));
            assertFalse(adapter.has(3));
            runNext();
            adapter.close(4, () -> told.add("unknown"));
            assertEquals(List.of("registered", "closed", "unknown"), told);
            assertEquals(List.of(), faults);
        }
    }

    /** The number stays the same for a rank's part, and its count ends with the segment. */
    @Test
    void shouldTellNumbersWhenWritesAreToCount() throws Exception {
        try (NodeAdapter adapter = open(Endpoint::register)) {
            List<Integer> told = new ArrayList<>();
            for (int rank : new int[] {4, 5, 4}) {
                adapter.count(9, rank, () -> { }, told::add);
                runNext();
            }
            assertEquals(told.get(0), told.get(2));
            assertTrue(told.get(0) != NodeAdapter.NONE && !told.get(0).equals(told.get(1)), told::toString);
            assertTrue(adapter.has(9) && adapter.key(9) == null);
            adapter.close(9, () -> told.add(-1));
            runNext();
            assertEquals(-1, told.getLast());
            adapter.count(9, 4, () -> { }, told::add);
            runNext();
            assertFalse(told.subList(0, 2).contains(told.getLast()), told::toString);
            assertEquals(List.of(), faults);
        }
    }

    /** Counted puts and requests in blocks would end the job at their first write; messages carry both. */
    @Test
    void shouldCountNothingAndHaveNoBlocksWhenWritesCarryNoData() throws Exception {
        try (Arena arena = Arena.ofConfined(); NodeAdapter adapter = openAsCxi();
            NodeAdapter able = open(Endpoint::register)) {
            List<Integer> told = new ArrayList<>();
            adapter.count(9, 4, () -> { }, told::add);
            assertEquals(List.of(), told); // its caller is in the middle of a request
            runNext();
            assertEquals(List.of(NodeAdapter.NONE), told);
            assertFalse(adapter.has(9) || adapter.noticesRequests());
            assertTrue(able.noticesRequests());
            adapter.register(3, arena.allocate(4096), () -> { });
            runNext();
            assertEquals(4096, adapter.key(3).bytes()); // puts and gets have no need of data
        }
    }

    private static Provider gone() {
        String name = AdapterClient.provider(AdapterClient.first()).name();
        return new Provider(name, "gone", null, true, 0, 1 << 20, 4, 1, true, true, true, true, 8);
    }

    private static Region refuse(Endpoint endpoint, MemorySegment memory) {
        throw assertThrows(FabricException.class, () -> Domain.open(gone())); // as good as any
    }

    @Test
    @ExpectsErrors("the network adapter cannot use a segment of 8192 bytes: .*; messages carry its data")
    void shouldSayOnceAndGoOnWhenMemoryCannotBeRegistered() throws Exception {
        try (Arena arena = Arena.ofConfined(); ServerLogLines log = new ServerLogLines();
            NodeAdapter adapter = open(NodeAdapterTest::refuse)) {
            List<String> told = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                adapter.register(i, arena.allocate(8192), () -> told.add("told"));
                runNext();
                assertNull(adapter.key(i));
            }
            assertEquals(3, told.size());
            assertEquals(1, log.with("cannot use a segment").size());
            adapter.close(1, () -> told.add("closed"));
            runNext();
            assertEquals(4, told.size());
            assertEquals(List.of(), faults);
        }
    }

    @Test
    void shouldAnswerAtOnceWhenItIsClosed() throws Exception {
        NodeAdapter adapter = open(Endpoint::register);
        adapter.close();
        List<String> told = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            adapter.register(3, arena.allocate(4096), () -> told.add("registered"));
            adapter.close(3, () -> told.add("closed"));
            adapter.count(4, 0, () -> told.add("counted"), number -> told.add("number " + number));
            runNext(); // of the last one, which is asked in the middle of a request
        }
        assertEquals(List.of("registered", "closed", "number 0"), told);
        adapter.close();
    }

    /** What comes between the end of the endpoint and that of its thread is no fault, and no news. */
    @Test
    void shouldTellAndHaveNoFaultWhenItEndsMeanwhile() throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        NodeAdapter adapter = open((endpoint, memory) -> {
            await(mayEnd);
            return endpoint.register(memory);
        });
        Thread closing = Thread.ofPlatform().unstarted(adapter::close);
        List<String> told = new ArrayList<>();
        try (Arena arena = Arena.ofShared()) {
            adapter.register(3, arena.allocate(4096), () -> told.add("registered")); // holds up what follows
            closing.start();
            while (closing.getState() != Thread.State.TIMED_WAITING) { // for the end of the endpoint
                Thread.sleep(1);
            }
            adapter.register(4, arena.allocate(4096), () -> told.add("too late"));
            adapter.open(block -> told.add("block " + block));
            adapter.count(5, 1, () -> { }, number -> told.add("number " + (number != NodeAdapter.NONE)));
            mayEnd.countDown();
            for (int i = 0; i < 4; i++) {
                runNext();
            }
            closing.join();
        }
        assertEquals(List.of("registered", "too late", "block null", "number true"), told);
        assertNull(adapter.key(4));
        assertEquals(List.of(), faults);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldLeaveNothingOpenWhenTheProviderIsGone() throws InterruptedException {
        AdapterClient.assumeFabric();
        assertThrows(FabricException.class, () -> NodeAdapter.open(gone(), 7, Settings.defaults(), tasks::add,
            new ServerMetrics(7), new ServerLog(7), faults::add));
        assertTrue(AdapterClient.haveEnded("tributary-adapter-7"));
    }
}

package org.tributary.fabric;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.tributary.testsupport.TestedProviders;

/** Endpoints of one process that use each other's memory, all polled by the thread of the test. */
public final class Places implements AutoCloseable {
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(250);

    /** What an endpoint has been told. */
    public static final class Told implements CompletionHandler {
        final List<Integer> completed = new ArrayList<>();
        final List<Integer> arrived = new ArrayList<>();
        final List<Integer> failed = new ArrayList<>();
        FabricException reason;

        @Override
        public void completed(int context) {
            completed.add(context);
        }

        @Override
        public void arrived(int data) {
            arrived.add(data);
        }

        @Override
        public void failed(int context, FabricException why) {
            failed.add(context);
            reason = why;
        }
    }

    final Arena arena = Arena.ofConfined();
    final Domain domain;
    final Endpoint here;
    final Endpoint there;
    final Told toldHere = new Told();
    final Told toldThere = new Told();

    Places(FabricKind kind) {
        domain = Domain.open(provider(kind));
        here = domain.open();
        there = domain.open();
    }

    /** For tests of one provider alone. */
    public static FabricKind first() {
        return TestedProviders.first(FabricKind.class);
    }

    /** A provider on the interface that tests use; skips the calling test when it is not there. */
    public static Provider provider(FabricKind kind) {
        assumeTrue(Fabric.load().isPresent(), Fabric.load()::absence);
        List<Provider> found = Fabric.load().providers(kind, TestedProviders.ADDRESS);
        assertTrue(!found.isEmpty(), "no " + kind);
        return found.getFirst();
    }

    Region memory(Endpoint endpoint, long bytes) {
        return endpoint.register(arena.allocate(bytes, Long.BYTES));
    }

    RemoteRegion remote(Region region) {
        return here.peer(there.address()).region(region.key());
    }

    void poll() {
        here.poll(toldHere);
        there.poll(toldThere);
    }

    /** Polls until it is so. */
    void await(BooleanSupplier condition) {
        await(condition, this::poll);
    }

    /** Goes on until it is so; fails when that takes too long. */
    public static void await(BooleanSupplier condition, Runnable poll) {
        long begin = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - begin < DEADLINE_NS, "waited too long");
            poll.run();
        }
    }

    static byte[] bytes(MemorySegment memory) {
        return memory.toArray(ValueLayout.JAVA_BYTE);
    }

    @Override
    public void close() {
        domain.close();
        arena.close();
    }
}

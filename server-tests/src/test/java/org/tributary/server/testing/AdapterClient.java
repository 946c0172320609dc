package org.tributary.server.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.tributary.fabric.CompletionHandler;
import org.tributary.fabric.Domain;
import org.tributary.fabric.Endpoint;
import org.tributary.fabric.Fabric;
import org.tributary.fabric.FabricException;
import org.tributary.fabric.FabricKind;
import org.tributary.fabric.Provider;
import org.tributary.fabric.Region;
import org.tributary.fabric.RegionKey;
import org.tributary.fabric.RemoteRegion;
import org.tributary.testsupport.TestedProviders;
import org.tributary.wire.codec.RegionDecoder;

/** An endpoint that reads and writes memory of servers, one operation at a time. Of one thread. */
public final class AdapterClient implements CompletionHandler, AutoCloseable {
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(200);

    private final Arena arena = Arena.ofConfined();
    private final Domain domain;
    private final Endpoint endpoint;
    private final Region own;
    private boolean ended;
    private FabricException failure;

    /** With memory of so many bytes; skips the calling test without libfabric. */
    public AdapterClient(FabricKind kind, long bytes) {
        assumeFabric();
        domain = Domain.open(provider(kind));
        endpoint = domain.open();
        own = endpoint.register(arena.allocate(bytes, Long.BYTES));
    }

    /** Skips the calling test without libfabric. */
    public static void assumeFabric() {
        assumeTrue(Fabric.load().isPresent(), Fabric.load()::absence);
    }

    /** Whether threads with such names have ended, or end soon: their loops have, and they say so just before. */
    public static boolean haveEnded(String names) throws InterruptedException {
        boolean ended = true;
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            ended &= !thread.getName().startsWith(names) || thread.join(Duration.ofNanos(DEADLINE_NS));
        }
        return ended;
    }

    /** For tests of one provider alone. */
    public static FabricKind first() {
        return TestedProviders.first(FabricKind.class);
    }

    /** On the interface that tests use. */
    public static Provider provider(FabricKind kind) {
        return Fabric.load().providers(kind, TestedProviders.ADDRESS).getFirst();
    }

    /** What is written and read. */
    public MemorySegment memory() {
        return own.memory();
    }

    /** Copies of it. */
    public byte[] bytes(long from, long length) {
        return memory().asSlice(from, length).toArray(ValueLayout.JAVA_BYTE);
    }

    /** The region that a server tells. */
    public RemoteRegion region(RegionDecoder told) {
        RegionKey key = new RegionKey(told.start(), told.key(), told.bytes());
        told.provider();
        byte[] address = new byte[told.addressLength()];
        told.getAddress(address, 0, address.length);
        return endpoint.peer(address).region(key);
    }

    /** Writes from the beginning of the memory; null when it is there, otherwise why not. */
    public FabricException write(RemoteRegion region, long offset, long length) {
        return operate(() -> region.writeDelivered(offset, own, 0, length, 1));
    }

    /** Writes as above, and has it counted by a number. */
    public FabricException write(RemoteRegion region, long offset, long length, int number) {
        return operate(() -> region.writeDeliveredWithData(offset, own, 0, length, number, 1));
    }

    /** Reads to the beginning of the memory; null when it is there, otherwise why not. */
    public FabricException read(RemoteRegion region, long offset, long length) {
        return operate(() -> region.read(offset, own, 0, length, 1));
    }

    private FabricException operate(BooleanSupplier begin) {
        long beganNs = System.nanoTime();
        ended = false;
        failure = null;
        boolean begun = false;
        try {
            while (!ended) {
                begun = begun || begin.getAsBoolean();
                endpoint.poll(this);
                if (System.nanoTime() - beganNs > DEADLINE_NS) {
                    throw new AssertionError("an operation has not ended, begun: " + begun);
                }
            }
        } catch (FabricException e) {
            return e;
        }
        return failure;
    }

    @Override
    public void completed(int context) {
        ended = true;
    }

    @Override
    public void arrived(int data) {
        throw new AssertionError("nobody writes here");
    }

    @Override
    public void failed(int context, FabricException reason) {
        ended = true;
        failure = reason;
    }

    @Override
    public void close() {
        domain.close();
        arena.close();
    }
}

package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tributary.config.Topology;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.TestServers;
import org.tributary.wire.codec.ErrorCode;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.shm.SharedFile;

/** Memory that takes long to be reserved: only ranks that want it wait. */
class SlowAllocationTest {
    private static final long SLOW = 5;
    private static final long LENGTH = 1 << 20;

    private static final int ATTEMPTS = 20;

    private final Semaphore begun = new Semaphore(0);
    private final Semaphore cancelled = new Semaphore(0);
    private final Semaphore mayEnd = new Semaphore(0);
    private TestServers job;
    private RawClient rank0;
    private RawClient rank1;

    /** Makes the file, then takes its time. */
    private void reserve(Path file, long length, BooleanSupplier isCancelled) throws IOException {
        SharedFile.create(file, length);
        begun.release();
        try {
            while (!mayEnd.tryAcquire(10, TimeUnit.MILLISECONDS)) {
                if (isCancelled.getAsBoolean()) {
                    cancelled.release();
                    Files.delete(file);
                    throw new IOException("cancelled");
                }
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @BeforeEach
    void start() throws IOException {
        job = SlowServers.start(Topology.of(2, 1), this::reserve);
        rank0 = job.rank(0);
        rank1 = job.rank(1);
        rank0.send(Requests.all(Requests.allocate(1, SLOW, 0, 0, LENGTH), Requests.get(2, SLOW, 0, 8, 8),
            Requests.free(3, SLOW)));
        begun.acquireUninterruptibly();
    }

    @AfterEach
    void stop() throws IOException {
        rank0.close();
        rank1.close();
        job.close();
    }

    private void othersAreServed() throws IOException {
        try (RawClient remote = job.remote(2, 0)) {
            for (int i = 0; i < 20; i++) {
                assertEquals(1, rank1.ask(Requests.probe(8, 0)).value().value());
                remote.ask(Requests.get(1, 0, 0, 0, 8)).data();
            }
            remote.send(Requests.goodbye(2));
        }
    }

    @Test
    void shouldServeOthersAndKeepOrderWhenAllocationTakesLong() throws IOException {
        othersAreServed();
        assertEquals(ErrorCode.SEGMENT_UNKNOWN, rank1.ask(Requests.get(4, SLOW, 0, 8, 8)).error().code());
        assertEquals(ErrorCode.SEGMENT_UNKNOWN, rank1.ask(Requests.free(4, SLOW)).error().code());
        assertEquals(ErrorCode.BAD_REQUEST, rank1.ask(Requests.allocate(5, SLOW, 0, 0, 64)).error().code());
        mayEnd.release();
        assertEquals(1, rank0.receive().done());
        assertArrayEquals(new byte[8], rank0.receive().data());
        assertEquals(3, rank0.receive().done());
        assertFalse(Files.exists(new NodeDirectory(job.directory(0)).segment(SLOW)), "freed, and the file is there");
        mayEnd.release();
        assertEquals(7, rank1.ask(Requests.allocate(7, SLOW, 0, 0, 64)).done());
    }

    @Test
    void shouldLeaveNothingWhenServerClosesDuringAllocation() throws IOException {
        Path directory = job.directory(0);
        assertTrue(Files.exists(new NodeDirectory(directory).segment(SLOW)));
        job.server(0).close();
        assertTrue(cancelled.tryAcquire(), "did not cancel");
        assertFalse(Files.exists(directory));
    }

    @Test
    void shouldEndJobWhenRankDiesDuringItsAllocation() throws IOException {
        rank0.close();
        String reason = job.termination(0).reason();
        assertTrue(reason.startsWith("rank 0 (node 0"), reason);
        mayEnd.release();
        Path directory = job.directory(0);
        job.server(0).close();
        assertFalse(Files.exists(directory));
        assertTrue(job.log().with("internal error").isEmpty());
    }

    /** Gigabytes are cleared by the kernel at a few of them a second. */
    @Test
    void shouldServeOthersWhenGigabytesAreReserved() throws Exception {
        mayEnd.release();
        rank0.receive().done();
        rank0.receive().data();
        rank0.receive().done();
        try (TestServers real = TestServers.start(Topology.of(2)); RawClient large = real.rank(0);
            RawClient other = real.rank(1)) {
            other.send(Requests.probe(1, 0)).receive().value();
            Path file = new NodeDirectory(real.directory(0)).segment(SLOW);
            int served = 0;
            for (int attempt = 0; attempt < ATTEMPTS && served == 0; attempt++) { // this thread may be late for some
                served = servedMeanwhile(large, other, file);
            }
            assertTrue(served > 0, "nobody is served while memory is reserved");
        }
    }

    /** Returns how many requests of another rank were answered while the file was there. */
    private static int servedMeanwhile(RawClient large, RawClient other, Path file) throws Exception {
        large.send(Requests.all(Requests.allocate(1, SLOW, 0, 0, 1L << 30), Requests.free(2, SLOW)));
        FutureTask<Void> freed = new FutureTask<>(() -> {
            assertEquals(1, large.receive().done());
            assertEquals(2, large.receive().done());
            return null;
        });
        Thread.ofPlatform().daemon().start(freed);
        int served = 0;
        while (!freed.isDone()) {
            boolean isReserved = Files.exists(file);
            other.ask(Requests.probe(1, 0)).value();
            served += isReserved && Files.exists(file) ? 1 : 0;
        }
        freed.get();
        return served;
    }
}

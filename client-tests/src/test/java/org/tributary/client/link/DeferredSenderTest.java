package org.tributary.client.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.connection.Callback;
import org.tributary.client.connection.MemoryTransport;
import org.tributary.client.connection.ServerLink;

/** Payload that was left for later leaves while the program computes, whatever the sockets take. */
class DeferredSenderTest {
    private static final int BYTES = 1 << 19;

    private final Rank rank = new Rank("client.async-send-min=64k");
    private final DeferredSender sender = new DeferredSender(rank.lock(), rank.deferred(), rank.failure(), 0);
    private final MemorySegment bytes = Arena.ofAuto().allocate(BYTES);

    private void defer(ServerLink link, Callback callback) throws IOException {
        rank.lock().lock();
        try {
            put(link, callback);
            sender.begin();
        } finally {
            rank.lock().unlock();
        }
    }

    private void put(ServerLink link, Callback callback) throws IOException {
        link.defer();
        link.writer().put(1, 5, 0, 0, null, bytes, 0, BYTES);
        link.issuedOneWay(false, true);
        link.sendLater(() -> callback);
    }

    @Test
    void shouldSendEverythingWhenSomeSocketsAreFullForLong() throws IOException, InterruptedException {
        CountDownLatch complete = new CountDownLatch(6);
        List<MemoryTransport> transports = new ArrayList<>();
        for (int node = 0; node < 6; node++) {
            MemoryTransport transport = new MemoryTransport().withStep(100_000).withRoom(node == 0 ? 0 : 1 << 30);
            transports.add(transport);
            defer(rank.link(node, transport), problem -> complete.countDown());
        }
        while (complete.getCount() > 1) {
            LockSupport.parkNanos(100_000);
        }
        assertEquals(0, transports.getFirst().written().length);
        transports.getFirst().withRoom(1 << 30);
        assertTrue(complete.await(200, TimeUnit.SECONDS));
        transports.forEach(transport -> assertTrue(transport.written().length > BYTES));
        sender.end(1000);
    }

    @Test
    void shouldGoOnWithOthersWhenAConnectionBreaks() throws IOException, InterruptedException {
        CountDownLatch complete = new CountDownLatch(1);
        MemoryTransport breaks = new MemoryTransport().withStep(100_000).breakingAfter(1);
        MemoryTransport other = new MemoryTransport();
        ServerLink healthy = rank.link(1, other);
        rank.lock().lock();
        try {
            defer(rank.link(0, breaks), problem -> { });
            defer(healthy, problem -> complete.countDown());
        } finally {
            rank.lock().unlock();
        }
        while (!rank.failure().hasFailed()) {
            LockSupport.parkNanos(100_000);
        }
        rank.lock().lock();
        try {
            healthy.flush(); // as every wait does
        } finally {
            rank.lock().unlock();
        }
        assertTrue(complete.await(200, TimeUnit.SECONDS));
        assertEquals(0, rank.deferred().size());
        sender.end(1000);
    }

    /** A thread that waits for a handle sleeps when another one puts through it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldWakeWhoWaitsWhenThePayloadHasLeft(boolean isFlushed) throws IOException, InterruptedException {
        Rank patient = Rank.sleeping(TimeUnit.HOURS.toMillis(1), "client.async-send-min=64k");
        DeferredSender sends = new DeferredSender(patient.lock(), patient.deferred(), patient.failure(), 0);
        ServerLink link = patient.link(0, new MemoryTransport().withStep(100_000));
        AtomicBoolean sent = new AtomicBoolean();
        Thread waits = Thread.ofPlatform().daemon().start(() -> patient.waitLoop().await(sent::get, null));
        while (patient.readiness().selections() == 0) {
            LockSupport.parkNanos(100_000);
        }
        patient.lock().lock();
        try {
            put(link, problem -> sent.set(true));
            if (isFlushed) {
                link.flush();
            } else {
                sends.begin();
            }
        } finally {
            patient.lock().unlock();
        }
        waits.join(TimeUnit.SECONDS.toMillis(200));
        assertFalse(waits.isAlive());
        sends.end(1000);
    }

    @Test
    void shouldEndWhenNothingWasEverSent() throws InterruptedException {
        sender.end(1000);
        assertTrue(rank.deferred().isEmpty());
    }
}

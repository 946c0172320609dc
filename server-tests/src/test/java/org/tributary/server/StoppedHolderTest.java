package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.Topology;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Reply;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.StripeHolder;
import org.tributary.server.testing.TestServers;
import org.tributary.testsupport.ToleratesErrors;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AckDecoder;
import org.tributary.wire.codec.ElementCode;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.codec.ReduceCode;
import org.tributary.wire.shm.AccumulateLocks;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.shm.WindowLayout;

/** A rank of the node is stopped, or killed, inside an accumulate: its server goes on with what others want. */
@ToleratesErrors("for a lock of accumulates") // a busy machine takes so long
class StoppedHolderTest {
    private static final long DATA = 5;
    private static final long WINDOW = 6;
    private static final int STRIPE = AccumulateLocks.STRIPE_BYTES;
    private static final int PART = 4 * STRIPE;
    private static final String WAITING = "tributary_accumulate_waiting";

    private TestServers job;
    private RawClient owner;
    private StripeHolder holder;
    private long served;
    private final List<RawClient> clients = new ArrayList<>();

    @BeforeEach
    void start() throws IOException, InterruptedException {
        job = TestServers.start(Topology.of(2, 5), "job.grace=0");
        owner = job.rank(1);
        owner.done(Requests.allocate(1, DATA, 0, 0, PART, PART));
        owner.done(Requests.allocate(1, WINDOW, 2, 0, WindowLayout.bytes(5), WindowLayout.bytes(5)));
        // The second stripe of rank 0's part.
        holder = StripeHolder.stopped(new NodeDirectory(job.directory(0)).control(),
            AccumulateLocks.lockOf(DATA, STRIPE));
    }

    @AfterEach
    void stop() throws IOException {
        holder.close();
        for (RawClient client : clients) {
            client.close();
        }
        owner.close();
        job.close();
    }

    private RawClient remote(int rank) throws IOException {
        RawClient client = job.remote(rank, 0);
        clients.add(client);
        return client;
    }

    private static byte[] longs(int count, long value) {
        ByteBuffer bytes = ByteBuffer.allocate(8 * count).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < count; i++) {
            bytes.putLong(value);
        }
        return bytes.array();
    }

    private static byte[] add(long offset, int count) {
        return Requests.accumulate(DATA, 0, offset, Frames.FLAG_ACK, ElementCode.LONG, 1, longs(count, 1));
    }

    /** Others are served, in any place but the one. */
    private void othersAreServed(RawClient other) throws IOException {
        for (int i = 0; i < 20; i++) {
            assertArrayEquals(longs(1, served++), other.ask(Requests.getAccumulate(1, DATA, 0, 3 * STRIPE,
                ElementCode.LONG, ReduceCode.SUM, longs(1, 1))).data());
            other.ask(Requests.get(2, DATA, 0, STRIPE, 8)).data();
        }
    }

    private void check(RawClient client, long offset, int count, long value) throws IOException {
        assertArrayEquals(longs(count, value), client.ask(Requests.get(9, DATA, 0, offset, 8L * count)).data());
    }

    /** Reads on until so many are acknowledged; returns the data that came meanwhile. */
    private static byte[] dataAndAck(RawClient client, long count) throws IOException {
        byte[] data = null;
        long acknowledged = 0;
        while (data == null || acknowledged < count) {
            Reply reply = client.receive();
            if (reply.template() == AckDecoder.TEMPLATE_ID) {
                acknowledged = reply.ack();
            } else {
                data = reply.data();
            }
        }
        return data;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldServeOthersWhenAccumulateMeetsStoppedRank(boolean goesOn) throws IOException, InterruptedException {
        RawClient held = remote(4);
        int count = 3 * STRIPE / 8;
        held.send(Requests.all(add(0, count), add(8, 10), Requests.get(7, DATA, 0, 8, 8)));
        job.awaitMetric(0, WAITING, 1);
        othersAreServed(remote(5));
        RawClient second = remote(6);
        second.send(add(STRIPE, 1));
        job.awaitMetric(0, WAITING, 2);
        othersAreServed(owner);
        if (goesOn) {
            holder.goOn();
        } else {
            holder.kill();
        }
        assertArrayEquals(longs(1, 2), dataAndAck(held, 2), "in the order in which they were sent");
        assertEquals(1, second.receive().ack());
        check(held, 0, 1, 1);
        check(held, 8, 10, 2);
        check(held, 88, STRIPE / 8 - 11, 1);
        check(held, STRIPE, 1, 2);
        check(held, STRIPE + 8, 2 * STRIPE / 8 - 1, 1);
        job.awaitMetric(0, WAITING, 0);
    }

    @Test
    void shouldKeepElementsWholeWhenFramesComeInPieces() throws IOException, InterruptedException {
        RawClient held = remote(4);
        byte[] request = add(STRIPE - 16, 6);
        // The third element, the first one behind the lock, comes in two pieces.
        int cut = request.length - 4 * 8 + 3;
        held.send(request, 0, cut);
        Thread.sleep(20);
        held.send(request, cut, request.length - cut);
        job.awaitMetric(0, WAITING, 1);
        holder.goOn();
        assertEquals(1, held.receive().ack());
        check(held, STRIPE - 16, 6, 1);
    }

    @Test
    void shouldAnswerOnceWhenFetchMeetsStoppedRank() throws IOException, InterruptedException {
        RawClient held = remote(4);
        RawClient second = remote(5);
        held.send(Requests.all(Requests.getAccumulate(1, DATA, 0, STRIPE - 8, ElementCode.LONG, ReduceCode.SUM,
            longs(2, 5)), Requests.get(2, DATA, 0, STRIPE, 8)));
        second.send(Requests.getAccumulate(3, DATA, 0, STRIPE + 64, ElementCode.LONG, ReduceCode.COMPARE_AND_SWAP,
            ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN).putLong(0).putLong(77).array()));
        job.awaitMetric(0, WAITING, 2);
        othersAreServed(remote(3));
        holder.goOn();
        assertArrayEquals(longs(2, 0), held.receive().data());
        assertArrayEquals(longs(1, 5), held.receive().data());
        assertArrayEquals(longs(1, 0), second.receive().data());
        check(held, STRIPE - 8, 2, 5);
        check(held, STRIPE + 64, 1, 77);
    }

    @Test
    void shouldKeepLockOfWindowForNobodyWhenOperationUnderItMeetsStoppedRank() throws IOException,
        InterruptedException {
        RawClient held = remote(4);
        RawClient waiter = remote(5);
        RawClient locker = remote(6);
        held.send(Requests.lockedAccumulate(1, WINDOW, LockMode.EXCLUSIVE, DATA, 0, STRIPE, ElementCode.LONG,
            ReduceCode.SUM, 1, longs(4, 3)));
        job.awaitMetric(0, WAITING, 1);
        // The lock of the window itself is free; one who keeps it makes the next operation wait in its queue.
        assertEquals(1, locker.ask(Requests.lockWindow(2, WINDOW, 0, LockMode.EXCLUSIVE, false)).value().value());
        waiter.send(Requests.lockedAccumulate(3, WINDOW, LockMode.EXCLUSIVE, DATA, 0, 3 * STRIPE, ElementCode.LONG,
            ReduceCode.SUM, 1, longs(4, 1)));
        job.awaitMetric(0, "tributary_window_waiting", 1);
        locker.fenced(Requests.unlockWindow(WINDOW, 0, LockMode.EXCLUSIVE, Frames.FLAG_ACK));
        assertEquals(3, waiter.receive().done());
        holder.goOn();
        assertEquals(1, held.receive().done());
        check(held, STRIPE, 4, 3);
        check(held, 3 * STRIPE, 4, 1);
    }

    @Test
    void shouldGrantLockLaterWhenQueuedOperationMeetsStoppedRank() throws IOException, InterruptedException {
        RawClient held = remote(4);
        RawClient locker = remote(6);
        holder.goOn();
        locker.ask(Requests.lockWindow(2, WINDOW, 0, LockMode.EXCLUSIVE, false)).value();
        held.send(Requests.lockedAccumulate(1, WINDOW, LockMode.SHARED, DATA, 0, 8, ElementCode.LONG, ReduceCode.SUM,
            1, longs(4, 3)));
        job.awaitMetric(0, "tributary_window_waiting", 1);
        try (StripeHolder again = StripeHolder.stopped(new NodeDirectory(job.directory(0)).control(),
            AccumulateLocks.lockOf(DATA, 0))) {
            locker.fenced(Requests.unlockWindow(WINDOW, 0, LockMode.EXCLUSIVE, Frames.FLAG_ACK));
            job.awaitMetric(0, WAITING, 1);
            assertEquals(0, locker.ask(Requests.lockWindow(4, WINDOW, 0, LockMode.EXCLUSIVE, true)).value().value());
            othersAreServed(remote(5));
            again.goOn();
            assertEquals(1, held.receive().done());
        }
        check(held, 8, 4, 3);
        assertEquals(1, locker.ask(Requests.lockWindow(4, WINDOW, 0, LockMode.EXCLUSIVE, true)).value().value());
    }

    @Test
    void shouldForgetConnectionWhenItBreaksWhileItWaits() throws IOException, InterruptedException {
        RawClient held = remote(4);
        RawClient other = remote(5);
        held.send(Requests.all(add(0, PART / 8), add(8, 10)));
        job.awaitMetric(0, WAITING, 1);
        held.reset();
        othersAreServed(other);
        job.awaitMetric(0, WAITING, 0);
        String reason = job.termination(0).reason();
        assertTrue(reason.startsWith("rank 4 (node 1) broke its connection to node 0"), reason);
        assertEquals(List.of(), job.log().with("internal error"));
    }
}

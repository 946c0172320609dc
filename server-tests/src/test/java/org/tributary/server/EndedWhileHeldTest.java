package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.NetworkEncryption;
import org.tributary.config.Topology;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.StripeHolder;
import org.tributary.server.testing.TestServers;
import org.tributary.testsupport.ToleratesErrors;
import org.tributary.wire.Deadline;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.ElementCode;
import org.tributary.wire.shm.AccumulateLocks;
import org.tributary.wire.shm.NodeDirectory;

/**
 * The other side of a connection ends while the server holds its requests back: all that it has said counts, in its
 * order, and the server has no work with it meanwhile.
 */
@ToleratesErrors("for a lock of accumulates") // a busy machine takes so long
class EndedWhileHeldTest {
    private static final long DATA = 5;
    private static final int STRIPE = AccumulateLocks.STRIPE_BYTES;
    private static final int PART = 4 * STRIPE;
    private static final String WAITING = "tributary_accumulate_waiting";
    private static final String CONNECTIONS = "tributary_connections";
    private static final String KEPT = "tributary_kept_bytes";
    /** Those of the node that move data. */
    private static final List<String> LOOPS = List.of("tributary-server-0-", "tributary-data-0-");
    /** The job is ended so long after a connection has broken. */
    private static final long BREAK_MS = 1500;
    private static final long LOOK_MS = 500;
    private static final long HANGS_S = 250;
    /** Behind the request that is held up; not all of them fit into one read. */
    private static final int BEHIND = 16;
    private static final int BEHIND_LONGS = 64;
    /** Their answers are more than sockets take. */
    private static final int MANY_GETS = 600;

    private final Set<Long> others = Arrays.stream(ManagementFactory.getThreadMXBean().getAllThreadIds()).boxed()
        .collect(Collectors.toSet());
    private final long[] expected = new long[PART / 8];
    private TestServers job;
    private RawClient owner;
    private RawClient held;
    private StripeHolder holder;

    private void start(NetworkEncryption encryption) throws IOException, InterruptedException {
        job = TestServers.start(Topology.of(2, 5), "job.grace=0", "server.receive-buffer=4k",
            "network.encryption=" + encryption.name().toLowerCase(Locale.ROOT).replace('_', '-'));
        owner = job.rank(1);
        owner.done(Requests.allocate(1, DATA, 0, 0, PART, PART));
        // The second stripe of rank 0's part.
        holder = StripeHolder.stopped(new NodeDirectory(job.directory(0)).control(),
            AccumulateLocks.lockOf(DATA, STRIPE));
        held = job.remote(4, 0);
    }

    @AfterEach
    void stop() throws IOException {
        held.close();
        holder.close();
        owner.close();
        job.close();
    }

    private static byte[] longs(long... values) {
        ByteBuffer bytes = ByteBuffer.allocate(8 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        for (long value : values) {
            bytes.putLong(value);
        }
        return bytes.array();
    }

    private static long[] ramp(int count, long first) {
        long[] values = new long[count];
        Arrays.setAll(values, i -> first + i);
        return values;
    }

    private byte[] add(int offset, long... values) {
        for (int i = 0; i < values.length; i++) {
            expected[offset / 8 + i] += values[i];
        }
        return Requests.accumulate(DATA, 0, offset, Frames.FLAG_ACK, ElementCode.LONG, 1, longs(values));
    }

    /** One that meets the lock soon after its beginning, and others. */
    private byte[] requests() {
        byte[] all = add(STRIPE - 64, ramp(STRIPE / 8, 1));
        for (int i = 0; i < BEHIND; i++) {
            all = Requests.all(all, add(BEHIND_LONGS * 8 * i, ramp(BEHIND_LONGS, 1000 * i)));
        }
        return all;
    }

    private void othersAreServed() throws IOException {
        for (int i = 0; i < 20; i++) {
            owner.ask(Requests.get(2, DATA, 0, 3 * STRIPE, 8)).data();
        }
    }

    /** Processor time of the server's loops. */
    private long loopsNs() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
            .filter(info -> info != null && LOOPS.stream().anyMatch(info.getThreadName()::startsWith)
                && !others.contains(info.getThreadId()))
            .mapToLong(info -> threads.getThreadCpuTime(info.getThreadId())).sum();
    }

    private void loopsAreIdle() throws InterruptedException {
        long beforeNs = loopsNs();
        long beganNs = System.nanoTime();
        TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        long busyNs = loopsNs() - beforeNs;
        long tookNs = System.nanoTime() - beganNs;
        assertTrue(busyNs < tookNs / 2, busyNs + " ns of " + tookNs);
    }

    /** One that ends lets nobody in. */
    private void jobGoesOn() throws IOException {
        try (RawClient late = job.remote(5, 0)) {
            late.fenced();
            late.send(Requests.goodbye(5));
        }
    }

    private void allIsThere() throws IOException {
        byte[] wanted = longs(expected);
        byte[] data = new byte[0];
        Deadline deadline = Deadline.in(TimeUnit.SECONDS.toNanos(HANGS_S));
        while (!Arrays.equals(wanted, data) && !deadline.isOver()) {
            data = owner.ask(Requests.get(9, DATA, 0, 0, PART)).data();
        }
        assertArrayEquals(wanted, data);
    }

    private void hasLeftInGoodOrder(double connections) throws IOException, InterruptedException {
        job.awaitMetric(0, CONNECTIONS, connections);
        allIsThere();
        job.awaitMetric(0, KEPT, 0);
        TimeUnit.MILLISECONDS.sleep(BREAK_MS);
        jobGoesOn();
        othersAreServed();
    }

    @ParameterizedTest
    @EnumSource(value = NetworkEncryption.class, names = {"NONE", "AES_GCM"})
    void shouldExecuteAllWhenConnectionClosesThatHasBeenReadToItsEnd(NetworkEncryption encryption)
        throws IOException, InterruptedException {
        start(encryption);
        double connections = job.metric(0, CONNECTIONS, "");
        held.send(Requests.all(add(STRIPE, 1, 2, 3), add(8, 4), Requests.goodbye(4)));
        job.awaitMetric(0, WAITING, 1);
        held.close();
        othersAreServed();
        loopsAreIdle();
        assertEquals(1, job.metric(0, WAITING, ""));
        holder.goOn();
        hasLeftInGoodOrder(connections - 1);
    }

    /** The reset is like that of a rank which has ended when an acknowledgement comes. */
    @ParameterizedTest
    @CsvSource({"NONE,false", "NONE,true", "AES_GCM,false", "AES_GCM,true"})
    void shouldExecuteAllInOrderWhenConnectionEndsWithBytesUnread(NetworkEncryption encryption, boolean isReset)
        throws IOException, InterruptedException {
        start(encryption);
        double connections = job.metric(0, CONNECTIONS, "");
        held.send(Requests.all(requests(), Requests.goodbye(4)));
        job.awaitMetric(0, WAITING, 1);
        held.shutdownOutput();
        if (isReset) {
            othersAreServed();
            held.reset();
        }
        job.awaitMetric(0, CONNECTIONS, connections - 1);
        loopsAreIdle();
        assertEquals(1, job.metric(0, WAITING, ""));
        holder.goOn();
        hasLeftInGoodOrder(connections - 1);
    }

    @ParameterizedTest
    @EnumSource(value = NetworkEncryption.class, names = {"NONE", "AES_GCM"})
    void shouldExecuteAllWhenConnectionEndsThatDoesNotTakeItsAnswers(NetworkEncryption encryption)
        throws IOException, InterruptedException {
        start(encryption);
        double connections = job.metric(0, CONNECTIONS, "");
        byte[][] gets = new byte[MANY_GETS][];
        Arrays.setAll(gets, i -> Requests.get(i, DATA, 0, 0, PART));
        held.send(Requests.all(Requests.all(gets), add(8, 4), Requests.goodbye(4)));
        while (job.metric(0, KEPT, "") == 0) {
            othersAreServed();
        }
        held.shutdownOutput();
        hasLeftInGoodOrder(connections - 1);
    }

    @Test
    void shouldSayThatConnectionBrokeWhenItEndsWithoutGoodbye() throws IOException, InterruptedException {
        start(NetworkEncryption.NONE);
        held.send(requests());
        job.awaitMetric(0, WAITING, 1);
        held.close();
        othersAreServed();
        jobGoesOn();
        holder.goOn();
        String reason = job.termination(0).reason();
        assertTrue(reason.startsWith("rank 4 (node 1) broke its connection to node 0"), reason);
        assertEquals(List.of(), job.log().with("internal error"));
    }

    /** Its lifeline ends at the same time. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldForgetConnectionAtOnceWhenRankOfTheNodeCloses(boolean hasMore) throws IOException,
        InterruptedException {
        start(NetworkEncryption.NONE);
        RawClient local = job.rank(0);
        local.send(hasMore ? requests() : add(STRIPE, 1, 2, 3));
        job.awaitMetric(0, WAITING, 1);
        local.close();
        othersAreServed();
        job.awaitMetric(0, WAITING, 0);
        String reason = job.termination(0).reason();
        assertTrue(reason.startsWith("rank 0 (node 0, pid "), reason);
    }

    @Test
    void shouldEndWhileRequestsOfClosedConnectionWait() throws IOException, InterruptedException {
        start(NetworkEncryption.NONE);
        double connections = job.metric(0, CONNECTIONS, "");
        held.send(Requests.all(requests(), Requests.goodbye(4)));
        job.awaitMetric(0, WAITING, 1);
        held.shutdownOutput();
        othersAreServed();
        held.reset();
        job.awaitMetric(0, CONNECTIONS, connections - 1);
        job.server(0).close();
        assertEquals(List.of(), job.log().with("internal error"));
    }
}

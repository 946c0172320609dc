package org.tributary.cooperation;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.Topology;
import org.tributary.wire.shape.ElementType;

/** Once warm, passing requests on costs no garbage. */
class ForwarderGarbageTest implements Output {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int SOURCES = 8;
    private static final int TURNS = 2_000;
    /** How long requests are repeated until the compiler has come so far. */
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);
    private static final double BYTES_PER_REQUEST = 0.1;
    private static final int PEER = 3;
    private static final int LENGTH = 100;

    private final long[] tickets = new long[4 * SOURCES];
    private final Answers ignored = (source, requestId, prefix, width) -> { };
    private Forwarder forwarder;
    private int ticketCount;
    private long oneWay;
    private long sentBytes;
    private long nowNs;

    @ParameterizedTest
    @ValueSource(strings = {"forward", "aggregate", "combine"})
    void shouldAllocateNothingWhenWarm(String mode) {
        forwarder = new Forwarder(CooperationOptionsTest.options(Topology.uniform(8, 2), "cooperation.mode=" + mode),
            this);
        for (int i = 0; i < SOURCES; i++) {
            forwarder.intake().openSource(i % 2 == 0);
        }
        double bytes;
        long startedNs = System.nanoTime();
        boolean late;
        do {
            late = System.nanoTime() - startedNs > PATIENCE_NS;
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < TURNS; i++) {
                turn();
            }
            bytes = (double) (THREADS.getCurrentThreadAllocatedBytes() - before) / (4L * SOURCES * TURNS);
        } while (bytes >= BYTES_PER_REQUEST && !late);
        assertTrue(bytes < BYTES_PER_REQUEST, bytes + " bytes a request");
    }

    private void turn() {
        Intake intake = forwarder.intake();
        nowNs += 5_000;
        for (int source = 0; source < SOURCES; source++) {
            intake.forwardOneWay(source, intake.place(source, LENGTH), LENGTH, PEER, nowNs);
            intake.forwardRequest(source, intake.place(source, LENGTH), LENGTH, PEER, 7, 28, nowNs);
            intake.forwardFetchAndAdd(source, intake.place(source, LENGTH), LENGTH, PEER, 8, 1, 6, 0, 8, 1,
                nowNs);
            intake.forwardAccumulate(source, intake.place(source, LENGTH), LENGTH, PEER, 62, 32,
                ElementType.LONG, 1, 1, 6, 0, nowNs);
            intake.executedHere(source, -1, true);
            intake.wantAck(source);
        }
        forwarder.endOfTurn(nowNs);
        nowNs += 1_000_000;
        forwarder.timer(nowNs);
        forwarder.settling().acknowledged(PEER, oneWay);
        for (int i = 0; i < ticketCount; i++) {
            forwarder.settling().answered(PEER, tickets[i], ignored);
        }
        ticketCount = 0;
        forwarder.settling().credit(PEER, sentBytes);
        forwarder.endOfTurn(nowNs);
    }

    @Override
    public void connect(int peer) {
        forwarder.connected(peer);
    }

    @Override
    public void begin(int peer, int requests, long lengthInBytes) {
        // nothing is sent
    }

    @Override
    public void request(int peer, long ticket, int source, long position, int lengthInBytes) {
        sentBytes += CreditLedger.cost(lengthInBytes);
        if (ticket < 0) {
            oneWay++;
        } else {
            tickets[ticketCount++] = ticket;
        }
    }

    @Override
    public void fetchAndAdd(int peer, long ticket, int source, long position, int lengthInBytes, long operand) {
        request(peer, ticket, source, position, lengthInBytes);
    }

    @Override
    public void end(int peer) {
        // nothing is sent
    }

    @Override
    public void sum(int intoSource, long intoPosition, int fromSource, long fromPosition, int payloadAt,
        int payloadLength, ElementType type) {
        // there are no bytes
    }

    @Override
    public void acknowledge(int source, long executed) {
        // nobody waits
    }

    @Override
    public void credit(int source, long freed) {
        // nobody waits
    }

    @Override
    public void unblocked(int source) {
        // nobody waits
    }

    @Override
    public void released(int source) {
        // nothing is held
    }

    @Override
    public void failed(int source, long requestId, int node) {
        throw new AssertionError();
    }

    @Override
    public void wakeAt(long timeNs) {
        // the test calls
    }
}

package org.tributary.benchmarks.scale;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tributary.benchmarks.cooperation.ServerProcess;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.benchmarks.measure.Settling;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.wire.shm.MutexWord;

/** A server, the few ranks whose operations are looked at, and a crowd that has nothing to do with them. */
final class Crowd implements AutoCloseable {
    /**
     * Median times of an operation and of a departure beside a crowd of so many ranks, and the server's memory.
     *
     * @param left ranks that have left before, of which the server knows, too
     */
    record Cost(int ranks, int slow, int left, double operationUs, double departureUs, long residentBytes) {
    }

    private static final long MUTEXES = 1001;
    private static final long DATA = 1002;
    private static final int DATA_BYTES = 64 << 10;
    private static final int GET_BYTES = 16 << 10;
    private static final int GETS = 8000;
    private static final double NS_PER_US = 1000;
    private static final Duration WARM_UP = Duration.ofSeconds(2);
    /** The compilers are done with what is called so often, and each one costs the server the memory of a rank. */
    private static final int WARM_UP_DEPARTURES = 20_000;

    private final ServerProcess server;
    private final StubRank local;
    private final StubRank operator;
    private final StubRank waiter;
    private final int operations;
    private final int departures;
    private final List<StubRank> crowd = new ArrayList<>();
    private int nextRank = 1;
    private int ranks;
    private int slow;
    private int left;

    /**
     * Without a crowd.
     *
     * @param most how many ranks will ever be in it
     */
    Crowd(int most, int operations, int departures, int measurements) throws IOException {
        this.operations = operations;
        this.departures = departures;
        // Ranks that leave do not come again: each departure takes one more.
        Topology topology = Topology.parse("1," + (most + 2 + departures * measurements
            + WARM_UP_DEPARTURES));
        Settings settings = Settings.builder().set("server.bind-address", "127.0.0.1").set("attach.timeout", "24h")
            .build();
        server = new ServerProcess(topology, settings, "scale-" + ProcessHandle.current().pid() + "-"
            + System.identityHashCode(this));
        local = new StubRank(server, 0);
        local.allocate(MUTEXES, 1, (most + 1L) * MutexWord.STRIDE);
        local.allocate(DATA, 0, DATA_BYTES);
        operator = next();
        waiter = next();
    }

    private StubRank next() throws IOException {
        return new StubRank(server, nextRank++);
    }

    /** So many ranks are connected in all, each of which holds a mutex of its own. */
    void connect(int count) throws IOException {
        while (ranks < count) {
            StubRank rank = next();
            crowd.add(rank);
            rank.lock(MUTEXES, ++ranks * MutexWord.STRIDE);
            rank.receive();
        }
    }

    /** So many more connections in all do not take their answers. */
    void slowDown(int count) throws IOException {
        while (slow < count) {
            StubRank rank = next();
            crowd.add(rank);
            rank.askWithoutReading(DATA, GET_BYTES, GETS);
            slow++;
        }
    }

    /** Repeats operations and departures, of the crowd as it is, until they do not become faster. Once only. */
    void warmUp() throws IOException {
        Settling.settle(() -> operationUs() * NS_PER_US, WARM_UP, Integer.MAX_VALUE, System::nanoTime);
        Settling.settle(() -> departureUs() * NS_PER_US, WARM_UP, WARM_UP_DEPARTURES, System::nanoTime);
    }

    /**
     * Measures operations and departures with the crowd as large as it is now, and the memory of the server, which may
     * take so long to settle.
     */
    Cost measure(Duration settles) throws IOException {
        double[] operationUs = new double[operations];
        for (int i = 0; i < operations; i++) {
            operationUs[i] = operationUs();
        }
        double[] departureUs = new double[departures];
        for (int i = 0; i < departures; i++) {
            departureUs[i] = departureUs();
        }
        return new Cost(ranks, slow, left, Sample.median(operationUs), Sample.median(departureUs),
            server.residentBytes(settles));
    }

    private double operationUs() throws IOException {
        long beganNs = System.nanoTime();
        operator.fetchAndAdd(DATA);
        return (System.nanoTime() - beganNs) / NS_PER_US;
    }

    /** From a goodbye until another rank has what the one that leaves has held. */
    private double departureUs() throws IOException {
        try (StubRank leaves = next()) {
            leaves.lock(MUTEXES, 0);
            leaves.receive();
            waiter.lock(MUTEXES, 0);
            leaves.fetchAndAdd(DATA); // by now the other one waits, or is about to
            long beganNs = System.nanoTime();
            leaves.leave();
            waiter.receive();
            double us = (System.nanoTime() - beganNs) / NS_PER_US;
            waiter.unlock(MUTEXES, 0);
            left++;
            return us;
        }
    }

    /** The server ends first: it would take a connection that closes for the death of a rank. */
    @Override
    public void close() throws IOException {
        server.close();
        local.close();
        operator.close();
        waiter.close();
        for (StubRank rank : crowd) {
            rank.close();
        }
    }
}

package org.tributary.benchmarks.onesided;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.config.JobEnvironment;

/**
 * Messages between origin and target outside the measurements, through a small allocation of their own.
 *
 * <pre>
 *   0         64       72
 *   +---------+--------+
 *   | stop    | port   |
 *   | int64   | int64  |
 *   +---------+--------+
 * </pre>
 *
 * <p>{@code stop} is at the target: the number of the last phase in which it shall not compute any more. {@code port}
 * is at rank 0: where the target listens for the raw limits.
 */
final class Control implements AutoCloseable {
    static final long STOP_OFFSET = 0;
    private static final long PORT_OFFSET = 64;
    private static final long BYTES = 72;
    private static final Duration ACCEPT_LIMIT = Duration.ofSeconds(30);

    private final Gas gas;
    private final JobEnvironment job;
    private final GlobalMemory memory;

    /** Collective. */
    Control(Gas gas, JobEnvironment job) {
        this.gas = gas;
        this.job = job;
        memory = gas.allocate(BYTES);
    }

    /** Origin: tells a computing target that the phase is over. */
    void stop(int target, long phase) {
        memory.putLong(target, STOP_OFFSET, phase);
        gas.fence(target);
    }

    /** Target: computes until told that the phase is over. */
    ComputeLoop computeLoop() {
        return new ComputeLoop(memory.local(), STOP_OFFSET);
    }

    /**
     * Collective: a TCP connection between rank 0 and the target, past the library, over the address that the target's
     * server has too. Null on all other ranks.
     */
    SocketChannel connect(int target) throws IOException {
        String host = hostOf(job.servers().get(gas.nodeOf(target)));
        if (gas.rank() == target) {
            try (ServerSocketChannel listener = ServerSocketChannel.open()) {
                listener.bind(new InetSocketAddress(host, 0));
                memory.putLong(Route.ORIGIN, PORT_OFFSET, listener.socket().getLocalPort());
                gas.barrier();
                listener.socket().setSoTimeout((int) ACCEPT_LIMIT.toMillis());
                return listener.socket().accept().getChannel();
            }
        }
        gas.barrier();
        if (gas.rank() != Route.ORIGIN) {
            return null;
        }
        int port = (int) memory.local().get(ValueLayout.JAVA_LONG, PORT_OFFSET);
        return SocketChannel.open(new InetSocketAddress(host, port));
    }

    private static String hostOf(String address) {
        String host = address.substring(0, address.lastIndexOf(':'));
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    /** Collective. */
    @Override
    public void close() {
        memory.close();
    }
}

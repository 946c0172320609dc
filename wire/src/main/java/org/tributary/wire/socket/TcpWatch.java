package org.tributary.wire.socket;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/**
 * Notices that the host at the other end of a TCP connection has lost its power or its network. Only a kernel that does
 * not answer counts; a process that is stopped, or reads nothing for hours, does not.
 *
 * <p>A connection on which nothing is under way is probed by the kernel (keep-alive, RFC 9293, 3.8.4). Keep-alive rests
 * while data waits, and TCP_USER_TIMEOUT, which is meant for that case, also ends connections whose other side answers
 * probes of a closed window, which a stopped process does (measured: Linux 6.18). So a waiting process asks the kernel
 * with {@link #checkSilence} whether anything has come. Keep-alive at both ends makes something come in that case, too,
 * much more often than probes of a closed window, whose interval grows to two minutes.
 *
 * <p>One probe that is not answered says nothing: packets are lost, and on a machine with more work than cores the
 * kernel's own threads wait, too (measured: up to 1.8 s). From 5 s of time-out on, three have to stay unanswered.
 *
 * <p>Belongs to the owner of the connection; not thread-safe.
 */
public final class TcpWatch {
    private static final int SOL_SOCKET = 1;
    private static final int SO_KEEPALIVE = 9;
    private static final int TCP_KEEPIDLE = 4;
    private static final int TCP_KEEPINTVL = 5;
    private static final int TCP_KEEPCNT = 6;
    private static final int TCP_USER_TIMEOUT = 18;
    /** From Linux 6.15 on. */
    private static final int TCP_RTO_MAX_MS = 44;
    private static final long LEAST_RTO_MS = 1000;
    private static final long MAX_RTO_MS = 120_000;
    private static final long MAX_KEEPALIVE_S = 32_767;
    private static final long MAX_PROBES = 127;

    private final int descriptor;
    private final Silence silence;

    private TcpWatch(int descriptor, long timeoutNs) {
        this.descriptor = descriptor;
        this.silence = new Silence(timeoutNs);
    }

    /** Watches a channel; null for one that cannot be silent because it does not leave the machine. */
    public static TcpWatch of(SocketChannel channel, long timeoutNs) throws IOException {
        return channel.getRemoteAddress() instanceof InetSocketAddress
            ? of(SocketDescriptor.of(channel), timeoutNs) : null;
    }

    /**
     * Watches a TCP socket, which may still have to be connected.
     *
     * @param timeoutNs {@code connection.silence-timeout}; the kernel counts in seconds
     */
    public static TcpWatch of(int descriptor, long timeoutNs) throws IOException {
        long seconds = Math.max(1, TimeUnit.NANOSECONDS.toSeconds(timeoutNs));
        long idle = Math.clamp(seconds / 2, 1, MAX_KEEPALIVE_S);
        long interval = Math.clamp(seconds / 8, 1, MAX_KEEPALIVE_S);
        set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
        set(descriptor, SocketOptions.IPPROTO_TCP, TCP_KEEPIDLE, idle);
        set(descriptor, SocketOptions.IPPROTO_TCP, TCP_KEEPINTVL, interval);
        set(descriptor, SocketOptions.IPPROTO_TCP, TCP_KEEPCNT,
            Math.clamp((seconds - idle) / interval, 1, MAX_PROBES));
        // Where both sides wait with a closed window only their probes come, and these should come often enough, too.
        long maxRtoMs = Math.clamp(TimeUnit.NANOSECONDS.toMillis(Silence.lookNs(timeoutNs)), LEAST_RTO_MS,
            MAX_RTO_MS);
        SocketOptions.set(descriptor, SocketOptions.IPPROTO_TCP, TCP_RTO_MAX_MS, (int) maxRtoMs);
        return new TcpWatch(descriptor, timeoutNs);
    }

    /**
     * Has the kernel itself end a connection when the other one is silent for {@code timeoutNs}. Only for connections
     * on which so little is sent that the window of a stopped reader never closes.
     */
    public static void endWhenSilent(SocketChannel channel, long timeoutNs) throws IOException {
        int descriptor = SocketDescriptor.of(channel);
        of(descriptor, timeoutNs);
        set(descriptor, SocketOptions.IPPROTO_TCP, TCP_USER_TIMEOUT, TimeUnit.NANOSECONDS.toMillis(timeoutNs));
    }

    private static void set(int descriptor, int level, int name, long value) throws IOException {
        int errno = SocketOptions.set(descriptor, level, name, (int) value);
        if (errno != 0) {
            throw new IOException("keep-alive option " + name + " = " + value + " is refused, errno " + errno);
        }
    }

    /**
     * Looks, by a system call, and returns whether the other kernel counts as gone. To be called, while the connection
     * is open, four times in the time-out while somebody waits: only what several looks have found counts.
     */
    public boolean checkSilence(TcpInfo info, long nowNs) {
        return info.read(descriptor) && silence.look(info.segmentsReceived(), info.isUnanswered(), nowNs);
    }
}

package org.tributary.client.connection;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.tributary.client.error.GasException;
import org.tributary.wire.socket.TcpInfo;
import org.tributary.wire.socket.TcpWatch;

/**
 * Whether a connection is open, retired (it has said goodbye, and another one may take its place) or broken, and its
 * end. Guarded by the lock of the links.
 */
final class LinkLife {
    private final Transport transport;
    private final long endNs;
    private TcpWatch watch;
    private long silenceNs;
    private boolean retired;
    private GasException broken;

    /** Of an open connection; the server has {@code endNs} to take the last of what was sent. */
    LinkLife(Transport transport, long endNs) {
        this.transport = transport;
        this.endNs = endNs;
    }

    boolean isOpen() {
        return broken == null && !retired;
    }

    boolean isRetired() {
        return retired;
    }

    /** The exception for users of the broken connection; null when it is not broken. */
    GasException broken() {
        return broken;
    }

    /** Throws when the connection is broken. */
    void checkNotBroken() {
        if (broken != null) {
            throw broken;
        }
    }

    /** Nothing follows on a connection that was {@linkplain #close closed} because it broke. */
    void breakWith(GasException why) {
        broken = why;
    }

    /** Nothing is under way, and nothing more will be sent. */
    void retire() {
        retired = true;
        close();
    }

    /** From now on {@link #checkSilence} looks at the host at the other end, if it is reached over a network. */
    void watchHost(long timeoutNs) throws IOException {
        silenceNs = timeoutNs;
        watch = TcpWatch.of(transport.socket(), timeoutNs);
    }

    /** Looks at the host at the other end of the open connection; returns whether it counts as gone. */
    boolean checkSilence(TcpInfo info, long nowNs) {
        return watch != null && isOpen() && watch.checkSilence(info, nowNs);
    }

    /** The failure of a connection whose host {@linkplain #checkSilence counts as gone}. */
    IOException silence() {
        return new IOException("its host has not answered for " + silenceNs / 1e9
            + " s (connection.silence-timeout)");
    }

    /** Where the open connection is; it goes over the network. */
    LinkEnds ends() throws IOException {
        InetSocketAddress here = (InetSocketAddress) transport.socket().getLocalAddress();
        InetSocketAddress there = (InetSocketAddress) transport.socket().getRemoteAddress();
        return new LinkEnds(here.getAddress(), there.getAddress());
    }

    /** The server may not have heard of what it was given. */
    void remind() throws IOException {
        if (isOpen()) {
            transport.remind();
        }
    }

    /** Everything has been written that ever will be; waits, for a bounded time, until closing loses nothing of it. */
    void endStream(SendBuffer.Blocked blocked) throws IOException {
        transport.endStream();
        long untilNs = System.nanoTime() + endNs;
        while (!transport.drain() && System.nanoTime() < untilNs) {
            blocked.socketFull();
        }
    }

    void close() {
        try {
            transport.close();
        } catch (IOException ignored) {
            // Nothing is expected from it any more.
        }
    }
}

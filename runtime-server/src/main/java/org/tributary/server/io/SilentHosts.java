package org.tributary.server.io;

import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.Errors;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.tributary.server.observe.GuardedTasks;
import org.tributary.wire.socket.Silence;
import org.tributary.wire.socket.TcpInfo;
import org.tributary.wire.socket.TcpWatch;

/**
 * Watches whether the hosts at the other ends of a server's TCP connections still answer, and closes the connections of
 * those that do not. Owned by the event loop.
 */
public final class SilentHosts {
    /** A connection that ends when its host is silent. */
    public interface Listener {
        /** The other host counts as gone; the connection is closed after this. */
        void silent(String problem);
    }

    /** A look is a system call: requests are not to wait for thousands of them. */
    private static final int LOOKS_AT_ONCE = 256;
    private static final int ETIMEDOUT = -110;
    private static final int EHOSTUNREACH = -113;
    private static final int ENETUNREACH = -101;

    private final GuardedTasks tasks;
    private final long timeoutNs;
    private final TcpInfo info = new TcpInfo();
    private final List<Watched> connections = new ArrayList<>();
    private boolean looking;

    SilentHosts(GuardedTasks tasks, long timeoutNs) {
        this.tasks = tasks;
        this.timeoutNs = timeoutNs;
    }

    private record Watched(EpollSocketChannel channel, TcpWatch watch, Listener listener) {
    }

    /** Watches a connection, which may still be opening, until it closes; nothing is to be watched within the node. */
    public void watch(Channel channel, Listener listener) {
        if (!(channel instanceof EpollSocketChannel socket)) {
            return;
        }
        try {
            connections.add(new Watched(socket, TcpWatch.of(socket.fd().intValue(), timeoutNs), listener));
            lookLater();
        } catch (IOException e) {
            channel.pipeline().fireExceptionCaught(e);
        }
    }

    private void lookLater() {
        if (!looking) {
            tasks.after(Silence.lookNs(timeoutNs), () -> look(connections.size()));
            looking = true;
        }
    }

    /** Looks at connections from the last one down, so that closed ones can be dropped meanwhile. */
    private void look(int end) {
        int at = Math.min(end, connections.size());
        int stop = Math.max(0, at - LOOKS_AT_ONCE);
        long nowNs = System.nanoTime();
        while (at > stop) {
            at--;
            if (closeIfSilent(connections.get(at), nowNs)) {
                Watched last = connections.removeLast();
                if (at < connections.size()) {
                    connections.set(at, last);
                }
            }
        }
        if (at > 0) {
            int rest = at;
            tasks.execute(() -> look(rest));
        } else {
            looking = false;
            if (!connections.isEmpty()) {
                lookLater();
            }
        }
    }

    /** Whether the connection is closed, by this or before. */
    private boolean closeIfSilent(Watched watched, long nowNs) {
        if (!watched.channel().isOpen()) {
            return true;
        }
        if (!watched.watch().checkSilence(info, nowNs)) {
            return false;
        }
        watched.listener().silent("its host has not answered for " + timeoutNs / 1e9
            + " s (connection.silence-timeout)");
        watched.channel().close();
        return true;
    }

    /** The problem of the other host that a failure of its connection shows: that it is gone; null for any other. */
    public String problemOf(Throwable failure) {
        if (!(failure instanceof Errors.NativeIoException kernel)) {
            return null;
        }
        return switch (kernel.expectedErr()) {
            case ETIMEDOUT -> "its host has not answered for " + timeoutNs / 1e9 + " s (connection.silence-timeout)";
            case EHOSTUNREACH, ENETUNREACH -> "its host cannot be reached any more: " + kernel.getMessage();
            default -> null;
        };
    }
}

package org.tributary.benchmarks.cooperation;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.tributary.wire.BlockingConnection;
import org.tributary.wire.codec.Role;

/** An admitted connection to a {@link ServerProcess}, whose other end is this process. Not thread-safe. */
public final class ServerConnection implements AutoCloseable {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);

    private final SocketChannel channel;

    /**
     * Connects, and is admitted by the challenge: a rank of the server's node through its socket in the file system.
     *
     * @param number of the rank, or of the node whose server it is
     */
    public ServerConnection(ServerProcess server, Role role, int number, int node) throws IOException {
        BlockingConnection connection = BlockingConnection.connect(
            role == Role.LOCAL_RANK ? server.local() : server.tcp(), TIMEOUT_NS);
        try {
            connection.admit(server.membership(), role, number, node, 0);
            channel = connection.release();
        } catch (IOException e) {
            connection.close();
            throw e;
        }
    }

    /** The socket, which does not block. */
    public SocketChannel channel() {
        return channel;
    }

    /** Sends all that remains. */
    public void send(ByteBuffer bytes) throws IOException {
        long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (bytes.hasRemaining()) {
            if (channel.write(bytes) == 0) {
                pause(deadlineNs);
            }
        }
    }

    /** Fills a buffer from one byte on up to another. */
    public void read(ByteBuffer in, int from, int to) throws IOException {
        long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        in.limit(to).position(from);
        while (in.hasRemaining()) {
            int count = channel.read(in);
            if (count < 0) {
                throw new EOFException("the server has closed the connection");
            }
            if (count == 0) {
                pause(deadlineNs);
            }
        }
    }

    private static void pause(long deadlineNs) throws SocketTimeoutException {
        if (System.nanoTime() - deadlineNs > 0) {
            throw new SocketTimeoutException("the server does not answer");
        }
        Thread.yield();
    }

    /** Closes it, without a goodbye. */
    @Override
    public void close() throws IOException {
        channel.close();
    }
}

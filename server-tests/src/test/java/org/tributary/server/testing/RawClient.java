package org.tributary.server.testing;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ByteChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.tributary.wire.BlockingConnection;
import org.tributary.wire.Frames;
import org.tributary.wire.Membership;
import org.tributary.wire.codec.AckDecoder;
import org.tributary.wire.codec.DoneDecoder;
import org.tributary.wire.codec.Role;
import org.tributary.wire.record.EncryptedChannel;

/**
 * A client that sends what it is told, byte by byte if need be. Whatever it waits for has a
 * deadline. One thread may send while another receives.
 */
public final class RawClient implements AutoCloseable {
    private static final long DEADLINE_S = 200;

    private final SocketChannel channel;
    /** The same in records; null when what is said travels in the clear. */
    private final EncryptedChannel records;
    private final ByteChannel stream;
    private final Selector readable;
    private final Selector writable;

    private RawClient(SocketChannel channel, EncryptedChannel records) throws IOException {
        this.channel = channel;
        this.records = records;
        this.stream = records == null ? channel : records;
        this.readable = Selector.open();
        this.writable = Selector.open();
        channel.register(readable, SelectionKey.OP_READ);
        channel.register(writable, SelectionKey.OP_WRITE);
    }

    /** A connection that has not said who it is. */
    public static RawClient stranger(SocketAddress address) throws IOException {
        return new RawClient(BlockingConnection.connect(address, TimeUnit.SECONDS.toNanos(DEADLINE_S)).release(),
            null);
    }

    /** A connection that has been admitted. */
    public static RawClient admitted(SocketAddress address, Membership membership, Role role, int rank, int node,
        int wanted) throws IOException {
        BlockingConnection connection =
            BlockingConnection.connect(address, TimeUnit.SECONDS.toNanos(DEADLINE_S));
        try {
            connection.admit(membership, role, rank, node, wanted);
        } catch (IOException e) {
            connection.close();
            throw e;
        }
        EncryptedChannel records = connection.records();
        return new RawClient(connection.release(), records);
    }

    private void await(Selector selector, long deadlineNs) throws IOException {
        long leftMs = (deadlineNs - System.nanoTime()) / 1_000_000;
        if (leftMs <= 0 || selector.select(leftMs) == 0) {
            throw new AssertionError("no " + (selector == readable ? "answer" : "room") + " within " + DEADLINE_S
                + " s");
        }
        selector.selectedKeys().clear();
    }

    private static long deadline() {
        return System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
    }

    /** Sends bytes. */
    public RawClient send(byte... bytes) throws IOException {
        return send(bytes, 0, bytes.length);
    }

    /** Sends some bytes. */
    public RawClient send(byte[] bytes, int from, int length) throws IOException {
        long deadlineNs = deadline();
        ByteBuffer left = ByteBuffer.wrap(bytes, from, length);
        while (left.hasRemaining()) {
            if (stream.write(left) == 0) {
                await(writable, deadlineNs);
            }
        }
        while (records != null && !records.flush()) {
            await(writable, deadlineNs);
        }
        return this;
    }

    /** Sends as much as the connection takes without waiting; returns how much that was. */
    public int offer(byte[] bytes, int from) throws IOException {
        return channel.write(ByteBuffer.wrap(bytes, from, bytes.length - from));
    }

    /** Receives one frame, or null when the server has closed the connection. */
    public Reply receive() throws IOException {
        long deadlineNs = deadline();
        ByteBuffer length = ByteBuffer.allocate(Frames.LENGTH_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        if (!read(length, deadlineNs)) {
            return null;
        }
        ByteBuffer frame = ByteBuffer.allocate(length.getInt(0)).put(length.flip());
        return read(frame, deadlineNs) ? new Reply(frame.array()) : null;
    }

    private boolean read(ByteBuffer buffer, long deadlineNs) throws IOException {
        while (buffer.hasRemaining()) {
            int count;
            try {
                count = stream.read(buffer);
            } catch (IOException reset) {
                return false; // closed while bytes of ours were unread
            }
            if (count < 0) {
                return false;
            }
            if (count == 0) {
                await(readable, deadlineNs);
            }
        }
        return true;
    }

    /** Sends a request and receives its answer. */
    public Reply ask(byte... request) throws IOException {
        send(request);
        Reply reply = receive();
        if (reply == null) {
            throw new AssertionError("the server closed the connection");
        }
        return reply;
    }

    /** Sends requests that are answered by a final acknowledgement only; returns it. */
    public long fenced(byte[]... requests) throws IOException {
        return ask(Requests.all(Requests.all(requests), Requests.fence())).ack();
    }

    /** Sends a request that is to be answered with Done. */
    public void done(byte... request) throws IOException {
        Reply reply = ask(request);
        if (reply.template() != DoneDecoder.TEMPLATE_ID) {
            throw new AssertionError("not done: " + reply);
        }
    }

    /** Reads and forgets until an acknowledgement; returns how many other answers came before it. */
    public int skipToAck() throws IOException {
        int others = 0;
        while (true) {
            Reply reply = receive();
            if (reply == null) {
                throw new AssertionError("the server closed the connection");
            }
            if (reply.template() == AckDecoder.TEMPLATE_ID) {
                return others;
            }
            others++;
        }
    }

    /** Sends a fence and waits for it; returns how many other answers came before. */
    public int skipAfterFence() throws IOException {
        send(Requests.fence());
        return skipToAck();
    }

    /** Reads until the server closes the connection. */
    public void awaitClosed() throws IOException {
        while (receive() != null) {
            // answers to what was well-formed
        }
    }

    /** No more bytes from this side. */
    public void shutdownOutput() throws IOException {
        endRecords();
        channel.shutdownOutput();
    }

    private void endRecords() throws IOException {
        if (records != null) {
            records.end();
        }
    }

    /** Breaks the connection: what the server has not read of it yet may be lost. */
    public void reset() throws IOException {
        channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        leave();
    }

    @Override
    public void close() throws IOException {
        if (channel.isOpen()) {
            endRecords();
        }
        leave();
    }

    private void leave() throws IOException {
        readable.close();
        writable.close();
        channel.close();
    }
}

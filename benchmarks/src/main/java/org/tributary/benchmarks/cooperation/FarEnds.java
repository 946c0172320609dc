package org.tributary.benchmarks.cooperation;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.wire.BlockingConnection;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AtomicEncoder;
import org.tributary.wire.codec.AtomicOp;
import org.tributary.wire.codec.MessageHeaderEncoder;
import org.tributary.wire.codec.PutEncoder;
import org.tributary.wire.codec.RequesterEncoder;
import org.tributary.wire.codec.Role;
import org.tributary.wire.codec.ValueDecoder;
import org.tributary.wire.shm.CollectiveLayout;

/**
 * The far ends of the connections of one server: ranks of other nodes, their servers, and the ranks of the node itself.
 * Each is admitted by the challenge, puts as much as one request can carry, and reads back a word. Not thread-safe.
 */
final class FarEnds implements AutoCloseable {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);
    private static final long PAUSE_NS = 20_000;
    private static final int TEMPLATE_AT = Frames.LENGTH_BYTES + Short.BYTES;
    private static final int ROOM = 1024;

    private final int payloadBytes;
    private final ByteBuffer bytes;
    private final UnsafeBuffer buffer;
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final ByteBuffer answer = ByteBuffer.allocateDirect(ROOM).order(ByteOrder.LITTLE_ENDIAN);
    private final List<SocketChannel> open = new ArrayList<>();

    /**
     * One far end.
     *
     * @param number of the rank, or of the node whose server it is
     * @param requester the rank whose requests a channel brings; ignored for ranks
     * @param target the rank that is put to
     */
    record Source(Role role, int number, int node, int requester, int target) {
    }

    /** Puts that carry so many bytes. */
    FarEnds(int payloadBytes) {
        this.payloadBytes = payloadBytes;
        bytes = ByteBuffer.allocateDirect(payloadBytes + ROOM).order(ByteOrder.LITTLE_ENDIAN);
        buffer = new UnsafeBuffer(bytes);
    }

    int count() {
        return open.size();
    }

    /** Has the server go through so many handshakes, with connections that it does not keep. */
    void warmUp(ServerProcess server, int times) throws IOException {
        for (int i = 0; i < times; i++) {
            try (BlockingConnection connection = BlockingConnection.connect(server.tcp(), TIMEOUT_NS)) {
                connection.admit(server.membership(), Role.SERVER, 1, 1, 0);
            }
        }
    }

    /** Connects one and lets it use its connection. */
    void add(ServerProcess server, Source source) throws IOException {
        SocketAddress address = source.role == Role.LOCAL_RANK ? server.local() : server.tcp();
        BlockingConnection connection = BlockingConnection.connect(address, TIMEOUT_NS);
        try {
            connection.admit(server.membership(), source.role, source.number, source.node, 0);
        } catch (IOException e) {
            connection.close();
            throw e;
        }
        SocketChannel channel = connection.release();
        open.add(channel);
        bytes.clear();
        put(source);
        fetch(source, server.topology().firstRank(0));
        send(channel);
        awaitValue(channel);
    }

    private void put(Source source) {
        requester(source);
        int from = bytes.position();
        new PutEncoder().wrapAndApplyHeader(buffer, from + Frames.LENGTH_BYTES, header)
            .segmentId(CollectiveLayout.WORLD_SEGMENT).targetOffset(0).rank(source.target).flags(0)
            .windowId(Frames.NO_WINDOW);
        end(from, PutEncoder.BLOCK_LENGTH + payloadBytes);
    }

    /** To a rank of the server's own node, so that it is answered. */
    private void fetch(Source source, int rank) {
        requester(source);
        int from = bytes.position();
        new AtomicEncoder().wrapAndApplyHeader(buffer, from + Frames.LENGTH_BYTES, header).requestId(1)
            .segmentId(CollectiveLayout.WORLD_SEGMENT).targetOffset(0).rank(rank)
            .op(AtomicOp.FETCH_AND_ADD).width((short) Long.BYTES).operand(0).expected(0);
        end(from, AtomicEncoder.BLOCK_LENGTH);
    }

    private void requester(Source source) {
        if (source.role == Role.CHANNEL) {
            int from = bytes.position();
            new RequesterEncoder().wrapAndApplyHeader(buffer, from + Frames.LENGTH_BYTES, header)
                .rank(source.requester);
            end(from, RequesterEncoder.BLOCK_LENGTH);
        }
    }

    private void end(int from, int length) {
        bytes.putInt(from, Frames.HEADER_BYTES + length).position(from + Frames.HEADER_BYTES + length);
    }

    private void send(SocketChannel channel) throws IOException {
        long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        bytes.flip();
        while (bytes.hasRemaining()) {
            if (channel.write(bytes) == 0) {
                pause(deadlineNs);
            }
        }
    }

    private void awaitValue(SocketChannel channel) throws IOException {
        long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        int template;
        do {
            read(channel, 0, Frames.HEADER_BYTES, deadlineNs);
            template = answer.getShort(TEMPLATE_AT);
            read(channel, Frames.HEADER_BYTES, answer.getInt(0), deadlineNs);
        } while (template != ValueDecoder.TEMPLATE_ID);
    }

    private void read(SocketChannel channel, int from, int to, long deadlineNs) throws IOException {
        answer.limit(to).position(from);
        while (answer.hasRemaining()) {
            int count = channel.read(answer);
            if (count < 0) {
                throw new EOFException("the server has closed a connection");
            }
            if (count == 0) {
                pause(deadlineNs);
            }
        }
    }

    private static void pause(long deadlineNs) throws SocketTimeoutException {
        if (System.nanoTime() > deadlineNs) {
            throw new SocketTimeoutException("the server does not answer");
        }
        LockSupport.parkNanos(PAUSE_NS);
    }

    /** Closes them all, without a goodbye: the server is to have ended. */
    @Override
    public void close() throws IOException {
        for (SocketChannel channel : open) {
            channel.close();
        }
    }
}

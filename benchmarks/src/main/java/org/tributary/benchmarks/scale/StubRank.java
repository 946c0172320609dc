package org.tributary.benchmarks.scale;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.benchmarks.cooperation.ServerConnection;
import org.tributary.benchmarks.cooperation.ServerProcess;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AllocateEncoder;
import org.tributary.wire.codec.AtomicEncoder;
import org.tributary.wire.codec.AtomicOp;
import org.tributary.wire.codec.GetEncoder;
import org.tributary.wire.codec.GoodbyeEncoder;
import org.tributary.wire.codec.LockEncoder;
import org.tributary.wire.codec.MessageHeaderEncoder;
import org.tributary.wire.codec.Role;
import org.tributary.wire.codec.UnlockEncoder;

/** A rank as its connection shows it to a server: admitted, and making a few kinds of requests. Not thread-safe. */
final class StubRank implements AutoCloseable {
    private static final int BUFFER_BYTES = 1024;
    private static final int AT = Frames.LENGTH_BYTES;
    private static final int SMALL_SOCKET_BYTES = 8 << 10;

    private final ServerConnection connection;
    private final int rank;
    private final ByteBuffer out = ByteBuffer.allocateDirect(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final UnsafeBuffer codec = new UnsafeBuffer(out);
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();

    StubRank(ServerProcess server, int rank) throws IOException {
        this.rank = rank;
        int node = server.topology().nodeOf(rank);
        connection = new ServerConnection(server, node == 0 ? Role.LOCAL_RANK : Role.REMOTE_RANK, rank, node);
    }

    private void send(int bytesAfterHeader) throws IOException {
        connection.send(frame(bytesAfterHeader));
        out.clear();
    }

    private ByteBuffer frame(int bytesAfterHeader) {
        out.putInt(0, Frames.HEADER_BYTES + bytesAfterHeader);
        return out.limit(Frames.HEADER_BYTES + bytesAfterHeader).position(0);
    }

    /** Waits for a short answer. */
    void receive() throws IOException {
        connection.read(in, 0, Frames.LENGTH_BYTES);
        connection.read(in, Frames.LENGTH_BYTES, in.getInt(0));
    }

    /** Makes a segment of the server's first rank: kind 0 for data, 1 for mutexes. */
    void allocate(long segment, int kind, long bytes) throws IOException {
        AllocateEncoder allocate = new AllocateEncoder().wrapAndApplyHeader(codec, AT, header).requestId(1)
            .segmentId(segment).kind((short) kind);
        allocate.partsCount(1).next().rank(0).lengthInBytes(bytes);
        send(allocate.encodedLength());
        receive();
    }

    /** One fetch-and-add, there and back. */
    void fetchAndAdd(long segment) throws IOException {
        new AtomicEncoder().wrapAndApplyHeader(codec, AT, header).requestId(1).segmentId(segment).targetOffset(0)
            .rank(0).op(AtomicOp.FETCH_AND_ADD).width((short) Long.BYTES).operand(1).expected(0);
        send(AtomicEncoder.BLOCK_LENGTH);
        receive();
    }

    /** Asks for a mutex; {@link #receive} waits until it is granted. */
    void lock(long segment, long offset) throws IOException {
        new LockEncoder().wrapAndApplyHeader(codec, AT, header).requestId(1).segmentId(segment).rank(0)
            .targetOffset(offset).attempt((short) 0);
        send(LockEncoder.BLOCK_LENGTH);
    }

    void unlock(long segment, long offset) throws IOException {
        new UnlockEncoder().wrapAndApplyHeader(codec, AT, header).segmentId(segment).rank(0).targetOffset(offset)
            .flags(0);
        send(UnlockEncoder.BLOCK_LENGTH);
    }

    /** Says goodbye, as a rank that leaves. */
    void leave() throws IOException {
        new GoodbyeEncoder().wrapAndApplyHeader(codec, AT, header).rank(rank);
        send(GoodbyeEncoder.BLOCK_LENGTH);
    }

    /** Asks for data again and again and takes no answer, until the connection takes no request any more. */
    void askWithoutReading(long segment, int bytes, int requests) throws IOException {
        SocketChannel channel = connection.channel();
        channel.setOption(StandardSocketOptions.SO_RCVBUF, SMALL_SOCKET_BYTES);
        new GetEncoder().wrapAndApplyHeader(codec, AT, header).requestId(1).segmentId(segment).rank(0).targetOffset(0)
            .lengthInBytes(bytes);
        int length = frame(GetEncoder.BLOCK_LENGTH).limit();
        ByteBuffer all = ByteBuffer.allocateDirect(length * requests);
        for (int i = 0; i < requests; i++) {
            all.put(out.position(0));
        }
        all.flip();
        out.clear();
        int idle = 0;
        while (all.hasRemaining() && idle < 100) {
            idle = channel.write(all) == 0 ? idle + 1 : 0;
            Thread.yield();
        }
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}

package org.tributary.benchmarks.cooperation;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
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
    private static final int TEMPLATE_AT = Frames.LENGTH_BYTES + Short.BYTES;
    private static final int ROOM = 1024;

    private final int payloadBytes;
    private final ByteBuffer bytes;
    private final UnsafeBuffer buffer;
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final ByteBuffer answer = ByteBuffer.allocateDirect(ROOM).order(ByteOrder.LITTLE_ENDIAN);
    private final List<ServerConnection> open = new ArrayList<>();

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
            new ServerConnection(server, Role.SERVER, 1, 1).close();
        }
    }

    /** Connects one and lets it use its connection. */
    void add(ServerProcess server, Source source) throws IOException {
        ServerConnection connection = new ServerConnection(server, source.role, source.number, source.node);
        open.add(connection);
        bytes.clear();
        put(source);
        fetch(source, server.topology().firstRank(0));
        connection.send(bytes.flip());
        awaitValue(connection);
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

    private void awaitValue(ServerConnection connection) throws IOException {
        int template;
        do {
            connection.read(answer, 0, Frames.HEADER_BYTES);
            template = answer.getShort(TEMPLATE_AT);
            connection.read(answer, Frames.HEADER_BYTES, answer.getInt(0));
        } while (template != ValueDecoder.TEMPLATE_ID);
    }

    /** Closes them all, without a goodbye: the server is to have ended. */
    @Override
    public void close() throws IOException {
        for (ServerConnection connection : open) {
            connection.close();
        }
    }
}

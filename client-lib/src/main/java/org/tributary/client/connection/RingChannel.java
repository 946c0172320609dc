package org.tributary.client.connection;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.MessageHeaderEncoder;
import org.tributary.wire.codec.WakeEncoder;
import org.tributary.wire.shm.DamagedMemoryException;
import org.tributary.wire.shm.MemoryFaults;
import org.tributary.wire.shm.RequestRing;
import org.tributary.wire.shm.RingFile;
import org.tributary.wire.shm.ServerBell;

/**
 * Requests through a rank's ring, answers over a socket. Takes what there is room for and wakes the server if it
 * sleeps, which is all that is written to the socket. Guarded by the lock of the links.
 */
public final class RingChannel extends SocketTransport {
    private final RequestRing.Writer ring;
    private final ServerBell bell;
    private final ByteBuffer wake = ByteBuffer.allocateDirect(Frames.HEADER_BYTES + WakeEncoder.BLOCK_LENGTH);

    /** From now on requests go through the ring, no more over the socket. */
    public RingChannel(RingFile rings, int localIndex, SocketChannel socket) throws IOException {
        super(socket);
        this.ring = rings.writer(localIndex);
        this.bell = rings.bell();
        UnsafeBuffer codec = new UnsafeBuffer(wake);
        codec.putInt(0, wake.capacity());
        new WakeEncoder().wrapAndApplyHeader(codec, Frames.LENGTH_BYTES, new MessageHeaderEncoder());
        wakeServer();
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        try {
            return published(ring.write(source));
        } catch (DamagedMemoryException | InternalError e) {
            throw broken(e);
        }
    }

    /** The ring is damaged, or its memory gone. */
    private static IOException broken(Throwable cause) {
        return new IOException(cause.getMessage(), cause);
    }

    @Override
    public long write(ByteBuffer[] sources, int from, int count) throws IOException {
        try {
            int length = 0;
            for (int i = from; i < from + count; i++) {
                length += ring.write(sources[i]);
                if (sources[i].hasRemaining()) {
                    break; // the server may make room meanwhile, but not for what comes after
                }
            }
            return published(length);
        } catch (DamagedMemoryException | InternalError e) {
            throw broken(e);
        }
    }

    private int published(int length) throws IOException {
        if (length > 0) {
            ring.publish();
            boolean isAsleep = bell.ring();
            MemoryFaults.surface();
            if (isAsleep) {
                wakeServer();
            }
        }
        return length;
    }

    /** Sends a wake-up, or the rest of one. A full socket holds others, which wake a server that was stopped. */
    private void wakeServer() throws IOException {
        if (!wake.hasRemaining()) {
            wake.clear();
        }
        socket().write(wake);
    }

    /** Bytes in a socket are read before its end; those in a ring have no end but this. */
    @Override
    public boolean drain() throws IOException {
        try {
            return ring.isEmpty();
        } catch (DamagedMemoryException | InternalError e) {
            throw broken(e);
        }
    }

    /** The words by which the server is told can be overwritten by others; what it reads from the socket cannot. */
    @Override
    public void remind() throws IOException {
        if (!drain()) {
            ring.publish();
            wakeServer();
        }
    }
}

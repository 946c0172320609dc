package org.tributary.client.connection;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;

/** Both directions over one non-blocking socket, unless a subclass has another way. */
public class SocketTransport implements Transport {
    private final SocketChannel socket;
    private final ReadableByteChannel in;
    private final GatheringByteChannel out;

    public SocketTransport(SocketChannel socket) {
        this(socket, socket, socket);
    }

    /** By way of channels over the socket, which close it. */
    SocketTransport(SocketChannel socket, ReadableByteChannel in, GatheringByteChannel out) {
        this.socket = socket;
        this.in = in;
        this.out = out;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        return in.read(target);
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        return out.write(source);
    }

    @Override
    public long write(ByteBuffer[] sources, int from, int count) throws IOException {
        return out.write(sources, from, count);
    }

    @Override
    public boolean drain() throws IOException {
        return true;
    }

    @Override
    public final SocketChannel socket() {
        return socket;
    }

    @Override
    public final boolean isOpen() {
        return socket.isOpen();
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}

package org.tributary.client.link;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Both directions over one non-blocking socket, unless a subclass has another way for one of them. */
class SocketTransport implements Transport {
    private final SocketChannel socket;

    SocketTransport(SocketChannel socket) {
        this.socket = socket;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        return socket.read(target);
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        return socket.write(source);
    }

    @Override
    public long write(ByteBuffer[] sources, int from, int count) throws IOException {
        return socket.write(sources, from, count);
    }

    @Override
    public boolean isDrained() throws IOException {
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
        socket.close();
    }
}

package org.tributary.client.connection;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * Answers over a connection, and requests over it or by a channel of the network adapter, never by both at a time.
 * Guarded by the lock of the links.
 */
public final class ChannelTransport implements Transport {
    private final Transport connection;
    /** Null while requests go over the connection. */
    private RequestChannel channel;
    private boolean isLeaving;
    private boolean hasWaited;

    public ChannelTransport(Transport connection) {
        this.connection = connection;
    }

    /** What is written next goes by the channel. */
    void switchToChannel(RequestChannel opened) {
        channel = opened;
    }

    /** Whether what is written goes by a channel. */
    boolean usesChannel() {
        return channel != null && !isLeaving;
    }

    /** Whether the channel has had no room for all of what was written since this was asked last. */
    boolean takeHasWaited() {
        boolean waited = hasWaited;
        hasWaited = false;
        return waited;
    }

    /** Whether something that was written by a channel may still need progress of the adapter to arrive. */
    boolean isUnderWay() {
        return channel != null && channel.isUnderWay();
    }

    /** Whether a channel is used, or has been left and not yet been taken as a whole. */
    boolean hasChannel() {
        return channel != null;
    }

    /** Makes progress of the adapter; says whether something has happened. */
    boolean progress() {
        return channel != null && channel.progress();
    }

    /** What is written next goes over the connection, once the server has taken what went by the channel. */
    void switchToConnection() {
        isLeaving = true;
    }

    /** Whether the server has yet to take what went by the channel. */
    boolean isLeaving() {
        return isLeaving;
    }

    /** The server has taken so much of what went by the channel. */
    void credit(long taken) throws IOException {
        if (channel == null || !channel.credit(taken)) {
            throw new IOException("credit for " + taken + " bytes, which have not been written");
        }
        if (isLeaving && channel.isAllTaken()) {
            channel.close();
            channel = null;
            isLeaving = false;
        }
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        return channel == null ? connection.write(source) : isLeaving ? 0 : toChannel(source);
    }

    @Override
    public long write(ByteBuffer[] sources, int from, int count) throws IOException {
        if (channel == null) {
            return connection.write(sources, from, count);
        }
        long written = 0;
        for (int i = from; i < from + count && !isLeaving; i++) {
            written += toChannel(sources[i]);
            if (sources[i].hasRemaining()) {
                break; // there may be room meanwhile, but not for what comes after
            }
        }
        return written;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        return connection.read(target);
    }

    @Override
    public boolean drain() throws IOException {
        return connection.drain();
    }

    @Override
    public SocketChannel socket() {
        return connection.socket();
    }

    @Override
    public boolean isOpen() {
        return connection.isOpen();
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }

    private int toChannel(ByteBuffer source) throws IOException {
        int length = source.remaining();
        int written = length == 0 ? 0 : channel.write(MemorySegment.ofBuffer(source), length);
        hasWaited |= written < length;
        source.position(source.position() + written);
        return written;
    }
}

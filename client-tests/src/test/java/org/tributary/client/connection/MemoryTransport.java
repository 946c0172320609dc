package org.tributary.client.connection;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;

/** A connection in memory, whose every read and write takes as little, and fails when, the test says. */
public final class MemoryTransport implements Transport {
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private byte[] incoming = new byte[0];
    private int position;
    private boolean closed;
    private boolean ended;
    private Consumer<MemoryTransport> onArrival = transport -> { };
    /** How many bytes one call takes or gives at most. */
    private int step = Integer.MAX_VALUE;
    /** How many bytes are taken until there is no more room. */
    private long room = Long.MAX_VALUE;
    /** How many calls succeed before the connection breaks. */
    private long callsUntilBreak = Long.MAX_VALUE;
    private boolean drained = true;
    private int reads;
    private int writes;

    public MemoryTransport withStep(int bytes) {
        step = bytes;
        return this;
    }

    public MemoryTransport withRoom(long bytes) {
        room = bytes;
        return this;
    }

    public MemoryTransport breakingAfter(long calls) {
        callsUntilBreak = calls;
        return this;
    }

    public MemoryTransport whenSomethingComes(Consumer<MemoryTransport> action) {
        onArrival = action;
        return this;
    }

    void setDrained(boolean isDrained) {
        drained = isDrained;
    }

    /** The server sends. */
    public synchronized void arrive(byte[] bytes) {
        byte[] all = new byte[incoming.length - position + bytes.length];
        System.arraycopy(incoming, position, all, 0, incoming.length - position);
        System.arraycopy(bytes, 0, all, incoming.length - position, bytes.length);
        incoming = all;
        position = 0;
        onArrival.accept(this);
    }

    /** The server closes. */
    public synchronized void end() {
        ended = true;
        onArrival.accept(this);
    }

    synchronized boolean isReadable() {
        return position < incoming.length || ended;
    }

    public byte[] written() {
        return written.toByteArray();
    }

    public int reads() {
        return reads;
    }

    int writes() {
        return writes;
    }

    private void call() throws IOException {
        if (closed) {
            throw new ClosedChannelException();
        }
        if (callsUntilBreak-- <= 0) {
            throw new IOException("broken by the test");
        }
    }

    @Override
    public synchronized int read(ByteBuffer target) throws IOException {
        reads++;
        call();
        int count = Math.min(Math.min(step, incoming.length - position), target.remaining());
        target.put(incoming, position, count);
        position += count;
        return count == 0 && ended ? -1 : count;
    }

    @Override
    public synchronized int write(ByteBuffer source) throws IOException {
        writes++;
        call();
        return take(source, step);
    }

    private int take(ByteBuffer source, int most) {
        int count = (int) Math.min(Math.min(most, room), source.remaining());
        byte[] bytes = new byte[count];
        source.get(bytes);
        written.writeBytes(bytes);
        room -= count;
        return count;
    }

    @Override
    public long write(ByteBuffer[] sources) throws IOException {
        return write(sources, 0, sources.length);
    }

    @Override
    public synchronized long write(ByteBuffer[] sources, int from, int count) throws IOException {
        writes++;
        call();
        int taken = 0;
        for (int i = from; i < from + count; i++) {
            taken += take(sources[i], step - taken);
        }
        return taken;
    }

    @Override
    public boolean drain() {
        return drained;
    }

    @Override
    public SocketChannel socket() {
        throw new UnsupportedOperationException("memory");
    }

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public void close() {
        closed = true;
    }
}

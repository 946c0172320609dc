package org.tributary.wire.record;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.GatheringByteChannel;

/**
 * A non-blocking channel as one that carries {@link Records}: what is written is sealed, what is read was opened.
 * What {@link #write} takes has been copied and may be changed, but some of it may still {@linkplain #hasPending wait}
 * for the socket; what one read brings may be more than {@link #read} gives at once, so read until nothing is
 * {@linkplain #hasReadable left} before you wait for the socket. One thread at a time may read, while any write.
 */
public final class RecordChannel implements ByteChannel, GatheringByteChannel {
    private static final int STAGED_RECORDS = 4;

    private final ByteChannel channel;
    private final RecordSealer sealer;
    private final RecordOpener opener;
    private final ByteBuffer out = ByteBuffer.allocateDirect(STAGED_RECORDS * Records.MAX_BYTES).limit(0);
    private final ByteBuffer in = ByteBuffer.allocateDirect(STAGED_RECORDS * Records.MAX_BYTES).limit(0);
    private final byte[] content = RecordOpener.contentBuffer();
    private final ByteBuffer opened = ByteBuffer.wrap(content).limit(0);
    private boolean isEnded;
    private final ByteBuffer[] single = new ByteBuffer[1];

    /** Over a non-blocking channel. */
    public RecordChannel(ByteChannel channel, RecordSealer sealer, RecordOpener opener) {
        this.channel = channel;
        this.sealer = sealer;
        this.opener = opener;
    }

    /** Whether bytes that were written still wait for the socket: {@link #flush} then. */
    public synchronized boolean hasPending() {
        return out.hasRemaining();
    }

    /** Hands what waits to the socket; whether nothing waits any more. */
    public synchronized boolean flush() throws IOException {
        if (out.hasRemaining()) {
            channel.write(out);
        }
        return !out.hasRemaining();
    }

    @Override
    public synchronized int write(ByteBuffer source) throws IOException {
        single[0] = source;
        try {
            return (int) write(single, 0, 1);
        } finally {
            single[0] = null;
        }
    }

    @Override
    public long write(ByteBuffer[] sources) throws IOException {
        return write(sources, 0, sources.length);
    }

    @Override
    public synchronized long write(ByteBuffer[] sources, int from, int count) throws IOException {
        if (isEnded) {
            throw new ClosedChannelException();
        }
        long taken = 0;
        int next = from;
        while (next < from + count && flush()) {
            out.clear();
            while (next < from + count && out.remaining() >= Records.MAX_BYTES) {
                taken += sealer.add(sources[next]);
                boolean isFull = sealer.room() == 0;
                if (!sources[next].hasRemaining()) {
                    next++;
                }
                if (isFull || next == from + count && !sealer.isEmpty()) {
                    sealer.seal(out);
                }
            }
            out.flip();
            flush();
        }
        return taken;
    }

    /** Says that nothing follows, as far as the socket takes that at once. */
    public synchronized void end() throws IOException {
        if (!isEnded && flush()) {
            isEnded = true;
            out.clear();
            sealer.sealLast(out);
            out.flip();
            flush();
        }
    }

    /** Whether {@link #read} would give something, or an error, without reading the socket. */
    public boolean hasReadable() {
        return opened.hasRemaining() || opener.isComplete(in);
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        int given = 0;
        boolean hasRead = false;
        while (target.hasRemaining()) {
            if (opened.hasRemaining()) {
                int length = Math.min(opened.remaining(), target.remaining());
                target.put(content, opened.position(), length);
                opened.position(opened.position() + length);
                given += length;
                continue;
            }
            int length = opener.open(in, content);
            if (length >= 0) {
                opened.limit(length).position(0);
            } else if (hasRead || given > 0) {
                break;
            } else if (!fill()) {
                return -1;
            } else {
                hasRead = true;
            }
        }
        return given;
    }

    /** Reads the socket; false when the stream has ended in good order. */
    private boolean fill() throws IOException {
        in.compact();
        int count;
        try {
            count = channel.read(in);
        } finally {
            in.flip();
        }
        if (count < 0 && !opener.isEnded()) {
            throw new EOFException("the connection was closed " + (in.hasRemaining() ? "within a record"
                : "without a last record") + ": the other side died, or the stream was cut off");
        }
        return count >= 0;
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}

package org.tributary.wire.record;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.ClosedChannelException;

/** Over {@link Records} that are made here: what is written is sealed, what is read was opened. */
public final class RecordChannel extends EncryptedChannel {
    private static final int STAGED_RECORDS = 4;

    private final ByteChannel channel;
    private final RecordSealer sealer;
    private final RecordOpener opener;
    private final ByteBuffer out = ByteBuffer.allocateDirect(STAGED_RECORDS * Records.MAX_BYTES).limit(0);
    private final ByteBuffer in = ByteBuffer.allocateDirect(STAGED_RECORDS * Records.MAX_BYTES).limit(0);
    private final byte[] content = RecordOpener.contentBuffer();
    private final ByteBuffer opened = ByteBuffer.wrap(content).limit(0);
    private boolean isEnded;

    /** Over a non-blocking channel. */
    public RecordChannel(ByteChannel channel, RecordSealer sealer, RecordOpener opener) {
        this.channel = channel;
        this.sealer = sealer;
        this.opener = opener;
    }

    @Override
    public synchronized boolean hasPending() {
        return out.hasRemaining();
    }

    @Override
    public synchronized boolean flush() throws IOException {
        if (out.hasRemaining()) {
            channel.write(out);
        }
        return !out.hasRemaining();
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

    @Override
    public synchronized void end() throws IOException {
        if (!isEnded && flush()) {
            isEnded = true;
            out.clear();
            sealer.sealLast(out);
            out.flip();
            flush();
        }
    }

    @Override
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
            throw cutOff(in.hasRemaining() ? "within a record" : "without a last record");
        }
        return count >= 0;
    }

    /** The exception for a stream that has ended there, without its last record. */
    static EOFException cutOff(String where) {
        return new EOFException("the connection was closed " + where
            + ": the other side died, or the stream was cut off");
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

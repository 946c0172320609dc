package org.tributary.launcher.host;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.IntConsumer;

/**
 * Input of rank 0 that has arrived on its host. One thread reads; any adds, which never waits: the launcher sends no
 * more than {@link AgentOutput#WINDOW} bytes before some have been read.
 */
final class AgentInput extends InputStream {
    private final BlockingQueue<byte[]> waiting = new LinkedBlockingQueue<>();
    private final IntConsumer taken;
    private byte[] piece = new byte[0];
    private int position;
    private boolean ended;

    /** {@code taken} is told how many bytes were read, or -1 when nobody reads any more. */
    AgentInput(IntConsumer taken) {
        this.taken = taken;
    }

    /** Nothing is the end. */
    void add(byte... bytes) {
        waiting.add(bytes);
    }

    @Override
    public int read() {
        throw new UnsupportedOperationException("input is read in pieces");
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        if (!ended && position == piece.length) {
            next();
        }
        if (ended) {
            return -1;
        }
        int count = Math.min(length, piece.length - position);
        System.arraycopy(piece, position, to, offset, count);
        position += count;
        return count;
    }

    /** The piece before has been passed on: what is told is what the reader has taken. */
    private void next() throws IOException {
        if (piece.length > 0) {
            taken.accept(piece.length);
        }
        try {
            piece = waiting.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
        position = 0;
        ended = piece.length == 0;
    }

    @Override
    public void close() {
        taken.accept(-1);
    }
}

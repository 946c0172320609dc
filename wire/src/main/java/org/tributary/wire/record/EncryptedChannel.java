package org.tributary.wire.record;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.GatheringByteChannel;

/**
 * A non-blocking channel whose bytes travel in records. What {@link #write} takes may be changed, but some of it may
 * still {@linkplain #hasPending wait} for the socket; what one read brings may be more than {@link #read} gives at
 * once, so read until nothing is {@linkplain #hasReadable left} before you wait for the socket. One thread at a time
 * may read, while any write.
 */
public abstract class EncryptedChannel implements ByteChannel, GatheringByteChannel {
    private final ByteBuffer[] single = new ByteBuffer[1];

    @Override
    public final synchronized int write(ByteBuffer source) throws IOException {
        single[0] = source;
        try {
            return (int) write(single, 0, 1);
        } finally {
            single[0] = null;
        }
    }

    @Override
    public final long write(ByteBuffer[] sources) throws IOException {
        return write(sources, 0, sources.length);
    }

    /** Whether bytes that were written still wait for the socket: {@link #flush} then. */
    public abstract boolean hasPending();

    /** Hands what waits to the socket; whether nothing waits any more. */
    public abstract boolean flush() throws IOException;

    /** Says that nothing follows, as far as the socket takes that at once. */
    public abstract void end() throws IOException;

    /** Whether {@link #read} would give something, or an error, without reading the socket. */
    public abstract boolean hasReadable();
}

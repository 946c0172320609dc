package org.tributary.client.connection;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;

/**
 * How bytes travel between a rank and one server: requests are written, answers are read, and neither blocks. Guarded
 * by the lock of the links, except that {@link #close} may come from any thread.
 */
public interface Transport extends ReadableByteChannel, GatheringByteChannel {
    @Override
    default long write(ByteBuffer[] sources) throws IOException {
        return write(sources, 0, sources.length);
    }

    /** Hands on what it can; whether closing loses nothing of what was written, as the server or the kernel has it. */
    boolean drain() throws IOException;

    /** A thread has waited long for an answer: tells the other side again to look, where that notice can be lost. */
    default void remind() throws IOException {
    }

    /** Nothing more will be written: marks the end of the stream, where the transport has such a mark. */
    default void endStream() throws IOException {
    }

    /** The socket on which answers come. */
    SocketChannel socket();
}

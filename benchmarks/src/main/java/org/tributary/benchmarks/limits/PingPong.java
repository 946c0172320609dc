package org.tributary.benchmarks.limits;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.tributary.benchmarks.measure.Effort;
import org.tributary.benchmarks.measure.Repeatable;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.benchmarks.measure.Stopwatch;

/**
 * Round trip of a 64-byte message over TCP, about the size of a small request. With the channel in non-blocking mode
 * both ends spin, which is the shortest time that a request and its answer can take; in blocking mode both ends sleep
 * in the kernel.
 */
public final class PingPong implements Repeatable {
    public static final int MESSAGE_BYTES = 64;
    private static final byte PING = 1;
    private static final byte LAST = 2;

    private final SocketChannel channel;
    private final ByteBuffer message = ByteBuffer.allocateDirect(MESSAGE_BYTES);

    private PingPong(SocketChannel channel, boolean spinning) throws IOException {
        this.channel = channel;
        channel.configureBlocking(!spinning);
    }

    /** The measuring side. */
    public static Sample measure(SocketChannel channel, boolean spinning, Effort effort) throws IOException {
        PingPong pingPong = new PingPong(channel, spinning);
        Sample sample = new Stopwatch().measure(pingPong, effort);
        pingPong.roundTrip(LAST);
        return sample;
    }

    /** The other side: answers until told that it was the last. */
    public static void answer(SocketChannel channel, boolean spinning) throws IOException {
        PingPong pingPong = new PingPong(channel, spinning);
        byte kind;
        do {
            pingPong.read();
            kind = pingPong.message.get(0);
            pingPong.write();
        } while (kind != LAST);
    }

    @Override
    public void once() throws IOException {
        roundTrip(PING);
    }

    private void roundTrip(byte kind) throws IOException {
        message.put(0, kind);
        write();
        read();
    }

    private void write() throws IOException {
        message.clear();
        while (message.hasRemaining()) {
            channel.write(message);
        }
    }

    private void read() throws IOException {
        message.clear();
        while (message.hasRemaining()) {
            if (channel.read(message) < 0) {
                throw new EOFException("the other side of the ping-pong ended");
            }
        }
    }
}

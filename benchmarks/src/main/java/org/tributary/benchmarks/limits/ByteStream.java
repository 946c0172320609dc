package org.tributary.benchmarks.limits;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.tributary.benchmarks.measure.Effort;
import org.tributary.benchmarks.measure.Repeatable;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.benchmarks.measure.Stopwatch;

/**
 * One-way bandwidth of TCP: a round of {@link #ROUND_BYTES} goes out in writes of one size, and the receiver
 * acknowledges its end. Both sides walk over a buffer as large as the largest operation that is compared with this, so
 * that memory and caches see the same traffic. Which size is best, and whether sleeping in the kernel or spinning is,
 * depends on the machine, and one attempt can be twice as fast as the next, so all are tried; the best size is kept for
 * a second, and the best of these seconds counts, with all that disturbed it: so it is compared with what operations
 * reach by all their time.
 */
final class ByteStream implements Repeatable {
    static final int BUFFER_BYTES = 4 << 20;
    static final long ROUND_BYTES = 128L << 20;
    private static final int[] WRITE_BYTES = {256 << 10, 512 << 10, 1 << 20, BUFFER_BYTES};
    private static final Effort ROUNDS = new Effort(1, 5);
    private static final Effort MANY_ROUNDS = new Effort(0, 1_000);
    private static final Duration SUSTAINED = Duration.ofSeconds(1);
    /** Whether both sides spin; both processes go through these passes in step. */
    private static final boolean[] SPINNING = {false, true, true};
    /** First byte of a round. */
    private static final byte ROUND = 1;
    /** First and only byte after the last round. */
    private static final byte END = 2;

    private final SocketChannel channel;
    private final int writeBytes;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final ByteBuffer acknowledgement = ByteBuffer.allocateDirect(1);

    private ByteStream(SocketChannel channel, boolean spinning, int writeBytes) throws IOException {
        this.channel = channel;
        this.writeBytes = writeBytes;
        channel.configureBlocking(!spinning);
    }

    /** The sending side: the times of rounds of the best attempt. */
    static Sample measure(SocketChannel channel) throws IOException {
        Sample best = null;
        for (boolean spinning : SPINNING) {
            Sample sample = measure(channel, spinning);
            if (best == null || rate(sample) > rate(best)) {
                best = sample;
            }
        }
        return best;
    }

    private static double rate(Sample sample) {
        return sample.mbPerSecond(ROUND_BYTES);
    }

    private static Sample measure(SocketChannel channel, boolean spinning) throws IOException {
        ByteStream fastest = null;
        double most = 0;
        for (int bytes : WRITE_BYTES) {
            ByteStream stream = new ByteStream(channel, spinning, bytes);
            stream.buffer.put(0, ROUND);
            double rate = rate(new Stopwatch().measure(stream, ROUNDS));
            if (rate > most) {
                fastest = stream;
                most = rate;
            }
        }
        Sample best = Stopwatch.lasting(SUSTAINED).measure(fastest, MANY_ROUNDS);
        ByteStream last = new ByteStream(channel, spinning, 1);
        last.buffer.put(0, END);
        last.write(0);
        last.readAcknowledgement();
        return best;
    }

    /** The receiving side: acknowledges the rounds of each pass until told that there are no more. */
    static void answer(SocketChannel channel) throws IOException {
        for (boolean spinning : SPINNING) {
            ByteStream stream = new ByteStream(channel, spinning, BUFFER_BYTES);
            boolean more = true;
            while (more) {
                more = stream.receiveRound();
                stream.writeAcknowledgement();
            }
        }
    }

    @Override
    public void once() throws IOException {
        for (long sent = 0; sent < ROUND_BYTES; sent += writeBytes) {
            write((int) (sent % BUFFER_BYTES));
        }
        readAcknowledgement();
    }

    private void write(int from) throws IOException {
        buffer.limit(from + writeBytes).position(from);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    private boolean receiveRound() throws IOException {
        buffer.clear();
        long received = 0;
        while (received < ROUND_BYTES) {
            if (!buffer.hasRemaining()) {
                buffer.clear();
            }
            int bytes = channel.read(buffer);
            if (bytes < 0) {
                throw new EOFException("the sending side of the stream ended after " + received + " bytes");
            }
            received += bytes;
            if (received > 0 && received == bytes && buffer.get(0) == END) {
                return false;
            }
        }
        return true;
    }

    private void writeAcknowledgement() throws IOException {
        acknowledgement.clear();
        while (acknowledgement.hasRemaining()) {
            channel.write(acknowledgement);
        }
    }

    private void readAcknowledgement() throws IOException {
        acknowledgement.clear();
        while (acknowledgement.hasRemaining()) {
            if (channel.read(acknowledgement) < 0) {
                throw new EOFException("the receiving side of the stream ended");
            }
        }
    }
}

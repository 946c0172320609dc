package org.tributary.benchmarks.cooperation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.channels.ServerSocketChannel;
import java.util.concurrent.atomic.AtomicLong;
import org.tributary.benchmarks.limits.PingPong;
import org.tributary.benchmarks.measure.Effort;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.simulator.Costs;

/**
 * Measures what the steps of a message cost on this machine: calls that send and receive over TCP loopback, the trip
 * between two threads that spin, and one that hands a word over in shared memory. What needs a whole server (its work
 * on a request, on a connection that opens, waking from the kernel) is taken from the figures given.
 */
final class Calibration {
    private static final int SMALL = PingPong.MESSAGE_BYTES;
    private static final int LARGE = 16 << 10;
    private static final int TIMES = 20_000;
    private static final int WARM_UP = 20_000;

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(LARGE);

    /** Median times of a system call that writes a message and of one that reads it, in nanoseconds. */
    private record Calls(long writeNs, long readNs) {
    }

    /** The costs; those that are not measured are {@code given}'s. */
    static Costs measure(Costs given) throws IOException, InterruptedException {
        try (ServerSocketChannel listener = ServerSocketChannel.open()
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            SocketChannel here = SocketChannel.open(listener.getLocalAddress());
            SocketChannel there = listener.accept()) {
            here.setOption(StandardSocketOptions.TCP_NODELAY, true).configureBlocking(false);
            there.setOption(StandardSocketOptions.TCP_NODELAY, true).configureBlocking(false);
            Calibration calibration = new Calibration();
            Calls small = calibration.calls(here, there, SMALL);
            Calls large = calibration.calls(here, there, LARGE);
            long roundTripNs = roundTrip(here, there);
            long latencyNs = Math.max(0, roundTripNs / 2 - small.writeNs - small.readNs);
            // Each byte is copied by the sender's call and by the receiver's; the simulator counts it at both.
            long picosPerByte = (large.writeNs + large.readNs - small.writeNs - small.readNs) * 1000
                / (2 * (LARGE - SMALL));
            return new Costs(small.writeNs, small.readNs, latencyNs, small.readNs, given.requestNs(), small.writeNs,
                Math.max(0, picosPerByte), given.wakeNs(), given.spinNs(), handOver(), given.connectNs());
        }
    }

    private Calls calls(SocketChannel from, SocketChannel to, int bytes) throws IOException {
        long[] writes = new long[TIMES];
        long[] reads = new long[TIMES];
        for (int i = -WARM_UP; i < TIMES; i++) {
            buffer.clear().limit(bytes);
            long beganNs = System.nanoTime();
            from.write(buffer);
            long wroteNs = System.nanoTime();
            while (buffer.hasRemaining()) {
                from.write(buffer);
            }
            buffer.clear().limit(bytes);
            long readNs = 0;
            while (buffer.hasRemaining()) {
                long readBeganNs = System.nanoTime();
                readNs = to.read(buffer) > 0 ? System.nanoTime() - readBeganNs : readNs;
            }
            if (i >= 0) {
                writes[i] = wroteNs - beganNs;
                reads[i] = readNs;
            }
        }
        return new Calls(Sample.median(writes), Sample.median(reads));
    }

    private static long roundTrip(SocketChannel here, SocketChannel there) throws IOException, InterruptedException {
        Thread answering = Thread.ofPlatform().daemon().start(() -> {
            try {
                PingPong.answer(there, true);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        long medianNs = PingPong.measure(here, true, new Effort(WARM_UP, TIMES)).medianNs();
        answering.join();
        return medianNs;
    }

    /** From a thread's store until another one that spins has seen it: half a round trip. */
    private static long handOver() throws InterruptedException {
        AtomicLong there = new AtomicLong();
        AtomicLong back = new AtomicLong();
        Thread answering = Thread.ofPlatform().daemon().start(() -> {
            for (long i = 1; i <= WARM_UP + TIMES; i++) {
                while (there.get() != i) {
                    Thread.onSpinWait();
                }
                back.set(i);
            }
        });
        long[] times = new long[TIMES];
        for (int i = 1; i <= WARM_UP + TIMES; i++) {
            long beganNs = System.nanoTime();
            there.set(i);
            while (back.get() != i) {
                Thread.onSpinWait();
            }
            if (i > WARM_UP) {
                times[i - WARM_UP - 1] = System.nanoTime() - beganNs;
            }
        }
        answering.join();
        return Sample.median(times) / 2;
    }
}

package org.tributary.benchmarks.limits;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.tributary.benchmarks.measure.Effort;
import org.tributary.benchmarks.measure.Stopwatch;

/**
 * The limits of one run.
 *
 * @param spinning   round trip of a small message, both ends spinning; empty in a job of one node, like the next two
 * @param blocking   the same, both ends sleeping in the kernel
 * @param stream     one-way bandwidth
 * @param memoryCopy copy from a rank's own memory to shared memory of the node
 */
public record RawLimits(Optional<Limit> spinning, Optional<Limit> blocking, Optional<Limit> stream, Limit memoryCopy) {
    private static final Effort SPINNING = new Effort(20_000, 10_000);
    private static final Effort BLOCKING = new Effort(1_000, 2_000);
    private static final Effort COPIES = new Effort(100, 10_000);
    private static final Duration COPYING = Duration.ofMillis(500);
    /** They take seconds; at a load of 30 on two cores they took 90 s once. */
    private static final Duration NETWORK_LIMIT = Duration.ofSeconds(240);

    /** Measures all; {@code channel} leads to a process in {@link #answer}, and memory is copied from and to. */
    public static RawLimits measure(SocketChannel channel, MemorySegment from, MemorySegment to) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        try (Watchdog _ = new Watchdog(channel, NETWORK_LIMIT)) {
            Limit spinning = new Limit("spinning ping-pong", PingPong.MESSAGE_BYTES,
                PingPong.measure(channel, true, SPINNING));
            Limit blocking = new Limit("blocking ping-pong", PingPong.MESSAGE_BYTES,
                PingPong.measure(channel, false, BLOCKING));
            Limit stream = new Limit("stream", ByteStream.ROUND_BYTES, ByteStream.measure(channel));
            return new RawLimits(Optional.of(spinning), Optional.of(blocking), Optional.of(stream), copy(from, to));
        }
    }

    /** The limit that can be measured without another node, that of a memory copy; the others are empty. */
    public static RawLimits measure(MemorySegment from, MemorySegment to) throws IOException {
        return new RawLimits(Optional.empty(), Optional.empty(), Optional.empty(), copy(from, to));
    }

    /** The other side of {@link #measure(SocketChannel, MemorySegment, MemorySegment)}. */
    public static void answer(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        try (Watchdog _ = new Watchdog(channel, NETWORK_LIMIT)) {
            PingPong.answer(channel, true);
            PingPong.answer(channel, false);
            ByteStream.answer(channel);
        }
    }

    private static Limit copy(MemorySegment from, MemorySegment to) throws IOException {
        return new Limit("memory copy", from.byteSize(),
            Stopwatch.lasting(COPYING).measure(new MemoryCopy(from, to), COPIES));
    }

    /**
     * The best of each limit, as what the machine has done once it can do: round trips by their median time, bandwidths
     * by all the time. All runs measured the same ones.
     */
    public static RawLimits best(List<RawLimits> runs) {
        Comparator<Limit> byTime = Comparator.comparingLong(limit -> -limit.sample().medianNs());
        Comparator<Limit> byRate = Comparator.comparingDouble(Limit::mbPerSecond);
        return new RawLimits(best(runs, RawLimits::spinning, byTime), best(runs, RawLimits::blocking, byTime),
            best(runs, RawLimits::stream, byRate),
            best(runs, run -> Optional.of(run.memoryCopy), byRate).orElseThrow());
    }

    private static Optional<Limit> best(List<RawLimits> runs, Function<RawLimits, Optional<Limit>> which,
        Comparator<Limit> order) {
        return runs.stream().map(which).flatMap(Optional::stream).max(order);
    }

    /** Those that were measured. */
    public Stream<Limit> all() {
        return Stream.of(spinning, blocking, stream, Optional.of(memoryCopy)).flatMap(Optional::stream);
    }
}

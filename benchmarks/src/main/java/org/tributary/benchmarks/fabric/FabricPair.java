package org.tributary.benchmarks.fabric;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.tributary.benchmarks.measure.Effort;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.benchmarks.measure.Stopwatch;
import org.tributary.config.ChannelDesign;
import org.tributary.fabric.CompletionHandler;
import org.tributary.fabric.FabricException;
import org.tributary.fabric.FabricKind;
import org.tributary.fabric.Provider;
import org.tributary.fabric.channel.Channel;

/** This process and its partner, with one provider. */
final class FabricPair implements CompletionHandler, AutoCloseable {
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(20);
    private static final int LARGEST = 8 << 10;
    static final String OPERATIONS = "OPERATIONS";
    /** And how long messages are. */
    static final String PLAIN = "PLAIN ";
    /** And how many channels are to be polled. */
    static final String POLLED = "POLLED ";

    private final Process partner;
    private final FabricSide side;
    private final BufferedReader answers;
    private final PrintStream orders;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment message = arena.allocate(LARGEST, Long.BYTES);
    private final Stopwatch stopwatch = new Stopwatch();
    private String served = "";
    private long events;
    private long answered;

    /** An operation of the adapter: tries to begin. */
    private interface Begin {
        boolean begin();
    }

    FabricPair(FabricKind kind, Provider provider) throws IOException {
        partner = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-Xmx64m", "-cp",
            System.getProperty("java.class.path"), FabricPartner.class.getName(), kind.name())
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        answers = new BufferedReader(new InputStreamReader(partner.getInputStream(), StandardCharsets.UTF_8));
        orders = new PrintStream(partner.getOutputStream(), true, StandardCharsets.UTF_8);
        side = new FabricSide(provider);
        orders.println(side.describe());
        side.connect(answer());
    }

    private String answer() throws IOException {
        String line = answers.readLine();
        if (line == null) {
            throw new IOException("the other process has ended: " + partner);
        }
        return line;
    }

    private void serve(String what) throws IOException {
        if (!what.equals(served)) {
            orders.println(what);
            if (!answer().equals(what)) {
                throw new IOException("the other process does not serve " + what);
            }
            served = what;
        }
    }

    /** Round trips of messages that are a write each, as a channel writes, which the other process sends back. */
    Sample roundTrip(int bytes, Effort effort) throws IOException {
        PlainMessages messages = side.messages();
        messages.begin(bytes);
        serve(PLAIN + bytes);
        return stopwatch.measure(() -> {
            awaitChannel(this::progressOfPlain, messages::send);
            awaitChannel(this::progressOfPlain, messages::receive);
        }, effort);
    }

    private void progressOfPlain() {
        side.plain().poll(this);
    }

    Sample read(int bytes, Effort effort) throws IOException {
        return operation(() -> side.remote().read(0, side.region(), 0, bytes, FabricSide.OPERATION), effort);
    }

    Sample write(int bytes, Effort effort) throws IOException {
        return operation(() -> side.remote().writeDelivered(0, side.region(), 0, bytes, FabricSide.OPERATION), effort);
    }

    private Sample operation(Begin operation, Effort effort) throws IOException {
        serve(OPERATIONS);
        return stopwatch.measure(() -> {
            long before = events;
            await(operation);
            await(() -> events > before);
        }, effort);
    }

    /** Round trips of messages, which the other process sends back by the same channel. */
    Sample channel(ChannelDesign design, int bytes, Effort effort) throws IOException {
        serve(design.name());
        Channel channel = side.channel(design);
        return stopwatch.measure(() -> {
            long before = answered;
            awaitChannel(() -> side.progress(design), () -> channel.send(message, 0, bytes));
            awaitChannel(() -> side.progress(design), () -> {
                channel.poll((memory, offset, length) -> answered++, 1);
                return answered > before;
            });
        }, effort);
    }

    /** Round trips of 8 bytes by one channel, while both processes poll so many. */
    Sample polled(int count, Effort effort) throws IOException {
        serve(POLLED + count);
        List<Channel> channels = side.polled().subList(0, count);
        return stopwatch.measure(() -> {
            long before = answered;
            awaitChannel(side::progressOfPolled, () -> channels.getFirst().send(message, 0, Long.BYTES));
            awaitChannel(side::progressOfPolled, () -> {
                for (Channel channel : channels) {
                    channel.poll((memory, offset, length) -> answered++, 1);
                }
                return answered > before;
            });
        }, effort);
    }

    private void await(Begin condition) {
        long begin = System.nanoTime();
        while (!condition.begin()) {
            side.plain().poll(this);
            check(begin);
        }
    }

    private void awaitChannel(Runnable progress, Begin condition) {
        long begin = System.nanoTime();
        progress.run();
        while (!condition.begin()) {
            progress.run();
            check(begin);
        }
    }

    private void check(long begin) {
        if (System.nanoTime() - begin > DEADLINE_NS) {
            throw new IllegalStateException(String.format(Locale.ROOT, "the other process has not answered for %d s;"
                + " it %s", TimeUnit.NANOSECONDS.toSeconds(DEADLINE_NS), partner.isAlive() ? "runs" : "has ended"));
        }
    }

    @Override
    public void completed(int context) {
        if (context == FabricSide.OPERATION) {
            events++;
        }
    }

    @Override
    public void arrived(int data) {
        side.messages().arrived();
    }

    @Override
    public void failed(int context, FabricException reason) {
        throw reason;
    }

    /** The partner ends at the end of its input. */
    @Override
    public void close() throws IOException {
        orders.close();
        try {
            if (!partner.waitFor(DEADLINE_NS, TimeUnit.NANOSECONDS)) {
                partner.destroyForcibly();
            }
        } catch (InterruptedException e) {
            partner.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        answers.close();
        side.close();
        arena.close();
    }
}

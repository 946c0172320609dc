package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Assume;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.tributary.config.Topology;
import org.tributary.server.testing.HandshakeFrames;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Requests.Level;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.TestServers;
import org.tributary.testsupport.ToleratesErrors;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AtomicOp;
import org.tributary.wire.codec.ElementCode;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.codec.ReduceCode;
import org.tributary.wire.codec.Role;
import org.tributary.wire.codec.SignalOp;
import org.tributary.wire.shm.WindowLayout;

/**
 * Whatever bytes come over one connection, a rank on another one gets its answers and keeps its memory. The admitted
 * connections are those of a server, whose end does not end the job.
 */
@ToleratesErrors("WARNING: communication server of node \\d+: (closed|refused) ")
class MalformedFramesTest {
    private static final String MALFORMED = "tributary_frames_malformed_total";
    private static final long BYSTANDERS = 0x1234_5678_9ABC_DEF1L;
    private static final long FUZZED = 0x0F0F;
    private static final long MUTEXES = 0x3333;
    private static final long WINDOW = 0x4444;
    private static final int PART = 1 << 16;
    private static TestServers job;
    private static RawClient bystander;
    private static byte step;

    @BeforeContainer
    static void start() throws IOException {
        // The rank of node 1 never attaches.
        job = TestServers.start(Topology.of(1, 1), "server.receive-buffer=8k", "attach.timeout=1h");
        bystander = job.rank(0);
        bystander.done(Requests.allocate(1, BYSTANDERS, 0, 0, 1000));
        bystander.done(Requests.allocate(1, FUZZED, 0, 0, PART));
        bystander.done(Requests.allocate(1, MUTEXES, 1, 0, 256));
        bystander.done(Requests.allocate(1, WINDOW, 2, 0, WindowLayout.bytes(2)));
    }

    @AfterContainer
    static void stop() {
        job.close();
    }

    private static void bystanderNoticesNothing() throws IOException {
        byte[] data = new byte[1000];
        java.util.Arrays.fill(data, ++step);
        bystander.fenced(Requests.put(BYSTANDERS, 0, 0, 0, data));
        assertArrayEquals(data, bystander.ask(Requests.get(1, BYSTANDERS, 0, 0, 1000)).data());
        assertEquals(1, bystander.ask(Requests.probe(2, 0)).value().value());
        assertTrue(job.log().with("internal error").isEmpty(), () -> job.log().with("internal error").toString());
    }

    private static RawClient connect(boolean admitted, boolean tcp) throws IOException {
        java.net.SocketAddress address = tcp ? job.tcp(0) : job.local(0);
        return admitted ? job.connect(address, Role.SERVER, 1, 1) : RawClient.stranger(address);
    }

    /** Sends, says that no more comes, and waits for the server to close. */
    private static void sendToTheEnd(RawClient client, byte[] bytes) throws IOException {
        try (client) {
            Thread sender = Thread.ofPlatform().daemon().start(() -> {
                try {
                    client.send(bytes);
                    client.shutdownOutput();
                } catch (IOException closed) {
                    // the server needed no more of it
                }
            });
            client.awaitClosed();
            sender.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Property(tries = 100)
    void shouldCloseAndCountWhenBytesAreRandom(@ForAll @Size(min = Frames.HEADER_BYTES, max = 3000) byte[] bytes,
        @ForAll boolean admitted, @ForAll boolean tcp) throws IOException {
        Assume.that(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getShort(8) != 7411);
        double before = job.metric(0, MALFORMED, "");
        sendToTheEnd(connect(admitted, tcp), bytes);
        assertEquals(before + 1, job.metric(0, MALFORMED, ""));
        bystanderNoticesNothing();
    }

    @Example
    void shouldCloseAndCountWhenSignalHasNoOperation() throws IOException {
        double before = job.metric(0, MALFORMED, "");
        sendToTheEnd(connect(true, true), Requests.signal(FUZZED, 0, 128, SignalOp.NULL_VAL, 1));
        assertEquals(before + 1, job.metric(0, MALFORMED, ""));
        bystanderNoticesNothing();
    }

    static byte[][] requests() {
        Level[] levels = {new Level(64, 3), new Level(-1000, 4)};
        return new byte[][] {
            Requests.put(FUZZED, 0, 8, 1, new byte[300]),
            Requests.putStrided(FUZZED, 0, 30_000, 0, 32, levels, new byte[384]),
            Requests.putVector(FUZZED, 0, 0, Requests.all(Requests.entry(0, 40, new byte[40]),
                Requests.entry(500, 7, new byte[7]))),
            Requests.accumulate(FUZZED, 0, 64, 0, ElementCode.COMPLEX_DOUBLE, 1, new byte[160]),
            Requests.accumulateStrided(FUZZED, 0, 30_000, ElementCode.FLOAT, 1, 32, levels, new byte[384]),
            Requests.accumulateVector(FUZZED, 0, ElementCode.INT, 3, Requests.entry(4, 8, new byte[8])),
            Requests.signal(FUZZED, 0, 128, SignalOp.ADD, 1), Requests.notification(0),
            Requests.get(1, FUZZED, 0, 0, 3000), Requests.getStrided(2, FUZZED, 0, 30_000, 32, levels),
            Requests.getVector(3, FUZZED, 0, Requests.all(Requests.entry(1, 2), Requests.entry(3, 400))),
            Requests.atomic(4, FUZZED, 0, 8, AtomicOp.COMPARE_AND_SWAP, 4, 1, 0),
            Requests.lock(5, MUTEXES, 0, 64, true), Requests.unlock(MUTEXES, 0, 64, 1), Requests.probe(6, 0),
            Requests.fence(),
            Requests.then(Requests.put(FUZZED, 0, 8, 1, new byte[30]), Frames.THEN_COUNT_FENCE, WINDOW),
            Requests.then(Requests.get(1, FUZZED, 0, 0, 3000), Frames.THEN_UNLOCK_SHARED, WINDOW),
            Requests.getAccumulate(7, FUZZED, 0, 64, ElementCode.COMPLEX_FLOAT, ReduceCode.PRODUCT, new byte[64]),
            Requests.then(Requests.getAccumulate(8, FUZZED, 0, 64, ElementCode.INT, ReduceCode.COMPARE_AND_SWAP,
                new byte[8]), Frames.THEN_COUNT_EXPOSURE, WINDOW)};
    }

    /** What only ranks may send, whose end ends the job. */
    private static byte[][] requestsOfRanks() {
        LockMode mode = LockMode.EXCLUSIVE;
        return new byte[][] {
            Requests.lockWindow(1, WINDOW, 0, LockMode.SHARED, true), Requests.lockWindow(2, WINDOW, 0, mode, false),
            Requests.unlockWindow(WINDOW, 0, mode, 1), Requests.unlockWindow(WINDOW, 0, LockMode.SHARED, 0),
            Requests.lockedPut(3, WINDOW, mode, FUZZED, 0, 8, new byte[300]),
            Requests.lockedAccumulate(4, WINDOW, LockMode.SHARED, FUZZED, 0, 8, ElementCode.DOUBLE, ReduceCode.MAX, 1,
                new byte[160]),
            Requests.lockedGet(5, WINDOW, mode, FUZZED, 0, 8, 400),
            Requests.then(Requests.put(FUZZED, 0, 8, 1, new byte[30]), Frames.THEN_UNLOCK_EXCLUSIVE, WINDOW)};
    }

    private static byte[] mutated(byte[] bytes, List<Integer> places, int kind, long seed) {
        Random random = new Random(seed);
        for (int place : places) {
            // Every byte of every kind of request, but headers and numbers more often than payload.
            int at = Math.floorMod(place, Math.min(bytes.length, kind == 0 ? 100 : bytes.length));
            bytes[at] = (byte) (kind == 2 ? -1 : random.nextInt());
        }
        return bytes;
    }

    /** Whether a frame, as the server cuts them, rightly ends the job or changes what all use. */
    static boolean endsJob(byte[] bytes) {
        ByteBuffer stream = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int at = 0;
        while (at >= 0 && at + Frames.HEADER_BYTES <= bytes.length) {
            if (stream.getShort(at + 6) >= 50) {
                return true;
            }
            int length = stream.getInt(at);
            at = length < Frames.HEADER_BYTES ? -1 : at + length;
        }
        return false;
    }

    @Property(tries = 1500, edgeCases = net.jqwik.api.EdgeCasesMode.NONE)
    void shouldHarmNobodyWhenRequestsAreMutated(@ForAll List<@IntRange(max = 19) Integer> choice,
        @ForAll @Size(min = 1, max = 6) List<Integer> places, @ForAll @IntRange(max = 2) int kind,
        @ForAll long seed, @ForAll boolean tcp) throws IOException {
        byte[][] all = requests();
        byte[] bytes = Requests.all(choice.stream().map(i -> all[i]).toArray(byte[][]::new));
        Assume.that(bytes.length > 0);
        mutated(bytes, places, kind, seed);
        Assume.that(!endsJob(bytes));
        sendToTheEnd(connect(true, tcp), bytes);
        bystanderNoticesNothing();
    }

    @Property(tries = 60, edgeCases = net.jqwik.api.EdgeCasesMode.NONE)
    void shouldHarmNobodyWhenLocksOfWindowsAreMutated(
        @ForAll @Size(min = 1, max = 12) List<@IntRange(max = 7) Integer> choice,
        @ForAll @Size(max = 4) List<Integer> places, @ForAll @IntRange(max = 2) int kind, @ForAll long seed)
        throws IOException {
        byte[][] all = requestsOfRanks();
        byte[] bytes = mutated(Requests.all(choice.stream().map(i -> all[i]).toArray(byte[][]::new)), places, kind,
            seed);
        Assume.that(!endsJob(bytes));
        try (TestServers other = TestServers.start(Topology.of(1, 1), "server.receive-buffer=4k");
            RawClient rank = other.rank(0)) {
            rank.done(Requests.allocate(1, FUZZED, 0, 0, PART));
            rank.done(Requests.allocate(1, WINDOW, 2, 0, WindowLayout.bytes(2)));
            sendToTheEnd(other.remote(1, 0), bytes);
            // Whatever the rank held or waited for, it does so no more.
            rank.ask(Requests.lockedPut(1, WINDOW, LockMode.EXCLUSIVE, FUZZED, 0, 0, (byte) 1)).done();
            assertEquals(0, other.metric(0, "tributary_window_waiting", ""));
            assertTrue(other.log().with("internal error").isEmpty(),
                () -> other.log().with("internal error").toString());
        }
    }

    @Property(tries = 100)
    void shouldHarmNobodyWhenHandshakeIsMutated(
        @ForAll @Size(min = 1, max = 3) List<@IntRange(max = 136) Integer> places, @ForAll byte value,
        @ForAll boolean tcp) throws IOException {
        byte[] bytes = Requests.all(HandshakeFrames.hello(job.jobId(), Role.SERVER, 1, 1),
            HandshakeFrames.response(new byte[32]));
        places.forEach(place -> bytes[place] = value);
        sendToTheEnd(connect(false, tcp), bytes);
        bystanderNoticesNothing();
    }

    @Property(tries = 100)
    void shouldHarmNobodyWhenRequestIsTruncated(@ForAll @IntRange(max = 19) int which,
        @ForAll @IntRange(min = 1) int cut, @ForAll boolean tcp) throws IOException {
        byte[] request = requests()[which];
        sendToTheEnd(connect(true, tcp), java.util.Arrays.copyOf(request, cut % request.length));
        bystanderNoticesNothing();
    }
}

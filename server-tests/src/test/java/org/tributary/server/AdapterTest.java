package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.fabric.FabricException;
import org.tributary.fabric.FabricKind;
import org.tributary.fabric.RemoteRegion;
import org.tributary.server.testing.AdapterClient;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.TestServers;
import org.tributary.server.testing.Words;
import org.tributary.testsupport.ExpectsErrors;
import org.tributary.testsupport.ToleratesErrors;
import org.tributary.wire.AcceptingHandshake;
import org.tributary.wire.BlockingConnection;
import org.tributary.wire.Handshake;
import org.tributary.wire.Membership;
import org.tributary.wire.RefusedException;
import org.tributary.wire.codec.ErrorCode;
import org.tributary.wire.codec.RefusalCode;
import org.tributary.wire.codec.RegionDecoder;
import org.tributary.wire.codec.Role;
import org.tributary.wire.shm.WindowLayout;
import org.tributary.wire.status.ServerCounts;
import org.tributary.wire.status.ServerGauge;

/** The network adapter of a server, used as ranks use it. Counts threads and files of the process. */
class AdapterTest {
    private static final long SEGMENT = 5;
    private static final int LENGTH = 1 << 20;
    /** From one part of a segment to the next, which begins on a page. */
    private static final long PARTS = 4096;
    private static final int LATER = 20;
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(200);

    private static TestServers start(FabricKind kind) throws IOException {
        AdapterClient.assumeFabric();
        return TestServers.start(Topology.of(2, 1), "network.fabric=" + kind);
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    @ParameterizedTest
    @MethodSource("org.tributary.testsupport.TestedProviders#constants")
    void shouldReadAndWritePartsWhenTheirRegionIsAsked(FabricKind kind) throws IOException {
        try (TestServers job = start(kind); RawClient rank = job.rank(0); RawClient peer = job.remote(2, 0);
            AdapterClient client = new AdapterClient(kind, LENGTH)) {
            rank.done(Requests.allocate(1, SEGMENT, 0, 0, 100, LENGTH));
            rank.done(Requests.allocate(2, SEGMENT + 1, 1, 0, 64, 64));
            assertEquals(1, job.metric(0, "tributary_fabric_regions", ""));
            assertEquals(4096 + LENGTH, job.metric(0, "tributary_fabric_bytes", ""));
            ServerCounts counts = CountsTest.await(job.server(0).directory(),
                seen -> seen.gauge(ServerGauge.FABRIC_REGIONS) == 1);
            assertEquals(4096 + LENGTH, counts.gauge(ServerGauge.FABRIC_BYTES));
            assertEquals(0, counts.gauge(ServerGauge.FABRIC_CHANNELS));
            RegionDecoder told = peer.ask(Requests.askRegion(7, SEGMENT, 1)).region();
            assertEquals(7, told.requestId());
            assertEquals(4096, told.partOffset());
            assertEquals(4096 + LENGTH, told.bytes());
            RemoteRegion region = client.region(told);
            assertEquals(kind.provider(), peer.ask(Requests.askRegion(8, SEGMENT, 0)).region().provider());
            byte[] data = random(300_000);
            client.memory().copyFrom(MemorySegment.ofArray(data));
            assertNull(client.write(region, 4096 + 77, data.length));
            assertArrayEquals(data, peer.ask(Requests.get(9, SEGMENT, 1, 77, data.length)).data());
            rank.send(Requests.put(SEGMENT, 1, 0, 1, (byte) 3)).receive();
            assertNull(client.read(region, 4096, 100));
            assertEquals(3, client.bytes(0, 1)[0]);
            assertEquals(data[0], client.bytes(77, 1)[0]);
        }
    }

    /** Of a window is told by which number writes count there; others count nothing. */
    @ParameterizedTest
    @MethodSource("org.tributary.testsupport.TestedProviders#constants")
    void shouldCountWritesWhenTheyCarryTheNumberOfAWindow(FabricKind kind) throws IOException {
        try (TestServers job = start(kind); RawClient rank = job.rank(0); RawClient peer = job.remote(2, 0);
            AdapterClient client = new AdapterClient(kind, LENGTH)) {
            rank.done(Requests.allocate(1, SEGMENT, 0, 0, LENGTH, LENGTH));
            for (int window = 1; window <= 2; window++) {
                rank.done(Requests.allocate(2, SEGMENT + window, 2, 0, WindowLayout.bytes(2), WindowLayout.bytes(2)));
            }
            RemoteRegion region = client.region(peer.ask(Requests.askRegion(3, SEGMENT, 1)).region());
            int[] numbers = new int[4];
            for (int i = 0; i < numbers.length; i++) {
                RegionDecoder told = peer.ask(Requests.askRegion(4, SEGMENT + 1 + i / 2, i % 2)).region();
                numbers[i] = (int) told.key();
                assertEquals(List.of(4L, 0L, 0L), List.of(told.requestId(), told.bytes(), told.partOffset()));
                assertEquals(kind.provider(), told.provider());
            }
            assertEquals(4, Arrays.stream(numbers).filter(number -> number != 0).distinct().count());
            assertEquals(numbers[1], peer.ask(Requests.askRegion(5, SEGMENT + 1, 1)).region().key());
            for (int number : new int[] {numbers[1], numbers[2], numbers[1], 0, -1, numbers[3] + 1}) {
                assertNull(client.write(region, 64, 5000, number));
            }
            Words first = Words.of(job, 0, SEGMENT + 1);
            Words second = Words.of(job, 0, SEGMENT + 2);
            await(() -> count(first, 1) == 2 && count(second, 0) == 1);
            assertEquals(0, count(first, 0) + count(second, 1));
            rank.done(Requests.free(6, SEGMENT + 1));
            assertNull(client.write(region, 64, 5000, numbers[1]));
            assertNull(client.write(region, 64, 5000, numbers[2]));
            assertEquals(ErrorCode.SEGMENT_UNKNOWN, peer.ask(Requests.askRegion(7, SEGMENT + 1, 1)).error().code());
            assertEquals(ErrorCode.RANK_UNKNOWN, peer.ask(Requests.askRegion(8, SEGMENT + 2, 2)).error().code());
            await(() -> count(second, 0) == 2);
            assertEquals(2, count(first, 1), "the file that was freed");
        }
    }

    private static long count(Words window, int part) {
        return window.get(PARTS * part + WindowLayout.FENCE_COUNT);
    }

    /** The event may come after the write is complete at its sender. */
    private static void await(BooleanSupplier condition) {
        long deadlineNs = System.nanoTime() + DEADLINE_NS;
        while (!condition.getAsBoolean() && System.nanoTime() < deadlineNs) {
            LockSupport.parkNanos(1_000_000);
        }
        assertTrue(condition.getAsBoolean());
    }

    @Test
    void shouldSayWhyWhenAPartHasNoRegion() throws IOException {
        try (TestServers job = start(AdapterClient.first()); RawClient rank = job.rank(0);
            RawClient peer = job.remote(2, 0)) {
            rank.done(Requests.allocate(1, SEGMENT, 0, 0, 0, 0));
            rank.done(Requests.allocate(2, SEGMENT + 1, 1, 0, 64, 64));
            RegionDecoder empty = peer.ask(Requests.askRegion(3, SEGMENT, 1)).region();
            assertEquals(0, empty.bytes());
            assertEquals(AdapterClient.first().provider(), empty.provider());
            assertEquals(0, peer.ask(Requests.askRegion(3, 0, 1)).region().bytes());
            assertEquals(ErrorCode.SEGMENT_UNKNOWN, peer.ask(Requests.askRegion(4, 99, 1)).error().code());
            assertEquals(ErrorCode.RANK_UNKNOWN, peer.ask(Requests.askRegion(5, SEGMENT, 2)).error().code());
            assertEquals(ErrorCode.BAD_REQUEST, peer.ask(Requests.askRegion(6, SEGMENT + 1, 1)).error().code());
        }
        try (TestServers job = TestServers.start(Topology.of(2, 1),
                "network.fabric=" + (AdapterClient.first().offloads() ? "none" : "auto"));
            RawClient rank = job.rank(0); RawClient peer = job.remote(2, 0)) {
            rank.done(Requests.allocate(1, SEGMENT, 0, 0, 100, 100));
            RegionDecoder none = peer.ask(Requests.askRegion(3, SEGMENT, 1)).region();
            assertEquals(0, none.bytes());
            assertEquals("", none.provider());
        }
    }

    /** Keys are no numbers that a stranger could guess. */
    @Test
    void shouldGiveKeysThatDoNotFollowEachOther() throws IOException {
        assumeTrue(AdapterClient.first() == FabricKind.TCP, "an adapter chooses its keys itself");
        try (TestServers job = start(AdapterClient.first()); RawClient rank = job.rank(0);
            RawClient peer = job.remote(2, 0)) {
            long[] keys = new long[3];
            for (int i = 0; i < keys.length; i++) {
                rank.done(Requests.allocate(1, SEGMENT + i, 0, 0, 100, 100));
                keys[i] = peer.ask(Requests.askRegion(3, SEGMENT + i, 1)).region().key();
            }
            assertTrue(Math.abs(keys[0] - keys[1]) > 1000 && Math.abs(keys[1] - keys[2]) > 1000);
        }
    }

    /** What is on its way when the segment goes neither arrives in others nor harms the server. */
    @Test
    void shouldFailAtTheSenderWhenTheSegmentIsFreedWhileItWrites() throws Exception {
        FabricKind kind = AdapterClient.first(); // shm lets a late write wait for ever
        try (TestServers job = start(kind); RawClient rank = job.rank(0); RawClient peer = job.remote(2, 0)) {
            rank.done(Requests.allocate(1, SEGMENT, 0, 0, LENGTH, LENGTH));
            RegionDecoder told = peer.ask(Requests.askRegion(2, SEGMENT, 0)).region();
            AtomicInteger written = new AtomicInteger();
            CompletableFuture<FabricException> ended = new CompletableFuture<>();
            Thread writer = Thread.ofPlatform().start(() -> {
                try (AdapterClient client = new AdapterClient(kind, 2 * LENGTH)) {
                    client.memory().fill((byte) -1);
                    RemoteRegion region = client.region(told);
                    FabricException failure = null;
                    while (failure == null) {
                        failure = client.write(region, 0, 2 * LENGTH);
                        written.incrementAndGet();
                    }
                    ended.complete(failure);
                } catch (RuntimeException | Error e) {
                    ended.completeExceptionally(e);
                }
            });
            while (written.get() < 3 && !ended.isDone()) {
                Thread.onSpinWait();
            }
            rank.done(Requests.free(3, SEGMENT));
            for (int later = 1; later <= LATER; later++) {
                rank.done(Requests.allocate(4, SEGMENT + later, 0, 0, LENGTH, LENGTH));
            }
            assertNotNull(ended.get(200, TimeUnit.SECONDS).getMessage());
            writer.join();
            for (int later = 1; later <= LATER; later++) {
                byte[] contents = peer.ask(Requests.get(5, SEGMENT + later, 0, 0, LENGTH)).data();
                assertArrayEquals(new byte[LENGTH], contents, "segment " + later);
            }
        }
    }

    @Test
    void shouldReuseAddressesAfterAWhileWhenManySegmentsAreFreed() throws IOException {
        try (TestServers job = start(AdapterClient.first()); RawClient rank = job.rank(0)) {
            int before = maps();
            for (int i = 0; i < 200; i++) {
                rank.done(Requests.allocate(1, SEGMENT + i, 0, 0, LENGTH, LENGTH));
                rank.done(Requests.free(2, SEGMENT + i));
            }
            assertTrue(maps() < before + 100, "mappings are left");
            assertEquals(0, job.metric(0, "tributary_fabric_regions", ""));
            assertEquals(0, job.metric(0, "tributary_fabric_bytes", ""));
        }
    }

    private static int maps() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/maps")).size();
    }

    private static List<String> names(String folder) throws IOException {
        try (Stream<Path> entries = Files.list(Path.of(folder))) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    /** Those of sockets are also of the harness, which keeps some open that it asks for metrics. */
    private static long descriptors() throws IOException {
        long count = 0;
        for (String name : names("/proc/self/fd")) {
            Path file = Path.of("/proc/self/fd", name);
            count += Files.isSymbolicLink(file) && !Files.readSymbolicLink(file).toString().startsWith("socket:")
                ? 1 : 0;
        }
        return count;
    }

    @ParameterizedTest
    @MethodSource("org.tributary.testsupport.TestedProviders#constants")
    void shouldLeaveNothingWhenServersEnd(FabricKind kind) throws Exception {
        start(kind).close(); // what is loaded once stays
        long descriptors = descriptors();
        String own = ProcessHandle.current().pid() + ":";
        List<String> files = names("/dev/shm").stream().filter(name -> name.startsWith(own)).toList();
        for (int i = 0; i < 3; i++) {
            try (TestServers job = start(kind); RawClient rank = job.rank(0)) {
                rank.done(Requests.allocate(1, SEGMENT, 0, 0, LENGTH, LENGTH));
                assertNotEquals(0, Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().startsWith("tributary-adapter-")).count());
            }
        }
        assertTrue(AdapterClient.haveEnded("tributary-adapter-"));
        assertEquals(files, names("/dev/shm").stream().filter(name -> name.startsWith(own)).toList());
        assertTrue(descriptors() < descriptors + 3, () -> "descriptors are left: " + descriptors);
    }

    /** What another node has taken for {@code auto}; before anything is transferred. */
    @Test
    @ExpectsErrors("the adapter of network.fabric is .*;ofi_rxm at the server of node 0 and cxi at .*")
    void shouldRefuseNeighboursAndRanksWhenTheyHaveAnotherProvider() throws IOException {
        try (TestServers job = start(AdapterClient.first())) {
            Membership other = job.membership().withAdapter("cxi");
            for (Role role : new Role[] {Role.LOCAL_RANK, Role.LIFELINE, Role.REMOTE_RANK, Role.NEIGHBOUR}) {
                boolean isLocal = role == Role.LOCAL_RANK || role == Role.LIFELINE;
                int number = isLocal ? 0 : role == Role.NEIGHBOUR ? 1 : 2;
                try (BlockingConnection connection = BlockingConnection.connect(isLocal ? job.local(0) : job.tcp(0),
                    DEADLINE_NS)) {
                    RefusedException refused = assertThrows(RefusedException.class,
                        () -> connection.admit(other, role, number, isLocal ? 0 : 1, 0));
                    assertEquals(RefusalCode.SETTINGS_DIFFER, refused.code());
                }
            }
        }
    }

    /** The server above has found another one. */
    @Test
    @ToleratesErrors("the adapter of network.fabric is cxi")
    void shouldEndTheJobAtItsStartWhenServersHaveFoundDifferentProviders(@TempDir Path directory) throws Exception {
        AdapterClient.assumeFabric();
        try (ServerSocketChannel above = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0))) {
            String address = "127.0.0.1:" + above.socket().getLocalPort();
            JobEnvironment job = JobEnvironment.builder().jobId("providers-" + ProcessHandle.current().pid())
                .secret("a secret of this job".getBytes(StandardCharsets.UTF_8)).topology(Topology.of(1, 1)).node(1)
                .servers(List.of(address, "127.0.0.1:1")).build();
            Settings settings = Settings.builder().set("server.bind-address=127.0.0.1").set("network.fabric=tcp")
                .set("shm.directory=" + directory).set("job.grace=100ms").build();
            Membership other = Membership.of(job, settings).withAdapter("cxi");
            try (CommunicationServer server = CommunicationServer.start(job, settings)) {
                try (SocketChannel below = above.accept()) {
                    AcceptingHandshake handshake = new AcceptingHandshake(other, 0, new byte[Handshake.TOKEN_BYTES]);
                    while (!handshake.isOver()) {
                        byte[] frame = frame(below);
                        below.write(ByteBuffer.wrap(handshake.receive(new UnsafeBuffer(frame), 0, frame.length)));
                    }
                }
                String reason = server.awaitTermination().reason();
                assertTrue(reason.matches("node 1 has no connection to the communication server of node 0: .*the"
                    + " adapter of network.fabric is cxi at the server of node 0 and tcp;ofi_rxm at the server of"
                    + " node 1 .*"), reason);
            }
        }
    }

    private static byte[] frame(SocketChannel connection) throws IOException {
        InputStream stream = connection.socket().getInputStream();
        byte[] length = stream.readNBytes(Integer.BYTES);
        byte[] frame = new byte[ByteBuffer.wrap(length).order(ByteOrder.LITTLE_ENDIAN).getInt()];
        System.arraycopy(length, 0, frame, 0, length.length);
        stream.readNBytes(frame, length.length, frame.length - length.length);
        return frame;
    }

    @Test
    void shouldListWhatIsThereWhenTheProviderIsNot() {
        AdapterClient.assumeFabric();
        ServerException refused = assertThrows(ServerException.class,
            () -> TestServers.start(Topology.of(1, 1), "network.fabric=cxi"));
        assertTrue(refused.getMessage().matches("(?s)communication server of node 0 cannot start: cxi cannot be used:"
            + " libfabric has no provider cxi here. There are: .*tcp;ofi_rxm on .*: lacks an adapter that moves data"
            + " without the target's process.*"), refused.getMessage());
    }
}

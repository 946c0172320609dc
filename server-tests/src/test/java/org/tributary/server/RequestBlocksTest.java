package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tributary.config.ChannelDesign;
import org.tributary.config.Topology;
import org.tributary.fabric.FabricKind;
import org.tributary.fabric.channel.ChannelShape;
import org.tributary.server.testing.AdapterClient;
import org.tributary.server.testing.BlockClient;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.ServerLogLines;
import org.tributary.server.testing.TestServers;
import org.tributary.testsupport.ExpectsErrors;
import org.tributary.testsupport.TestedProviders;
import org.tributary.wire.codec.AtomicOp;
import org.tributary.wire.codec.ChannelDecoder;

/** Requests that ranks 2 and 3 of node 1 write to blocks of the server of node 0. */
class RequestBlocksTest {
    private static final String MALFORMED = "tributary_frames_malformed_total";
    private static final String CHANNELS = "tributary_fabric_channels";
    private static final String MESSAGES = "tributary_fabric_channel_messages_total";
    private static final long SEGMENT = 5;
    private static final int BYTES = 1 << 16;
    private static final int BLOCK_BYTES = ChannelShape.of(ChannelDesign.VARIABLE_BOTTOM).inboundBytes();

    private static TestServers start(FabricKind kind, String... settings) throws IOException {
        AdapterClient.assumeFabric();
        String[] all = Arrays.copyOf(settings, settings.length + 1);
        all[settings.length] = "network.fabric=" + kind;
        return TestServers.start(Topology.of(2, 2), all);
    }

    private static RawClient rank(TestServers job) throws IOException {
        RawClient rank = job.rank(0);
        rank.done(Requests.allocate(1, SEGMENT, 0, 0, BYTES, BYTES));
        return rank;
    }

    static Stream<Arguments> everyDesign() {
        return TestedProviders.constants().flatMap(kind ->
            Arrays.stream(ChannelDesign.values()).map(design -> Arguments.of(kind, design)));
    }

    /** With one node there is nobody who could write to a block. */
    @Test
    @ExpectsErrors({"fabric.channels has no effect: network.fabric = none gives this node no adapter",
        "fabric.channels has no effect: network.fabric = auto gives this node no adapter"})
    void shouldSayThatThereAreNoChannelsWhenThereIsNoAdapter() throws IOException {
        try (ServerLogLines lines = new ServerLogLines()) {
            TestServers.start(Topology.of(2), "fabric.channels=4").close();
            assertEquals(List.of(), lines.with("no effect"));
            for (String fabric : new String[] {"none", "auto"}) {
                TestServers.start(Topology.of(1, 1), "fabric.channels=4", "network.fabric=" + fabric,
                    "network.encryption=aes-gcm").close(); // with which auto takes none
            }
            assertEquals(4, lines.with("no effect").size());
        }
    }

    @ParameterizedTest
    @MethodSource("everyDesign")
    void shouldExecuteInOrderWhenRequestsComeByBlockAndConnection(FabricKind kind, ChannelDesign design)
        throws IOException {
        try (TestServers job = start(kind, "fabric.channels=4:" + design, "server.receive-buffer=4k");
            RawClient rank = rank(job);
            BlockClient peer = new BlockClient(job.remote(2, 0), kind)) {
            byte[] data = new byte[10_000];
            for (int round = 0; round < 4; round++) {
                peer.socket().send(Requests.put(SEGMENT, 0, 0, 0, new byte[] {(byte) round}));
                peer.ask(10).use();
                for (int i = 0; i < 20; i++) { // the block many times over, messages cut anywhere
                    Arrays.fill(data, (byte) (i + round));
                    peer.send(Requests.put(SEGMENT, 0, i, 0, data));
                    assertArrayEquals(data, peer.ask(Requests.get(i, SEGMENT, 0, i, data.length)).data());
                    assertEquals(i, peer.ask(Requests.atomic(i, SEGMENT, 1, 8 * i, AtomicOp.FETCH_AND_ADD, 8, 5, 0))
                        .value().requestId());
                }
                assertEquals(21 * (round + 1), peer.ask(Requests.fence()).ack());
                assertEquals(1, job.metric(0, CHANNELS, ""));
                assertEquals(5 * round + 5, peer.ask(Requests.atomic(7, SEGMENT, 1, 0, AtomicOp.FETCH_AND_ADD, 8, 0, 0))
                    .value().value());
                peer.leave();
                assertEquals(0, job.metric(0, CHANNELS, ""));
                assertArrayEquals(data, peer.socket().ask(Requests.get(3, SEGMENT, 0, 19, data.length)).data());
            }
            assertTrue(job.metric(0, MESSAGES, "") > 4 * 20 * 3);
            assertTrue(job.metric(0, "tributary_fabric_channel_bytes_total", "") > 4 * 20 * 10_000);
            assertArrayEquals(data, rank.ask(Requests.get(4, SEGMENT, 0, 19, data.length)).data());
        }
    }

    /** Nobody writes for long enough for the server and its adapter to sleep. */
    @ParameterizedTest
    @MethodSource("everyDesign")
    void shouldBeWokenWhenTheServerSleeps(FabricKind kind, ChannelDesign design) throws IOException {
        try (TestServers job = start(kind, "fabric.channels=4:" + design, "server.spin=0"); RawClient rank = rank(job);
            BlockClient peer = new BlockClient(job.remote(2, 0), kind).ask(10).use()) {
            for (int i = 0; i < 300; i++) {
                LockSupport.parkNanos(i * 10_000L);
                assertEquals(i, peer.ask(Requests.atomic(1, SEGMENT, 1, 8, AtomicOp.FETCH_AND_ADD, 8, 1, 0)).value()
                    .value());
            }
            if (kind == FabricKind.TCP) { // others tell of each write
                assertTrue(job.metric(0, "tributary_fabric_channel_wakes_total", "") > 0);
            }
            rank.done(Requests.free(2, SEGMENT));
        }
    }

    /** The rank that uses its block least is told to leave it for one that sends more. */
    @Test
    void shouldGiveTheBlockToTheBusierRankWhenThereIsOne() throws IOException {
        FabricKind kind = AdapterClient.first();
        try (TestServers job = start(kind, "fabric.channels=1"); RawClient rank = rank(job);
            BlockClient idle = new BlockClient(job.remote(2, 0), kind).ask(10).use();
            BlockClient busy = new BlockClient(job.remote(3, 0), kind)) {
            idle.ask(Requests.fence());
            long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(200);
            while (!idle.isWanted()) { // it takes a while until the server knows how much it is used
                busy.socket().send(Requests.askChannel(1000)).fenced();
                idle.ask(Requests.fence());
                LockSupport.parkNanos(30_000_000);
                assertTrue(System.nanoTime() < deadlineNs, "never wanted");
            }
            idle.leave();
            busy.ask(1000).use();
            assertEquals(0, busy.ask(Requests.fence()).ack());
            for (int i = 0; i < 20; i++) {
                LockSupport.parkNanos(10_000_000);
                for (int asked = 0; asked < 50; asked++) { // busy by far, though this thread may be late at times
                    assertEquals(0, busy.ask(Requests.fence()).ack());
                }
                idle.socket().send(Requests.askChannel(1)).fenced(); // not worth it
            }
            assertFalse(busy.isWanted());
            assertEquals(1, job.metric(0, CHANNELS, ""));
            assertEquals(43, rank.ask(Requests.free(2, SEGMENT)).template(), "Done");
        }
    }

    /** A rank may have to open its adapter before it can use its block; the time until then says nothing of its use. */
    @Test
    void shouldLeaveARankItsBlockWhenItHasOnlyJustBegun() throws IOException {
        FabricKind kind = AdapterClient.first();
        try (TestServers job = start(kind, "fabric.channels=1"); BlockClient slow = new BlockClient(job.remote(2, 0),
            kind); RawClient other = job.remote(3, 0)) {
            long askedNs = System.nanoTime();
            slow.ask(10);
            int wanted = 0;
            while (wanted == 0) {
                other.fenced(Requests.askChannel(1000));
                wanted = slow.socket().skipAfterFence();
            }
            assertTrue(System.nanoTime() - askedNs >= TimeUnit.MILLISECONDS.toNanos(500), "so long it may take");
            slow.socket().fenced(Requests.leaveChannel());
            slow.ask(10);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
            long usedNs = System.nanoTime();
            slow.use();
            while (!slow.isWanted()) { // fences are few beside so many, however fast the machine
                other.fenced(Requests.askChannel(Integer.MAX_VALUE));
                slow.ask(Requests.fence());
            }
            assertTrue(System.nanoTime() - usedNs >= TimeUnit.MILLISECONDS.toNanos(50), "so long it is measured");
        }
    }

    @Test
    void shouldGiveNoneWhenThereAreNone() throws IOException {
        try (TestServers job = start(AdapterClient.first()); RawClient peer = job.remote(2, 0)) {
            peer.send(Requests.askChannel(5));
            assertEquals(0, peer.fenced());
        }
    }

    /** What comes late is an error at its sender. */
    @Test
    @ExpectsErrors("closed REMOTE_RANK of rank 2 .*: requests on the connection of a rank that uses a channel")
    void shouldCloseTheBlockWhenTheRankIsGone() throws IOException {
        FabricKind kind = AdapterClient.first(); // shm drops a late write
        assumeTrue(kind == FabricKind.TCP, "other adapters drop a late write");
        try (TestServers job = start(kind, "fabric.channels=1"); RawClient rank = rank(job)) {
            for (int i = 0; i < 3; i++) {
                try (BlockClient peer = new BlockClient(job.remote(2, 0), kind).ask(10).use()) {
                    assertEquals(0, peer.ask(Requests.fence()).ack());
                    assertEquals(1, job.metric(0, CHANNELS, ""));
                    peer.socket().send(Requests.useChannel()).awaitClosed();
                    job.awaitMetric(0, CHANNELS, 0);
                    assertEquals(1 + i, job.metric(0, MALFORMED, ""));
                    assertNotNull(peer.forge(64, new byte[100]));
                }
            }
            assertEquals(43, rank.ask(Requests.free(2, SEGMENT)).template(), "Done");
        }
    }

    @Test
    @ExpectsErrors({"closed REMOTE_RANK of rank 2 .*: rank 2 uses a channel that it does not have",
        "closed LOCAL_RANK of rank 0 .*: message 37 from a LOCAL_RANK"})
    void shouldCloseTheConnectionWhenTheRankHasNoBlock() throws IOException {
        FabricKind kind = AdapterClient.first();
        try (TestServers job = start(kind, "fabric.channels=1"); RawClient rank = rank(job)) {
            for (byte[] wrong : new byte[][] {Requests.useChannel(), Requests.all(Requests.leaveChannel(),
                Requests.useChannel())}) {
                try (RawClient peer = job.remote(2, 0)) {
                    peer.send(wrong).awaitClosed();
                }
            }
            try (RawClient peer = job.remote(2, 0)) {
                peer.send(Requests.askChannel(1));
                ChannelDecoder told = peer.receive().channel();
                assertEquals(BLOCK_BYTES, told.bytes());
                peer.send(Requests.askChannel(1)); // has one
                peer.send(Requests.leaveChannel()); // does not want it
                assertEquals(0, peer.fenced());
                peer.send(Requests.askChannel(1));
                assertEquals(BLOCK_BYTES, peer.receive().channel().bytes());
                peer.send(Requests.all(Requests.useChannel(), Requests.leaveChannel())).awaitClosed();
            }
            rank.send(Requests.askChannel(1)).awaitClosed(); // of this node
            assertEquals(4, job.metric(0, MALFORMED, ""));
        }
    }

    /** A rank can write anything to its own block; the job ends, as with any damaged memory. */
    @Test
    void shouldEndTheJobWhenABlockIsDamaged() throws IOException {
        FabricKind kind = AdapterClient.first();
        assumeTrue(kind == FabricKind.TCP, "other adapters tell of each write, so nobody looks");
        try (TestServers job = start(kind, "fabric.channels=1"); RawClient rank = rank(job);
            BlockClient peer = new BlockClient(job.remote(2, 0), kind).ask(10).use()) {
            byte[] word = {-1, -1, -1, 0, 0, 0, 0, 1};
            peer.forge(BLOCK_BYTES - word.length, word);
            assertFalse(job.termination(0).clean());
            assertTrue(job.termination(0).reason().matches(".*block \\d+ of requests is damaged: message 0 has 16777215"
                + " bytes.*"), job.termination(0)::reason);
            assertEquals(0, rank.offer(new byte[0], 0));
        }
    }

    /** What is in a block is read as what comes from a connection, and no more. */
    @Test
    @ExpectsErrors("closed REMOTE_RANK of rank 2 .*: frame of 255 bytes")
    void shouldCloseTheConnectionWhenARequestInABlockIsMalformed() throws IOException {
        FabricKind kind = AdapterClient.first();
        try (TestServers job = start(kind, "fabric.channels=1"); RawClient rank = rank(job);
            BlockClient peer = new BlockClient(job.remote(2, 0), kind).ask(10).use()) {
            peer.send(new byte[] {-1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
            peer.socket().awaitClosed();
            assertEquals(1, job.metric(0, MALFORMED, ""));
            assertEquals(43, rank.ask(Requests.free(2, SEGMENT)).template(), "Done");
        }
    }
}

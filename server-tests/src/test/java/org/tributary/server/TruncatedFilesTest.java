package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.Topology;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.RingClient;
import org.tributary.server.testing.TestServers;
import org.tributary.testsupport.ExpectsErrors;
import org.tributary.testsupport.OneAndSeveralThreads;
import org.tributary.testsupport.ToleratesErrors;
import org.tributary.wire.codec.AtomicOp;
import org.tributary.wire.codec.ElementCode;
import org.tributary.wire.shm.NodeDirectory;

/** Files that a server has mapped, and that somebody truncates: both servers end the job and name the file. */
@ToleratesErrors("cannot tell the ranks of the node by .*/control")
@OneAndSeveralThreads
class TruncatedFilesTest {
    private static final long SEGMENT = 77;
    private static final int BYTES = 1 << 20;

    private TestServers job;
    private RawClient rank;

    private void start(String... settings) throws IOException {
        job = TestServers.start(Topology.of(1, 1), settings);
        rank = job.rank(0);
        rank.done(Requests.allocate(1, SEGMENT, 0, 0, BYTES));
    }

    @AfterEach
    void stop() throws IOException {
        rank.close();
        job.close();
    }

    private static void truncate(Path file, long length) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(length);
        }
    }

    private Path segment() {
        return new NodeDirectory(job.directory(0)).segment(SEGMENT);
    }

    /** The server may end, and close the connection, before it has read all of that. */
    private static void sendUnlessClosed(RawClient client, byte[]... requests) {
        try {
            for (byte[] request : requests) {
                client.send(request);
            }
        } catch (IOException e) {
            assertTrue(e.getMessage().matches("Connection reset.*|Broken pipe"), e.toString());
        }
    }

    private void assertEndsNaming(Path file, long now) {
        for (int node = 0; node < 2; node++) {
            CommunicationServer.Termination end = job.termination(node);
            assertFalse(end.clean());
            assertTrue(end.reason().contains(
                file + " was truncated while the job uses it: it has " + now + " bytes, not "),
                node + ": " + end.reason());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"put", "large put", "get", "large get", "atomic", "accumulate", "strided"})
    void shouldNameTheSegmentWhenItIsTruncatedUnderARequest(String what) throws IOException {
        start("job.grace=0");
        byte[] request = switch (what) {
            case "put" -> Requests.put(SEGMENT, 0, 8192, 0, new byte[100]);
            case "large put" -> Requests.put(SEGMENT, 0, 8192, 0, new byte[500_000]);
            case "get" -> Requests.get(1, SEGMENT, 0, 8192, 100);
            case "large get" -> Requests.get(1, SEGMENT, 0, 8192, 500_000);
            case "atomic" -> Requests.atomic(1, SEGMENT, 0, 8192, AtomicOp.FETCH_AND_ADD, 8, 1, 0);
            case "accumulate" -> Requests.accumulate(SEGMENT, 0, 8192, 0, ElementCode.DOUBLE, 1, new byte[800]);
            default -> Requests.getStrided(1, SEGMENT, 0, 8192, 64, new Requests.Level(4096, 16));
        };
        try (RawClient remote = job.remote(1, 0)) {
            assertEquals(0, remote.fenced());
            truncate(segment(), 4096);
            sendUnlessClosed(remote, request, Requests.fence());
            assertEndsNaming(segment(), 4096);
        }
    }

    @Test
    void shouldNameTheControlFileWhenItIsTruncatedAndANotificationComes() throws IOException {
        start("job.grace=0");
        try (RawClient remote = job.remote(1, 0)) {
            assertEquals(0, remote.fenced());
            truncate(job.directory(0).resolve("control"), 0);
            sendUnlessClosed(remote, Requests.notification(0), Requests.fence());
            assertEndsNaming(job.directory(0).resolve("control"), 0);
        }
    }

    @Test
    void shouldNameTheSegmentWhenItIsTruncatedAndNobodyTouchesIt() throws IOException {
        start("job.grace=0");
        truncate(segment(), 4096);
        assertEndsNaming(segment(), 4096);
    }

    /** It writes there once a second, from code that the JVM has compiled or not. */
    @ParameterizedTest
    @ValueSource(longs = {0, 16})
    void shouldNameTheCountsWhenTheyAreTruncated(long length) throws IOException {
        start("job.grace=0");
        truncate(job.directory(0).resolve("counts"), length);
        assertEndsNaming(job.directory(0).resolve("counts"), length);
    }

    /** What the server has to write there at the end of a job stops nothing. */
    @Test
    @ExpectsErrors("cannot tell the ranks of the node by .*/control")
    void shouldTellEverybodyWhenARankDiesAndTheControlFileIsGone() throws IOException {
        start("job.grace=0");
        truncate(job.directory(0).resolve("control"), 0);
        rank.close();
        assertEndsNaming(job.directory(0).resolve("control"), 0);
        assertTrue(job.termination(1).reason().contains("rank 0 (node 0"), job.termination(1).reason());
    }

    /** The loop looks at the bell in each of its turns, asked or not. */
    @ParameterizedTest
    @ValueSource(longs = {0, 128})
    void shouldNameTheRingsWhenTheyAreTruncated(long length) throws IOException {
        job = TestServers.start(Topology.of(1, 1), "job.grace=0", "cooperation.mode=combine", "cooperation.scope=node",
            "cooperation.ring-bytes=16k");
        try (RingClient ring = RingClient.rank(job, 0, 0, 0, 1)) {
            rank = ring.socket();
            assertEquals(0, ring.ask(Requests.fence()).ack());
            truncate(job.directory(0).resolve("rings"), length);
            sendUnlessClosed(rank, Requests.wake());
            assertEndsNaming(job.directory(0).resolve("rings"), length);
        }
    }
}

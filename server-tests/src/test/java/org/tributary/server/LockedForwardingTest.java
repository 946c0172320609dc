package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.Topology;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Reply;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.TestServers;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.CreditDecoder;
import org.tributary.wire.codec.DataDecoder;
import org.tributary.wire.codec.DoneDecoder;
import org.tributary.wire.codec.ElementCode;
import org.tributary.wire.codec.ErrorCode;
import org.tributary.wire.codec.ErrorDecoder;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.codec.MessageHeaderDecoder;
import org.tributary.wire.codec.MessageHeaderEncoder;
import org.tributary.wire.codec.ReduceCode;
import org.tributary.wire.codec.RequesterEncoder;
import org.tributary.wire.codec.Role;

/**
 * Operations under the lock of a window that come on one channel with what lets them go on. Node 0 passes on what its
 * ranks, and those that it stands for, want of node 3 to node 2, of the same group as node 3.
 */
class LockedForwardingTest {
    private static final long DATA = 77;
    private static final long WINDOW = 78;
    private static final int TARGET = 3;
    /** More answers than the block of a channel has bytes. */
    private static final int WAITING = 6;

    private TestServers job;
    private RawClient owner;
    private RawClient channel;
    private long freed;

    @BeforeEach
    void start() throws IOException {
        job = TestServers.start(Topology.uniform(4, 1), "cooperation.mode=forward", "cooperation.group-size=2",
            "cooperation.scope=node", "cooperation.channel-bytes=64k");
        owner = job.rank(TARGET);
        owner.done(Requests.allocate(1, DATA, 0, TARGET, Frames.MAX_HELD_PAYLOAD));
        owner.done(Requests.allocate(2, WINDOW, 2, TARGET, 256));
        channel = job.connect(job.tcp(2), Role.CHANNEL, 0, 0);
    }

    @AfterEach
    void stop() throws IOException {
        channel.close();
        owner.close();
        job.close();
    }

    private static byte[] of(int rank, byte... request) {
        byte[] frame = new byte[Frames.HEADER_BYTES + RequesterEncoder.BLOCK_LENGTH];
        UnsafeBuffer buffer = new UnsafeBuffer(frame);
        buffer.putInt(0, frame.length);
        new RequesterEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES, new MessageHeaderEncoder()).rank(rank);
        return Requests.all(frame, request);
    }

    private static byte[] locked(String kind, long request) {
        byte[] data = new byte[Frames.MAX_HELD_PAYLOAD];
        return switch (kind) {
            case "put" -> Requests.lockedPut(request, WINDOW, LockMode.EXCLUSIVE, DATA, TARGET, 0, data);
            case "accumulate" -> Requests.lockedAccumulate(request, WINDOW, LockMode.EXCLUSIVE, DATA, TARGET, 0,
                ElementCode.LONG, ReduceCode.SUM, 1, data);
            default -> Requests.lockedGet(request, WINDOW, LockMode.EXCLUSIVE, DATA, TARGET, 0, data.length);
        };
    }

    /** The next message that is no credit. */
    private Reply receive() throws IOException {
        while (true) {
            Reply reply = channel.receive();
            if (reply.template() != CreditDecoder.TEMPLATE_ID) {
                return reply;
            }
            freed = new CreditDecoder().wrapAndApplyHeader(new UnsafeBuffer(reply.frame()), Frames.LENGTH_BYTES,
                new MessageHeaderDecoder()).freed();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"put", "accumulate", "get"})
    void shouldReadReleaseWhenOperationsWaitForTheLock(String kind) throws IOException {
        channel.send(of(0, Requests.lockWindow(1, WINDOW, TARGET, LockMode.EXCLUSIVE, false)));
        assertEquals(1, receive().value().value());
        for (int i = 1; i <= WAITING; i++) {
            byte[] request = of(1, locked(kind, 100 + i));
            long before = freed;
            channel.send(request);
            while (request.length > Frames.MAX_HELD_PAYLOAD && freed < before + Frames.MAX_HELD_PAYLOAD) {
                freed = new CreditDecoder().wrapAndApplyHeader(new UnsafeBuffer(channel.receive().frame()),
                    Frames.LENGTH_BYTES, new MessageHeaderDecoder()).freed();
            }
            job.awaitMetric(TARGET, "tributary_window_waiting", i);
        }
        channel.send(of(0, Requests.unlockWindow(WINDOW, TARGET, LockMode.EXCLUSIVE, 0)));
        Set<Long> answered = new HashSet<>();
        while (answered.size() < WAITING) {
            Reply reply = receive();
            switch (reply.template()) {
                case DoneDecoder.TEMPLATE_ID -> answered.add(reply.done());
                case DataDecoder.TEMPLATE_ID -> answered.add(reply.dataRequest());
                default -> { } // the acknowledgement of the release
            }
        }
        assertEquals(0, job.metric(TARGET, "tributary_window_waiting", ""));
    }

    /** The server that passed a request on hears at once that it is lost: the end of the job may take a second. */
    @Test
    void shouldTellOfTheLostRequestWhenTheServerOfItsTargetDies() throws IOException {
        channel.send(of(0, Requests.lockWindow(1, WINDOW, TARGET, LockMode.EXCLUSIVE, false)));
        assertEquals(1, receive().value().value());
        channel.send(of(1, locked("get", 100)));
        job.awaitMetric(TARGET, "tributary_window_waiting", 1);
        job.server(TARGET).close();
        Reply reply = receive();
        while (reply.template() != ErrorDecoder.TEMPLATE_ID) {
            reply = receive(); // of the end of the job
        }
        assertEquals(100, reply.error().requestId());
        assertEquals(ErrorCode.NODE_LOST, reply.error().code());
        assertEquals(TARGET, reply.error().bound());
    }

    /** Nobody tells their ranks of the end, as for connections of their own. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldUnmapWhatOperationsWaitForWhenTheirServerCloses(boolean isFreed) throws IOException {
        channel.send(of(0, Requests.lockWindow(1, WINDOW, TARGET, LockMode.EXCLUSIVE, false)));
        assertEquals(1, receive().value().value());
        channel.send(of(1, locked("put", 100)));
        job.awaitMetric(TARGET, "tributary_window_waiting", 1);
        if (isFreed) {
            owner.done(Requests.free(3, DATA));
        }
        String directory = job.directory(TARGET).toString();
        assertNotEquals(List.of(), mapped(directory));
        job.server(TARGET).close();
        assertEquals(List.of(), mapped(directory));
    }

    private static List<String> mapped(String directory) throws IOException {
        return Files.readAllLines(Path.of("/proc/self/maps")).stream().filter(line -> line.contains(directory + "/"))
            .toList();
    }
}

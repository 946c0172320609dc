package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tributary.config.Topology;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Reply;
import org.tributary.server.testing.Requests.Level;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.TestServers;

/** Answers that cannot leave: the server waits with the next request, and only for that connection. */
class BackPressureTest {
    private static final long SEGMENT = 77;
    private static final int PART_BYTES = 8 << 20;
    /** A little more than what may wait for one connection, in 64 KiB buffers. */
    private static final int BUFFERS = 40;

    private TestServers job;
    private RawClient reader;
    private RawClient other;

    @BeforeEach
    void start() throws IOException {
        job = TestServers.start(Topology.of(2), "server.receive-buffer=4k");
        reader = job.rank(0);
        other = job.rank(1);
        reader.done(Requests.allocate(1, SEGMENT, 0, 0, PART_BYTES, 4096));
    }

    @AfterEach
    void stop() {
        job.close();
    }

    private double replyBuffers() {
        return job.metric(0, "tributary_reply_buffers", "");
    }

    private static byte[] pattern(int length, int seed) {
        byte[] bytes = new byte[length];
        new java.util.Random(seed).nextBytes(bytes);
        return bytes;
    }

    private void othersAreServed() throws IOException {
        other.fenced(Requests.put(SEGMENT, 1, 0, 0, (byte) 1));
        assertEquals(1, other.ask(Requests.get(5, SEGMENT, 1, 0, 1)).data()[0]);
    }

    /** Sends everything, reading only once the server takes no more; checks that answers come in order. */
    private void askAllThenRead(byte[] requests, int count, int answerBytes) throws IOException {
        int sent = offerUntilFull(requests);
        assertTrue(sent < requests.length, "the server takes requests without end while answers cannot leave");
        othersAreServed();
        for (int i = 0; i < count; i++) {
            Reply reply = reader.receive();
            assertEquals(i, reply.dataRequest());
            assertEquals(answerBytes, reply.data().length);
            if (sent < requests.length) {
                sent += reader.offer(requests, sent);
            }
        }
        assertEquals(0, reader.fenced());
        assertTrue(replyBuffers() <= BUFFERS, () -> replyBuffers() + " reply buffers");
    }

    /** Stops when neither the socket nor the server has taken anything while another connection was served often. */
    private int offerUntilFull(byte[] requests) throws IOException {
        int sent = 0;
        int stalled = 0;
        while (sent < requests.length && stalled < 50) {
            int taken = reader.offer(requests, sent);
            sent += taken;
            stalled = taken > 0 ? 0 : stalled + 1;
            other.fenced();
        }
        return sent;
    }

    @Test
    void shouldKeepEveryRequestWhenSmallAnswersAreNotRead() throws IOException {
        int count = 60_000;
        byte[][] gets = new byte[count][];
        Arrays.setAll(gets, i -> Requests.get(i, SEGMENT, 0, 0, 100));
        askAllThenRead(Requests.all(gets), count, 100);
    }

    @Test
    void shouldKeepEveryRequestWhenGatheredAnswersAreNotRead() throws IOException {
        int count = 8000;
        byte[][] gets = new byte[count][];
        Arrays.setAll(gets, i -> Requests.getStrided(i, SEGMENT, 0, 0, 64, new Level(128, 256)));
        askAllThenRead(Requests.all(gets), count, 64 * 256);
    }

    @Test
    void shouldKeepEveryRequestWhenLargeAnswersAreNotRead() throws IOException {
        int count = 10_000;
        byte[][] gets = new byte[count][];
        Arrays.setAll(gets, i -> Requests.get(i, SEGMENT, 0, 0, 40_000));
        askAllThenRead(Requests.all(gets), count, 40_000);
    }

    @Test
    void shouldReadOnWhenAnAnswerTooLargeForTheSocketHasLeft() throws IOException {
        for (int length : new int[] {300_000, 900_000, PART_BYTES}) {
            reader.send(Requests.get(1, SEGMENT, 0, 0, length));
            othersAreServed(); // the answer is on its way, and waits for its reader
            assertEquals(length, reader.receive().data().length);
            assertEquals(0, reader.fenced());
        }
    }

    @Test
    void shouldReturnOldDataWhenPutFollowsLargeGet() throws IOException {
        for (int length : new int[] {32 * 1024, 500_000, PART_BYTES}) {
            byte[] before = pattern(length, 1);
            byte[] after = pattern(length, 2);
            reader.fenced(Requests.put(SEGMENT, 0, 0, 0, before));
            Thread sender = Thread.ofPlatform().start(() -> {
                try {
                    reader.send(Requests.all(Requests.get(3, SEGMENT, 0, 0, length),
                        Requests.put(SEGMENT, 0, 0, 0, after), Requests.get(4, SEGMENT, 0, 0, length)));
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            othersAreServed();
            assertArrayEquals(before, reader.receive().data());
            assertArrayEquals(after, reader.receive().data());
            joined(sender);
        }
    }

    private static void joined(Thread thread) {
        try {
            assertTrue(thread.join(java.time.Duration.ofSeconds(200)));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldLetGoOfSegmentWhenReaderIsGoneWithAnswersOnTheirWay() throws IOException {
        try (RawClient peer = job.peer(0, 0)) {
            for (int i = 0; i < 10; i++) {
                peer.send(Requests.get(i, SEGMENT, 0, 0, PART_BYTES));
            }
            othersAreServed();
        }
        job.awaitMetric(0, "tributary_connections", 2);
        reader.done(Requests.free(9, SEGMENT));
        assertEquals(0, reader.fenced());
    }
}

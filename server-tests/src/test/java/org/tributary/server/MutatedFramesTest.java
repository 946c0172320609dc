package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tributary.config.Topology;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.TestServers;
import org.tributary.testsupport.ToleratesErrors;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.MessageHeaderEncoder;
import org.tributary.wire.codec.RequesterEncoder;
import org.tributary.wire.codec.Role;
import org.tributary.wire.shm.WindowLayout;

/**
 * Frames with changed bytes after a genuine handshake, in each role, as many as one wants: {@code
 * -Dcampaign.frames=10000000 -Dcampaign.seed=1}. Of a server and a channel, whose end harms nobody, a rank looks on and
 * keeps its memory; of a rank, whose end is that of its job, each stream gets a job of its own, which must end with a
 * reason.
 */
@ToleratesErrors("WARNING: communication server of node \\d+: (closed|refused) ")
class MutatedFramesTest {
    private static final long BYSTANDERS = 0x1234_5678_9ABC_DEF1L;
    private static final long FUZZED = 0x0F0F;
    private static final long MUTEXES = 0x3333;
    private static final long WINDOW = 0x4444;
    private static final int PART = 1 << 16;
    private static final int FRAMES_A_STREAM = 20;
    private static final int STREAMS_A_LOOK = 500;
    private static final int SAMPLE = 4_000;
    /** Of the frames, those in the roles of ranks, each stream of which takes the start of a server. */
    private static final int SHARE_OF_RANKS = 1_000;

    /** Frames that nobody has sent before are for the campaign, not for the build of a change that is about others. */
    private static final long SEED = 1;

    private SplittableRandom random;
    private byte step;

    @Test
    @Tag("campaign")
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void shouldHarmNobodyWhenMillionsOfFramesAreMutated() throws IOException {
        run(Long.getLong("campaign.frames", 10_000_000), System.nanoTime() >>> 16);
    }

    @Test
    void shouldHarmNobodyWhenFramesAreMutatedInEachRole() throws IOException {
        run(SAMPLE, SEED);
    }

    private void run(long count, long usualSeed) throws IOException {
        long seed = Long.getLong("campaign.seed", usualSeed);
        random = new SplittableRandom(seed);
        System.out.println("mutated frames: -Dcampaign.seed=" + seed);
        long beganNs = System.nanoTime();
        bystanderLooksOn(Role.SERVER, count / 2);
        bystanderLooksOn(Role.CHANNEL, count / 2);
        for (Role role : new Role[] {Role.LOCAL_RANK, Role.REMOTE_RANK, Role.LIFELINE}) {
            for (long sent = 0; sent <= count / SHARE_OF_RANKS; sent += FRAMES_A_STREAM) {
                jobEnds(role);
            }
        }
        System.out.println("mutated frames: " + count + " as server and channel, " + count / SHARE_OF_RANKS
            + " in each of three roles of a rank, in " + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beganNs)
            + " s");
    }

    private static RawClient allocated(TestServers job) throws IOException {
        RawClient rank = job.rank(0);
        rank.done(Requests.allocate(1, BYSTANDERS, 0, 0, 1000));
        rank.done(Requests.allocate(1, FUZZED, 0, 0, PART));
        rank.done(Requests.allocate(1, MUTEXES, 1, 0, 256));
        rank.done(Requests.allocate(1, WINDOW, 2, 0, WindowLayout.bytes(4)));
        return rank;
    }

    private void bystanderLooksOn(Role role, long count) throws IOException {
        try (TestServers job = TestServers.start(Topology.uniform(4, 1), "server.receive-buffer=8k",
            "cooperation.mode=forward", "cooperation.group-size=2", "attach.timeout=24h");
            RawClient bystander = allocated(job)) {
            long streams = 0;
            for (long sent = 0; sent < count; sent += FRAMES_A_STREAM) {
                byte[] stream = stream(role == Role.CHANNEL);
                if (MalformedFramesTest.endsJob(stream)) {
                    continue;
                }
                boolean tcp = role == Role.CHANNEL || random.nextBoolean();
                send(job.connect(tcp ? job.tcp(0) : job.local(0), role, 1, 1), stream);
                if (++streams % STREAMS_A_LOOK == 0) {
                    look(job, bystander);
                }
            }
            look(job, bystander);
        }
    }

    private void look(TestServers job, RawClient bystander) throws IOException {
        byte[] data = new byte[1000];
        Arrays.fill(data, ++step);
        bystander.fenced(Requests.put(BYSTANDERS, 0, 0, 0, data));
        assertArrayEquals(data, bystander.ask(Requests.get(1, BYSTANDERS, 0, 0, 1000)).data());
        noInternalError(job);
    }

    private void jobEnds(Role role) throws IOException {
        try (TestServers job = TestServers.start(Topology.of(1, 1), "job.grace=100ms");
            RawClient rank = allocated(job)) {
            byte[] stream = stream(false);
            if (role == Role.LOCAL_RANK) {
                send(rank, stream);
            } else {
                send(role == Role.LIFELINE ? job.lifeline(0) : job.remote(1, 0), stream);
            }
            CommunicationServer.Termination end = job.termination(0);
            assertTrue(end.clean() || !end.reason().isBlank(), () -> "job ended without a reason: " + end);
            noInternalError(job);
        }
    }

    private static void noInternalError(TestServers job) {
        assertTrue(job.log().with("internal error").isEmpty(), () -> job.log().with("internal error").toString());
    }

    /** Requests of every kind, one byte of each changed. */
    private byte[] stream(boolean withRequesters) {
        byte[][] all = MalformedFramesTest.requests();
        byte[][] frames = new byte[FRAMES_A_STREAM][];
        for (int i = 0; i < frames.length; i++) {
            byte[] request = all[random.nextInt(all.length)];
            frames[i] = withRequesters ? Requests.all(requester(2 + random.nextInt(2)), request) : request.clone();
        }
        for (byte[] frame : frames) {
            // Every byte of every kind of request, but headers and numbers more often than payload.
            int at = random.nextInt(random.nextInt(4) == 0 ? frame.length : Math.min(frame.length, 100));
            frame[at] = (byte) (random.nextInt(4) == 0 ? -1 : random.nextInt());
        }
        return Requests.all(frames);
    }

    private static byte[] requester(int rank) {
        byte[] frame = new byte[Frames.HEADER_BYTES + RequesterEncoder.BLOCK_LENGTH];
        UnsafeBuffer buffer = new UnsafeBuffer(frame);
        buffer.putInt(0, frame.length);
        new RequesterEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES, new MessageHeaderEncoder()).rank(rank);
        return frame;
    }

    /** The server may close, or read no more, at any byte. */
    private static void send(RawClient client, byte[] stream) throws IOException {
        try (client) {
            client.send(stream);
            client.shutdownOutput();
            client.awaitClosed();
        } catch (IOException closed) {
            // before all of it had been sent
        }
    }
}

package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.Topology;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.RingClient;
import org.tributary.server.testing.StripeHolder;
import org.tributary.server.testing.TestServers;
import org.tributary.testsupport.ToleratesErrors;
import org.tributary.wire.Deadline;
import org.tributary.wire.RankState;
import org.tributary.wire.codec.ElementCode;
import org.tributary.wire.shm.AccumulateLocks;
import org.tributary.wire.shm.ControlFile;
import org.tributary.wire.shm.NodeDirectory;

/**
 * Rank 2 ends while its own server, of node 2, has requests of it that wait for node 3, of the same group: a stopped
 * rank of node 3 holds the stripe that they need.
 */
@ToleratesErrors("for a lock of accumulates") // a busy machine takes so long
class LeftWhileHeldTest {
    private static final long DATA = 77;
    private static final int TARGET = 3;
    private static final int PUT_BYTES = 12_000;
    private static final int PUTS = 14;
    private static final int PUTS_AT = AccumulateLocks.STRIPE_BYTES;
    private static final long LOOK_MS = 500;
    private static final long HANGS_S = 250;

    private TestServers job;
    private RawClient owner;
    private RawClient lifeline;
    private RingClient ring;
    private RawClient rank;
    private StripeHolder holder;

    private void start(boolean hasRing) throws IOException, InterruptedException {
        job = TestServers.start(Topology.uniform(4, 1), "job.grace=0", "cooperation.mode=forward",
            "cooperation.group-size=2", "cooperation.scope=" + (hasRing ? "node" : "process"),
            "cooperation.channel-bytes=64k", "cooperation.ring-bytes=512k");
        owner = job.rank(TARGET);
        owner.done(Requests.allocate(1, DATA, 0, TARGET, PUTS_AT + PUTS * PUT_BYTES));
        holder = StripeHolder.stopped(new NodeDirectory(job.directory(TARGET)).control(),
            AccumulateLocks.lockOf(DATA, 0));
        ring = hasRing ? RingClient.rank(job, 2, 2, 0, 1) : null;
        rank = hasRing ? ring.socket() : job.rank(2);
        lifeline = job.lifeline(2);
    }

    @AfterEach
    void stop() throws IOException {
        closeRank();
        lifeline.close();
        holder.close();
        owner.close();
        job.close();
    }

    private void closeRank() throws IOException {
        if (ring != null) {
            ring.close();
            ring = null;
        }
        rank.close();
    }

    private static byte[] put(int i) {
        byte[] data = new byte[PUT_BYTES];
        Arrays.fill(data, (byte) (i + 1));
        return data;
    }

    /** More than the ring of the channel and that of the rank at its server have room for. */
    private void send() throws IOException {
        byte[] all = Requests.accumulate(DATA, TARGET, 0, 0, ElementCode.LONG, 1, new byte[] {5, 0, 0, 0, 0, 0, 0, 0});
        for (int i = 0; i < PUTS; i++) {
            all = Requests.all(all, Requests.put(DATA, TARGET, PUTS_AT + i * PUT_BYTES, 0, put(i)));
        }
        if (ring != null) {
            ring.send(all);
        } else {
            rank.send(all);
        }
        job.awaitMetric(TARGET, "tributary_accumulate_waiting", 1);
    }

    private void goodbye() throws IOException {
        if (ring != null) {
            ring.send(Requests.goodbye(2));
        } else {
            rank.send(Requests.goodbye(2));
        }
    }

    private RankState state() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            return ControlFile.open(new NodeDirectory(job.directory(2)).control(), arena).rankState(0);
        }
    }

    private void awaitState(RankState wanted) throws IOException, InterruptedException {
        Deadline deadline = Deadline.in(TimeUnit.SECONDS.toNanos(HANGS_S));
        while (state() != wanted && !deadline.isOver()) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
        assertEquals(wanted, state());
    }

    private void goesOn() throws IOException, InterruptedException {
        TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        assertNotEquals(RankState.DEAD, state());
    }

    private void allIsExecutedOnce() throws IOException, InterruptedException {
        awaitState(RankState.DEPARTED);
        job.awaitMetric(TARGET, "tributary_accumulate_waiting", 0);
        for (int i = 0; i < PUTS; i++) {
            byte[] wanted = put(i);
            byte[] data = new byte[0];
            Deadline deadline = Deadline.in(TimeUnit.SECONDS.toNanos(HANGS_S));
            while (!Arrays.equals(wanted, data) && !deadline.isOver()) {
                data = owner.ask(Requests.get(9, DATA, TARGET, PUTS_AT + i * PUT_BYTES, PUT_BYTES)).data();
            }
            assertArrayEquals(wanted, data, "put " + i);
        }
        assertArrayEquals(new byte[] {5, 0, 0, 0, 0, 0, 0, 0},
            owner.ask(Requests.get(9, DATA, TARGET, 0, Long.BYTES)).data());
        goesOn();
        assertEquals(List.of(), job.log().with("internal error"));
    }

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void shouldHaveLeftWhenItSaidSoOnItsLifelineAndGoodbyeWaits(boolean hasRing, boolean isLifelineFirst)
        throws IOException, InterruptedException {
        start(hasRing);
        send();
        assertEquals(RankState.ATTACHED, state());
        goodbye();
        lifeline.send(Requests.goodbye(2));
        awaitState(RankState.LEAVING);
        if (isLifelineFirst) {
            lifeline.close();
            goesOn();
        }
        closeRank();
        lifeline.close();
        goesOn();
        assertEquals(RankState.LEAVING, state());
        assertEquals(RankState.LEAVING, RankState.of((int) owner.ask(Requests.probe(9, 2)).value().value()));
        holder.goOn();
        allIsExecutedOnce();
    }

    /** Answers that it has not read reset its socket. */
    @Test
    void shouldHaveLeftWhenItHasNotReadAllAnswers() throws IOException, InterruptedException {
        start(false);
        rank.send(Requests.probe(1, 2));
        TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        send();
        lifeline.send(Requests.goodbye(2));
        goodbye();
        closeRank();
        lifeline.close();
        goesOn();
        holder.goOn();
        allIsExecutedOnce();
    }

    /** As when its server was stopped meanwhile, and then finds the end of the connection first. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldHaveLeftWhenItsLifelineSaysSoAfterTheEndOfItsConnection(boolean hasRing)
        throws IOException, InterruptedException {
        start(hasRing);
        send();
        goodbye();
        closeRank();
        goesOn();
        lifeline.send(Requests.goodbye(2));
        lifeline.close();
        goesOn();
        holder.goOn();
        allIsExecutedOnce();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldBeDeadAtOnceWhenItsLifelineEndsWithoutGoodbye(boolean hasRing)
        throws IOException, InterruptedException {
        start(hasRing);
        send();
        closeRank();
        lifeline.close();
        awaitState(RankState.DEAD);
        String reason = job.termination(0).reason();
        assertTrue(reason.startsWith("rank 2 (node 2, pid "), reason);
        assertTrue(reason.endsWith("ended without leaving the job"), reason);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldBeDeadWhenGoodbyeIsNotBehindItsRequests(boolean hasRing) throws IOException, InterruptedException {
        start(hasRing);
        send();
        lifeline.send(Requests.goodbye(2));
        closeRank();
        lifeline.close();
        goesOn();
        holder.goOn();
        String reason = job.termination(0).reason();
        assertTrue(reason.endsWith("ended without leaving the job"), reason);
        assertEquals(List.of(), job.log().with("internal error"));
    }

    @Test
    void shouldNotMindWhenTheLifelineSpeaksAfterTheGoodbyeIsRead() throws IOException, InterruptedException {
        start(false);
        goodbye();
        awaitState(RankState.DEPARTED);
        lifeline.send(Requests.goodbye(2));
        lifeline.close();
        closeRank();
        goesOn();
        assertEquals(RankState.DEPARTED, state());
        assertEquals(0, job.metric(2, "tributary_frames_malformed_total", ""));
    }
}

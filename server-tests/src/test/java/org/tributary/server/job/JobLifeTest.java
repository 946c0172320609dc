package org.tributary.server.job;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.config.Topology;
import org.tributary.server.CommunicationServer.Termination;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Reply;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.TestServers;
import org.tributary.testsupport.ExpectsErrors;
import org.tributary.testsupport.ToleratesErrors;
import org.tributary.wire.Frames;
import org.tributary.wire.RankState;
import org.tributary.wire.RefusedException;
import org.tributary.wire.codec.AbortDecoder;
import org.tributary.wire.codec.MessageHeaderDecoder;
import org.tributary.wire.codec.RefusalCode;
import org.tributary.wire.codec.Role;

/** Ends of a job, over several servers. */
class JobLifeTest {
    /** Far longer than any test: a test that waits for the end of the grace fails. */
    private static final String NO_GRACE_NEEDED = "job.grace=10min";

    private static String abortReason(RawClient lifeline) throws IOException {
        Reply reply = lifeline.receive();
        assertEquals(AbortDecoder.TEMPLATE_ID, reply.template());
        return new AbortDecoder().wrapAndApplyHeader(new UnsafeBuffer(reply.frame()), Frames.LENGTH_BYTES,
            new MessageHeaderDecoder()).reason();
    }

    private static void leave(RawClient client, int rank) throws IOException {
        client.send(Requests.goodbye(rank));
        client.close();
    }

    private static RankState state(RawClient client, int rank) throws IOException {
        return RankState.of((int) client.ask(Requests.probe(1, rank)).value().value());
    }

    @Test
    void shouldEndCleanlyWhenEveryRankHasLeft() throws IOException {
        try (TestServers job = TestServers.start(Topology.of(1, 2, 1), NO_GRACE_NEEDED)) {
            RawClient observer = job.peer(0, 1);
            assertEquals(RankState.EXPECTED, state(observer, 1));
            for (int rank = 3; rank >= 0; rank--) {
                RawClient lifeline = job.lifeline(rank);
                RawClient client = job.rank(rank);
                client.fenced();
                if (rank == 1) {
                    assertEquals(RankState.ATTACHED, state(observer, 1));
                }
                client.send(Requests.goodbye(rank));
                if (rank == 1) {
                    client.fenced();
                    assertEquals(RankState.DEPARTED, state(observer, 1));
                }
                client.close();
                lifeline.close();
            }
            for (int node = 0; node < 3; node++) {
                assertEquals(new Termination(true, "every rank has left"), job.termination(node));
            }
        }
    }

    /** {@code ENDING} would tell it that the job has failed, and end the process. */
    @Test
    @ToleratesErrors("rank 0 has attached already, as all have, and left")
    void shouldRefuseARankAsKnownWhenItComesAgainAfterTheEnd() throws IOException {
        try (TestServers job = TestServers.start(Topology.of(1), NO_GRACE_NEEDED)) {
            RawClient lifeline = job.lifeline(0);
            leave(job.rank(0), 0);
            lifeline.close();
            assertTrue(job.termination(0).clean());
            RefusedException again = assertThrows(RefusedException.class, () -> job.rank(0));
            assertEquals(RefusalCode.WRONG_RANK, again.code());
        }
    }

    /** Its numbers are wrong, whenever it comes. */
    @ParameterizedTest
    @CsvSource({"0, 3, 'number 3 does not exist, there are 3 ranks'",
        "0, -1, 'number -1 does not exist, there are 3 ranks'", "0, 2, rank 2 is not on node 0",
        "1, 0, rank 0 is not on node 1"})
    @ToleratesErrors("refused .*: (number|rank) .*")
    void shouldSayThatARankDoesNotBelongThereWhenItComesAfterTheEnd(int node, int rank, String why)
        throws IOException {
        try (TestServers job = TestServers.start(Topology.of(2, 1), NO_GRACE_NEEDED)) {
            for (int each = 0; each < 3; each++) {
                leave(job.rank(each), each);
            }
            assertTrue(job.termination(node).clean());
            for (Role role : List.of(Role.LOCAL_RANK, Role.LIFELINE)) {
                RefusedException refused = assertThrows(RefusedException.class,
                    () -> job.connect(job.local(node), role, rank, node));
                assertEquals(RefusalCode.WRONG_RANK, refused.code());
                assertTrue(refused.getMessage().contains(why), refused.getMessage());
            }
        }
    }

    @Test
    void shouldStayAsItIsWhenAbortedAfterItsEnd() throws IOException {
        TestServers job = TestServers.start(Topology.of(1), NO_GRACE_NEEDED);
        job.close();
        assertDoesNotThrow(() -> job.server(0).abort("the launcher has died"));
    }

    @Test
    void shouldTellEveryoneWhenRankIsGone() throws IOException {
        try (TestServers job = TestServers.start(Topology.of(2, 1), NO_GRACE_NEEDED)) {
            RawClient dying = job.rank(1);
            RawClient dyingLifeline = job.lifeline(1);
            RawClient lifeline0 = job.lifeline(0);
            RawClient lifeline2 = job.lifeline(2);
            job.rank(0).fenced();
            dyingLifeline.close();
            dying.close();
            String reason = "rank 1 (node 0, pid " + ProcessHandle.current().pid() + ") ended without leaving the job";
            assertEquals(reason, abortReason(lifeline0));
            assertTrue(abortReason(lifeline2).startsWith("rank 1 (node 0, pid "));
            RefusedException ending = assertThrows(RefusedException.class, () -> job.remote(2, 0));
            assertTrue(ending.getMessage().contains("the job is ending"), ending::getMessage);
            lifeline0.close();
            lifeline2.close();
            for (int node = 0; node < 2; node++) {
                assertFalse(job.termination(node).clean());
                assertTrue(job.termination(node).reason().contains("rank 1 (node 0"), job.termination(node)::reason);
            }
        }
    }

    @Test
    void shouldEndWithoutGraceWhenAnotherRankHasLeftBefore() throws IOException {
        try (TestServers job = TestServers.start(Topology.of(3), NO_GRACE_NEEDED)) {
            RawClient leftLifeline = job.lifeline(0);
            leave(job.rank(0), 0);
            leftLifeline.close();
            RawClient rank1 = job.rank(1);
            job.awaitMetric(0, "tributary_connections", 1);
            RawClient dying = job.lifeline(2);
            rank1.fenced();
            dying.close();
            assertFalse(job.termination(0).clean());
        }
    }

    @Test
    void shouldAbortWhenConnectionOfARemoteRankBreaks() throws IOException {
        try (TestServers job = TestServers.start(Topology.of(1, 1), NO_GRACE_NEEDED)) {
            job.remote(1, 0).close();
            String reason = "rank 1 (node 1) broke its connection to node 0 without leaving the job";
            assertEquals(new Termination(false, reason), job.termination(0));
            assertEquals(new Termination(false, reason), job.termination(1));
        }
    }

    @Test
    void shouldPassOnReasonWhenRankAborts() throws IOException {
        try (TestServers job = TestServers.start(Topology.of(1, 1), NO_GRACE_NEEDED)) {
            RawClient lifeline = job.lifeline(1);
            job.rank(0).send(Requests.abort(0, 0, "the matrix is singular"));
            assertEquals("the matrix is singular", abortReason(lifeline));
            lifeline.close();
            assertEquals(new Termination(false, "the matrix is singular"), job.termination(0));
            assertEquals(new Termination(false, "the matrix is singular"), job.termination(1));
        }
    }

    @Test
    void shouldEndAfterGraceWhenRankStays() throws IOException {
        try (TestServers job = TestServers.start(Topology.of(1), "job.grace=200ms")) {
            RawClient lifeline = job.lifeline(0);
            job.server(0).abort("enough");
            assertEquals("enough", abortReason(lifeline));
            assertEquals(new Termination(false, "enough"), job.termination(0));
            lifeline.close();
        }
    }

    @Test
    void shouldStillEndWhenPeerServerIsGone() throws IOException {
        try (TestServers job = TestServers.start(Topology.of(1, 1), NO_GRACE_NEEDED)) {
            job.server(1).close();
            job.server(0).abort("enough");
            assertEquals(new Termination(false, "enough"), job.termination(0));
        }
    }

    @Test
    void shouldAbortWhenNodeZeroIsGoneAtTheEnd() throws IOException {
        try (TestServers job = TestServers.start(Topology.of(1, 1), NO_GRACE_NEEDED)) {
            job.server(0).close();
            leave(job.rank(1), 1);
            Termination end = job.termination(1);
            assertFalse(end.clean());
            assertTrue(end.reason().startsWith("the communication server of node 0 is gone"), end::reason);
        }
    }

    @Test
    @ExpectsErrors("goodbye of rank 0, which has left already")
    void shouldCountARankOnceWhenItSaysGoodbyeTwice() throws IOException {
        try (TestServers job = TestServers.start(Topology.of(2), NO_GRACE_NEEDED)) {
            RawClient stays = job.rank(1);
            try (RawClient leaves = job.rank(0)) {
                leaves.send(Requests.all(Requests.goodbye(0), Requests.goodbye(0)));
                leaves.awaitClosed();
            }
            job.lifeline(1).close(); // had the job ended cleanly, nobody would mind
            assertFalse(job.termination(0).clean());
            stays.close();
        }
    }

    /** It would be counted twice when it attached again, and another one not at all. */
    @Test
    @ExpectsErrors("withdrawal of rank 0, which has left already")
    void shouldNotExpectARankAgainWhenItWithdrawsAfterItHasLeft() throws IOException {
        try (TestServers job = TestServers.start(Topology.of(2), NO_GRACE_NEEDED)) {
            RawClient stays = job.rank(1);
            try (RawClient leaves = job.rank(0)) {
                leaves.send(Requests.all(Requests.goodbye(0), Requests.goodbye(Frames.NO_RANK)));
                leaves.awaitClosed();
            }
            leave(stays, 1);
            assertTrue(job.termination(0).clean());
        }
    }

    @Test
    @ExpectsErrors("node -1 has left, says a SERVER of node 1")
    void shouldCloseWhenNodeThatLeftDoesNotExist() throws IOException {
        try (TestServers job = TestServers.start(Topology.of(1, 1), NO_GRACE_NEEDED)) {
            for (int node : new int[] {-1, 2, Integer.MAX_VALUE}) {
                try (RawClient peer = job.peer(1, 0)) {
                    peer.send(Requests.nodeLeft(node));
                    peer.awaitClosed();
                }
            }
            assertEquals(3, job.metric(0, "tributary_frames_malformed_total", ""));
        }
    }

    @Test
    @ExpectsErrors({"node 0 has left, says a REMOTE_RANK of node 1", "message 52 from a REMOTE_RANK"})
    void shouldCloseWhenOnlyServersMaySendIt() throws IOException {
        for (byte[] request : new byte[][] {Requests.nodeLeft(0), Requests.shutdown()}) {
            try (TestServers job = TestServers.start(Topology.of(1, 1), NO_GRACE_NEEDED)) {
                RawClient remote = job.remote(1, 0);
                remote.send(request);
                remote.awaitClosed();
                assertFalse(job.termination(0).clean());
            }
        }
    }

    @Test
    void shouldLeaveNothingWhenClosed() throws IOException {
        TestServers job = TestServers.start(Topology.of(1));
        RawClient rank = job.rank(0);
        rank.done(Requests.allocate(1, 5, 0, 0, 1 << 20));
        assertTrue(Files.exists(job.directory(0).resolve("segment-5")));
        job.close();
        assertFalse(Files.exists(job.directory(0)));
        assertFalse(job.termination(0).clean());
        rank.awaitClosed();
    }
}

package org.tributary.client.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.tributary.client.error.GasException;
import org.tributary.client.error.JobAbortedException;
import org.tributary.client.link.Rank;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AtomicOp;
import org.tributary.wire.codec.ErrorDecoder;

/** What one connection knows of its requests: cumulative acknowledgements, answers in any order, breaks. */
class ServerLinkTest {
    private final Rank rank = new Rank("client.async-send-min=64k");
    private final Answers answers = new Answers();
    private final MemoryTransport transport = new MemoryTransport();
    private final ServerLink link = rank.link(3, transport);
    private final MemorySegment bytes = Arena.ofAuto().allocate(1 << 18);

    private void put(boolean withAck) throws IOException {
        link.writer().put(1, 5, 0, withAck ? Frames.FLAG_ACK : 0, null, bytes, 0, 8);
        link.issuedOneWay(withAck, true);
    }

    private PendingReply fetch() throws IOException {
        PendingReply reply = link.expect(null);
        link.writer().atomic(reply, 1, 5, 0, AtomicOp.FETCH_AND_ADD, 8, 1, 0);
        return reply;
    }

    @Test
    void shouldFenceWithoutAMessageWhenTheLastRequestAskedForItsAcknowledgement() throws IOException {
        put(false);
        put(true);
        long before = link.requests();
        Awaited fence = link.fence();
        assertEquals(before, link.requests());
        assertFalse(fence.isDone());
        transport.arrive(answers.ack(1));
        assertTrue(link.poll());
        assertFalse(fence.isDone());
        assertEquals(1, rank.unsettled().size());
        transport.arrive(answers.ack(2));
        assertTrue(link.poll());
        assertTrue(fence.isDone());
        assertTrue(rank.unsettled().isEmpty());
    }

    @Test
    void shouldNotWaitForLaterRequestsWhenAnotherThreadFencesThem() throws IOException {
        put(true);
        Awaited fence = link.fence();
        put(true);
        Awaited later = link.fence();
        transport.arrive(answers.ack(1));
        assertTrue(link.poll());
        assertTrue(fence.isDone());
        assertFalse(later.isDone());
    }

    @Test
    void shouldAskOnceWhenNothingAskedForAnAcknowledgement() throws IOException {
        put(false);
        long before = link.requests();
        Awaited unused = link.fence();
        Awaited fence = link.fence();
        assertEquals(before + 1, link.requests());
        put(false);
        Awaited later = link.fence();
        assertEquals(before + 3, link.requests());
        transport.arrive(answers.ack(2));
        link.poll();
        assertTrue(later.isDone() && fence.isDone() && unused.isDone());
    }

    @Test
    void shouldBeUnflushedFromTheFirstByteUntilTheLastHasLeft() throws IOException {
        assertTrue(rank.unflushed().isEmpty());
        link.writer().addPut(1, 5, 0, null, bytes, 0, 8);
        link.issuedOneWay(false, true);
        assertSame(link, rank.unflushed().get(0));
        assertEquals(0, transport.written().length);
        link.flush();
        assertTrue(rank.unflushed().isEmpty());
        assertTrue(transport.written().length > 0);
    }

    @Test
    void shouldCompleteTheRightRequestsWhenAnswersComeOutOfOrder() throws IOException {
        List<PendingReply> replies = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            replies.add(fetch());
        }
        link.flush();
        assertSame(link, rank.awaiting().get(0));
        for (int i = 99; i >= 0; i -= 2) {
            transport.arrive(answers.value(i, 1000 + i));
        }
        link.poll();
        for (int i = 0; i < 100; i++) {
            assertEquals(i % 2 == 1, replies.get(i).isDone(), "request " + i);
        }
        for (int i = 0; i < 100; i += 2) {
            transport.arrive(answers.value(i, 1000 + i));
        }
        link.poll();
        for (int i = 0; i < 100; i++) {
            assertEquals(1000 + i, replies.get(i).value());
            assertFalse(rank.awaiting().isEmpty());
            link.giveBack(replies.get(i));
        }
        assertTrue(rank.awaiting().isEmpty());
    }

    /** The connection breaks, and no thread that polls later takes the same bytes for an answer again. */
    private void breaks(byte[] bytesOfServer, String why) {
        transport.arrive(bytesOfServer);
        GasException thrown = assertThrows(JobAbortedException.class, link::poll);
        assertTrue(thrown.getMessage().contains(why), thrown::toString);
        assertFalse(transport.isOpen());
        assertSame(thrown, assertThrows(JobAbortedException.class, link::poll));
    }

    @Test
    void shouldBreakWhenAnAnswerIsToWhatWasNotAsked() throws IOException {
        PendingReply reply = fetch();
        link.flush();
        breaks(answers.value(1, 0), "node 3 answered request 1, which was not made");
        assertFalse(reply.isDone());
    }

    @Test
    void shouldBreakWhenAnAnswerComesTwice() throws IOException {
        PendingReply reply = fetch();
        link.flush();
        transport.arrive(answers.value(0, 4));
        link.poll();
        breaks(answers.value(0, 5), "node 3 answered request 0, which was not made");
        assertEquals(4, reply.value());
    }

    @Test
    void shouldBreakWhenDataHasAnotherLength() throws IOException {
        PendingReply reply = link.expect(null);
        reply.destination().begin(bytes, 0, 16);
        link.writer().get(reply, 1, 5, 0, 16);
        link.flush();
        breaks(answers.data(0, new byte[17]), "node 3 answered with 17 bytes, not 16");
    }

    @Test
    void shouldBreakWhenMoreIsExecutedThanWasIssued() throws IOException {
        put(true);
        link.flush();
        breaks(answers.ack(2), "executed 2 requests, it says, after 0 of 1");
    }

    @Test
    void shouldBreakWhenLessIsExecutedThanBefore() throws IOException {
        put(true);
        put(true);
        link.flush();
        transport.arrive(answers.ack(2));
        link.poll();
        breaks(answers.ack(1), "executed 1 requests, it says, after 2 of 2");
    }

    @Test
    void shouldBreakWhenLessThanNothingIsExecuted() throws IOException {
        put(true);
        link.flush();
        breaks(answers.ack(-1), "executed -1 requests, it says, after 0 of 1");
    }

    private PendingReply askRegion() throws IOException {
        PendingReply reply = link.expect(null);
        link.writer().askRegion(reply, 5, 1);
        link.flush();
        return reply;
    }

    @Test
    void shouldBreakWhenDataAnswersARequestForARegion() throws IOException {
        PendingReply reply = askRegion();
        breaks(answers.data(0, new byte[0]), "node 3 answered without telling of a region");
        assertFalse(reply.isDone());
    }

    @Test
    void shouldBreakWhenNothingAnswersARequestForARegion() throws IOException {
        PendingReply reply = askRegion();
        breaks(answers.done(0), "node 3 answered without telling of a region");
        assertFalse(reply.isDone());
    }

    @Test
    void shouldBreakWhenARegionIsToldForWhichNobodyHasAsked() throws IOException {
        fetch();
        link.flush();
        breaks(answers.region(0, "tcp", new byte[4]), "node 3 told of a region, for which nobody has asked");
    }

    @Test
    void shouldTellOfTheRegionWhenItWasAskedFor() throws IOException {
        PendingReply reply = askRegion();
        transport.arrive(answers.region(0, "tcp", new byte[4]));
        link.poll();
        assertEquals("tcp", reply.region().provider());
    }

    @Test
    void shouldBreakWhenAnErrorHasAnUnknownCode() throws IOException {
        fetch();
        link.flush();
        byte[] error = answers.error(0, "");
        error[Frames.HEADER_BYTES + ErrorDecoder.codeEncodingOffset()] = 99;
        breaks(error, "99");
    }

    @Test
    void shouldThrowAFailureOnceWhenAOneWayRequestIsRefused() throws IOException {
        put(true);
        link.flush();
        transport.arrive(Answers.join(answers.error(-1, "first"), answers.error(-1, "second"), answers.ack(1)));
        link.poll();
        assertEquals(1, rank.unsettled().size(), "a failure is to be thrown");
        GasException thrown = assertThrows(GasException.class, link::throwOneWayFailure);
        assertTrue(thrown.getMessage().contains("first"), thrown::toString);
        link.throwOneWayFailure();
        assertTrue(rank.unsettled().isEmpty());
    }

    @Test
    void shouldFailTheRequestWhenItsAnswerIsAnError() throws IOException {
        List<GasException> failures = new ArrayList<>();
        PendingReply waited = fetch();
        PendingReply other = link.expect(failures::add);
        other.destination().begin(bytes, 0, 8);
        link.writer().get(other, 1, 5, 0, 8);
        link.flush();
        transport.arrive(Answers.join(answers.error(1, "the get"), answers.error(0, "the fetch")));
        link.poll();
        assertTrue(failures.getFirst().getMessage().contains("the get"));
        assertThrows(GasException.class, waited::value);
    }

    /** Each call of the transport fails in one round; afterwards nothing is sent and everything throws the same. */
    @Test
    void shouldStayBrokenWhereverTheConnectionBreaks() {
        for (int calls = 0; calls < 6; calls++) {
            Rank own = new Rank();
            MemoryTransport breaks = new MemoryTransport().withStep(30).breakingAfter(calls);
            ServerLink broken = own.link(3, breaks);
            JobAbortedException thrown = assertThrows(JobAbortedException.class, () -> {
                for (int i = 0; i < 10; i++) {
                    broken.writer().put(1, 5, 0, 0, null, bytes, 0, 8);
                    broken.issuedOneWay(false, true);
                    broken.flush();
                    broken.poll();
                }
            });
            int written = breaks.written().length;
            assertFalse(breaks.isOpen());
            assertSame(thrown, assertThrows(JobAbortedException.class, broken::poll));
            assertSame(thrown, assertThrows(JobAbortedException.class, broken::flush));
            assertTrue(own.failure().hasFailed());
            assertEquals(written, breaks.written().length);
        }
    }

    @Test
    void shouldReadAnswersWhileTheSocketIsFull() throws IOException {
        PendingReply reply = fetch();
        transport.withRoom(0).arrive(answers.value(0, 9));
        rank.whenFull(() -> transport.withRoom(Long.MAX_VALUE));
        link.flush();
        assertEquals(9, reply.value());
    }

    @Test
    void shouldReadAcknowledgementsNowAndThenWhenNobodyWaits() throws IOException {
        for (int i = 0; i < 63; i++) {
            put(true);
            link.flush();
        }
        assertEquals(0, transport.reads());
        transport.arrive(answers.ack(63));
        put(true);
        link.flush();
        assertEquals(1, transport.reads());
    }

    @Test
    void shouldLeavePayloadForLaterUntilItIsSentInPieces() throws IOException {
        List<GasException> complete = new ArrayList<>();
        link.defer();
        link.writer().put(1, 5, 0, 0, null, bytes, 0, 1 << 17);
        link.issuedOneWay(false, true);
        link.sendLater(() -> complete::add);
        assertEquals(1, rank.sendLaterCalls());
        assertSame(link, rank.deferred().get(0));
        int pieces = 0;
        while (!rank.deferred().isEmpty()) {
            assertTrue(complete.isEmpty());
            assertTrue(link.sendSome(1 << 14));
            pieces++;
        }
        assertEquals(8, pieces);
        assertEquals(1, complete.size());
        assertTrue(rank.unflushed().isEmpty());
    }

    @Test
    void shouldTellTheRouteWhatWentWrongOnTheDirectConnectionWhenThatRetires() throws IOException {
        MemoryTransport transport = new MemoryTransport();
        ServerLink direct = rank.link(4, transport);
        direct.setRoute(link);
        direct.writer().put(1, 5, 0, Frames.FLAG_ACK, null, bytes, 0, 8);
        direct.issuedOneWay(true, true);
        direct.flush();
        transport.arrive(Answers.join(answers.error(-1, "direct"), answers.ack(1), answers.takeRoute()));
        assertTrue(direct.isQuietAfterPoll());
        assertEquals(List.of(4), rank.routesTaken());
        direct.retire();
        assertFalse(transport.isOpen());
        assertFalse(direct.poll());
        assertThrows(GasException.class, link::throwOneWayFailure);
        assertTrue(rank.unsettled().isEmpty());
    }

    @Test
    void shouldWaitUntilTheServerHasTakenEverythingWhenItLeaves() throws IOException {
        transport.setDrained(false);
        int[] looks = {0};
        rank.whenFull(() -> {
            if (++looks[0] == 3) {
                transport.setDrained(true);
            }
        });
        link.sayGoodbye(0, () -> { });
        assertEquals(3, looks[0]);
    }

    /** A ring has taken it when it is in there, whenever its server reads that. */
    @Test
    void shouldHaveSaidGoodbyeWhenTheConnectionHasTakenItAndTheServerReadsNothing() {
        AtomicBoolean isTaken = new AtomicBoolean();
        AtomicBoolean wasTakenBefore = new AtomicBoolean();
        transport.setDrained(false);
        rank.whenFull(() -> {
            wasTakenBefore.set(isTaken.get());
            throw new GasException("the server reads nothing");
        });
        link.trySayGoodbye(0, () -> isTaken.set(true));
        assertTrue(wasTakenBefore.get(), "it is told before the server has read all");
    }

    @Test
    void shouldNotHaveSaidGoodbyeWhenTheConnectionHasNoRoomForAllOfIt() {
        transport.withRoom(Integer.BYTES);
        rank.whenFull(() -> {
            throw new GasException("the server reads nothing");
        });
        link.trySayGoodbye(0, () -> fail("the connection has not taken it"));
    }

    /** The issuer's memory is gone from then on; the answer, a part of which has come, still ends the request. */
    @Test
    void shouldTouchNoMemoryOfCallersWhenItHasLetGo() throws IOException {
        GasException why = new GasException("the rank leaves");
        List<GasException> failures = new ArrayList<>();
        Arena issuers = Arena.ofShared();
        MemorySegment target = issuers.allocate(1 << 16);
        PendingReply large = link.expect(failures::add);
        large.destination().begin(target, 0, 1 << 16);
        link.writer().get(large, 1, 5, 0, 1 << 16);
        PendingReply small = link.expect(failures::add);
        small.ranges().begin(target, new long[] {0, 16}, new int[] {8, 8}, 0, 2);
        link.writer().getVector(small, 1, 5, 2);
        link.writer().addGet(0, 8);
        link.writer().addGet(16, 8);
        link.flush();
        byte[] answer = answers.data(0, new byte[1 << 16]);
        transport.arrive(Arrays.copyOf(answer, 100));
        link.poll();
        link.defer();
        link.writer().put(1, 5, 0, 0, null, target, 0, 1 << 16);
        link.issuedOneWay(false, true);
        link.sendLater(() -> failures::add);
        assertFalse(rank.deferred().isEmpty());
        link.letGo(why);
        issuers.close();
        assertTrue(rank.deferred().isEmpty(), "what was left for later has been sent");
        assertFalse(link.hasReadDropped());
        transport.arrive(Answers.join(Arrays.copyOfRange(answer, 100, answer.length), answers.data(1, new byte[16])));
        transport.arrive(answers.ack(1));
        while (link.poll()) {
            assertTrue(transport.isOpen());
        }
        assertTrue(link.hasReadDropped());
        assertEquals(Arrays.asList(null, why, why), failures);
        assertTrue(rank.awaiting().isEmpty() && rank.unsettled().isEmpty());
        assertThrows(GasException.class, large::value);
    }

    @Test
    void shouldAnswerAsEverWhenAPlaceIsUsedAgainAfterItHasLetGo() throws IOException {
        PendingReply reply = fetch();
        link.letGo(new GasException("the rank leaves"));
        link.flush();
        transport.arrive(answers.value(0, 3));
        link.poll();
        assertThrows(GasException.class, reply::value);
        link.giveBack(reply);
        assertSame(reply, fetch());
        link.flush();
        transport.arrive(answers.value(0, 4));
        link.poll();
        assertEquals(4, reply.value());
    }
}

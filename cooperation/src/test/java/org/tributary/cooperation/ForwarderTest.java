package org.tributary.cooperation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.Topology;
import org.tributary.wire.shape.ElementType;

class ForwarderTest {
    private static final Topology TOPOLOGY = Topology.uniform(8, 2);
    private static final int RING = 64 << 10;

    private final RecordingOutput output = new RecordingOutput();
    private final List<String> answers = new ArrayList<>();

    @Test
    void shouldSendTogetherWhenArrivedInOneTurn() {
        Forwarder forwarder = forwarder("aggregate");
        int a = forwarder.intake().openSource(false);
        int b = forwarder.intake().openSource(false);
        forwarder.intake().forwardOneWay(a, forwarder.intake().place(a, 100), 100, 3, 0);
        forwarder.intake().forwardRequest(b, forwarder.intake().place(b, 60), 60, 3, 17, 28, 0);
        forwarder.connected(3);
        forwarder.intake().wantAck(a);
        forwarder.endOfTurn(0);
        assertEquals(List.of("connect 3", "begin 3: 2 requests, 160 bytes", "one-way 0@0", "request 1@0", "end"),
            output.take());
        forwarder.settling().acknowledged(3, 1);
        forwarder.settling().answered(3, output.tickets.getFirst(), this::answer);
        forwarder.endOfTurn(10);
        assertEquals(List.of("ack 0: 1"), output.take());
        assertEquals(List.of("1: 17 + 0"), answers);
        assertThrows(IllegalArgumentException.class,
            () -> forwarder.settling().answered(3, output.tickets.getFirst(), this::answer));
    }

    @Test
    void shouldSendOneByOneWhenOnlyForwarding() {
        Forwarder forwarder = forwarder("forward");
        int a = forwarder.intake().openSource(false);
        forwarder.connected(3);
        forwarder.intake().forwardOneWay(a, forwarder.intake().place(a, 100), 100, 3, 0);
        forwarder.intake().forwardOneWay(a, forwarder.intake().place(a, 60), 60, 3, 0);
        forwarder.endOfTurn(0);
        assertEquals(List.of("connect 3", "begin 3: 1 requests, 100 bytes", "one-way 0@0", "end",
            "begin 3: 1 requests, 60 bytes", "one-way 0@104", "end"), output.take());
    }

    @Test
    void shouldHoldOnlyWhileMoreIsExpectedAndSomethingUnderWay() {
        Forwarder forwarder = forwarder("aggregate");
        int a = forwarder.intake().openSource(false);
        forwarder.connected(3);
        long now = 0;
        for (int i = 0; i < 40; i++, now += 1000) {
            forwarder.intake().forwardOneWay(a, forwarder.intake().place(a, 8), 8, 3, now);
            forwarder.endOfTurn(now);
        }
        List<String> lines = output.take();
        assertTrue(lines.stream().anyMatch(line -> line.startsWith("wake")), lines::toString);
        assertTrue(forwarder.messages() < 30, forwarder.messages() + " messages");
        forwarder.settling().acknowledged(3, forwarder.requests());
        forwarder.endOfTurn(now);
        assertEquals(40, forwarder.requests());
    }

    @Test
    void shouldNotHoldLoneRequestWhenOneRankHasBeenAnsweredManyTogether() {
        Forwarder forwarder = forwarder("aggregate");
        int channel = forwarder.intake().openSource(true);
        forwarder.connected(3);
        long now = inBodies(forwarder, channel, 0, false);
        forwarder.intake().forwardOneWay(channel, forwarder.intake().place(channel, 100), 100, 3, now);
        forwarder.endOfTurn(now);
        assertEquals(List.of("begin 3: 1 requests, 100 bytes", "one-way 0@0", "end"), sends(output.take()));
    }

    @Test
    void shouldHoldRequestWhenRanksComeBackInBody() {
        Forwarder forwarder = forwarder("aggregate");
        int channel = forwarder.intake().openSource(true);
        forwarder.connected(3);
        long now = inBodies(forwarder, channel, 0, true);
        forwarder.intake().comesFrom(channel, 0);
        forwarder.intake().forwardOneWay(channel, forwarder.intake().place(channel, 100), 100, 3, now);
        forwarder.endOfTurn(now);
        assertEquals(List.of(), sends(output.take()));
    }

    @Test
    void shouldNotHoldRequestWhenItsRankIsAcknowledgedMeanwhile() {
        Forwarder forwarder = forwarder("aggregate");
        int rank = forwarder.intake().openSource(false);
        forwarder.connected(3);
        // As of a rank that locks and unlocks: what has no answer is followed at once by what has one.
        for (int i = 1; i <= 20; i++) {
            long now = i * 40_000L;
            forwarder.intake().forwardOneWay(rank, forwarder.intake().place(rank, 32), 32, 3, now);
            forwarder.endOfTurn(now);
            forwarder.intake().forwardRequest(rank, forwarder.intake().place(rank, 64), 64, 3, i, 28, now + 1000);
            forwarder.endOfTurn(now + 1000);
            forwarder.settling().acknowledged(3, i);
            forwarder.endOfTurn(now + 10_000);
            assertEquals(i, output.tickets.size(), "sent as soon as nothing is under way");
            forwarder.settling().answered(3, output.tickets.getLast(), this::answer);
            forwarder.endOfTurn(now + 20_000);
        }
    }

    /** Eight requests at a time, of one rank or of eight, far apart, all answered together, the last ones just now. */
    private long inBodies(Forwarder forwarder, int channel, long startNs, boolean ofMany) {
        long now = startNs;
        for (int body = 1; body <= 20; body++) {
            for (int i = 0; i < 8; i++) {
                forwarder.intake().comesFrom(channel, ofMany ? i : 0);
                forwarder.intake().forwardOneWay(channel, forwarder.intake().place(channel, 100), 100, 3, now);
            }
            forwarder.endOfTurn(now);
            forwarder.timer(now + 100_000);
            now += 1_000_000;
            forwarder.settling().acknowledged(3, 8 * body);
            forwarder.endOfTurn(now);
        }
        output.take();
        return now;
    }

    /** What was sent to peers; positions in the ring do not matter. */
    private static List<String> sends(List<String> events) {
        return events.stream().filter(event -> !event.startsWith("wake")).map(event -> event.replaceAll("@.*", "@0"))
            .toList();
    }

    @Test
    void shouldQueueWhenThereIsNoCredit() {
        Forwarder forwarder = forwarder("aggregate");
        int a = forwarder.intake().openSource(false);
        int b = forwarder.intake().openSource(false);
        forwarder.connected(3);
        for (int source : new int[] {a, b}) {
            forwarder.intake().forwardOneWay(source, forwarder.intake().place(source, RING / 2), RING / 2, 3, 0);
            forwarder.intake().forwardOneWay(source, forwarder.intake().place(source, RING / 4), RING / 4, 3, 0);
        }
        assertThrows(IllegalArgumentException.class, () -> forwarder.intake().place(b, RING / 2));
        assertTrue(forwarder.intake().holdIfBlocked(b));
        forwarder.endOfTurn(0);
        assertEquals(2, forwarder.requests());
        assertTrue(forwarder.intake().holdIfBlocked(b));
        output.take();
        forwarder.settling().credit(3, RING / 2);
        forwarder.settling().acknowledged(3, 1);
        forwarder.endOfTurn(0);
        assertEquals(4, forwarder.requests());
        assertTrue(output.take().contains("unblocked 1"));
        assertFalse(forwarder.intake().holdIfBlocked(b));
        assertEquals(RING * 3 / 4, forwarder.intake().place(b, RING / 2));
    }

    @Test
    void shouldAcknowledgePrefixWhenTargetsExecuteOutOfOrder() {
        Forwarder forwarder = forwarder("aggregate");
        int a = forwarder.intake().openSource(false);
        forwarder.connected(2);
        forwarder.connected(3);
        forwarder.intake().forwardOneWay(a, forwarder.intake().place(a, 8), 8, 2, 0);
        forwarder.intake().forwardOneWay(a, forwarder.intake().place(a, 8), 8, 3, 0);
        forwarder.intake().executedHere(a, -1, true);
        forwarder.intake().wantAck(a);
        forwarder.endOfTurn(0);
        output.take();
        forwarder.settling().acknowledged(3, 1);
        forwarder.endOfTurn(1);
        assertEquals(List.of(), output.take());
        forwarder.settling().acknowledged(2, 1);
        forwarder.endOfTurn(2);
        assertEquals(List.of("ack 0: 3"), output.take());
    }

    @Test
    void shouldAcknowledgeWhatWasAskedForWhenMoreFollowsInTheTurn() {
        Forwarder forwarder = forwarder("aggregate");
        int a = forwarder.intake().openSource(false);
        forwarder.connected(2);
        forwarder.connected(3);
        forwarder.intake().forwardOneWay(a, forwarder.intake().place(a, 8), 8, 2, 0);
        forwarder.intake().wantAck(a);
        forwarder.intake().forwardOneWay(a, forwarder.intake().place(a, 8), 8, 3, 0);
        forwarder.endOfTurn(0);
        output.take();
        forwarder.settling().acknowledged(2, 1);
        forwarder.endOfTurn(1);
        assertEquals(List.of("ack 0: 1"), output.take());
    }

    @Test
    void shouldMakeOneOfFetchAndAddsWhenCombining() {
        Forwarder forwarder = forwarder("combine");
        int a = forwarder.intake().openSource(false);
        int b = forwarder.intake().openSource(false);
        forwarder.connected(3);
        add(forwarder, a, 1, 8, 5);
        add(forwarder, b, 2, 8, 7);
        add(forwarder, b, 3, 16, 1);
        add(forwarder, a, 4, 8, 9);
        // b has something behind the combined request: its order would be lost.
        add(forwarder, b, 5, 8, 1);
        forwarder.endOfTurn(0);
        assertEquals(List.of("connect 3", "begin 3: 3 requests, 144 bytes", "fetch-and-add 21 of 0",
            "fetch-and-add 1 of 1", "fetch-and-add 1 of 1", "end"), output.take());
        forwarder.settling().answered(3, output.tickets.getFirst(), this::answer);
        assertEquals(List.of("0: 1 + 0", "0: 4 + 12", "1: 2 + 5"), answers.stream().sorted().toList());
    }

    @Test
    void shouldSumAccumulatesWhenCombining() {
        Forwarder forwarder = forwarder("combine");
        int a = forwarder.intake().openSource(false);
        int b = forwarder.intake().openSource(false);
        forwarder.connected(3);
        accumulate(forwarder, a, ElementType.LONG, 1);
        accumulate(forwarder, b, ElementType.LONG, 1);
        accumulate(forwarder, b, ElementType.LONG, 2);
        accumulate(forwarder, a, ElementType.DOUBLE, 1);
        accumulate(forwarder, b, ElementType.DOUBLE, 1);
        forwarder.intake().wantAck(b);
        forwarder.endOfTurn(0);
        assertEquals(List.of("connect 3", "sum 1@0 into 0@0", "begin 3: 4 requests, 400 bytes", "one-way 0@0",
            "one-way 1@104", "one-way 0@104", "one-way 1@208", "end"), output.take());
        forwarder.settling().acknowledged(3, 4);
        forwarder.endOfTurn(1);
        assertEquals(List.of("ack 1: 3"), output.take());
    }

    @Test
    void shouldFailWhatWaitsAndIsUnderWayWhenPeerIsLost() {
        Forwarder forwarder = forwarder("aggregate");
        int a = forwarder.intake().openSource(false);
        forwarder.connected(3);
        forwarder.intake().forwardOneWay(a, forwarder.intake().place(a, 8), 8, 3, 0);
        add(forwarder, a, 9, 8, 5);
        forwarder.endOfTurn(0);
        add(forwarder, a, 10, 8, 5);
        forwarder.intake().wantAck(a);
        output.take();
        forwarder.lost(3);
        forwarder.intake().forwardOneWay(a, forwarder.intake().place(a, 8), 8, 3, 0);
        forwarder.intake().wantAck(a);
        forwarder.endOfTurn(1);
        assertEquals(List.of("failed 0: 10 at 3", "failed 0: -2 at 3", "failed 0: 9 at 3", "failed 0: -3 at 3",
            "ack 0: 2"), output.take());
    }

    @Test
    void shouldReleaseClosedSourceWhenNothingRefersToIt() {
        Forwarder forwarder = forwarder("aggregate");
        int a = forwarder.intake().openSource(true);
        forwarder.connected(3);
        add(forwarder, a, 9, 8, 5);
        forwarder.intake().closeSource(a);
        forwarder.endOfTurn(0);
        assertFalse(output.take().contains("released 0"));
        forwarder.settling().answered(3, output.tickets.getFirst(), this::answer);
        forwarder.endOfTurn(1);
        assertEquals(List.of("released 0"), output.take());
        assertEquals(List.of(), answers);
        assertEquals(a, forwarder.intake().openSource(false));
    }

    @Test
    void shouldHoldSourceBackWhenManyAnswersAreDue() {
        Forwarder forwarder = forwarder("aggregate");
        int a = forwarder.intake().openSource(false);
        forwarder.connected(3);
        forwarder.intake().forwardRequest(a, forwarder.intake().place(a, 60), 60, 3, 1, RING, 0);
        assertFalse(forwarder.intake().holdIfBlocked(a));
        forwarder.intake().forwardRequest(a, forwarder.intake().place(a, 60), 60, 3, 2, 28, 0);
        assertTrue(forwarder.intake().holdIfBlocked(a));
        forwarder.endOfTurn(0);
        output.take();
        forwarder.settling().answered(3, output.tickets.getFirst(), this::answer);
        forwarder.endOfTurn(1);
        assertEquals(List.of("unblocked 0"), output.take());
    }

    /** The release of the lock may be behind them. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNotHoldSourceBackWhenManyWaitForALock(boolean isChannel) {
        Forwarder forwarder = forwarder("combine");
        int a = forwarder.intake().openSource(isChannel);
        forwarder.connected(3);
        for (int i = 0; i < RING / 8; i++) {
            forwarder.intake().forwardRequest(a, forwarder.intake().place(a, 60), 60, 3, i, 0, 0);
            forwarder.endOfTurn(0);
            forwarder.settling().credit(3, 64L * (i + 1));
            assertFalse(forwarder.intake().holdIfBlocked(a), i + " waiting");
        }
        assertEquals(RING / 8, output.tickets.size());
    }

    @Test
    void shouldRefuseAnAnswerWhenAnotherPeerWasAsked() {
        Forwarder forwarder = forwarder("aggregate");
        int a = forwarder.intake().openSource(false);
        forwarder.connected(3);
        add(forwarder, a, 9, 8, 5);
        forwarder.endOfTurn(0);
        long ticket = output.tickets.getFirst();
        assertThrows(IllegalArgumentException.class, () -> forwarder.settling().answered(2, ticket, this::answer));
        assertEquals(List.of(), answers);
        forwarder.settling().answered(3, ticket, this::answer);
        assertEquals(List.of("0: 9 + 0"), answers);
    }

    @Test
    void shouldReleaseASourceWhenItIsGoneInTheMiddleOfARequest() {
        Forwarder forwarder = forwarder("aggregate");
        int a = forwarder.intake().openSource(true);
        long position = forwarder.intake().place(a, 100);
        forwarder.intake().abandoned(a, position);
        forwarder.intake().closeSource(a);
        forwarder.endOfTurn(0);
        assertEquals(List.of("released 0"), output.take());
    }

    /** Of a rank, or of a channel: neither ring nor credit holds it back, as what is combined needs no room. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldHoldSourceBackWhenManyOfItsRequestsAreCombinedWithOneThatWaits(boolean isChannel) {
        Forwarder forwarder = forwarder("combine");
        int a = forwarder.intake().openSource(false);
        int b = forwarder.intake().openSource(isChannel);
        accumulate(forwarder, a, ElementType.INT, 1);
        int combined = 0;
        while (!forwarder.intake().holdIfBlocked(b)) {
            accumulate(forwarder, b, ElementType.INT, 1);
            forwarder.endOfTurn(0);
            combined++;
            assertTrue(combined <= RING, "it is never held");
        }
        forwarder.connected(3);
        forwarder.endOfTurn(0);
        output.take();
        assertEquals(1, forwarder.requests());
        forwarder.settling().acknowledged(3, 1);
        forwarder.endOfTurn(1);
        assertTrue(output.take().contains("unblocked " + b));
    }

    @Test
    void shouldHoldConnectionOfRankBackWhenLongestRequestHasNoRoom() {
        Forwarder forwarder = forwarder("aggregate");
        int a = forwarder.intake().openSource(false);
        forwarder.intake().forwardOneWay(a, forwarder.intake().place(a, RING / 2), RING / 2, 3, 0);
        assertFalse(forwarder.intake().holdIfBlocked(a));
        forwarder.intake().forwardOneWay(a, forwarder.intake().place(a, 8), 8, 3, 0);
        assertTrue(forwarder.intake().holdIfBlocked(a));
        forwarder.connected(3);
        forwarder.endOfTurn(0);
        assertTrue(output.take().contains("unblocked 0"));
        assertFalse(forwarder.intake().holdIfBlocked(a));
    }

    @Test
    void shouldNameEveryOneWayRequestOfTheirSourcesWhenCombinedOneIsRefused() {
        Forwarder forwarder = forwarder("combine");
        int a = forwarder.intake().openSource(true);
        int b = forwarder.intake().openSource(true);
        forwarder.connected(3);
        forwarder.intake().executedHere(b, -1, true);
        accumulate(forwarder, a, ElementType.INT, 1);
        accumulate(forwarder, b, ElementType.INT, 1);
        forwarder.endOfTurn(0);
        forwarder.settling().refused(3, 1, this::answer);
        assertEquals(List.of("0: -2 + 0", "1: -3 + 0"), answers);
        assertThrows(IllegalArgumentException.class, () -> forwarder.settling().refused(3, 2, this::answer));
    }

    @Test
    void shouldWrapAroundAtWidthWhenFetchAndAddIsCombined() {
        assertEquals(Integer.MIN_VALUE, Answers.sum(Integer.MAX_VALUE, 1, 4));
        assertEquals(Integer.MAX_VALUE + 1L, Answers.sum(Integer.MAX_VALUE, 1, 8));
    }

    @Test
    void shouldTellCreditWhenSomethingGoesBackOrQuarterIsUntold() {
        Forwarder forwarder = forwarder("aggregate");
        int a = forwarder.intake().openSource(true);
        forwarder.intake().executedHere(a, forwarder.intake().place(a, 1001), true);
        forwarder.endOfTurn(0);
        assertEquals(List.of(), output.take());
        forwarder.intake().executedHere(a, forwarder.intake().place(a, RING / 4), true);
        forwarder.endOfTurn(0);
        assertEquals(List.of("credit 0: " + (1008 + RING / 4)), output.take());
        forwarder.intake().executedHere(a, forwarder.intake().place(a, 8), true);
        forwarder.intake().wantAck(a);
        forwarder.endOfTurn(0);
        assertEquals(List.of("ack 0: 3", "credit 0: " + (1016 + RING / 4)), output.take());
    }

    private Forwarder forwarder(String mode) {
        return new Forwarder(CooperationOptionsTest.options(TOPOLOGY, "cooperation.mode=" + mode), output);
    }

    private static void add(Forwarder forwarder, int source, long requestId, long offset, long operand) {
        Intake intake = forwarder.intake();
        intake.forwardFetchAndAdd(source, intake.place(source, 48), 48, 3, requestId, 1, 6, offset, 8, operand, 0);
    }

    private static void accumulate(Forwarder forwarder, int source, ElementType type, long scale) {
        Intake intake = forwarder.intake();
        intake.forwardAccumulate(source, intake.place(source, 100), 100, 3, 62, 32, type, scale, 1, 6, 0, 0);
    }

    private void answer(int source, long requestId, long prefix, int width) {
        answers.add(source + ": " + requestId + " + " + prefix);
    }
}

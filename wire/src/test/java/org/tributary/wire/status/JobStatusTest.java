package org.tributary.wire.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.wire.RankState;
import org.tributary.wire.shm.CallLayout;
import org.tributary.wire.shm.WaitKind;
import org.tributary.wire.shm.WindowLayout;
import org.tributary.wire.status.NodeDetails.Lock;
import org.tributary.wire.status.NodeDetails.LockName;
import org.tributary.wire.status.NodeDetails.Member;
import org.tributary.wire.status.NodeStatus.Rank;
import org.tributary.wire.status.NodeStatus.Wait;

/** Who waits for whom, in jobs made by hand. */
class JobStatusTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long GROUP = 0x100000003L;

    private final List<Rank> ranks = new ArrayList<>();
    private final List<Lock> locks = new ArrayList<>();
    private final List<Member> members = new ArrayList<>();
    private ProcessState server = ProcessState.RUNS;

    private void rank(Wait... waits) {
        rank(ProcessState.RUNS, RankState.ATTACHED, waits);
    }

    private void rank(ProcessState process, RankState state, Wait... waits) {
        int pid = 100 + ranks.size();
        ranks.add(new Rank(ranks.size(), state, pid, process, 0, waits.length, List.of(waits), false));
    }

    private static Wait wait(WaitKind kind, int peer, long segment, long number, double seconds) {
        return new Wait(kind, peer, segment, number, (long) (seconds * SECOND_NS));
    }

    private static Wait barrier(int peer, long group, long call) {
        return wait(WaitKind.COLLECTIVE, peer, group, call, 12.34);
    }

    private void member(long group, int rank, int kind, long number) {
        members.add(new Member(group, rank, new CallDescription(number,
            CallDescription.keyOf(kind, 0, 0, number), kind, 0, 0, "")));
    }

    private void fenceStep(long window, int rank, long step) {
        members.add(new Member(window, rank, CallDescription.fenceStep(step)));
    }

    /** Everything is on two nodes of as many ranks. */
    private JobStatus job() {
        int half = ranks.size() / 2;
        return new JobStatus(List.of(
            new NodeStatus("j", 0, "2*" + half, ranks.size(), 2, SECOND_NS, 10, ProcessState.RUNS,
                ranks.subList(0, half)),
            new NodeStatus("j", 1, "2*" + half, ranks.size(), 2, SECOND_NS, 11, server,
                ranks.subList(half, ranks.size()))), List.of(new NodeDetails(members, locks)));
    }

    private List<List<Integer>> circles() {
        return new WaitGraph(job()).circles();
    }

    private String reasons() {
        return String.join("\n", new Reasons(job()).lines());
    }

    @Test
    void shouldNameTheCycleWhenTwoRanksHoldEachOthersMutex() {
        rank(wait(WaitKind.MUTEX, 1, 5, 3, 7));
        rank(wait(WaitKind.MUTEX, 0, 5, 4, 8));
        locks.add(new Lock(new LockName(5, 1, 3), 1, 0));
        locks.add(new Lock(new LockName(5, 0, 4), 0, 0));
        assertEquals(List.of(List.of(0, 1)), circles());
        assertEquals("""
            deadlock: ranks 0, 1 wait for each other
              rank 0 waits for mutex 3 of rank 1, held by rank 1, for 7.0 s -> rank 1
              rank 1 waits for mutex 4 of rank 0, held by rank 0, for 8.0 s -> rank 0""", reasons());
        assertEquals(List.of(0, 1), new Reasons(job()).ends());
    }

    @Test
    void shouldWaitForWhoHasNotCalledWhenOthersAreInTheCollective() {
        rank(barrier(2, 0, 7));
        rank();
        rank(barrier(0, 0, 7));
        rank(barrier(2, 0, 7));
        for (int rank = 0; rank < 4; rank++) {
            member(0, rank, CallLayout.BARRIER, rank == 1 ? 6 : 7);
        }
        assertEquals(Set.of(Party.rank(1)), job().waitsFor(ranks.get(3)));
        assertEquals("""
            ranks 0, 2, 3 wait for rank 1 in barrier, call 7 of all ranks, for 12.3 s
              rank 1 computes""", reasons());
        assertEquals(List.of(1), new Reasons(job()).ends());
        assertEquals(0, job().standsStillNs());
    }

    @Test
    void shouldWaitForThePeerOfTheStepWhenItIsStoppedWithinTheCall() {
        rank(barrier(1, 0, 7));
        rank(ProcessState.STOPPED, RankState.ATTACHED, barrier(0, 0, 7));
        member(0, 0, CallLayout.BARRIER, 7);
        member(0, 1, CallLayout.BARRIER, 7);
        assertEquals("""
            rank 0 waits for rank 1 in barrier, call 7 of all ranks, for 12.3 s
              rank 1 was stopped (SIGSTOP)""", reasons());
    }

    @Test
    void shouldNameBothCallsWhenMembersOfAGroupDiffer() {
        rank(barrier(1, GROUP, 4));
        rank(barrier(0, GROUP, 4));
        member(GROUP, 0, CallLayout.BARRIER, 4);
        member(GROUP, 1, CallLayout.BROADCAST, 4);
        assertEquals(1, job().mismatches().size());
        assertTrue(reasons().contains("collective calls do not match in group 100000003: rank 0 is in barrier, call 4;"
            + " rank 1 in broadcast of 0 bytes from member 0, call 4"), this::reasons);
        assertEquals(List.of(0, 1), new Reasons(job()).ends());
    }

    @Test
    void shouldNameBothCallsWhenOneMemberIsACallBehind() {
        rank(barrier(1, 0, 5));
        rank(barrier(0, 0, 4));
        member(0, 0, CallLayout.BARRIER, 5);
        member(0, 1, CallLayout.BARRIER, 4);
        assertEquals(1, job().mismatches().size());
        assertEquals(4, job().mismatches().getFirst().otherCall().number());
    }

    /** Rank 0, the root, has left the broadcast, and rank 2 waits in it for rank 1, which cannot pass it on. */
    @ParameterizedTest
    @EnumSource(value = ProcessState.class, names = {"STOPPED", "DEBUGGED", "GONE"})
    void shouldFindNoMismatchWhenAMemberHasLeftACallInWhichAnotherIsHeldUp(ProcessState held) {
        rank(barrier(2, 0, 17));
        rank(held, RankState.ATTACHED, barrier(0, 0, 16));
        rank(barrier(1, 0, 16));
        rank(barrier(0, 0, 17));
        for (int rank = 0; rank < 4; rank++) {
            member(0, rank, rank % 3 == 0 ? CallLayout.BARRIER : CallLayout.BROADCAST, rank % 3 == 0 ? 17 : 16);
        }
        assertEquals(List.of(), job().mismatches());
        assertTrue(!reasons().contains("do not match"), this::reasons);
    }

    @Test
    void shouldFindNoMismatchWhenAServerIsStoppedOrANodeIsNotKnown() {
        rank(barrier(1, 0, 5));
        rank(barrier(0, 0, 4));
        member(0, 0, CallLayout.BARRIER, 5);
        member(0, 1, CallLayout.BARRIER, 4);
        server = ProcessState.STOPPED;
        assertEquals(List.of(), job().mismatches());
        assertEquals(List.of(), new JobStatus(List.of(new NodeStatus("j", 0, "2*2", 4, 2, SECOND_NS, 10,
            ProcessState.RUNS, ranks)), List.of(new NodeDetails(members, locks))).mismatches());
    }

    /** The call before cannot have matched, either. */
    @Test
    void shouldNameMembersOfOneCallWhenAnotherIsACallAhead() {
        rank(barrier(1, 0, 5));
        rank(barrier(0, 0, 4));
        rank(barrier(0, 0, 4));
        rank();
        member(0, 0, CallLayout.BARRIER, 5);
        member(0, 1, CallLayout.BARRIER, 4);
        member(0, 2, CallLayout.BROADCAST, 4);
        member(0, 3, CallLayout.BARRIER, 3);
        assertEquals(List.of(1, 2), job().mismatches().stream().flatMap(found -> Stream.of(found.one(),
            found.other())).toList());
    }

    @Test
    void shouldSayPerhapsWhenOtherThreadsOfACircleMayEndIt() {
        rank(wait(WaitKind.MUTEX, 1, 5, 3, 7));
        rank(wait(WaitKind.NOTIFICATION, 0, 0, 1, 9), wait(WaitKind.ANSWER, 0, 0, 0, 0.1));
        locks.add(new Lock(new LockName(5, 1, 3), 1, 0));
        assertTrue(reasons().startsWith("perhaps a deadlock: ranks 0, 1 wait for each other, unless other threads of"
            + " theirs end that\n"), this::reasons);
    }

    @Test
    void shouldFindNoMismatchWhenAMemberHasJustCalled() {
        rank(barrier(1, 0, 5));
        rank(wait(WaitKind.COLLECTIVE, 0, 0, 4, 0.5));
        member(0, 0, CallLayout.BARRIER, 5);
        member(0, 1, CallLayout.BARRIER, 4);
        assertEquals(List.of(), job().mismatches());
    }

    @Test
    void shouldFindTheCycleWhenRanksAreInCollectivesOfDifferentGroups() {
        rank(barrier(1, 7, 1));
        rank(barrier(0, 8, 1));
        for (long group = 7; group <= 8; group++) {
            for (int rank = 0; rank < 2; rank++) {
                member(group, rank, CallLayout.BARRIER, rank == group - 7 ? 1 : 0);
            }
        }
        assertEquals(List.of(List.of(0, 1)), circles());
    }

    @Test
    void shouldShowWhoElseIsAwaitedWhenRanksAreInACycle() {
        rank(barrier(1, 7, 1));
        rank(wait(WaitKind.NOTIFICATION, 0, 0, 1, 2));
        rank();
        rank();
        for (int rank = 0; rank < 3; rank++) {
            member(7, rank, CallLayout.BARRIER, rank == 0 ? 1 : 0);
        }
        assertEquals(List.of(List.of(0, 1)), circles());
        assertTrue(reasons().endsWith("\nrank 2 computes"), this::reasons);
    }

    @Test
    void shouldEndTheChainAtTheServerWhenItWasStopped() {
        server = ProcessState.STOPPED;
        rank(wait(WaitKind.ANSWER, 1, 0, 0, 75));
        rank(wait(WaitKind.NOTIFICATION, 0, 0, 3, 3700));
        assertEquals("""
            rank 1 waits for notification 3 of rank 0, for 1 h 1 min
              rank 0 waits for an answer of the server of node 1, for 1 min 15 s
                the server of node 1 was stopped (SIGSTOP) (pid 11)""", reasons());
        assertEquals(75 * SECOND_NS, job().standsStillNs());
    }

    /** What rank 0 has sent lies in the server of node 1. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNameTheServerAndNoDeadlockWhenItIsStoppedBetweenRanksThatExchange(boolean isDoubted) {
        server = ProcessState.STOPPED;
        Wait wait = wait(WaitKind.NOTIFICATION, 1, 0, 8, 60);
        rank(isDoubted ? new Wait[] {wait, wait(WaitKind.ANSWER, 1, 0, 0, 4)} : new Wait[] {wait});
        rank(wait(WaitKind.NOTIFICATION, 0, 0, 7, 60));
        assertEquals(List.of(), circles());
        assertTrue(!reasons().contains("deadlock"), this::reasons);
        assertEquals(1, reasons().lines().filter(line -> line.strip()
            .equals("the server of node 1 was stopped (SIGSTOP) (pid 11)")).count(), this::reasons);
        assertEquals(Set.of(Party.rank(0), Party.server(1)), job().waitsFor(ranks.get(1)));
    }

    @Test
    void shouldNameTheServerWhenItIsStoppedAndAllAreInTheCall() {
        server = ProcessState.STOPPED;
        rank(barrier(1, 0, 7));
        rank(barrier(0, 0, 7));
        member(0, 0, CallLayout.BARRIER, 7);
        member(0, 1, CallLayout.BARRIER, 7);
        assertEquals("""
            ranks 0, 1 wait for each other in barrier, call 7 of all ranks, for 12.3 s
              the server of node 1 was stopped (SIGSTOP) (pid 11)""", reasons());
    }

    /** In mode combine it may have been forwarded by any server. */
    @Test
    void shouldSayPerhapsAndNameTheServerWhenOneIsStoppedThatNoneOfACircleNeeds() {
        server = ProcessState.STOPPED;
        rank(wait(WaitKind.NOTIFICATION, 1, 0, 8, 60));
        rank(wait(WaitKind.NOTIFICATION, 0, 0, 7, 60));
        rank();
        rank();
        assertTrue(reasons().startsWith("deadlock: ranks 0, 1 wait for each other\n"), "on one node: " + reasons());
        assertTrue(reasons().endsWith("\nthe server of node 1 was stopped (SIGSTOP) (pid 11)"), this::reasons);
        assertEquals(Set.of(Party.rank(1)), job().waitsFor(ranks.getFirst()), "on one node");
    }

    /** Whether what its slot says that it waits for has come meanwhile, nobody knows. */
    @Test
    void shouldEndTheChainAtARankThatWasStoppedWhileItWaited() {
        rank(ProcessState.STOPPED, RankState.ATTACHED, wait(WaitKind.NOTIFICATION, 1, 0, 8, 60));
        rank(wait(WaitKind.NOTIFICATION, 0, 0, 8, 59));
        assertEquals(List.of(), circles());
        assertEquals("""
            rank 1 waits for notification 8 of rank 0, for 59.0 s
              rank 0 was stopped (SIGSTOP)""", reasons());
        assertEquals(List.of(0), new Reasons(job()).ends());
        assertEquals(Set.of(), job().waitsFor(ranks.getFirst()));
    }

    @Test
    void shouldSayPerhapsWhenADebuggerHoldsARankOfACircle() {
        rank(ProcessState.DEBUGGED, RankState.ATTACHED, wait(WaitKind.NOTIFICATION, 1, 0, 8, 60));
        rank(wait(WaitKind.NOTIFICATION, 0, 0, 8, 59));
        assertTrue(reasons().startsWith("perhaps a deadlock: ranks 0, 1 wait for each other, unless that ends when a"
            + " debugger lets them go on\n"), this::reasons);
    }

    /** What is only known to live may have been stopped in its container. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "LIVES | RUNS     | one of them was stopped, which cannot be seen from here",
        "RUNS  | LIVES    | a server was stopped, which cannot be seen from here",
        "RUNS  | DEBUGGED | that ends when every server runs"})
    void shouldSayPerhapsWhenARankOfACircleOrAServerMayNotRun(ProcessState rank, ProcessState other, String mayEnd) {
        server = other;
        rank(rank, RankState.ATTACHED, wait(WaitKind.NOTIFICATION, 1, 0, 8, 60));
        rank(wait(WaitKind.NOTIFICATION, 0, 0, 8, 59));
        assertTrue(reasons().startsWith("perhaps a deadlock: ranks 0, 1 wait for each other, unless " + mayEnd + "\n"),
            this::reasons);
    }

    /** Whether it was stopped behind its call, nobody sees; that its call is another one of that number, is certain. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldFindOnlyMismatchesOfOneNumberWhenAMemberIsOnlyKnownToLive(boolean isOneNumber) {
        rank(barrier(1, 0, isOneNumber ? 4 : 5));
        rank(ProcessState.LIVES, RankState.ATTACHED, barrier(0, 0, 4));
        member(0, 0, CallLayout.BARRIER, isOneNumber ? 4 : 5);
        member(0, 1, CallLayout.BROADCAST, 4);
        assertEquals(isOneNumber ? 1 : 0, job().mismatches().size());
    }

    @Test
    void shouldFindNoCircleWhenWaitsAreShort() {
        rank(wait(WaitKind.NOTIFICATION, 1, 0, 8, 0.4));
        rank(wait(WaitKind.NOTIFICATION, 0, 0, 8, 60));
        assertEquals(List.of(), circles());
    }

    @Test
    void shouldWaitForServerAndHolderWhenTheServerOfAMutexIsStopped() {
        server = ProcessState.STOPPED;
        rank(wait(WaitKind.MUTEX, 1, 5, 0, 1));
        rank();
        locks.add(new Lock(new LockName(5, 1, 0), 1, 0));
        assertEquals(Set.of(Party.rank(1), Party.server(1)), job().waitsFor(ranks.getFirst()));
    }

    @Test
    void shouldNotStandStillWhenARankHasNotAttachedOrNobodyIsThere() {
        rank(wait(WaitKind.FLAG, -1, 5, 8, 100));
        rank(ProcessState.NONE, RankState.EXPECTED);
        assertEquals(0, job().standsStillNs());
        ranks.set(1, new Rank(1, RankState.DEPARTED, 7, ProcessState.GONE, -1, 0, List.of(), false));
        assertEquals(100 * SECOND_NS, job().standsStillNs());
        ranks.set(0, ranks.get(1));
        assertEquals(0, job().standsStillNs());
    }

    @Test
    void shouldSayThatThereMayBeMoreWhenAsManyThreadsWaitAsShow() {
        Wait wait = wait(WaitKind.NOTIFICATION, 1, 0, 1, 9);
        rank(wait, wait, wait);
        rank(wait, wait, wait, wait);
        String sentence = "waits for notification 1 of rank 1, for 9.0 s; ";
        assertEquals(sentence + "2 more of its threads wait", Words.sentence(job(), ranks.get(0)));
        assertEquals(sentence + "at least 3 more of its threads wait", Words.sentence(job(), ranks.get(1)));
    }

    /** The requests that wait at its server hold it up; it is no rank that computes, nor one that has died. */
    @Test
    void shouldStandStillWhenARankHasLeftBehindRequestsThatWait() {
        rank(barrier(1, 0, 7));
        rank(ProcessState.GONE, RankState.LEAVING);
        assertEquals(12_340_000_000L, job().standsStillNs());
        assertEquals("has left; requests of it still wait at its server", Words.sentence(job(), ranks.get(1)));
        assertTrue(reasons().endsWith("\n  rank 1 has left; requests of it still wait at its server"), this::reasons);
        assertEquals(List.of(), new Reasons(job()).ends());
        ranks.set(0, ranks.get(1));
        assertEquals(0, job().standsStillNs());
    }

    /** Nothing is to come of a process that has ended, though its server, which was stopped, has not heard of it. */
    @Test
    void shouldStandStillWhenAProcessHasEndedAndItsServerDoesNotKnow() {
        rank(barrier(1, 0, 7));
        rank(ProcessState.GONE, RankState.ATTACHED);
        assertEquals(12_340_000_000L, job().standsStillNs());
    }

    @Test
    void shouldNameTheServerThatIsStoppedWhenOnlyRanksThatHaveLeftNeedIt() {
        server = ProcessState.STOPPED;
        rank(ProcessState.GONE, RankState.LEAVING);
        assertTrue(reasons().startsWith("the server of node 1 was stopped (SIGSTOP)"), this::reasons);
        assertTrue(reasons().endsWith("\nrank 0 has left; requests of it still wait at its server"), this::reasons);
    }

    @Test
    void shouldNameWhoHasNotMetTheWindowsFenceWhenOthersWaitInIt() {
        rank(wait(WaitKind.WINDOW_READY, -1, 9, 0, 1));
        rank();
        rank(wait(WaitKind.WINDOW_READY, -1, 9, 0, 1));
        rank();
        for (int rank : new int[] {0, 1, 2}) {
            members.add(new Member(9, rank, null));
        }
        assertEquals(Set.of(Party.rank(1)), job().waitsFor(ranks.get(2)));
    }

    /** Rank 0 is in the next fence already, rank 2 still sends to rank 1. */
    @Test
    void shouldWaitForWhoStillSendsWhenRanksAreInFencesOfAWindow() {
        rank(wait(WaitKind.COLLECTIVE, 2, 0, 8, 5));
        rank(wait(WaitKind.WINDOW_FENCE, -1, 9, WindowLayout.sentStep(4), 6));
        rank(wait(WaitKind.ROOM, 0, 0, 0, 5));
        for (int rank = 0; rank < 3; rank++) {
            member(0, rank, CallLayout.REDUCE_SCATTER, rank == 0 ? 8 : 7);
            fenceStep(9, rank, rank == 0 ? WindowLayout.readyStep(4) : rank == 1 ? WindowLayout.sentStep(4)
                : WindowLayout.readyStep(3));
        }
        assertEquals(Set.of(Party.rank(2)), job().waitsFor(ranks.get(1)));
        assertEquals(List.of(), circles());
        assertEquals("""
            rank 0 waits for ranks 1, 2 in reduce-scatter sum of 0 int each, call 8 of all ranks, for 5.0 s
              rank 1 waits for operations of others, in a fence of window 9, for 6.0 s
                rank 2 waits for the server of node 0 to read what it is sent, for 5.0 s
                  the server of node 0 runs (pid 10)
              rank 2 waits for the server of node 0 to read what it is sent, for 5.0 s (see above)""", reasons());
    }

    /** Ranks 0 and 1 have closed the epoch, rank 2 waits for operations in it, and rank 3 sends some. */
    @Test
    void shouldWaitForWhoIsNotReadyWhenRanksAreInTheSameFence() {
        rank(wait(WaitKind.WINDOW_READY, -1, 9, WindowLayout.readyStep(4), 2));
        rank(wait(WaitKind.WINDOW_READY, -1, 9, WindowLayout.readyStep(4), 3));
        rank(wait(WaitKind.WINDOW_FENCE, -1, 9, WindowLayout.sentStep(4), 3));
        rank();
        for (int rank = 0; rank < 4; rank++) {
            fenceStep(9, rank, WindowLayout.readyStep(3));
        }
        assertEquals(Set.of(Party.rank(2), Party.rank(3)), job().waitsFor(ranks.getFirst()));
        assertEquals(Set.of(Party.rank(3)), job().waitsFor(ranks.get(2)));
        assertTrue(reasons().startsWith("ranks 0, 1 wait for others to begin an epoch of window 9, for 3.0 s\n"),
            this::reasons);
    }

    /** Ranks 0 to 17 wait in one call for rank 18, which waits for each of them in another. */
    @Test
    void shouldTellOneCircleWhenManyRanksOfACallCloseIt() {
        for (int rank = 0; rank < 20; rank++) {
            rank(rank < 18 ? barrier(18, 7, 8) : barrier(0, 8, 3));
            member(7, rank, CallLayout.BARRIER, rank < 18 ? 8 : 7);
            member(8, rank, CallLayout.BARRIER, rank < 18 ? 2 : 3);
        }
        assertEquals(List.of(List.of(0, 18)), circles());
        assertTrue(reasons().startsWith("""
            deadlock: ranks 0, 18 wait for each other
              ranks 0-17 wait for ranks 18, 19 in barrier, call 8 of group 7, for 12.3 s -> rank 18
              ranks 18, 19 wait for ranks 0-17 in barrier, call 3 of group 8, for 12.3 s -> rank 0"""), this::reasons);
    }

    @Test
    void shouldTellSomeCirclesWhenThereAreMany() {
        IntStream.range(0, 20).forEach(rank -> rank(wait(WaitKind.NOTIFICATION, rank ^ 1, 0, 1, 2)));
        assertEquals(10, circles().size());
        assertEquals("(and 7 more such circles)", reasons().lines().toList().get(9));
    }

    @Test
    void shouldTellWhatIsKnownWhenOtherNodesAreNot() {
        rank(wait(WaitKind.NOTIFICATION, 7, 0, 1, 2));
        rank(wait(WaitKind.ACCUMULATE, Integer.MAX_VALUE, 0, 0, 2));
        assertTrue(reasons().contains("rank 7 is on another machine"), this::reasons);
        assertEquals(Set.of(Party.server(1)), job().waitsFor(ranks.get(1)));
        assertEquals(List.of("no rank takes part in the job at the moment"),
            new Reasons(new JobStatus(List.of(), List.of())).lines());
    }

    @Test
    void shouldBeFastAndBriefWhenTenThousandRanksWaitInALongChain() {
        int many = 10_000;
        IntStream.range(0, many).forEach(rank -> rank(wait(WaitKind.NOTIFICATION, (rank + 1) % many, 0, 1, 2)));
        assertEquals(List.of(IntStream.range(0, many).boxed().toList()), circles());
        assertTrue(new Reasons(job()).lines().size() <= 41);
    }

    @Test
    void shouldBeFastAndBriefWhenHalfOfManyRanksHaveNotCalled() {
        int many = 40_000;
        for (int rank = 0; rank < many; rank++) {
            Wait[] waits = rank % 2 == 0 ? new Wait[] {barrier(1, 0, 7)} : new Wait[0];
            rank(waits);
            member(0, rank, CallLayout.BARRIER, rank % 2 == 0 ? 7 : 6);
        }
        List<String> lines = new Reasons(job()).lines();
        assertTrue(lines.getFirst().startsWith("ranks 0, 2, 4, 6, ") && lines.size() <= 41, lines::toString);
    }

    @Test
    void shouldBeReadAtOnceWhenTimesAndRanksAreInWords() {
        assertEquals("0.0 s", Words.age(0));
        assertEquals("59.9 s", Words.age(59_999_999_999L));
        assertEquals("1 min 0 s", Words.age(60 * SECOND_NS));
        assertEquals("2 d 1 h", Words.age(49 * 3600 * SECOND_NS));
        assertEquals("0-2, 4, 5, 9", Words.ranges(List.of(0, 1, 2, 4, 5, 9)));
        assertEquals("0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22 and 3 more",
            Words.ranges(IntStream.range(0, 15).map(i -> 2 * i).boxed().toList()));
    }
}

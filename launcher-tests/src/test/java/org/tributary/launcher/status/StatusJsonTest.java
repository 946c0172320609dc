package org.tributary.launcher.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;
import org.tributary.wire.RankState;
import org.tributary.wire.shm.CallLayout;
import org.tributary.wire.shm.WaitKind;
import org.tributary.wire.status.CallDescription;
import org.tributary.wire.status.JobStatus;
import org.tributary.wire.status.NodeDetails;
import org.tributary.wire.status.NodeDetails.Member;
import org.tributary.wire.status.NodeStatus;
import org.tributary.wire.status.NodeStatus.Rank;
import org.tributary.wire.status.NodeStatus.Wait;
import org.tributary.wire.status.ProcessState;

/** What programs are told of a job whose ranks wait in a barrier for the others. */
class StatusJsonTest {
    private static final long CALL = 7;
    private static final long NS = 2_000_000_000L;

    private static String json(int count, IntPredicate isMissing) {
        List<Rank> ranks = new ArrayList<>();
        List<Member> members = new ArrayList<>();
        for (int rank = 0; rank < count; rank++) {
            long call = isMissing.test(rank) ? CALL - 1 : CALL;
            ranks.add(new Rank(rank, RankState.ATTACHED, 100, ProcessState.RUNS, 0, 0, call < CALL ? List.of()
                : List.of(new Wait(WaitKind.COLLECTIVE, (rank + 1) % count, 0x1f, CALL, NS)), false));
            members.add(new Member(0x1f, rank, new CallDescription(call,
                CallDescription.keyOf(CallLayout.BARRIER, 0, 0, call), CallLayout.BARRIER, 0, 0, "")));
        }
        NodeStatus node = new NodeStatus("j", 0, "1*" + count, count, 1, NS, 10, ProcessState.RUNS, ranks);
        JobStatus job = new JobStatus(List.of(node), List.of(new NodeDetails(members, List.of())));
        return StatusJson.of(List.of(new JobReading("j", job, List.of())), Map.of()).replaceAll("\\s+", " ");
    }

    private static long count(String text, String part) {
        return text.split(part, -1).length - 1;
    }

    @Test
    void shouldNameFewMissingMembersAtEachRankWhenOthersWaitForThem() {
        String json = json(8, rank -> rank == 1 || rank == 5);
        assertEquals(6, count(json, "\"waits_for\": \\[\"rank 1\", \"rank 5\"\\], \"call\": 0"), json);
        assertEquals(2, count(json, "\"waits_for\": \\[\\], \"call\": null"), json);
        assertTrue(json.contains("\"calls\": [{\"segment\": \"1f\", \"number\": 7, \"missing\": [[1, 1], [5, 5]]}]"),
            json);
    }

    @Test
    void shouldNameManyMissingMembersOnceWhenOthersWaitForThem() {
        String json = json(40, rank -> rank < 20);
        assertEquals(20, count(json, "\"waits_for\": \\[\\], \"call\": 0"), json);
        assertTrue(json.contains("\"missing\": [[0, 19]]"), json);
        assertFalse(json.contains("\"rank 3\""), json);
    }

    /** Ranges do not shorten every second rank. */
    @Test
    void shouldGrowWithTheRanksWhenEverySecondOneIsMissing() {
        int small = json(500, rank -> rank % 2 == 0).length();
        int large = json(4_000, rank -> rank % 2 == 0).length();
        assertTrue(large < 9 * small, () -> small + " and " + large);
    }
}

package org.tributary.wire.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.tributary.wire.RankState;
import org.tributary.wire.shm.WaitKind;
import org.tributary.wire.status.NodeDetails.Lock;
import org.tributary.wire.status.NodeDetails.LockName;
import org.tributary.wire.status.NodeDetails.Member;
import org.tributary.wire.status.NodeDetails.Questions;
import org.tributary.wire.status.NodeStatus.Rank;
import org.tributary.wire.status.NodeStatus.Wait;

class NodeTextTest {
    private static final NodeStatus NODE = new NodeStatus("a.b-1", 3, "2*4, 1 ...", 9, 3, 12L << 40, 4711,
        ProcessState.STOPPED, List.of(
            new Rank(6, RankState.ATTACHED, 5, ProcessState.RUNS, 77, 3, List.of(
                new Wait(WaitKind.MUTEX, 2, -5, 1L << 60, 9), new Wait(WaitKind.FLAG, -1, 0, 0, 0)), false),
            new Rank(7, null, 0, ProcessState.NONE, -1, 0, List.of(), true)));

    @Test
    void shouldBeTheSameWhenReadAgain() {
        assertEquals(NODE, NodeText.node(NodeText.of(NODE)));
        Questions questions = new Questions(Set.of(0L, -7L), Set.of(8L), Set.of(new LockName(5, 1, 2)));
        assertEquals(questions, NodeText.questions(NodeText.of(questions)));
        NodeDetails details = new NodeDetails(List.of(new Member(5, 1, null),
            new Member(5, 2, new CallDescription(1, -2, 3, 4, 5, "array \"A\"\n= ü")),
            new Member(5, 3, new CallDescription(1, -2, 3, 4, 5, ""))),
            List.of(new Lock(new LockName(5, 1, 2), -1, 3)));
        assertEquals(details, NodeText.details(NodeText.of(details)));
    }

    @Test
    void shouldBeRefusedWhenItIsCutOffOrSomethingElse() {
        String text = NodeText.of(NODE);
        for (String wrong : List.of("", "rank 1", "node a", text.replace("rank 7", "tank 7"),
            text.replace("MUTEX", "TEXT"), text.substring(0, text.indexOf("77")), text.replace("4711", "47x"))) {
            assertThrows(IllegalArgumentException.class, () -> NodeText.node(wrong), wrong);
        }
        assertThrows(IllegalArgumentException.class, () -> NodeText.questions("lock 1"));
        assertThrows(IllegalArgumentException.class, () -> NodeText.details("member 5"));
    }
}

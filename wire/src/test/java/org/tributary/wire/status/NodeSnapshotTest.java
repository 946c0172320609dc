package org.tributary.wire.status;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tributary.wire.RankState;
import org.tributary.wire.shm.Latencies;
import org.tributary.wire.shm.WaitKind;
import org.tributary.wire.status.NodeStatus.Rank;
import org.tributary.wire.status.NodeStatus.Wait;
import org.tributary.wire.status.ServerCounts.Count;
import org.tributary.wire.status.ServerCounts.Pair;

/** What is told of a node, as bytes. */
class NodeSnapshotTest {
    private static NodeSnapshot snapshot() {
        NodeStatus status = new NodeStatus("job-1", 3, "4*2", 8, 4, 77, 4711, ProcessState.RUNS,
            List.of(new Rank(6, RankState.ATTACHED, 12, ProcessState.RUNS, 5, 9,
                List.of(new Wait(WaitKind.MUTEX, 2, 17, 3, 1_000)), false)));
        NodeDetails details = new NodeDetails(List.of(),
            List.of(new NodeDetails.Lock(new NodeDetails.LockName(17, 2, 3), 5, 0)));
        ServerCounts counts = new ServerCounts(123, List.of(new Count(1, 100), new Count(2, 0)), List.of(5L, 6L),
            List.of(new Pair(6, 1, 3, 300), new Pair(-1, -1, 9, 9)));
        int[] latencies = new int[Latencies.BYTES / Integer.BYTES];
        latencies[0] = 5;
        latencies[latencies.length - 1] = -1;
        return new NodeSnapshot(status, details, counts, latencies);
    }

    @Test
    void shouldBeTheSameWhenDecoded() {
        NodeSnapshot sent = snapshot();
        NodeSnapshot got = NodeSnapshot.decode(sent.encode());
        assertEquals(sent.status(), got.status());
        assertEquals(sent.details(), got.details());
        assertEquals(sent.counts(), got.counts());
        assertArrayEquals(sent.latencies(), got.latencies());
        assertEquals(5, got.counts().gauge(ServerGauge.SEGMENT_BYTES));
        assertEquals(0, got.counts().gauge(ServerGauge.COMBINED), "was not told");
    }

    @Test
    void shouldBeRefusedWhenCutOffOrTooLong() {
        byte[] whole = snapshot().encode();
        for (int length = 0; length < whole.length; length++) {
            byte[] part = Arrays.copyOf(whole, length);
            assertThrows(IllegalArgumentException.class, () -> NodeSnapshot.decode(part), "of " + length + " bytes");
        }
        assertThrows(IllegalArgumentException.class,
            () -> NodeSnapshot.decode(Arrays.copyOf(whole, whole.length + 1)));
    }

    @Test
    void shouldBeRefusedWhenCountsClaimMoreThanTheyHave() {
        ByteBuffer counts = snapshot().counts().encode();
        for (int field = 8; field < 20; field += 4) {
            ByteBuffer damaged = ByteBuffer.wrap(counts.array().clone());
            damaged.putInt(field, -1);
            assertThrows(IllegalArgumentException.class, () -> ServerCounts.decode(damaged));
        }
        assertEquals(ServerCounts.NONE, ServerCounts.decode(ByteBuffer.allocate(0)));
    }
}

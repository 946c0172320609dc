package org.tributary.server.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.tributary.config.Topology;

/** Strangers take no files that the job needs. */
class StrangerRoomTest {
    private static final Topology JOB = Topology.of(4, 2, 2);

    @Test
    void shouldCountTheConnectionsOfAllRanksAndServers() {
        assertEquals(2 * 4 + 4 + 2 * 2, StrangerRoom.needed(JOB, 0));
        assertEquals(2 * 2 + 6 + 2 * 2, StrangerRoom.needed(JOB, 1));
        assertEquals(2, StrangerRoom.needed(Topology.of(1), 0));
    }

    @Test
    void shouldKeepAsManyAsTheSettingsSayWhenThereAreFilesEnough() {
        assertEquals(4096, StrangerRoom.of(4096, Long.MAX_VALUE, JOB, 0, 1));
        assertEquals(4096, StrangerRoom.of(4096, 1 << 20, JOB, 0, 1));
        assertEquals(3, StrangerRoom.of(3, 1024, JOB, 0, 1));
    }

    @Test
    void shouldLeaveTheJobItsFilesWhenTheProcessMayOpenFew() {
        int most = StrangerRoom.of(4096, 1024, JOB, 0, 1);
        assertEquals((1024 - StrangerRoom.RESERVE - 16) / StrangerRoom.LISTENERS, most);
        assertEquals((1024 - StrangerRoom.RESERVE - 16 - 7 * StrangerRoom.OF_A_LOOP) / StrangerRoom.LISTENERS,
            StrangerRoom.of(4096, 1024, JOB, 0, 8));
        assertEquals(StrangerRoom.LEAST, StrangerRoom.of(4096, 200, JOB, 0, 1));
        assertEquals(1, StrangerRoom.of(1, 200, JOB, 0, 1));
    }

    @Test
    void shouldKeepAPartOfTheFilesWhenAllRanksOfAJobWouldNeedMore() {
        int[] large = new int[1000];
        Arrays.fill(large, 64);
        assertEquals(4096 / StrangerRoom.PART, StrangerRoom.of(4096, 4096, Topology.of(large), 0, 1));
        assertEquals(100, StrangerRoom.of(100, 4096, Topology.of(large), 0, 1));
    }
}

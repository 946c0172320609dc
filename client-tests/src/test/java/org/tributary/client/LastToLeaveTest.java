package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.tributary.client.attach.Attachment;
import org.tributary.client.attach.Departure;
import org.tributary.client.testing.TestJob;
import org.tributary.wire.RankState;
import org.tributary.wire.shm.ControlFile;

/** Which rank is the last of its node to leave: its process stays as long as the server. */
class LastToLeaveTest {
    @Test
    void shouldBeLastWhenTheGoodbyesOfOthersWaitBehindTheirRequests() throws IOException {
        try (TestJob job = Jobs.start("1*3"); Gas other = job.attach(1); Arena arena = Arena.ofShared()) {
            ControlFile control = ControlFile.open(job.server(0).directory().resolve("control"), arena);
            Attachment attachment = Attachment.open(job.environmentOf(0), job.settings());
            Departure departure = new Departure(job.environmentOf(0), attachment);
            job.attach(2).close();
            assertFalse(departure.isLast());
            departure.leave();
            assertFalse(departure.isLast(), "rank " + other.rank() + " is there");
            set(control, 1, RankState.LEAVING);
            assertTrue(departure.isLast());
            set(control, 0, RankState.LEAVING);
            assertTrue(departure.isLast());
            set(control, 1, RankState.ATTACHED);
            assertFalse(departure.isLast());
            set(control, 0, RankState.ATTACHED);
            assertTrue(departure.isLast(), "nobody knows, for the server has not heard of it yet");
            attachment.node().close();
        }
    }

    private static void set(ControlFile control, int rank, RankState state) {
        control.setRankState(rank, state, control.rankPid(rank));
    }
}

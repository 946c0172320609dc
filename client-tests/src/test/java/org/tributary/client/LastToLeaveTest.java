package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
    void shouldBeLastWhenTheGoodbyesOfOthersWaitBehindTheirRequests() throws Exception {
        try (TestJob job = Jobs.start("1*3"); Gas other = job.attach(1); Arena arena = Arena.ofShared()) {
            ControlFile control = ControlFile.open(job.server(0).directory().resolve("control"), arena);
            Attachment attachment = Attachment.open(job.environmentOf(0), job.settings());
            Departure departure = new Departure(job.environmentOf(0), attachment);
            job.attach(2).close();
            awaitDeparted(control, 2);
            set(control, other.rank(), RankState.LEAVING);
            assertFalse(departure.isLast(), "it has not said goodbye");
            set(control, other.rank(), RankState.ATTACHED);
            departure.leave();
            awaitDeparted(control, 0);
            assertFalse(departure.isLast(), "rank " + other.rank() + " is there");
            set(control, 1, RankState.LEAVING);
            assertTrue(departure.isLast());
            set(control, 0, RankState.LEAVING);
            assertTrue(departure.isLast());
            set(control, 1, RankState.ATTACHED);
            assertFalse(departure.isLast());
            do { // nobody knows while the server has not heard of it; what it hears late, it stores once
                set(control, 0, RankState.ATTACHED);
            } while (!departure.isLast());
            attachment.node().close();
        }
    }

    /** On a busy machine its server may hear the goodbye when the rank has left. */
    private static void awaitDeparted(ControlFile control, int rank) throws InterruptedException {
        while (control.rankState(rank) != RankState.DEPARTED) {
            Thread.sleep(1);
        }
    }

    private static void set(ControlFile control, int rank, RankState state) {
        control.setRankState(rank, state, control.rankPid(rank));
    }
}

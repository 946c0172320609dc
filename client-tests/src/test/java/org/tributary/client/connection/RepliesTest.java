package org.tributary.client.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.tributary.client.link.Rank;

/** Answers find their requests, and places are used again. */
class RepliesTest {
    private final LinkSet<ServerLink> awaiting = new LinkSet<>();
    private final Rank rank = new Rank();
    private final Replies replies =
        new Replies(3, new AckLedger(new LinkSet<ServerLink>().membershipOf(null)), awaiting.membershipOf(null), rank);

    @Test
    void shouldAwaitAnswersFromTheFirstRequestToTheLastAnswer() throws IOException {
        assertTrue(awaiting.isEmpty());
        PendingReply first = replies.expect(null);
        PendingReply second = replies.expect(problem -> { });
        replies.value(second.slot(), 1); // nobody takes it: its place is free at once
        assertFalse(awaiting.isEmpty());
        replies.value(first.slot(), 2);
        assertFalse(replies.areNoneDue());
        assertEquals(2, first.value());
        replies.giveBack(first);
        assertTrue(replies.areNoneDue() && awaiting.isEmpty());
    }

    @Test
    void shouldUsePlacesAgainWhenThereAreManyRequests() throws IOException {
        List<PendingReply> all = new ArrayList<>();
        Set<Integer> places = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            all.add(replies.expect(null));
            places.add(all.get(i).slot());
        }
        assertEquals(1000, places.size());
        for (PendingReply reply : all) {
            replies.value(reply.slot(), reply.slot());
            assertEquals(reply.slot(), reply.value());
            replies.giveBack(reply);
        }
        for (int i = 0; i < 1000; i++) {
            assertTrue(places.contains(replies.expect(null).slot()));
        }
    }

    @Test
    void shouldRefuseAnswersThatNoRequestWaitsFor() throws IOException {
        assertThrows(IOException.class, () -> replies.value(-1, 0));
        assertThrows(IOException.class, () -> replies.value(0, 0));
        PendingReply reply = replies.expect(null);
        replies.value(0, 7);
        assertThrows(IOException.class, () -> replies.value(0, 8));
        assertEquals(7, reply.value());
    }

    @Test
    void shouldCheckTheLengthBeforeDataIsRead() throws IOException {
        PendingReply reply = replies.expect(null);
        reply.destination().begin(MemorySegment.ofArray(new byte[16]), 0, 16);
        IOException thrown = assertThrows(IOException.class, () -> replies.dataBegins(0, 17));
        assertTrue(thrown.getMessage().contains("17 bytes, not 16"), thrown::toString);
        assertSame(reply, replies.dataBegins(0, 16));
    }

    /** Else a get would have succeeded, with what was in its memory before. */
    @Test
    void shouldRefuseAnswersWithoutDataWhenTheRequestIsForSome() {
        PendingReply reply = replies.expect(null);
        reply.destination().begin(MemorySegment.ofArray(new byte[16]), 0, 16);
        IOException thrown = assertThrows(IOException.class, () -> replies.value(0, 0));
        assertTrue(thrown.getMessage().contains("without data, not with 16 bytes"), thrown::toString);
        assertFalse(reply.isDone());
    }
}

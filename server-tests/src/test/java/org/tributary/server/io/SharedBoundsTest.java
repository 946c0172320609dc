package org.tributary.server.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Memory that is bounded for all event loops of a server together, so that one of them may use most of it. */
class SharedBoundsTest {
    private static final int LOOPS = 8;

    /** As when each waits for a request that it has handed over, with the rest of a whole read behind it. */
    @Test
    void shouldMakeReadsSmallOnlyWhenAllLoopsTogetherKeepMuch() {
        int read = 256 << 10;
        long bound = 16 << 20;
        try (Arena arena = Arena.ofConfined()) {
            AtomicLong all = new AtomicLong();
            List<KeptRequests> loops = Stream.generate(() -> new KeptRequests(arena, read, bound, all)).limit(LOOPS)
                .toList();
            MemorySegment bytes = arena.allocate(read);
            List<KeptRequests.Piece> pieces = new ArrayList<>();
            for (int i = 0; i < 32; i++) {
                KeptRequests busy = loops.get(i % 2);
                assertFalse(busy.noteIfScarce(), "after " + i + " reads");
                pieces.add(busy.keep(bytes, 0, read));
            }
            for (int i = 0; i < 40; i++) {
                KeptRequests other = loops.get(2 + i % 6);
                pieces.add(other.keep(bytes, 0, other.noteIfScarce() ? KeptRequests.SMALL_BYTES : read));
            }
            assertTrue(loops.stream().allMatch(KeptRequests::noteIfScarce));
            assertEquals(all.get(), loops.stream().mapToLong(KeptRequests::used).sum());
            pieces.forEach(KeptRequests.Piece::giveBack);
            assertEquals(0, all.get());
            assertFalse(loops.getFirst().noteIfScarce());
        }
    }

    @Test
    void shouldHoldFewAnswersOnlyWhenAllLoopsTogetherHaveMany() {
        try (Arena arena = Arena.ofConfined()) {
            AtomicInteger all = new AtomicInteger();
            ReplyBufferPool busy = new ReplyBufferPool(arena, 0, all);
            ReplyBufferPool other = new ReplyBufferPool(arena, 1, all);
            List<ByteBuf> inFlight = new ArrayList<>();
            for (int i = 0; i <= ReplyBufferPool.MANY; i++) {
                assertFalse(other.isScarce(), "after " + i);
                ReplyBuffer buffer = busy.take();
                inFlight.add(buffer.toSend(0, 8));
                busy.giveBack(buffer);
            }
            assertTrue(other.isScarce());
            inFlight.forEach(ByteBuf::release);
            assertFalse(busy.isScarce());
        }
    }
}

package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.config.Topology;
import org.tributary.server.io.KeptRequests;
import org.tributary.server.io.ReplyBuffer;
import org.tributary.server.io.ReplyBufferPool;
import org.tributary.server.memory.MutexQueues;
import org.tributary.server.memory.NodeSegment;
import org.tributary.server.memory.RankIndex;
import org.tributary.server.memory.SegmentRegistry;
import org.tributary.server.memory.WindowLocks;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.shm.MutexWord;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.shm.SegmentKind;
import org.tributary.wire.shm.SegmentLayout;
import org.tributary.wire.shm.WindowLayout;
import org.tributary.wire.shm.WindowLock;

/** What one connection or rank costs does not depend on how many others there are. */
class CostsTest {
    private static final int MANY = 1000;

    @Test
    void shouldGetABufferBackWhenItsBytesHaveLeft() {
        try (Arena arena = Arena.ofConfined()) {
            ReplyBufferPool pool = new ReplyBufferPool(arena);
            List<ByteBuf> inFlight = new ArrayList<>();
            List<ReplyBuffer> buffers = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                ReplyBuffer buffer = pool.take();
                inFlight.add(buffer.toSend(0, 8));
                pool.giveBack(buffer);
                buffers.add(buffer);
            }
            assertEquals(10, pool.sending());
            inFlight.get(3).release();
            assertEquals(9, pool.sending());
            assertSame(buffers.get(3), pool.take());
            ReplyBuffer another = pool.take();
            assertFalse(buffers.contains(another), "a buffer that is still being sent");
            assertEquals(11, pool.count());
            inFlight.get(7).release(1);
            assertSame(buffers.get(7), pool.take());
        }
    }

    @Test
    void shouldGetABufferBackOnceWhenSeveralPartsOfItAreSent() {
        try (Arena arena = Arena.ofConfined()) {
            ReplyBufferPool pool = new ReplyBufferPool(arena);
            ReplyBuffer buffer = pool.take();
            ByteBuf part = buffer.toSend(0, 8);
            part.release(); // sent at once, before it is given back
            pool.giveBack(buffer);
            assertEquals(0, pool.sending());
            assertSame(buffer, pool.take());
            assertNotSame(buffer, pool.take());
        }
    }

    /** A thousand connections that do not take their answers, each with a whole read in hand. */
    @Test
    void shouldKeepBoundedMemoryWhenAThousandConnectionsAreBlocked() {
        int read = 256 << 10;
        long bound = 16 << 20;
        try (Arena arena = Arena.ofConfined()) {
            KeptRequests kept = new KeptRequests(arena, read, bound);
            MemorySegment bytes = arena.allocate(read);
            for (int i = 0; i < read; i++) {
                bytes.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31));
            }
            List<KeptRequests.Piece> pieces = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                int length = kept.noteIfScarce() ? KeptRequests.SMALL_BYTES : read;
                pieces.add(kept.keep(bytes, read - length, length - 1));
            }
            long most = bound + (long) MANY * (KeptRequests.SMALL_BYTES + KeptRequests.EXTRA_BYTES);
            assertTrue(kept.used() <= most, () -> kept.used() + " bytes");
            assertTrue(kept.scarceReads() > 0);
            for (KeptRequests.Piece piece : pieces) {
                int from = piece.length() == read - 1 ? 0 : read - KeptRequests.SMALL_BYTES;
                assertEquals(-1, MemorySegment.mismatch(bytes, from, from + piece.length(), piece.memory(), 0,
                    piece.length()));
            }
            long made = kept.made();
            pieces.forEach(kept::giveBack);
            assertEquals(0, kept.used());
            assertFalse(kept.noteIfScarce());
            for (int i = 0; i < 64; i++) {
                pieces.set(i, kept.keep(bytes, 0, kept.noteIfScarce() ? 100 : read));
            }
            assertEquals(made, kept.made(), "memory is used again");
        }
    }

    @Test
    void shouldVisitOnlyItsOwnLocksWhenARankDeparts() {
        RankIndex index = new RankIndex();
        for (int rank = 0; rank < MANY; rank++) {
            for (int lock = 0; lock < 10; lock++) {
                index.add(rank, lock % 3, 10L * rank + lock);
            }
        }
        index.add(5, 1, 51);
        index.remove(5, 1, 57);
        index.remove(5, 1, 999); // nothing that it has
        List<Long> visited = new ArrayList<>();
        for (long segment : index.segments(5)) {
            index.forEach(5, segment, visited::add);
        }
        assertEquals(List.of(50L, 51L, 52L, 53L, 54L, 55L, 56L, 58L, 59L), visited.stream().sorted().toList());
        index.forgetRank(5);
        assertArrayEquals(new long[0], index.segments(5));
        index.forgetSegment(1);
        assertEquals(2, index.segments(6).length);
        assertEquals(7 * (MANY - 1), index.size());
    }

    @Test
    void shouldReleaseWhatARankOfAnotherNodeHasWhenItDeparts(@TempDir Path directory) throws IOException {
        Topology topology = Topology.parse("2*1000");
        SegmentRegistry registry = new SegmentRegistry(new NodeDirectory(directory), topology, 0);
        registry.create(1, SegmentKind.MUTEXES, new SegmentLayout(new int[] {0},
            new long[] {MANY * MutexWord.STRIDE}));
        registry.create(2, SegmentKind.WINDOW, new SegmentLayout(new int[] {0, 1},
            new long[] {WindowLayout.bytes(2), WindowLayout.bytes(2)}));
        MutexQueues mutexes = new MutexQueues(rank -> rank < MANY, 2 * MANY);
        WindowLocks locks = new WindowLocks(rank -> rank < MANY, 2 * MANY);
        NodeSegment words = registry.find(1);
        NodeSegment window = registry.find(2);
        int remote = MANY + 5;
        assertTrue(mutexes.tryLock(words, 0, MutexWord.offset(7), remote));
        assertFalse(mutexes.tryLock(words, 0, MutexWord.offset(7), remote + 1));
        assertTrue(locks.tryLock(window, 0, LockMode.SHARED, remote));
        assertTrue(locks.tryLock(window, 1, LockMode.EXCLUSIVE, remote));
        assertTrue(mutexes.tryLock(words, 0, MutexWord.offset(8), remote));
        mutexes.unlock(words, 0, MutexWord.offset(8), remote);
        assertTrue(MutexWord.tryAcquire(words.part(0), MutexWord.offset(8), 3));
        mutexes.rankGone(remote, registry);
        locks.rankGone(remote, registry);
        assertEquals(-1, MutexWord.holder(words.part(0), MutexWord.offset(7)));
        assertEquals(3, MutexWord.holder(words.part(0), MutexWord.offset(8)));
        assertEquals(0, WindowLock.sharedHolders(window.part(0)));
        assertEquals(-1, WindowLock.exclusiveHolder(window.part(1)));
        mutexes.removed(1);
        registry.close();
    }
}

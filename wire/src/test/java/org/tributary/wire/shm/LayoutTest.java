package org.tributary.wire.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.config.Topology;
import org.tributary.wire.RankState;

/** Every byte of what lies in shared memory: another process, perhaps written in C, relies on it. */
class LayoutTest {
    private static String hex(MemorySegment memory, long from, long length) {
        return HexFormat.of().formatHex(memory.asSlice(from, length).toArray(ValueLayout.JAVA_BYTE));
    }

    private static String zeros(int bytes) {
        return "00".repeat(bytes);
    }

    @Test
    void shouldBeAtTheirOffsetsWhenControlFileIsRead() {
        assertEquals(8, ControlFile.VERSION_OFFSET);
        assertEquals(12, ControlFile.LOCAL_RANKS_OFFSET);
        assertEquals(16, ControlFile.NODE_OFFSET);
        assertEquals(20, ControlFile.NOTIFY_CAPACITY_OFFSET);
        assertEquals(24, ControlFile.SERVER_PID_OFFSET);
        assertEquals(512, ControlFile.LOCKS_OFFSET);
        assertEquals(66048, ControlFile.RANK_BLOCKS_OFFSET);
        assertEquals(0, ControlFile.RANK_BLOCKS_OFFSET % 64);
        assertEquals(64, ControlFile.RANK_STATE_OFFSET);
        assertEquals(72, ControlFile.RANK_PID_OFFSET);
        assertEquals(68, ControlFile.RANK_NUMBER_OFFSET);
        assertEquals(32, ControlFile.JOB_RANKS_OFFSET);
        assertEquals(36, ControlFile.JOB_NODES_OFFSET);
        assertEquals(40, ControlFile.LAYOUT_LENGTH_OFFSET);
        assertEquals(44, ControlFile.LAYOUT_OFFSET);
        assertEquals(128, ControlFile.RANK_WAITS_OFFSET);
        assertEquals(384, ControlFile.RANK_LATENCIES_OFFSET);
        assertEquals(16512, ControlFile.RANK_NOTIFY_OFFSET);
        assertEquals(Integer.MAX_VALUE, ControlFile.SERVER_TOKEN);
    }

    @Test
    void shouldBeAtTheirOffsetsWhenControlWordsOfAWindowAreRead() {
        assertEquals(0, WindowLayout.FENCE_COUNT);
        assertEquals(8, WindowLayout.READY_COUNT);
        assertEquals(16, WindowLayout.FENCE_STEP);
        assertEquals(64, WindowLayout.LOCK);
        assertEquals(128, WindowLayout.posts(0));
        assertEquals(176, WindowLayout.posts(3));
        assertEquals(136, WindowLayout.ends(0));
        assertEquals(184, WindowLayout.ends(3));
        assertEquals(176, WindowLayout.bytes(3));
    }

    @Test
    void shouldHaveGoldenBytesWhenControlFileIsWritten(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("control");
        try (Arena arena = Arena.ofConfined()) {
            ControlFile control = ControlFile.create(file, arena, Topology.uniform(4, 2), 3, 2);
            MemorySegment memory = SharedFile.map(file, arena);
            // Magic, version, 2 ranks, node 3, room for 2 notifying ranks, then the process.
            assertEquals("5249425554524259" + "06000000" + "02000000" + "03000000" + "02000000", hex(memory, 0, 24));
            assertEquals(ProcessHandle.current().pid(), memory.get(ValueLayout.JAVA_LONG, 24));
            // 8 ranks on 4 nodes; then the layout.
            assertEquals("08000000" + "04000000" + "03000000" + "342a32" + zeros(13), hex(memory, 32, 28));
            long block = 128 + 4 * 64 + 16128 + 64; // a table for 2 has 4 entries
            assertEquals(66048 + 2 * block, memory.byteSize());
            control.setRankState(1, RankState.DEPARTED, 0x1234567);
            assertEquals(zeros(64), hex(memory, 66048 + block, 64)); // nobody sleeps, so nothing rings
            // The state, rank 7, the process.
            assertEquals("02000000" + "07000000" + "6745230100000000" + zeros(48), hex(memory, 66048 + block + 64, 64));
            control.notifications(0).add(9);
            assertTrue(hex(memory, 66048 + 16512, 64).contains("0a000000" + "00000000" + "0100000000000000"));
            AccumulateLocks locks = control.accumulateLocks(5, token -> true, () -> { });
            locks.acquire(1);
            locks.acquire(1023);
            assertEquals("05000000" + zeros(60), hex(memory, 512 + 64, 64));
            assertEquals("05000000" + zeros(60), hex(memory, 512 + 1023 * 64, 64));
        }
    }

    @Test
    void shouldSayTheSameWhenControlFileIsOpenedElsewhere(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("control");
        try (Arena arena = Arena.ofConfined()) {
            ControlFile server = ControlFile.create(file, arena, Topology.of(3), 0, 5);
            ControlFile rank = ControlFile.open(file, arena);
            assertEquals(3, rank.localRankCount());
            assertEquals(ProcessHandle.current().pid(), rank.serverPid());
            server.setRankState(2, RankState.ATTACHED, 77);
            assertEquals(RankState.ATTACHED, rank.rankState(2));
            assertEquals(77, rank.rankPid(2));
            assertEquals(RankState.EXPECTED, rank.rankState(1));
            server.notifications(2).add(4);
            assertEquals(1, rank.notifications(2).count(4));
            assertEquals(0, rank.notifications(1).count(4));
        }
    }

    @Test
    void shouldRefuseToOpenWhenItIsNoControlFileOfThisVersion(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("control");
        Path empty = Files.createFile(directory.resolve("empty"));
        Path shorter = Files.write(directory.resolve("shorter"), new byte[66047]);
        try (Arena arena = Arena.ofConfined()) {
            ControlFile.create(file, arena, Topology.of(1), 0, 1);
            MemorySegment memory = SharedFile.map(file, arena);
            assertThrows(IOException.class, () -> ControlFile.open(empty, arena));
            assertThrows(IOException.class, () -> ControlFile.open(shorter, arena));
            memory.set(ValueLayout.JAVA_INT, 8, 7);
            assertTrue(assertThrows(IOException.class, () -> ControlFile.open(file, arena)).getMessage()
                .contains("version 7"));
            memory.set(ValueLayout.JAVA_INT, 8, 0); // being written
            assertThrows(IOException.class, () -> ControlFile.open(file, arena));
            memory.set(ValueLayout.JAVA_INT, 8, 6);
            for (int damaged : new int[] {12, 20}) { // ranks, room for those that notify
                int right = memory.get(ValueLayout.JAVA_INT, damaged);
                for (int wrong : new int[] {8 * right, 0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
                    memory.set(ValueLayout.JAVA_INT, damaged, wrong);
                    assertThrows(IOException.class, () -> ControlFile.open(file, arena), "as " + wrong);
                }
                memory.set(ValueLayout.JAVA_INT, damaged, right);
            }
            ControlFile.open(file, arena);
            memory.set(ValueLayout.JAVA_LONG, 0, 1);
            assertThrows(IOException.class, () -> ControlFile.open(file, arena));
        }
    }

    @Test
    void shouldHaveGoldenBytesWhenMutexChangesHands() {
        MemorySegment memory = Arena.ofAuto().allocate(192, 64);
        assertEquals(64, MutexWord.STRIDE);
        assertEquals(128, MutexWord.offset(2));
        assertEquals(64L * Integer.MAX_VALUE, MutexWord.offset(Integer.MAX_VALUE));
        assertTrue(MutexWord.tryAcquire(memory, 64, 4));
        assertEquals("0500000000000000", hex(memory, 64, 8));
        assertEquals(4, MutexWord.holder(memory, 64));
        assertFalse(MutexWord.tryAcquire(memory, 64, 4));
        assertFalse(MutexWord.tryRelease(memory, 64, 3));
        assertTrue(MutexWord.contendOrAcquire(memory, 64, 9));
        assertEquals("0500000000000080", hex(memory, 64, 8));
        assertEquals(4, MutexWord.holder(memory, 64));
        assertFalse(MutexWord.tryRelease(memory, 64, 4));
        MutexWord.handOver(memory, 64, Integer.MAX_VALUE - 1, true);
        assertEquals("ffffff7f00000080", hex(memory, 64, 8));
        assertEquals(Integer.MAX_VALUE - 1, MutexWord.holder(memory, 64));
        MutexWord.handOver(memory, 64, 7, false);
        assertEquals("0800000000000000", hex(memory, 64, 8));
        assertFalse(MutexWord.free(memory, 64, 7));
        MutexWord.handOver(memory, 64, 7, true);
        assertFalse(MutexWord.free(memory, 64, 8));
        assertTrue(MutexWord.free(memory, 64, 7));
        assertEquals(zeros(192), hex(memory, 0, 192));
        assertEquals(-1, MutexWord.holder(memory, 64));
        assertFalse(MutexWord.contendOrAcquire(memory, 64, 9));
        assertEquals("0a00000000000000", hex(memory, 64, 8));
    }

    @Test
    void shouldHaveGoldenBytesWhenDoorbellIsUsed() {
        MemorySegment memory = Arena.ofAuto().allocate(64, 64);
        Doorbell doorbell = new Doorbell(memory);
        assertEquals(64, Doorbell.BYTES);
        doorbell.ring();
        assertEquals(zeros(64), hex(memory, 0, 64), "no sleeper, no change");
        String[] asleep = new String[1];
        doorbell.sleep(() -> {
            asleep[0] = hex(memory, 0, 8);
            doorbell.ring();
            return false; // rung since the bell was read: does not sleep
        }, Long.MAX_VALUE);
        assertEquals("00000000" + "01000000", asleep[0]);
        assertEquals("01000000" + "00000000", hex(memory, 0, 8));
    }

    @Test
    void shouldTellSourcesApartWhenTableIsFull() {
        int[] capacities = {1, 2, 3, 4, 5, 1024, 1 << 24};
        int[] slots = {4, 4, 8, 8, 16, 2048, 1 << 25};
        for (int i = 0; i < slots.length; i++) {
            assertEquals(16L * slots[i], NotifyTable.bytes(capacities[i]));
            assertTrue(slots[i] >= 2 * capacities[i]);
        }
        NotifyTable table = new NotifyTable(Arena.ofAuto().allocate(NotifyTable.bytes(2), 64), 2);
        for (int source = 0; source < 4; source++) {
            for (int times = 0; times <= source; times++) {
                assertTrue(table.add(source * 1_000_003));
            }
        }
        assertFalse(table.add(17));
        table.check(3 * 1_000_003 + 1, () -> "the table");
        assertEquals("the table is damaged: entry ", assertThrows(DamagedMemoryException.class,
            () -> table.check(3 * 1_000_003, () -> "the table")).getMessage().substring(0, 28));
        assertEquals(0, table.count(17));
        for (int source = 0; source < 4; source++) {
            assertEquals(source + 1, table.count(source * 1_000_003));
        }
    }

    @Property(tries = 200)
    void shouldCountEachSourceWhenAnyNotify(@ForAll @Size(max = 60) int[] sources) {
        NotifyTable table = new NotifyTable(Arena.ofAuto().allocate(NotifyTable.bytes(60), 64), 60);
        java.util.Map<Integer, Long> model = new java.util.HashMap<>();
        for (int any : sources) {
            int source = any == Integer.MAX_VALUE || any < 0 ? any & 7 : any;
            assertTrue(table.add(source));
            model.merge(source, 1L, Long::sum);
        }
        model.forEach((source, count) -> assertEquals(count, table.count(source)));
    }

    @Test
    void shouldCoverEachStripeWithOneLock() {
        assertEquals(65536, AccumulateLocks.BYTES);
        assertEquals(16384, AccumulateLocks.STRIPE_BYTES);
        for (long segment : new long[] {0, 1, -1, 0x123456789L}) {
            int first = AccumulateLocks.lockOf(segment, 0);
            assertEquals(first, AccumulateLocks.lockOf(segment, 16383));
            assertEquals((first + 1) % 1024, AccumulateLocks.lockOf(segment, 16384));
            assertEquals(first, AccumulateLocks.lockOf(segment, 1024L * 16384));
            assertEquals((first + 1) % 1024, AccumulateLocks.lockOf(segment, (1L << 40) + 16384));
        }
        assertEquals(0, AccumulateLocks.lockOf(0, 0));
    }

    @Test
    void shouldLayPartsOnPagesWhenSegmentHasSeveral() {
        SegmentLayout layout = new SegmentLayout(new int[] {4, 6, 7, 9}, new long[] {1, 0, 4096, 5L << 32});
        assertEquals(4, layout.partCount());
        long[] offsets = {0, 4096, 4096, 8192};
        for (int part = 0; part < 4; part++) {
            assertEquals(offsets[part], layout.offset(part));
        }
        assertEquals(8192 + (5L << 32), layout.fileLength());
        assertEquals(9, layout.rank(3));
        assertEquals(5L << 32, layout.length(3));
        assertThrows(IllegalArgumentException.class, () -> new SegmentLayout(new int[] {1, 1}, new long[2]));
        assertThrows(IllegalArgumentException.class, () -> new SegmentLayout(new int[] {1}, new long[2]));
        assertThrows(IllegalArgumentException.class, () -> new SegmentLayout(new int[] {1}, new long[] {-1}));
        assertThrows(ArithmeticException.class,
            () -> new SegmentLayout(new int[] {1, 2}, new long[] {Long.MAX_VALUE - 5000, 5000}));
    }

    @Property(tries = 200)
    void shouldNotOverlapWhenPartsHaveAnyLength(@ForAll @Size(max = 20) long[] any) {
        long[] lengths = java.util.Arrays.stream(any).map(length -> length & (1L << 50) - 1).toArray();
        int[] ranks = java.util.stream.IntStream.range(0, lengths.length).toArray();
        SegmentLayout layout = new SegmentLayout(ranks, lengths);
        long end = 0;
        for (int part = 0; part < lengths.length; part++) {
            assertEquals(0, layout.offset(part) % 4096);
            assertTrue(layout.offset(part) >= end && layout.offset(part) < end + 4096);
            end = layout.offset(part) + lengths[part];
        }
        assertTrue(layout.fileLength() >= end && layout.fileLength() < end + 4096);
    }

    @Test
    void shouldHaveGoldenOffsetsWhenCollectiveHasSeveralRounds() {
        assertEquals(0, CollectiveLayout.WORLD_SEGMENT);
        int[] sizes = {1, 2, 3, 4, 5, 8, 9, 1024, 1025, 1 << 30};
        int[] rounds = {1, 2, 5, 5, 8, 8, 11, 29, 32, 89};
        for (int i = 0; i < sizes.length; i++) {
            assertEquals(rounds[i], CollectiveLayout.rounds(sizes[i]), "group of " + sizes[i]);
        }
        CollectiveLayout layout = new CollectiveLayout(2, 65);
        assertEquals(128, layout.chunkBytes());
        long slot = 64 + 128;
        assertEquals(0, layout.flagOffset(0, 0, 0));
        assertEquals(64, layout.chunkOffset(0, 0, 0));
        assertEquals(slot, layout.flagOffset(0, 0, 1));
        assertEquals(2 * slot, layout.flagOffset(0, 1, 0));
        assertEquals(4 * slot, layout.flagOffset(1, 2, 4));
        assertEquals(7 * slot, layout.flagOffset(1, 3, 5));
        assertEquals(8 * slot, layout.ackOffset(0, 0));
        assertEquals(8 * slot + 64, layout.ackOffset(0, 1));
        assertEquals(8 * slot + 3 * 64, layout.ackOffset(1, 1));
        assertEquals(8 * slot + 4 * 64, layout.callOffset());
        assertEquals(128, CallLayout.BYTES);
        assertEquals(8 * slot + 4 * 64 + 128, layout.bytes());
    }

    @Property(tries = 200)
    void shouldKeepSlotsApartWhenAlignedToLines(@ForAll @IntRange(min = 1, max = 5000) int size,
        @ForAll @IntRange(min = 1, max = 1 << 24) int chunk,
        @ForAll @LongRange(min = 0, max = 1L << 62) long sequence) {
        CollectiveLayout layout = new CollectiveLayout(size, chunk);
        long next = 0;
        for (int round = 0; round < layout.rounds(); round++) {
            for (long parity = sequence & ~1L; parity < (sequence & ~1L) + 2; parity++) {
                for (long buffer = 0; buffer < 2; buffer++) {
                    assertEquals(next, layout.flagOffset(round, parity, buffer));
                    assertEquals(next + 64, layout.chunkOffset(round, parity, buffer));
                    next += 64 + layout.chunkBytes();
                }
            }
        }
        assertTrue(layout.chunkBytes() >= chunk && layout.chunkBytes() % 64 == 0);
        assertEquals(next, layout.ackOffset(0, 0));
        assertEquals(layout.callOffset() - 64, layout.ackOffset(layout.rounds() - 1, 1));
    }

    @Test
    void shouldHaveTheirNamesWhenInNodeDirectory() {
        NodeDirectory directory = NodeDirectory.of(Path.of("/dev/shm"), "job-1", 12);
        assertEquals(Path.of("/dev/shm/tributary-job-1-12"), directory.path());
        assertEquals("control", directory.control().getFileName().toString());
        assertEquals("rings", directory.rings().getFileName().toString());
        assertEquals("socket", directory.socket().getFileName().toString());
        assertEquals("segment-1f", directory.segment(31).getFileName().toString());
        assertEquals("segment-ffffffffffffffff", directory.segment(-1).getFileName().toString());
    }
}

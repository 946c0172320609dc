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
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.config.Topology;
import org.tributary.wire.RankState;
import org.tributary.wire.shm.NodeView.Rank;
import org.tributary.wire.shm.NodeView.Wait;

/** What a rank says of its waits, and what another process makes of it. */
class WaitSlotsTest {
    private static final int RANKS = 3;
    private static final long SLOTS = 66048 + 128;

    private final Arena arena = Arena.ofShared();
    @TempDir
    private Path directory;
    private Path file;
    private ControlFile control;
    private MemorySegment memory;

    @BeforeEach
    void create() throws IOException {
        file = directory.resolve("control");
        control = ControlFile.create(file, arena, Topology.of(RANKS, 5), 0, 1);
        memory = SharedFile.map(file, arena);
    }

    @AfterEach
    void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    private Rank rank(int index) throws IOException {
        return NodeView.read(file).ranks().get(index);
    }

    @Test
    void shouldHaveEachFieldInItsPlaceWhenARankBlocks() {
        long before = System.nanoTime();
        assertEquals(0, control.waits(0).begin(WaitKind.MUTEX, 4, 0x1122334455L, 9));
        assertEquals(2, memory.get(ValueLayout.JAVA_INT, SLOTS));
        assertEquals(6, memory.get(ValueLayout.JAVA_INT, SLOTS + 4)); // the sixth kind
        long since = memory.get(ValueLayout.JAVA_LONG, SLOTS + 8);
        assertTrue(since - before >= 0 && System.nanoTime() - since >= 0);
        assertEquals(4, memory.get(ValueLayout.JAVA_INT, SLOTS + 16));
        assertEquals(0x1122334455L, memory.get(ValueLayout.JAVA_LONG, SLOTS + 24));
        assertEquals(9, memory.get(ValueLayout.JAVA_LONG, SLOTS + 32));
        assertEquals(1, memory.get(ValueLayout.JAVA_LONG, SLOTS + 40));
    }

    @Test
    void shouldCountTheWaitsOfEachThreadThatAreNotWithinAnother() throws Exception {
        control.setRankState(1, RankState.ATTACHED, 4711);
        WaitSlots waits = control.waits(1);
        int collective = waits.begin(WaitKind.COLLECTIVE, 2, 0, 7);
        for (int i = 0; i < 10; i++) {
            waits.end(waits.begin(WaitKind.ANSWER, 2, 0, 0));
        }
        assertEquals(1, rank(1).blocked());
        Thread other = Thread.ofPlatform().start(() -> waits.end(waits.begin(WaitKind.FENCE, 1, 0, 0)));
        other.join();
        assertEquals(2, rank(1).blocked());
        waits.end(collective);
        waits.end(waits.begin(WaitKind.FENCE, 1, 0, 0));
        assertEquals(3, rank(1).blocked());
    }

    @Test
    void shouldTellTheJobAndItsWaitsWhenReadFromOutside() throws IOException {
        control.setRankState(1, RankState.ATTACHED, 4711);
        WaitSlots waits = control.waits(1);
        int one = waits.begin(WaitKind.FENCE, 1, 0, 0);
        int other = waits.begin(WaitKind.COLLECTIVE, 2, 0, 7); // within the first, so it does not count
        NodeView view = NodeView.read(file);
        assertEquals("3,5", view.layout());
        assertEquals(0, view.ranks().getFirst().rank());
        assertEquals(8, view.jobRanks());
        assertEquals(2, view.jobNodes());
        assertEquals(ProcessHandle.current().pid(), view.serverPid());
        assertFalse(view.isServerPresent());
        Rank rank = view.ranks().get(1);
        assertEquals(RankState.ATTACHED, rank.state());
        assertEquals(4711, rank.pid());
        assertEquals(1, rank.blocked());
        assertFalse(rank.isHarmed());
        assertEquals(2, rank.waits().size());
        Wait collective = rank.waits().get(1);
        assertEquals(WaitKind.COLLECTIVE, collective.kind());
        assertEquals(2, collective.peer());
        assertEquals(7, collective.number());
        waits.end(one);
        waits.end(other);
        assertTrue(rank(1).waits().isEmpty());
        assertEquals(1, rank(1).blocked());
        assertTrue(rank(0).waits().isEmpty());
    }

    @Test
    void shouldStayWithoutAWaitWhenTheRankHasLeft() throws IOException {
        WaitSlots waits = control.waits(1);
        waits.end(waits.begin(WaitKind.FENCE, 1, 0, 0));
        waits.left();
        waits.end(waits.begin(WaitKind.ANSWER, 1, 0, 0));
        assertEquals(List.of(WaitKind.LEFT), rank(1).waits().stream().map(Wait::kind).toList());
    }

    @Test
    void shouldShowAFurtherThreadAsSoonAsASlotIsFreeWhenMoreThreadsBlockThanThereAreSlots() throws IOException {
        WaitSlots waits = control.waits(2);
        int[] all = fill(waits);
        int longest = waits.begin(WaitKind.MUTEX, 1, 6, 2);
        int over = waits.begin(WaitKind.ROOM, 1, 0, 0);
        int last = waits.begin(WaitKind.FLAG, -1, 5, 8);
        Wait before = rank(2).waits().get(2);
        waits.end(over);
        assertEquals(WaitSlots.SLOTS, rank(2).waits().size());
        waits.end(all[2]);
        Wait shown = rank(2).waits().get(2);
        assertEquals(new Wait(WaitKind.MUTEX, 1, 6, 2, shown.sinceNs()), shown);
        assertTrue(shown.sinceNs() - before.sinceNs() >= 0 && shown.sinceNs() - rank(2).waits().get(3).sinceNs() >= 0);
        waits.end(longest);
        assertEquals(WaitKind.FLAG, rank(2).waits().get(2).kind());
        for (int slot : new int[] {all[0], all[1], all[3]}) {
            waits.end(slot);
        }
        assertEquals(List.of(WaitKind.FLAG), rank(2).waits().stream().map(Wait::kind).toList());
        waits.end(last);
        assertEquals(List.of(), rank(2).waits());
        assertEquals(0, waits.begin(WaitKind.FENCE, 1, 0, 0));
    }

    private static int[] fill(WaitSlots waits) {
        int[] all = new int[WaitSlots.SLOTS];
        for (int slot = 0; slot < WaitSlots.SLOTS; slot++) {
            all[slot] = waits.begin(WaitKind.NOTIFICATION, slot, 0, 1);
            assertEquals(slot, all[slot]);
        }
        return all;
    }

    /** Else a rank whose first threads wait for long would seem to stand still. */
    @Test
    void shouldCountTheWaitsOfFurtherThreadsWhenNoSlotShowsThem() throws Exception {
        WaitSlots waits = control.waits(1);
        int[] all = fill(waits);
        long before = rank(1).blocked();
        Thread further = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 10; i++) {
                waits.end(waits.begin(WaitKind.ANSWER, 2, 0, 0));
            }
        });
        further.join();
        assertEquals(before + 10, rank(1).blocked());
        waits.end(all[0]);
        assertEquals(before + 10, rank(1).blocked());
        assertEquals(WaitSlots.SLOTS - 1, rank(1).waits().size());
    }

    @Test
    void shouldTellThatTheRankHasLeftAsSoonAsASlotIsFreeWhenItsThreadsWait() throws IOException {
        WaitSlots waits = control.waits(1);
        int[] all = fill(waits);
        waits.left();
        waits.end(all[3]);
        assertEquals(WaitKind.LEFT, rank(1).waits().get(3).kind());
    }

    @Test
    void shouldShowAndCountAllWaitsWhenManyThreadsBlockAndGoOnAllTheTime() throws Exception {
        int rounds = 20_000;
        WaitSlots waits = control.waits(1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 2 * WaitSlots.SLOTS; i++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int round = 0; round < rounds; round++) {
                    int wait = waits.begin(WaitKind.MUTEX, 1, 0, 1);
                    waits.end(waits.begin(WaitKind.ANSWER, 1, 0, 0)); // within the other
                    waits.end(wait);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(List.of(), rank(1).waits());
        assertEquals((long) rounds * threads.size(), rank(1).blocked());
        fill(waits);
    }

    @Test
    void shouldGoOnUnseenWhenTheMemoryIsGone() {
        WaitSlots waits = control.waits(0);
        int slot = waits.begin(WaitKind.ANSWER, 0, 0, 0);
        arena.close();
        waits.end(slot);
        assertEquals(WaitSlots.UNSEEN, waits.begin(WaitKind.ANSWER, 0, 0, 0));
        assertEquals(WaitSlots.UNSEEN, waits.begin(WaitKind.ANSWER, 0, 0, 0));
    }

    @Test
    void shouldWriteTheRightWaitAgainWhenAStrayStoreHasHitTheSlot() throws IOException {
        WaitSlots waits = control.waits(0);
        memory.asSlice(SLOTS, WaitSlots.SLOT_BYTES).fill((byte) 0xFF);
        assertTrue(rank(0).waits().isEmpty()); // an odd sequence: nobody ever finishes writing
        waits.begin(WaitKind.WINDOW_POST, 3, 6, 0);
        assertEquals(WaitKind.WINDOW_POST, rank(0).waits().getFirst().kind());
        assertFalse(rank(0).isHarmed());
    }

    @Test
    void shouldSaySoWhenASlotHoldsWhatNoRankWrites() throws IOException {
        control.waits(0).begin(WaitKind.FENCE, 1, 0, 0);
        int[][] stores = {{4, -1}, {4, 17}, {4, Integer.MAX_VALUE}, {16, -2}, {16, Integer.MIN_VALUE}, {12, 1 << 30}};
        for (int[] store : stores) {
            int right = memory.get(ValueLayout.JAVA_INT, SLOTS + store[0]);
            memory.set(ValueLayout.JAVA_INT, SLOTS + store[0], store[1]);
            assertTrue(rank(0).isHarmed(), () -> "offset " + store[0] + ", value " + store[1]);
            assertTrue(rank(0).waits().isEmpty());
            memory.set(ValueLayout.JAVA_INT, SLOTS + store[0], right);
        }
        assertFalse(rank(0).isHarmed());
        assertEquals(1, rank(0).waits().size());
    }

    @Test
    void shouldReadNoHalfOfAWaitWhenARankBlocksAndGoesOnAllTheTime() throws Exception {
        WaitSlots waits = control.waits(1);
        AtomicBoolean ends = new AtomicBoolean();
        Thread writer = Thread.ofPlatform().start(() -> {
            for (long n = 1; !ends.get(); n++) {
                waits.end(waits.begin(WaitKind.MUTEX, (int) (n % 7), n, 3 * n));
            }
        });
        int seen = 0;
        long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(250);
        try {
            while (seen < 200 && System.nanoTime() < untilNs) {
                Rank rank = rank(1);
                assertFalse(rank.isHarmed());
                for (Wait wait : rank.waits()) {
                    assertEquals(WaitKind.MUTEX, wait.kind());
                    assertEquals(wait.segment() % 7, wait.peer());
                    assertEquals(3 * wait.segment(), wait.number());
                    seen++;
                }
            }
        } finally {
            ends.set(true);
            writer.join();
        }
        assertTrue(seen > 0);
    }

    @Test
    void shouldReadOrRefuseWhenAnythingIsInTheFile() throws IOException {
        Random random = new Random(7);
        for (int round = 0; round < 300; round++) {
            for (int store = 0; store < 20; store++) {
                boolean inHeader = random.nextInt(10) == 0;
                long at = inHeader ? 16 + random.nextInt(300) : SLOTS - 128 + random.nextInt(3 * 448);
                memory.set(ValueLayout.JAVA_BYTE, at, (byte) random.nextInt());
            }
            memory.set(ValueLayout.JAVA_INT, 12, RANKS);
            memory.set(ValueLayout.JAVA_INT, 20, 1);
            assertEquals(RANKS, NodeView.read(file).ranks().size());
            memory.set(ValueLayout.JAVA_INT, round % 2 == 0 ? 12 : 20, random.nextInt() | 1 << 30);
            assertThrows(IOException.class, () -> NodeView.read(file));
        }
        Path shorter = Files.write(directory.resolve("short"), new byte[100]);
        assertThrows(IOException.class, () -> NodeView.read(shorter));
    }
}

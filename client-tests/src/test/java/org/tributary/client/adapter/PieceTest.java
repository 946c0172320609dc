package org.tributary.client.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.tributary.client.error.GasException;
import org.tributary.client.shape.Strided;
import org.tributary.fabric.Domain;
import org.tributary.fabric.Fabric;
import org.tributary.fabric.FabricKind;

/** When the blocks in a slot have ended. */
class PieceTest {
    private static final GasException FIRST = new GasException("first");

    private static Transfer transfer() {
        return new Transfer(false, 0, 0, 0, 0, null, 0, null, false);
    }

    private static Piece piece(Blocks blocks) {
        return new Piece(3).begin(null, transfer(), null, null, 1, blocks);
    }

    @Test
    void shouldTakeWhatASlotHolds() {
        Blocks large = Blocks.of(0, 0, 2 * Bounce.SLOT_BYTES + 1, null);
        Piece piece = piece(large);
        assertEquals(Bounce.SLOT_BYTES, large.remote());
        piece.begin(null, transfer(), null, null, 2, large);
        assertEquals(2 * Bounce.SLOT_BYTES, large.remote());
        Blocks rows = Blocks.of(0, 0, 0, Strided.rows(8, 50, 8, 16));
        piece(rows);
        assertEquals(32 * 16, rows.remote());
        Blocks odd = Blocks.of(0, 0, 0, Strided.rows(100_000, 2, 100_000, 200_000));
        piece(odd);
        assertEquals(200_000 + Bounce.SLOT_BYTES - 100_000, odd.remote());
    }

    @Test
    void shouldTakeMoreWhenTheAdapterUsesTheMemoryItself() {
        assumeTrue(Fabric.load().isPresent(), Fabric.load()::absence);
        try (Domain domain = Domain.open(Fabric.load().providers(FabricKind.SHM, null).getFirst())) {
            Transfer direct = new Transfer(true, 0, 0, 0, 0, null, 0,
                Registration.ofAll(domain.open().anyMemory().orElseThrow()), false);
            MemorySegment memory = MemorySegment.ofArray(new byte[Piece.DIRECT_BYTES]);
            Blocks large = Blocks.of(0, 5, 3 * Piece.DIRECT_BYTES, null);
            Piece piece = new Piece(3).begin(null, direct, null, memory, 1, large);
            assertEquals(Piece.DIRECT_BYTES, large.remote());
            assertThrows(IndexOutOfBoundsException.class, () -> piece.prepare(null));
            piece.begin(null, direct, null, memory, 2, Blocks.of(0, 5, Piece.DIRECT_BYTES - 5, null)).prepare(null);
        }
    }

    @Test
    void shouldNotHaveEndedWhenSomethingHasNotBegun() {
        Piece piece = piece(Blocks.of(0, 0, 0, Strided.rows(8, 2, 8, 16)));
        piece.ended(null);
        assertFalse(piece.hasEnded());
        piece.ended(null);
        assertTrue(piece.hasEnded());
        assertNull(piece.failure());
    }

    /** Nothing of it has begun, so nothing is under way; what waits in the queue has to leave it first. */
    @Test
    void shouldEndWhenItIsGivenUpAndHasLeftTheQueue() {
        Piece piece = piece(Blocks.of(0, 0, 0, Strided.rows(8, 2, 8, 16)));
        piece.setWaiting(true);
        piece.stop(FIRST);
        piece.stop(new GasException("second"));
        assertFalse(piece.hasEnded());
        piece.setWaiting(false);
        assertTrue(piece.hasEnded());
        assertSame(FIRST, piece.failure());
        piece.begin(null, transfer(), null, null, 2, Blocks.of(0, 0, 4, null));
        assertFalse(piece.hasEnded());
        assertNull(piece.failure());
    }
}

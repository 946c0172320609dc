package org.tributary.client.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.tributary.client.error.GasException;
import org.tributary.client.shape.Strided;

/** When the blocks in a slot have ended. */
class PieceTest {
    private static final GasException FIRST = new GasException("first");

    private static Piece piece(Blocks blocks) {
        return new Piece(3).begin(null, null, null, null, 1, blocks);
    }

    @Test
    void shouldTakeWhatASlotHolds() {
        Blocks large = Blocks.of(0, 0, 2 * Bounce.SLOT_BYTES + 1, null);
        Piece piece = piece(large);
        assertEquals(Bounce.SLOT_BYTES, large.remote());
        piece.begin(null, null, null, null, 2, large);
        assertEquals(2 * Bounce.SLOT_BYTES, large.remote());
        Blocks rows = Blocks.of(0, 0, 0, Strided.rows(8, 50, 8, 16));
        piece(rows);
        assertEquals(32 * 16, rows.remote());
        Blocks odd = Blocks.of(0, 0, 0, Strided.rows(100_000, 2, 100_000, 200_000));
        piece(odd);
        assertEquals(200_000 + Bounce.SLOT_BYTES - 100_000, odd.remote());
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
        piece.begin(null, null, null, null, 2, Blocks.of(0, 0, 4, null));
        assertFalse(piece.hasEnded());
        assertNull(piece.failure());
    }
}

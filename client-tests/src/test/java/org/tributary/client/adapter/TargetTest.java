package org.tributary.client.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.tributary.client.error.GasException;

/** What a node as the adapter sees it allows. */
class TargetTest {
    @Test
    void shouldNameBothWhenProvidersDiffer() {
        GasException refused = assertThrows(GasException.class,
            () -> Target.checkProvider(3, "verbs;ofi_rxm", "tcp;ofi_rxm"));
        assertEquals("the server of node 3 uses the provider verbs;ofi_rxm, and this rank tcp;ofi_rxm: set"
            + " network.fabric to one that all nodes have, or to none", refused.getMessage());
        Target.checkProvider(3, "", "tcp;ofi_rxm");
        Target.checkProvider(3, "shm", "shm");
    }

    private static Target.Piece piece(Target target, boolean reads, int slot) {
        return new Target.Piece(target, new Transfer(reads, 1, 2, 3, 4, null), null, 0, null, 0, 4, slot, slot);
    }

    @Test
    void shouldKeepOrderWhenTheProviderDoesNot() {
        Target target = new Target(1, null, null);
        assertFalse(target.couldOvertake(true, false, false) || target.couldOvertake(false, false, false));
        Target.Piece write = piece(target, false, 0);
        target.begun(write, 0);
        assertTrue(target.couldOvertake(true, true, true) && target.couldOvertake(false, true, false));
        assertFalse(target.couldOvertake(false, false, true));
        target.ended(write, true);
        Target.Piece read = piece(target, true, 0);
        target.begun(read, 0);
        assertTrue(target.couldOvertake(false, true, true) && target.couldOvertake(true, false, true));
        assertFalse(target.couldOvertake(true, true, false));
    }

    @Test
    void shouldCountAsUnreachedUntilSomethingHasMoved() {
        Target target = new Target(1, null, null);
        Target.Piece piece = piece(target, false, 0);
        target.begun(piece, 100);
        target.begun(piece, 500);
        assertFalse(target.isUnreachedAfter(50, 150));
        assertTrue(target.isUnreachedAfter(50, 151));
        target.ended(piece, false);
        assertTrue(target.isUnreachedAfter(50, 151));
        target.ended(piece, true);
        assertFalse(target.isUnreachedAfter(50, 1000));
    }
}

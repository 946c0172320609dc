package org.tributary.client.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.tributary.client.error.GasException;

/** What a node as the adapter sees it allows. */
class TargetNodeTest {
    @Test
    void shouldNameBothWhenProvidersDiffer() {
        GasException refused = assertThrows(GasException.class,
            () -> TargetNode.checkProvider(3, "verbs;ofi_rxm", "tcp;ofi_rxm"));
        assertEquals("the server of node 3 uses the provider verbs;ofi_rxm, and this rank tcp;ofi_rxm: set"
            + " network.fabric to one that all nodes have, or to none", refused.getMessage());
        TargetNode.checkProvider(3, "", "tcp;ofi_rxm");
        TargetNode.checkProvider(3, "shm", "shm");
    }

    @Test
    void shouldKeepOrderWhenTheProviderDoesNot() {
        TargetNode target = new TargetNode(1, null, null);
        assertFalse(target.couldOvertake(true, false, false) || target.couldOvertake(false, false, false));
        target.begun(false, 0);
        assertTrue(target.couldOvertake(true, true, true) && target.couldOvertake(false, true, false));
        assertFalse(target.couldOvertake(false, false, true));
        target.ended(false, true);
        target.begun(true, 0);
        assertTrue(target.couldOvertake(false, true, true) && target.couldOvertake(true, false, true));
        assertFalse(target.couldOvertake(true, true, false));
    }

    @Test
    void shouldCountAsUnreachedUntilSomethingHasMoved() {
        TargetNode target = new TargetNode(1, null, null);
        target.begun(false, 100);
        target.begun(false, 500);
        assertFalse(target.isUnreachedAfter(50, 150));
        assertTrue(target.isUnreachedAfter(50, 151));
        target.ended(false, false);
        assertTrue(target.isUnreachedAfter(50, 151));
        target.ended(false, true);
        assertFalse(target.isUnreachedAfter(50, 1000));
    }
}

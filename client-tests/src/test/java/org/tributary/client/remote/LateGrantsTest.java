package org.tributary.client.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tributary.client.connection.Contended;
import org.tributary.client.error.GasException;
import org.tributary.wire.shm.WaitKind;

class LateGrantsTest {
    private static final Contended ONE = new Contended(WaitKind.MUTEX, 0, 7, 1);
    private static final Contended TWO = new Contended(WaitKind.MUTEX, 0, 7, 2);

    private final List<Contended> given = new ArrayList<>();
    private boolean hasThreads;
    private final LateGrants grants = new LateGrants(task -> {
        if (!hasThreads) {
            throw new OutOfMemoryError("no thread");
        }
        task.run();
    });

    private void expect(Contended what) {
        grants.expect(what, () -> true, () -> given.add(what));
    }

    @Test
    void shouldKeepAGrantDueWhenNoThreadCanGiveItBack() {
        expect(ONE);
        assertTrue(grants.isDue(ONE));
        assertThrows(GasException.class, () -> grants.await(ONE));
        grants.await(TWO); // no other lock's affair
        assertTrue(grants.isDue(ONE));
        assertEquals(List.of(), given);
    }

    @Test
    void shouldGiveBackWhatIsDueWhenAThreadCanBeStartedAgain() {
        expect(ONE);
        expect(ONE);
        hasThreads = true;
        grants.await(ONE);
        assertEquals(List.of(ONE, ONE), given);
        assertFalse(grants.isDue(ONE));
    }

    @Test
    void shouldGiveBackWhatIsDueWhenTheRankAsksForAnotherLock() {
        expect(ONE);
        hasThreads = true;
        assertFalse(grants.isDue(TWO));
        assertEquals(List.of(ONE), given);
        expect(TWO);
        assertEquals(List.of(ONE, TWO), given);
    }
}

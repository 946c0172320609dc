package org.tributary.cooperation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.tributary.config.Topology;

class DirectPathsTest {
    private final CooperationOptions options = CooperationOptionsTest.options(Topology.uniform(8, 2),
        "cooperation.mode=forward", "cooperation.direct-connections=2", "cooperation.server-connections=3");
    private final DirectPaths paths = new DirectPaths(options);

    @Test
    void shouldGoDirectWhenBulk() {
        assertFalse(paths.noteUse(3, 1024, 0));
        assertTrue(paths.noteUse(3, 16 << 10, 0));
    }

    @Test
    void shouldGoDirectWhenUsedAgainAndAgain() {
        for (int i = 0; i < DirectPaths.WORTH; i++) {
            assertFalse(paths.noteUse(3, 0, 0));
        }
        assertTrue(paths.noteUse(3, 0, 0));
        assertFalse(paths.noteUse(4, 0, 0));
    }

    @Test
    void shouldEvictLeastRecentlyUsedWhenFull() {
        paths.switched(1, true);
        assertEquals(-1, paths.leastRecentlyUsed());
        paths.switched(2, true);
        assertEquals(1, paths.leastRecentlyUsed());
        assertTrue(paths.noteUse(1, 0, 0));
        assertEquals(2, paths.leastRecentlyUsed());
        paths.switched(2, false);
        assertEquals(-1, paths.leastRecentlyUsed());
        assertFalse(paths.isDirect(2));
        assertTrue(paths.isDirect(1));
    }

    @Test
    void shouldPauseLongerWhenRefusedAgain() {
        long now = 0;
        for (int i = 0; i < 3; i++) {
            paths.refused(5, now);
            long pause = DirectPaths.FIRST_PAUSE_NS << i;
            assertFalse(paths.noteUse(5, 1 << 20, now + pause - 1));
            assertTrue(paths.noteUse(5, 1 << 20, now + pause));
            now += pause;
        }
    }

    @Test
    void shouldBeContendedWhenFourConnectionsBringRequestsInEachTurn() {
        DirectAdmission admission = new DirectAdmission(options);
        for (int i = 0; i < 200; i++) {
            admission.turn(3);
        }
        assertFalse(admission.isContended());
        for (int i = 0; i < 200; i++) {
            admission.turn(4);
        }
        assertTrue(admission.isContended());
        for (int i = 0; i < 200; i++) {
            admission.turn(3);
        }
        assertFalse(admission.isContended());
    }

    @Test
    void shouldAdmitFewAndNoneWhenContended() {
        DirectAdmission admission = new DirectAdmission(options);
        for (int i = 0; i < 3; i++) {
            assertTrue(admission.admit());
        }
        assertFalse(admission.admit());
        admission.closed();
        for (int i = 0; i < 100; i++) {
            admission.turn(6);
        }
        assertTrue(admission.isContended());
        assertFalse(admission.admit());
        for (int i = 0; i < 100; i++) {
            admission.turn(1);
        }
        assertTrue(admission.admit());
    }
}

package org.tributary.server.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tributary.server.observe.GuardedTasks;
import org.tributary.server.observe.ServerLog;
import org.tributary.testsupport.ExpectsErrors;

/** Connections that have not proved themselves: how many, and for how long. */
class StrangersTest {
    private static final long TIMEOUT_NS = 1000;

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final List<String> turnedAway = new ArrayList<>();
    private long now;
    private GuardedTasks tasks;
    private Strangers strangers;

    @BeforeEach
    void make() {
        channel.freezeTime();
        tasks = new GuardedTasks(channel.eventLoop(), failure -> {
            throw new AssertionError(failure);
        });
        strangers = new Strangers(3, TIMEOUT_NS, tasks, () -> now);
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    private Strangers.Stranger stranger(String name) {
        return (why, isNews) -> turnedAway.add(name);
    }

    private void pass(long ns) {
        now += ns;
        channel.advanceTimeBy(ns, TimeUnit.NANOSECONDS);
        channel.runScheduledPendingTasks();
    }

    @Test
    void shouldTurnAwayTheOldestWhenThereIsOneTooMany() {
        Strangers.Stranger second = stranger("second");
        strangers.came(stranger("first"));
        strangers.came(second);
        strangers.came(stranger("third"));
        strangers.came(stranger("fourth"));
        assertEquals(List.of("first"), turnedAway);
        strangers.went(second);
        strangers.came(stranger("fifth"));
        assertEquals(List.of("first"), turnedAway);
        strangers.came(stranger("sixth"));
        assertEquals(List.of("first", "third"), turnedAway);
        assertEquals(3, strangers.count());
    }

    @Test
    void shouldTurnAwayEachWhenItsOwnTimeIsOver() {
        Strangers.Stranger proved = stranger("proved");
        strangers.came(stranger("first"));
        strangers.came(proved);
        pass(TIMEOUT_NS / 2);
        strangers.came(stranger("second"));
        strangers.went(proved);
        pass(TIMEOUT_NS / 2 - 1);
        assertEquals(List.of(), turnedAway);
        pass(1);
        assertEquals(List.of("first"), turnedAway);
        pass(TIMEOUT_NS / 2);
        assertEquals(List.of("first", "second"), turnedAway);
        strangers.came(stranger("later"));
        pass(TIMEOUT_NS);
        assertEquals(List.of("first", "second", "later"), turnedAway);
        assertEquals(0, strangers.count());
    }

    @Test
    @ExpectsErrors("cannot accept a connection, and tries again: accept4")
    void shouldPauseAndMakeRoomWhenNothingCanBeAccepted() {
        strangers.came(stranger("first"));
        channel.pipeline().addLast(new AcceptFailures(new ServerLog(0), strangers::makeRoom, tasks,
            new Door()));
        channel.pipeline().fireExceptionCaught(new IOException("accept4(..) failed: Too many open files"));
        assertEquals(List.of("first"), turnedAway);
        assertFalse(channel.config().isAutoRead());
        pass(TimeUnit.SECONDS.toNanos(1));
        assertTrue(channel.config().isAutoRead());
        assertTrue(channel.isOpen());
    }

    /** The pause of a flood is the longer one; and that of a failure may end after it. */
    @Test
    @ExpectsErrors("cannot accept a connection, and tries again: accept4")
    void shouldAcceptNobodyAsLongAsThereIsAReasonWhenThereAreTwo() {
        Door door = new Door();
        channel.pipeline().addLast(new AcceptFailures(new ServerLog(0), strangers::makeRoom, tasks, door));
        for (boolean isFloodLonger : new boolean[] {true, false}) {
            door.shut(Door.Reason.FLOODED);
            channel.pipeline().fireExceptionCaught(new IOException("accept4(..) failed: Too many open files"));
            if (isFloodLonger) {
                pass(TimeUnit.SECONDS.toNanos(1));
                assertFalse(channel.config().isAutoRead());
                door.open(Door.Reason.FLOODED);
            } else {
                door.open(Door.Reason.FLOODED);
                assertFalse(channel.config().isAutoRead());
                pass(TimeUnit.SECONDS.toNanos(1));
            }
            assertTrue(channel.config().isAutoRead());
        }
    }

    private void come(int count, boolean prove) {
        for (int i = 0; i < count; i++) {
            Strangers.Stranger stranger = stranger("one of many");
            strangers.came(stranger);
            if (prove) {
                strangers.proved(stranger);
            }
        }
    }

    @Test
    void shouldAcceptNobodyForAWhileWhenTooManyCome() {
        List<Boolean> accepts = new ArrayList<>();
        strangers.onAccepting(accepts::add);
        come(Strangers.BURST, false);
        assertEquals(List.of(), accepts);
        come(10, false);
        assertEquals(List.of(false), accepts);
        pass(Strangers.SHORTEST_PAUSE_NS - 1);
        assertEquals(List.of(false), accepts);
        pass(1);
        assertEquals(List.of(false, true), accepts);
        int due = (int) (Strangers.SHORTEST_PAUSE_NS / Strangers.INTERVAL_NS);
        come(due - 10, false);
        assertEquals(List.of(false, true), accepts);
        come(due, false);
        assertEquals(List.of(false, true, false), accepts);
        pass(2 * Strangers.BURST * Strangers.INTERVAL_NS);
        come(Strangers.BURST, false);
        assertEquals(List.of(false, true, false, true), accepts);
    }

    @Test
    void shouldAcceptAllWhenTheyProveThemselves() {
        List<Boolean> accepts = new ArrayList<>();
        strangers.onAccepting(accepts::add);
        come(10 * Strangers.BURST, true);
        assertEquals(List.of(), accepts);
    }

    @Test
    void shouldTurnAwayTheOlderHalfWhenRoomIsNeeded() {
        for (String name : new String[] {"first", "second", "third"}) {
            strangers.came(stranger(name));
        }
        strangers.makeRoom();
        assertEquals(List.of("first", "second"), turnedAway);
        strangers.makeRoom();
        strangers.makeRoom();
        assertEquals(List.of("first", "second", "third"), turnedAway);
    }
}

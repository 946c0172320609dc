package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.tributary.client.node.Cause;
import org.tributary.client.node.RankStates;
import org.tributary.wire.RankState;
import org.tributary.wire.shm.WaitKind;

/** A thread that waits for a word asks now and then how the rank is that is to store it. */
class PresenceTest {
    @Test
    void shouldEndAWaitWhenTheWordComesAndNoServerAnswers() {
        Jobs.run("1", gas -> {
            GlobalMemory memory = gas.allocate(Long.BYTES);
            RankStates silent = (rank, enough) -> {
                memory.putLong(0, 0, 1);
                while (!enough.getAsBoolean()) {
                    Thread.onSpinWait();
                }
                return null;
            };
            gas.access().node().awaitWord(memory.local(), 0, 1, true, 0, silent, Cause.of(WaitKind.FLAG, 0));
            assertEquals(1, memory.getLong(0, 0));
        });
    }

    @Test
    void shouldEndAWaitWhenTheWordComesAndADoubtIsNotSettled() {
        Jobs.run("1", gas -> {
            GlobalMemory memory = gas.allocate(Long.BYTES);
            Cause doubtful = new Cause() {
                @Override
                public WaitKind kind() {
                    return WaitKind.COLLECTIVE;
                }

                @Override
                public long segment() {
                    return 0;
                }

                @Override
                public void doubt(int from, BooleanSupplier enough) {
                    memory.putLong(0, 0, 1);
                    while (!enough.getAsBoolean()) {
                        Thread.onSpinWait();
                    }
                }
            };
            gas.access().node().awaitWord(memory.local(), 0, 1, true, 0, gas.access()::stateOf, doubtful);
            assertEquals(1, memory.getLong(0, 0));
        });
    }

    /** More often than a connection has places for answers. */
    @Test
    void shouldGetTheRightAnswersWhenOthersComeThatNobodyWaitsForAnyMore() {
        Jobs.run("1,1", gas -> {
            GlobalMemory memory = gas.allocate(Long.BYTES);
            memory.putLong(gas.rank(), 0, 40 + gas.rank());
            gas.barrier();
            int late = 0;
            for (int i = 0; i < 1000; i++) {
                RankState state = gas.access().stateOf(1 - gas.rank(), () -> true);
                late += state == null ? 1 : 0;
                assertTrue(state == null || state == RankState.ATTACHED, () -> "it is " + state);
                assertEquals(41 - gas.rank(), memory.getLong(1 - gas.rank(), 0));
            }
            assertTrue(late > 0, "no answer came too late");
            assertEquals(RankState.ATTACHED, gas.access().stateOf(1 - gas.rank(), () -> false));
            gas.barrier();
        });
    }
}

package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.tributary.client.error.InvalidAddressException;
import org.tributary.client.remote.RemoteMemory;
import org.tributary.client.testing.TestJob;

/** Large contiguous transfers go directly to the target's server when nodes cooperate; the order stays. */
class DirectConnectionTest {
    private static final int BYTES = 1 << 20;
    private static final String LAYOUT = "4*1 aggregate direct";

    @Test
    void shouldSendOneMessageWhenATransferIsLarge() {
        try (TestJob job = TestJob.start(LAYOUT)) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(BYTES);
                MemorySegment data = Jobs.random(gas.rank(), BYTES);
                MemorySegment back = Jobs.empty(BYTES);
                for (int target = 0; target < gas.rankCount(); target++) {
                    gas.barrier();
                    if (gas.rank() == 0 && target != 0) {
                        gas.fenceAll();
                        long before = gas.traffic().requests();
                        memory.put(target, 0, data, 0, BYTES);
                        gas.fence(target);
                        memory.get(target, 0, back, 0, BYTES);
                        long messages = gas.traffic().requests() - before;
                        assertTrue(messages <= 3, () -> messages + " messages");
                        Jobs.assertSame(data, back, "rank " + gas.rank());
                    }
                }
                gas.barrier();
            });
        }
    }

    @Test
    void shouldKeepOrderWhenLargeAndSmallTransfersAlternate() {
        try (TestJob job = TestJob.start(LAYOUT, "cooperation.direct-connections=1")) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate((long) gas.rankCount() * BYTES);
                MemorySegment data = Jobs.random(gas.rank(), BYTES);
                MemorySegment back = Jobs.empty(BYTES);
                long mine = (long) gas.rank() * BYTES;
                for (int i = 0; i < 60; i++) {
                    int target = (gas.rank() + 1 + i / 2 % (gas.rankCount() - 1)) % gas.rankCount();
                    memory.put(target, mine, data, 0, 20_000 + i);
                    memory.putLong(target, mine + 8, i);
                    assertEquals(i, memory.getLong(target, mine + 8));
                    memory.get(target, mine, back, 0, 20_000 + i);
                    assertEquals(i, back.get(ValueLayout.JAVA_LONG_UNALIGNED, 8));
                    assertEquals(-1, MemorySegment.mismatch(data, 16, 20_000 + i, back, 16, 20_000 + i));
                    if (i % 3 == 0) {
                        gas.fence(target);
                    }
                }
                gas.barrier();
            });
        }
    }

    @Test
    void shouldOpenADirectConnectionWhenATargetIsUsedAgainAndAgain() {
        try (TestJob job = TestJob.start(LAYOUT, "server.metrics-port=0")) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(BYTES);
                gas.barrier();
                if (gas.rank() == 0) {
                    double before = forwarded(job, 3); // rank 0's member of the group of nodes 2 and 3
                    for (int i = 0; i < 100; i++) {
                        assertEquals(i, memory.fetchAndAdd(2, 0, 1));
                    }
                    double passedOn = forwarded(job, 3) - before;
                    assertTrue(passedOn > 0 && passedOn < 30, () -> passedOn + " passed on");
                }
                gas.barrier();
            });
        }
    }

    /** One place, two targets in turn: each transfer closes the connection of the one before. */
    @Test
    void shouldKeepOrderAndAdmitNoMoreThanOneWhenConnectionsAreOpenedAThousandTimes() {
        try (TestJob job = TestJob.start(LAYOUT, "cooperation.direct-connections=1", "server.metrics-port=0")) {
            job.run(gas -> {
                int bytes = 20_000;
                GlobalMemory memory = gas.allocate(bytes);
                gas.barrier();
                if (gas.rank() == 0) {
                    assertEquals(0, direct(job, 2) + direct(job, 3));
                    double opened = 0;
                    for (int attempt = 0; attempt < 3 && opened < 998; attempt++) { // a stall sends some on their route
                        opened = openedInTurn(job, gas, memory, bytes);
                    }
                    assertEquals(1000, opened, 2, "one direct connection is opened for each transfer");
                    assertTrue(direct(job, 2) + direct(job, 3) <= 2, "connections are left");
                }
                gas.barrier();
            });
        }
    }

    /** How many connections 1,000 large transfers to two targets in turn open, of which only one is kept. */
    private static double openedInTurn(TestJob job, Gas gas, GlobalMemory memory, int bytes) {
        double before = opened(job, 2) + opened(job, 3);
        MemorySegment data = Jobs.random(0, bytes);
        for (int i = 0; i < 1000; i++) {
            int target = 2 + i % 2;
            data.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, i);
            memory.put(target, 0, data, 0, bytes);
            assertEquals(i, memory.getLong(target, 0));
            gas.fence(target); // nothing is under way where it is left
        }
        return opened(job, 2) + opened(job, 3) - before;
    }

    /** The server of the lock hears of the departure only where requests of the rank have gone. */
    @Test
    void shouldReleaseALockWhenTheRankLeavesAfterItsConnectionWasClosed() {
        CountDownLatch closed = new CountDownLatch(1);
        try (TestJob job = TestJob.start(LAYOUT, "cooperation.direct-connections=1", "server.metrics-port=0")) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(BYTES);
                MutexSet mutexes = gas.createMutexes(1);
                gas.barrier();
                if (gas.rank() == 0) {
                    MemorySegment data = Jobs.random(0, BYTES);
                    memory.put(3, 0, data, 0, BYTES);
                    gas.fence(3);
                    mutexes.lock(3, 0);
                    assertEquals(1, direct(job, 3));
                    memory.put(2, 0, data, 0, BYTES); // there is room for one
                    gas.fence(2);
                    assertEquals(1, direct(job, 2));
                    closed.countDown();
                } else if (gas.rank() == 3) {
                    closed.await();
                    mutexes.lock(3, 0);
                    mutexes.unlock(3, 0);
                }
            });
        }
    }

    private static double forwarded(TestJob job, int node) {
        return metric(job, node, "tributary_forwarded_total");
    }

    private static double direct(TestJob job, int node) {
        return metric(job, node, "tributary_connections_direct");
    }

    private static double opened(TestJob job, int node) {
        return metric(job, node, "tributary_connections_opened_total");
    }

    private static double metric(TestJob job, int node, String name) {
        return job.metrics(node).lines().filter(line -> line.startsWith(name))
            .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' ')))).sum();
    }

    @Test
    void shouldStillTellWhatWentWrongWhenTheRouteHasChangedSince() {
        try (TestJob job = TestJob.start(LAYOUT)) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(BYTES);
                MemorySegment data = Jobs.random(0, BYTES);
                if (gas.rank() == 0) {
                    // No such segment.
                    new RemoteMemory(gas.access(), 12345, true).put(null, 2, 0, data, 0, 8, null, null);
                    memory.get(2, 0, data, 0, Long.BYTES); // answered after that
                    long before = gas.traffic().requests();
                    memory.put(2, 0, data, 0, BYTES); // in one message, directly
                    assertEquals(before + 1, gas.traffic().requests());
                    assertThrows(InvalidAddressException.class, () -> gas.fence(2));
                    gas.fence(2);
                }
                gas.barrier();
            });
        }
    }

    /** What is acknowledged and answered stays right while servers send ranks to their routes and take them back. */
    @Test
    void shouldKeepOrderWhenServersAreContended() {
        try (TestJob job = TestJob.start("4*3 combine direct")) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate((1L + gas.rankCount()) * Long.BYTES);
                long mine = (1L + gas.rank()) * Long.BYTES;
                gas.barrier();
                for (int i = 0; i < 1500; i++) {
                    memory.putLong(0, mine, i);
                    if (i % 7 == 0) {
                        assertEquals(i, memory.getLong(0, mine));
                    }
                    memory.fetchAndAdd(0, 0, 1);
                }
                gas.fence(0);
                gas.barrier();
                assertEquals(1500L * gas.rankCount(), memory.getLong(0, 0));
                assertEquals(1499, memory.getLong(0, mine));
                gas.barrier();
            });
        }
    }

    @Test
    void shouldTakeTheRouteWhenServersAdmitNoMore() {
        try (TestJob job = TestJob.start(LAYOUT, "cooperation.server-connections=0")) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(BYTES);
                MemorySegment data = Jobs.random(gas.rank(), BYTES);
                int target = (gas.rank() + 3) % gas.rankCount();
                MemorySegment back = Jobs.empty(BYTES);
                memory.put(target, 0, data, 0, BYTES);
                memory.get(target, 0, back, 0, BYTES);
                Jobs.assertSame(data, back, "rank " + gas.rank());
                gas.barrier();
            });
        }
    }
}

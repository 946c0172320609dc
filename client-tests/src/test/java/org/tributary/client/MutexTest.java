package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.error.InvalidAddressException;
import org.tributary.client.error.MutexStateException;
import org.tributary.client.testing.TestJob;
import org.tributary.testsupport.OneAndSeveralThreads;

@OneAndSeveralThreads
class MutexTest {
    private static final long DEADLINE_S = 200;

    @EveryPath
    void shouldExcludeOthersWhenHeld(String layout) {
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(16);
            MutexSet mutexes = gas.createMutexes(gas.rank() % 2 == 0 ? 0 : 2);
            assertEquals(0, mutexes.count(0));
            assertEquals(2, mutexes.count(1));
            for (int i = 0; i < 300; i++) {
                int index = i & 1;
                mutexes.lock(1, index);
                memory.putLong(0, 8L * index, memory.getLong(0, 8L * index) + 1); // no atomic addition
                gas.fence(0);
                mutexes.unlock(1, index);
            }
            gas.barrier();
            assertEquals(150L * gas.rankCount(), memory.getLong(0, 0));
            assertEquals(150L * gas.rankCount(), memory.getLong(0, 8));
            mutexes.close();
        });
    }

    @EveryPath
    void shouldGoToWhoAskedFirstWhenContended(String layout) {
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        int ranks = TestJob.topology(layout).rankCount();
        CountDownLatch[] asked = IntStream.range(0, ranks).mapToObj(i -> new CountDownLatch(1))
            .toArray(CountDownLatch[]::new);
        Jobs.run(layout, gas -> {
            MutexSet mutexes = gas.createMutexes(1);
            int home = ranks - 1;
            if (gas.rank() == 0) {
                mutexes.lock(home, 0);
                asked[0].countDown();
                assertTrue(asked[ranks - 1].await(DEADLINE_S, TimeUnit.SECONDS));
                order.add(0);
            } else {
                assertTrue(asked[gas.rank() - 1].await(DEADLINE_S, TimeUnit.SECONDS));
                FutureTask<Void> lock = new FutureTask<>(() -> mutexes.lock(home, 0), null);
                long before = gas.traffic().requests();
                Thread.ofPlatform().daemon().start(lock);
                while (gas.traffic().requests() == before) {
                    Thread.yield();
                }
                // Answered after the request to lock, which is on the same connection.
                gas.access().request(gas.nodeOf(home), (link, reply) -> link.writer().probe(reply, home));
                asked[gas.rank()].countDown();
                lock.get(DEADLINE_S, TimeUnit.SECONDS);
                order.add(gas.rank());
            }
            mutexes.unlock(home, 0);
            gas.barrier();
        });
        assertEquals(IntStream.range(0, ranks).boxed().toList(), order);
    }

    @EveryPath
    void shouldTakeOnlyWhatIsFreeWhenTried(String layout) {
        Jobs.run(layout, gas -> {
            MutexSet mutexes = gas.createMutexes(1);
            int last = gas.rankCount() - 1;
            if (gas.rank() == 0) {
                assertTrue(mutexes.tryLock(last, 0));
                assertTrue(mutexes.tryLock(0, 0));
            }
            gas.barrier();
            if (gas.rank() == last) {
                assertFalse(mutexes.tryLock(last, 0));
                assertFalse(mutexes.tryLock(0, 0));
            }
            gas.barrier();
            if (gas.rank() == 0) {
                mutexes.unlock(last, 0);
                mutexes.unlock(0, 0);
            }
            gas.barrier();
            if (gas.rank() == last) {
                assertTrue(mutexes.tryLock(0, 0));
                assertTrue(mutexes.tryLock(last, 0));
                mutexes.unlock(last, 0);
                mutexes.unlock(0, 0);
            }
            gas.barrier();
        });
    }

    @EveryPath
    void shouldRefuseAndGoOnWhenMisused(String layout) {
        Jobs.run(layout, gas -> {
            MutexSet mutexes = gas.createMutexes(2);
            int target = (gas.rank() + 1) % gas.rankCount();
            gas.barrier();
            assertThrows(MutexStateException.class, () -> mutexes.unlock(target, 0));
            gas.barrier();
            mutexes.lock(target, 0);
            assertThrows(MutexStateException.class, () -> mutexes.lock(target, 0));
            assertThrows(MutexStateException.class, () -> mutexes.tryLock(target, 0));
            gas.barrier();
            int notMine = gas.rank(); // held by the rank before this one
            MutexStateException refused = assertThrows(MutexStateException.class, () -> mutexes.unlock(notMine, 0));
            assertTrue(refused.getMessage().contains("rank " + gas.rank() + " does not hold"), refused.getMessage());
            gas.barrier();
            mutexes.unlock(target, 0);
            InvalidAddressException none =
                assertThrows(InvalidAddressException.class, () -> mutexes.lock(target, 2));
            assertEquals(target, none.rank());
            assertEquals(2, none.limit());
            assertThrows(InvalidAddressException.class, () -> mutexes.lock(gas.rankCount(), 0));
            gas.barrier();
            mutexes.lock(target, 1);
            mutexes.unlock(target, 1);
            mutexes.close();
            assertThrows(InvalidAddressException.class, () -> mutexes.lock(target, 0));
        });
    }

    @EveryPath
    void shouldBeReleasedWhenHolderLeaves(String layout) {
        Jobs.run(layout, gas -> {
            MutexSet mutexes = gas.createMutexes(1);
            int last = gas.rankCount() - 1;
            if (gas.rank() == last) {
                mutexes.lock(0, 0);
                mutexes.lock(last, 0);
            }
            gas.barrier();
            if (gas.rank() != last) {
                mutexes.lock(0, 0);
                mutexes.unlock(0, 0);
                mutexes.lock(last, 0);
                mutexes.unlock(last, 0);
            }
        });
    }

    /** Everybody but the first rank of each node leaves at once, and each holds mutexes everywhere. */
    @ParameterizedTest
    @ValueSource(strings = {"4*8", "4*8 forward", "4*8 combine", "4*8 combine node"})
    void shouldAllBeReleasedWhenManyHoldersLeaveAtOnce(String layout) {
        Jobs.run(layout, gas -> {
            int perNode = gas.rankCount() / gas.nodeCount();
            MutexSet mutexes = gas.createMutexes(gas.rankCount());
            boolean leaves = gas.rank() % perNode != 0;
            for (int node = 0; node < gas.nodeCount() && leaves; node++) {
                mutexes.lock(node * perNode, gas.rank());
            }
            gas.barrier();
            for (int mutex = 0; mutex < gas.rankCount() && !leaves; mutex++) {
                int target = (gas.rank() + perNode) % gas.rankCount();
                mutexes.lock(target, mutex);
                mutexes.unlock(target, mutex);
            }
        });
    }
}

package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.tributary.client.error.InvalidAddressException;
import org.tributary.client.testing.TestJob;
import org.tributary.wire.shape.ReduceOp;

class GroupTest {
    @EveryPath
    void shouldFollowTheGivenOrderWhenCreated(String layout) {
        Jobs.run(layout, gas -> {
            int[] backwards = IntStream.range(0, gas.rankCount()).map(i -> gas.rankCount() - 1 - i).toArray();
            Group reversed = gas.world().create(backwards);
            assertEquals(gas.rankCount() - 1 - gas.rank(), reversed.rank());
            assertArrayEquals(backwards, reversed.worldRanks());
            assertEquals(gas.rankCount() - 1, reversed.worldRank(0));
            assertEquals(0, reversed.groupRank(gas.rankCount() - 1));
            assertEquals(-1, reversed.groupRank(gas.rankCount()));
            long[] ranks = reversed.allgather(gas.rank());
            assertArrayEquals(IntStream.of(backwards).asLongStream().toArray(), ranks);
            double[] value = {reversed.rank() == 0 ? 7.5 : 0};
            reversed.broadcast(0, value);
            assertEquals(7.5, value[0]);
            reversed.close();
            assertThrows(IllegalStateException.class, reversed::barrier);
            gas.barrier();
        });
    }

    @EveryPath
    void shouldLeaveOthersOutWhenNotMembers(String layout) {
        Jobs.run(layout, gas -> {
            int last = gas.rankCount() - 1;
            Group alone = gas.world().create(last);
            assertEquals(gas.rank() == last, alone.isMember());
            if (alone.isMember()) {
                assertEquals(1, alone.size());
                GlobalMemory memory = gas.allocate(alone, 64);
                assertThrows(InvalidAddressException.class, () -> memory.putLong(0, 0, 1));
                memory.putLong(last, 0, 42);
                assertEquals(42, memory.getLong(last, 0));
                assertEquals(42, alone.allreduce(ReduceOp.SUM, 42L));
                memory.close();
            } else {
                assertEquals(-1, alone.rank());
                assertThrows(IllegalStateException.class, alone::barrier);
                assertThrows(IllegalStateException.class, () -> gas.allocate(alone, 8));
            }
            alone.close();
            gas.barrier();
        });
    }

    @EveryPath
    void shouldSeparateColorsWhenSplit(String layout) {
        Jobs.run(layout, gas -> {
            int color = gas.rank() % 2;
            Group half = gas.world().split(color, -gas.rank());
            int[] expected = IntStream.range(0, gas.rankCount()).filter(rank -> rank % 2 == color)
                .map(rank -> -rank).sorted().map(rank -> -rank).toArray();
            assertArrayEquals(expected, half.worldRanks());
            long sum = half.allreduce(ReduceOp.SUM, (long) gas.rank());
            assertEquals(IntStream.of(expected).sum(), sum);
            GlobalMemory memory = gas.allocate(half, 8);
            MutexSet mutexes = gas.createMutexes(half, 1);
            int first = half.worldRank(0);
            for (int i = 0; i < 20; i++) {
                mutexes.lock(first, 0);
                memory.putLong(first, 0, memory.getLong(first, 0) + 1);
                gas.fence(first);
                mutexes.unlock(first, 0);
            }
            half.barrier();
            assertEquals(20L * half.size(), memory.getLong(first, 0));
            Group none = half.split(half.rank() == 0 ? 0 : -1, 0);
            assertEquals(half.rank() == 0, none.isMember());
            mutexes.close();
            memory.close();
            gas.barrier();
        });
    }

    @EveryPath
    void shouldLeaveNothingBehindWhenCreatedAndFreedOften(String layout) {
        List<Path> directories = new ArrayList<>();
        try (TestJob job = Jobs.start(layout)) {
            int nodes = TestJob.topology(layout).nodeCount();
            job.run(gas -> {
                gas.barrier();
                long before = files(job, gas.node());
                for (int i = 0; i < 30; i++) {
                    Group pair = gas.world().split(gas.rank() / 2, i);
                    pair.barrier();
                    pair.close();
                    GlobalMemory memory = gas.allocate(gas.rank() * 1000L);
                    MutexSet mutexes = gas.createMutexes(gas.rank() % 3);
                    mutexes.close();
                    memory.close();
                }
                gas.barrier(); // in which the lowest rank of each node has all of it removed,
                gas.barrier(); // and before which it has done so
                assertEquals(before, files(job, gas.node()));
                gas.barrier();
            });
            for (int node = 0; node < nodes; node++) {
                directories.add(job.server(node).directory());
            }
        }
        assertFalse(directories.stream().anyMatch(Files::exists), directories::toString);
    }

    private static long files(TestJob job, int node) throws java.io.IOException {
        try (Stream<Path> files = Files.list(job.server(node).directory())) {
            return files.count();
        }
    }
}

package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.tributary.client.Jobs.assertSame;
import static org.tributary.client.Jobs.empty;
import static org.tributary.client.Jobs.random;

import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/** Collectives once over the real transport; their algorithms have tests of their own. */
class TransportedCollectivesTest {
    @EveryPath
    void shouldReachEveryoneWhenRootBroadcasts(String layout) {
        Jobs.run(layout, gas -> {
            for (int root = 0; root < gas.rankCount(); root++) {
                for (int bytes : new int[] {0, 1, 1000, 200_000}) {
                    MemorySegment buffer = gas.rank() == root ? random(root, bytes) : empty(bytes);
                    gas.world().broadcast(root, buffer);
                    assertSame(random(root, bytes), buffer, bytes + " bytes of " + root);
                }
            }
        });
    }

    @EveryPath
    void shouldCombineEveryTypeWhenReduced(String layout) {
        Jobs.run(layout, gas -> {
            int n = gas.rankCount();
            int[] ints = {gas.rank(), -gas.rank()};
            gas.world().allreduce(ReduceOp.MIN, ints);
            assertArrayEquals(new int[] {0, 1 - n}, ints);
            long[] longs = LongStream.range(0, 30_000).map(i -> i + gas.rank()).toArray();
            gas.world().allreduce(ReduceOp.MAX, longs);
            assertArrayEquals(LongStream.range(0, 30_000).map(i -> i + n - 1).toArray(), longs);
            float[] floats = {2};
            gas.world().allreduce(ReduceOp.PRODUCT, floats);
            assertEquals((float) Math.pow(2, n), floats[0]);
            assertEquals(n * (n - 1) / 2.0, gas.world().allreduce(ReduceOp.SUM, (double) gas.rank()));
            double[] received = new double[2];
            gas.world().reduce(n - 1, ReduceOp.SUM, ElementType.COMPLEX_DOUBLE,
                MemorySegment.ofArray(new double[] {1, gas.rank()}), MemorySegment.ofArray(received));
            if (gas.rank() == n - 1) {
                assertArrayEquals(new double[] {n, n * (n - 1) / 2.0}, received);
            }
            float[] product = new float[2];
            gas.world().allreduce(ReduceOp.PRODUCT, ElementType.COMPLEX_FLOAT,
                MemorySegment.ofArray(new float[] {0, 1}), MemorySegment.ofArray(product));
            float[][] powersOfI = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
            assertEquals(powersOfI[n % 4][0], product[0], 0f);
            assertEquals(powersOfI[n % 4][1], product[1], 0f);
        });
    }

    @EveryPath
    void shouldMoveBlocksWhenGatheredScatteredAndExchanged(String layout) {
        Jobs.run(layout, gas -> {
            int n = gas.rankCount();
            for (int block : new int[] {1, 3_000}) {
                long[] send = LongStream.range(0, (long) n * block).map(i -> i * (gas.rank() + 1)).toArray();
                long[] mine = new long[block];
                gas.world().reduceScatter(ReduceOp.SUM, ElementType.LONG, MemorySegment.ofArray(send),
                    MemorySegment.ofArray(mine));
                long factor = n * (n + 1) / 2;
                int rank = gas.rank();
                assertArrayEquals(LongStream.range(0, block).map(i -> (rank * block + i) * factor).toArray(), mine);
                long[] all = gas.world().allgather(mine);
                assertArrayEquals(LongStream.range(0, (long) n * block).map(i -> i * factor).toArray(), all);
                long[] exchanged = new long[n * block];
                gas.world().allToAll(MemorySegment.ofArray(send), MemorySegment.ofArray(exchanged));
                assertArrayEquals(IntStream.range(0, n * block)
                    .mapToLong(i -> (long) (rank * block + i % block) * (i / block + 1)).toArray(), exchanged);
            }
        });
    }
}

package org.tributary.client.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;
import org.tributary.wire.shm.CollectiveLayout;

/** What is refused, and what one member costs. */
final class CollectivesMisuseTest {
    private static final MemorySegment TWELVE = Vectors.bytes(12);

    private static MemorySegment inbox(CollectiveLayout layout) {
        return MemorySegment.ofArray(new long[(int) (layout.bytes() / Long.BYTES)]);
    }

    private static Collectives alone(int size) {
        CollectiveLayout layout = new CollectiveLayout(size, 256);
        return new Collectives(layout, new AloneInboxes(size, inbox(layout)));
    }

    private static void assertRefused(String message, Executable call) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, call).getMessage());
    }

    @Test
    void shouldSayBothNumbersWhenSizesDiffer() {
        Collectives four = alone(4);
        assertRefused("receive buffer of 8 bytes, needs 12 bytes: 1 times 12 bytes",
            () -> four.allreduce(ReduceOp.SUM, ElementType.INT, TWELVE, Vectors.bytes(8)));
        assertRefused("receive buffer of 8 bytes, needs 12 bytes: 1 times 12 bytes",
            () -> four.reduce(0, ReduceOp.SUM, ElementType.INT, TWELVE, Vectors.bytes(8)));
        assertRefused("receive buffer of 50 bytes, needs 48 bytes: 4 times 12 bytes",
            () -> four.allgather(TWELVE, Vectors.bytes(50)));
        assertRefused("send buffer of 40 bytes, needs 48 bytes: 4 equal blocks, one for each member, of 12 bytes",
            () -> four.reduceScatter(ReduceOp.SUM, ElementType.INT, Vectors.bytes(40), TWELVE));
        assertRefused("send buffer of 50 bytes, needs 48 bytes: 4 equal blocks, one for each member, of 12 bytes",
            () -> four.allToAll(Vectors.bytes(50), Vectors.bytes(48)));
        assertRefused("receive buffer of 44 bytes, needs 48 bytes: 4 times 12 bytes",
            () -> four.allToAll(Vectors.bytes(48), Vectors.bytes(44)));
        assertRefused("buffer of 12 bytes: no whole number of DOUBLE elements of 8 bytes",
            () -> four.allreduce(ReduceOp.SUM, ElementType.DOUBLE, TWELVE, TWELVE));
    }

    @Test
    void shouldRefuseWhenArgumentsMakeNoSense() {
        Collectives four = alone(4);
        assertRefused("root 4: a group of 4 has members 0 to 3", () -> four.broadcast(4, TWELVE));
        assertRefused("root -1: a group of 4 has members 0 to 3",
            () -> four.reduce(-1, ReduceOp.SUM, ElementType.INT, TWELVE, TWELVE));
        assertRefused("receive buffer of 12 bytes is read-only", () -> four.broadcast(1, TWELVE.asReadOnly()));
        assertRefused("MIN is not defined for COMPLEX_DOUBLE: complex numbers have no order; SUM and PRODUCT are "
            + "defined", () -> four.allreduce(ReduceOp.MIN, ElementType.COMPLEX_DOUBLE, Vectors.bytes(16),
            Vectors.bytes(16)));
        four.broadcast(0, TWELVE.asReadOnly());
    }

    @Test
    void shouldRefuseWhenTheInboxIsTooSmall() {
        CollectiveLayout small = new CollectiveLayout(2, 64);
        assertRefused("inbox of 2 rounds, 1408 bytes, in memory of 1408 bytes: a group of 5 needs 8 rounds, and the "
            + "memory to hold them", () -> new Collectives(small, new AloneInboxes(5, Vectors.bytes(small.bytes()))));
        assertRefused("inbox of 2 rounds, 1408 bytes, in memory of 1151 bytes: a group of 2 needs 2 rounds, and the "
            + "memory to hold them", () -> new Collectives(small, new AloneInboxes(2, Vectors.bytes(1151))));
    }

    @Test
    void shouldSayWhoIsInsideWhenTwoThreadsCallAtOnce() throws InterruptedException {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CollectiveLayout layout = new CollectiveLayout(2, 64);
        Collectives collectives = new Collectives(layout, new AloneInboxes(2, inbox(layout)) {
            @Override
            public void await(long flagOffset, long value, boolean exactly, int from, Doubt doubt) {
                inside.countDown();
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        });
        Thread first = Thread.ofPlatform().name("first").start(collectives::barrier);
        inside.await();
        AssertionError e = assertThrows(AssertionError.class, collectives::barrier);
        assertTrue(e.getMessage().contains("first"), e.getMessage());
        goOn.countDown();
        first.join();
        collectives.barrier();
    }

    @Test
    void shouldAllocateNothingWhenBuffersHaveGrown() {
        Collectives nine = alone(9);
        MemorySegment vector = Vectors.bytes(9 * 2048);
        MemorySegment other = Vectors.bytes(9 * 2048);
        MemorySegment block = Vectors.bytes(2048);
        MemorySegment few = Vectors.bytes(9 * 64);
        MemorySegment one = Vectors.bytes(64);
        Runnable all = () -> {
            nine.barrier();
            nine.broadcast(3, vector);
            nine.reduce(0, ReduceOp.SUM, ElementType.DOUBLE, vector, other);
            nine.reduce(1, ReduceOp.PRODUCT, ElementType.COMPLEX_FLOAT, vector, null);
            nine.allreduce(ReduceOp.MAX, ElementType.LONG, vector, vector);
            nine.allreduce(ReduceOp.MAX, ElementType.INT, one, one);
            nine.reduceScatter(ReduceOp.MIN, ElementType.FLOAT, vector, block);
            nine.allgather(block, vector);
            nine.allgather(one, few);
            nine.allToAll(vector, other);
            nine.allToAll(few, few);
        };
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = Long.MAX_VALUE;
        int calls = 100;
        for (int i = 0; i < 50 && allocated > 0; i++) { // until what the compiler proves away is compiled
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int j = 0; j < calls; j++) {
                all.run();
            }
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
        }
        assertEquals(0, allocated, "bytes in " + calls + " rounds of all collectives");
    }
}

package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.tributary.client.Jobs.assertSame;
import static org.tributary.client.Jobs.empty;
import static org.tributary.client.Jobs.random;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.tributary.client.remote.Handle;
import org.tributary.client.shape.Ranges;
import org.tributary.client.shape.Scale;
import org.tributary.client.shape.Strided;

/** What is seen in which order: issue order, fences, flags and notifications. */
class OrderTest {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final int WINDOW = 100_000;

    @EveryPath
    void shouldTakeEffectInIssueOrderWhenOperationsOverlap(String layout) {
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate((long) WINDOW * gas.rankCount());
            long base = (long) WINDOW * gas.rank();
            for (int target = 0; target < gas.rankCount(); target++) {
                Random random = new Random(31 * gas.rank() + target);
                MemorySegment model = empty(WINDOW);
                memory.put(target, base, model);
                Handle[] handles = {gas.handle(), gas.aggregateHandle()};
                for (int i = 0; i < 300; i++) {
                    write(memory, target, base, handles[random.nextInt(2)], model, random);
                    if (i % 20 == 0) {
                        MemorySegment seen = empty(WINDOW);
                        memory.get(target, base, seen);
                        assertSame(model, seen, "after operation " + i);
                    }
                }
                Handle.awaitAll(handles);
                gas.fence(target);
                MemorySegment seen = empty(WINDOW);
                memory.get(target, base, seen);
                assertSame(model, seen, "at the end");
            }
            gas.barrier();
        });
    }

    private static void write(GlobalMemory memory, int target, long base, Handle handle, MemorySegment model,
        Random random) {
        int length = 8 * (1 + random.nextInt(random.nextInt(10) == 0 ? WINDOW / 8 : 40));
        int offset = 8 * random.nextInt((WINDOW - length) / 8 + 1);
        MemorySegment source = random(random.nextLong(), length);
        MemorySegment place = model.asSlice(offset, length);
        switch (random.nextInt(6)) {
            case 0 -> {
                memory.put(target, base + offset, source);
                place.copyFrom(source);
            }
            case 1 -> {
                memory.nbPut(handle, target, base + offset, source, 0, length);
                place.copyFrom(source);
                source.fill((byte) 0); // the source of a put may be reused at once
            }
            case 2 -> {
                memory.nbAccumulate(handle, target, base + offset, Scale.ofLong(7), source, 0, length);
                for (int at = 0; at < length; at += 8) {
                    place.set(LONG, at, place.get(LONG, at) + 7 * source.get(LONG, at));
                }
            }
            case 3 -> {
                memory.nbPutStrided(handle, target, base + offset + length - 8, source, 0,
                    new Strided(8, new long[] {length / 8}, new long[] {8}, new long[] {-8}));
                for (int at = 0; at < length; at += 8) {
                    place.set(LONG, length - 8 - at, source.get(LONG, at));
                }
            }
            case 4 -> {
                memory.nbPutVector(handle, target, source,
                    Ranges.uniform(8, new long[] {0, length - 8},
                        new long[] {base + offset, base + offset + length - 8}));
                place.set(LONG, 0, source.get(LONG, 0));
                place.set(LONG, length - 8, source.get(LONG, length - 8));
            }
            default -> {
                long before = memory.swap(target, base + offset, length);
                assertEquals(place.get(LONG, 0), before);
                place.set(LONG, 0, length);
            }
        }
    }

    @EveryPath
    void shouldBeExecutedWhenFenceReturns(String layout) {
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(8L * gas.rankCount());
            Handle handle = gas.handle();
            for (long round = 1; round <= 100; round++) {
                int target = (int) (round % gas.rankCount());
                memory.nbPut(handle, target, 8L * gas.rank(), MemorySegment.ofArray(new long[] {round}), 0, 8);
                gas.fence(target);
                assertEquals(round, memory.getLong(target, 8L * gas.rank()));
                assertTrue(handle.test());
            }
            gas.fenceAll();
            gas.barrier();
        });
    }

    @EveryPath
    void shouldSeeDataWhenFlagIsSeen(String layout) {
        Jobs.run(layout, gas -> {
            int longest = 5_000;
            long flag = 8L * longest;
            GlobalMemory memory = gas.allocate(flag + 16);
            int right = (gas.rank() + 1) % gas.rankCount();
            int left = (gas.rank() + gas.rankCount() - 1) % gas.rankCount();
            long[] data = new long[longest];
            MemorySegment source = MemorySegment.ofArray(data);
            Strided odd = Strided.rows(8, 100, 16, 16);
            for (long round = 1; round <= 400; round++) {
                int count = round % 10 == 0 ? longest : 200;
                java.util.Arrays.fill(data, round);
                if (round % 3 == 0) {
                    memory.putStridedWithFlag(right, 0, source, 0, odd, flag, round);
                } else if (round % 3 == 1) {
                    memory.putWithFlag(right, 0, source, 0, 8L * count, flag, round);
                } else {
                    memory.put(right, 0, source, 0, 8L * count);
                    memory.setFlag(right, flag, round);
                }
                memory.awaitFlag(flag, round, left);
                int step = round % 3 == 0 ? 2 : 1;
                for (int i = 0; i < (step == 2 ? 200 : count); i += step) {
                    assertEquals(round, memory.local().getAtIndex(LONG, i), "element " + i);
                }
                memory.addToFlag(left, flag + 8, 1);
                memory.awaitFlagAtLeast(flag + 8, round, right);
            }
            gas.barrier();
        });
    }

    @EveryPath
    void shouldCountEveryoneWhenAllAddToOneFlag(String layout) {
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(gas.rank() == 0 ? 8L + 8L * gas.rankCount() : 0);
            for (int round = 1; round <= 50; round++) {
                memory.putLong(0, 8 + 8L * gas.rank(), round);
                memory.addToFlag(0, 0, 1);
                if (gas.rank() == 0) {
                    memory.awaitFlagAtLeast(0, (long) round * gas.rankCount(), -1);
                    for (int rank = 0; rank < gas.rankCount(); rank++) {
                        assertEquals(round, memory.local().get(LONG, 8 + 8L * rank));
                    }
                }
                gas.barrier();
            }
        });
    }

    @EveryPath
    void shouldSeeDataWhenNotified(String layout) {
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(8L * gas.rankCount());
            for (long round = 1; round <= 200; round++) {
                for (int other = 0; other < gas.rankCount(); other++) {
                    memory.putLong(other, 8L * gas.rank(), round);
                    gas.notify(other);
                }
                for (int other = gas.rankCount() - 1; other >= 0; other--) {
                    gas.waitNotify(other);
                    long seen = memory.local().getAtIndex(LONG, other);
                    assertTrue(seen == round || seen == round + 1, "rank " + other + " wrote " + seen);
                }
            }
            gas.barrier();
        });
    }

    @EveryPath
    void shouldWaitForEachWhenSeveralNotificationsCameBefore(String layout) {
        Jobs.run(layout, gas -> {
            int last = gas.rankCount() - 1;
            if (gas.rank() == last) {
                for (int i = 0; i < 5; i++) {
                    gas.notify(0);
                }
            }
            gas.barrier();
            if (gas.rank() == 0) {
                for (int i = 0; i < 5; i++) {
                    gas.waitNotify(last);
                }
                assertEquals(5, gas.access().node().notificationsFrom(last, 0));
            }
            gas.barrier();
        });
    }
}

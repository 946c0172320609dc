package org.tributary.client.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tributary.client.EveryPlacement;
import org.tributary.client.GlobalMemory;
import org.tributary.client.Group;
import org.tributary.client.Jobs;
import org.tributary.client.error.EpochException;
import org.tributary.client.error.GasException;
import org.tributary.client.error.InvalidAddressException;

/** Which memory windows are made of, on every path. */
class WindowMemoryTest {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    @EveryPlacement
    void shouldAddressByUnitsOfTheTargetWhenCreatedOverMemory(String layout) {
        Jobs.run(layout, gas -> {
            int ranks = gas.rankCount();
            GlobalMemory memory = gas.allocate(1_000 + 8L * gas.rank());
            int unit = 1 << gas.rank() % 4;
            long offset = 16L * gas.rank();
            for (Style style : Style.values()) {
                memory.local().fill((byte) 0);
                Windows.use(Window.create(gas, gas.world(), memory, offset, 512 + gas.rank(), unit,
                    style.options()), window -> {
                    for (int rank = 0; rank < ranks; rank++) {
                        assertEquals(512 + rank, window.bytes(rank));
                        assertEquals(1 << rank % 4, window.displacementUnit(rank));
                    }
                    style.epoch(window, () -> {
                        for (int rank = 0; rank < ranks; rank++) {
                            window.put(rank, 64L * gas.rank() / window.displacementUnit(rank) + 1,
                                Jobs.random(gas.rank(), 40));
                        }
                    });
                    for (int rank = 0; rank < ranks; rank++) {
                        Jobs.assertSame(Jobs.random(rank, 40),
                            memory.local().asSlice(offset + 64L * rank + unit, 40), style + " from " + rank);
                        Jobs.assertSame(Jobs.random(rank, 40), window.local().asSlice(64L * rank + unit, 40),
                            style + " from " + rank);
                    }
                    assertEquals(512 + gas.rank(), window.local().byteSize());
                    Jobs.assertSame(Jobs.empty(offset), memory.local().asSlice(0, offset), "before the window");
                });
            }
            gas.barrier();
            memory.put((gas.rank() + 1) % ranks, 0, Jobs.random(3, 8)); // outlives its windows
            gas.barrier();
            memory.close();
        });
    }

    @EveryPlacement
    void shouldAccessOnlyWhoHasSomethingWhenPartsDiffer(String layout) {
        Jobs.run(layout, gas -> {
            for (Style style : Style.values()) {
                Windows.use(style.allocate(gas, 8L * gas.rank(), 8), window -> {
                    style.epoch(window, () -> {
                        for (int rank = gas.rank() + 1; rank < gas.rankCount(); rank++) {
                            window.put(rank, gas.rank(), MemorySegment.ofArray(new long[] {10 + gas.rank()}));
                        }
                    });
                    for (int rank = 0; rank < gas.rank(); rank++) {
                        assertEquals(10 + rank, window.local().get(LONG, 8L * rank), style::toString);
                    }
                });
            }
        });
    }

    @EveryPlacement
    void shouldReachWhatIsAttachedWhenDynamic(String layout) {
        Jobs.run(layout, gas -> {
            int ranks = gas.rankCount();
            GlobalMemory memory = gas.allocate(4_096);
            GlobalMemory other = gas.allocate(64L * (1 + gas.rank()));
            for (Style style : Style.values()) {
                Windows.use(Window.createDynamic(gas, gas.world(), style.options().withChecks(true)), window -> {
                    assertThrows(EpochException.class, window::local);
                    long first = window.attach(memory, 64L * gas.rank(), 1_024);
                    long second = window.attach(other, 0, 64);
                    long[] firsts = gas.world().allgather(first);
                    long[] seconds = gas.world().allgather(second);
                    style.epoch(window, () -> {
                        for (int rank = 0; rank < ranks; rank++) {
                            window.put(rank, firsts[rank] + 100L * gas.rank(), Jobs.random(gas.rank(), 100));
                            window.put(rank, seconds[rank] + 8L * gas.rank(), Jobs.random(20 + gas.rank(), 8));
                        }
                    });
                    for (int rank = 0; rank < ranks; rank++) {
                        Jobs.assertSame(Jobs.random(rank, 100),
                            memory.local().asSlice(64L * gas.rank() + 100L * rank, 100), style + " from " + rank);
                        Jobs.assertSame(Jobs.random(20 + rank, 8), other.local().asSlice(8L * rank, 8),
                            style + " from " + rank);
                    }
                    gas.barrier();
                    window.detach(first);
                    long third = window.attach(memory, 2_048, 512);
                    long[] thirds = gas.world().allgather(third);
                    style.epoch(window, () -> {
                        int right = (gas.rank() + 1) % ranks;
                        window.put(right, thirds[right] + 8, Jobs.random(40 + gas.rank(), 8));
                        InvalidAddressException outside = assertThrows(InvalidAddressException.class,
                            () -> window.put(right, thirds[right] + 508, Jobs.random(1, 8)));
                        assertTrue(outside.getMessage().contains(window.name()), outside::getMessage);
                        assertThrows(InvalidAddressException.class,
                            () -> window.put(right, firsts[right], Jobs.random(1, 8)), "detached");
                        assertThrows(InvalidAddressException.class,
                            () -> window.put(right, thirds[right] | 1L << 56, Jobs.random(1, 8)), "never returned");
                    });
                    Jobs.assertSame(Jobs.random(40 + (gas.rank() + ranks - 1) % ranks, 8),
                        memory.local().asSlice(2_056, 8), style.toString());
                    assertThrows(InvalidAddressException.class, () -> window.detach(first));
                    assertThrows(InvalidAddressException.class, () -> window.detach(third | 1L << 62));
                    assertThrows(InvalidAddressException.class, () -> window.attach(memory, 4_090, 10));
                    gas.barrier();
                });
            }
            other.close();
            memory.close();
        });
    }

    @EveryPlacement
    void shouldHoldAsManyRangesAsThereAreSlotsWhenAttaching(String layout) {
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(8L * DynamicRegions.SLOTS);
            Windows.use(Window.createDynamic(gas, gas.world(), WindowOptions.DEFAULT), window -> {
                long[] bases = new long[DynamicRegions.SLOTS];
                for (int round = 0; round < 2; round++) {
                    for (int slot = 0; slot < bases.length; slot++) {
                        bases[slot] = window.attach(memory, 8L * slot, 8);
                    }
                    assertThrows(GasException.class, () -> window.attach(memory, 0, 8));
                    for (long base : bases) {
                        window.detach(base);
                    }
                }
            });
            memory.close();
        });
    }

    @EveryPlacement
    void shouldLeaveTheWindowWhenFreed(String layout) {
        Jobs.run(layout, gas -> {
            Group pairs = gas.world().split(gas.rank() / 2, gas.rank());
            Window window = Window.allocate(gas, pairs, 64, 8, WindowOptions.DEFAULT);
            window.fence();
            window.put(gas.rank(), 0, Jobs.empty(0)); // not an access: the fence epoch has not begun
            window.close();
            window.close();
            assertThrows(EpochException.class, () -> window.put(gas.rank(), 0, Jobs.random(1, 8)));
            GlobalMemory memory = gas.allocate(64);
            assertThrows(InvalidAddressException.class,
                () -> Window.create(gas, gas.world(), memory, 60, 8, 1, WindowOptions.DEFAULT));
            assertThrows(IllegalArgumentException.class,
                () -> Window.create(gas, gas.world(), memory, 0, 8, 0, WindowOptions.DEFAULT));
            for (int i = 0; i < 20; i++) {
                Window.allocate(gas, gas.world(), 1_000, 8, Style.FENCE_OPT.options()).close();
                assertThrows(IllegalArgumentException.class,
                    () -> Window.allocate(gas, gas.world(), 1_000, -1, WindowOptions.DEFAULT));
            }
            gas.barrier();
        });
    }
}

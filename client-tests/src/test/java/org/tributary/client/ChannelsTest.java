package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.tributary.client.Jobs.assertSame;
import static org.tributary.client.Jobs.empty;
import static org.tributary.client.Jobs.random;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tributary.client.connection.ChannelTraffic;
import org.tributary.client.testing.TestJob;
import org.tributary.config.ChannelDesign;
import org.tributary.testsupport.TestedProviders;
import org.tributary.wire.shape.ReduceOp;

/** Requests that go by channels of a network adapter; {@link EveryPath} has everything else with them. */
class ChannelsTest {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final int WINDOW_OF_RANK = 40_000;

    /** All designs, each noticed by flags and by completions; of blocks of the usual sizes, and of the smallest. */
    static Stream<Arguments> designs() {
        return TestedProviders.names().flatMap(provider -> Arrays.stream(ChannelDesign.values())
            .flatMap(design -> Stream.of(design.toString(), design + ":16k"))
            .map(design -> Arguments.of(provider, design)));
    }

    /**
     * Small requests of more ranks than have a channel at a time, by channels and by connections, and large ones by the
     * adapter between them. What each rank has done last there counts.
     */
    @ParameterizedTest
    @MethodSource("designs")
    void shouldKeepOrderWhenRequestsGoByChannels(String provider, String design) {
        try (TestJob job = TestJob.start("3,1 " + provider + " channels", "fabric.channels=1:" + design,
            "server.metrics-port=0")) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(gas.rankCount() * WINDOW_OF_RANK);
                int target = gas.node() == 0 ? 3 : 0;
                long own = (long) gas.rank() * WINDOW_OF_RANK;
                Random random = new Random(gas.rank());
                MemorySegment model = empty(WINDOW_OF_RANK);
                MemorySegment back = empty(WINDOW_OF_RANK);
                long sum = 0;
                for (int round = 0; round < 600 || isFurtherNeeded(job, gas, round); round++) {
                    boolean isLarge = random.nextInt(20) == 0;
                    int length = 1 + random.nextInt(isLarge ? 30_000 : 60);
                    int at = 8 + random.nextInt(WINDOW_OF_RANK - 8 - length);
                    MemorySegment bytes = random(round, length);
                    MemorySegment.copy(bytes, 0, model, at, length);
                    memory.put(target, own + at, bytes);
                    assertEquals(sum, memory.fetchAndAdd(target, own, round), "round " + round);
                    sum += round;
                    if (round % 7 == gas.rank()) {
                        memory.get(target, own, back);
                        model.set(LONG, 0, sum);
                        assertSame(model, back, "round " + round);
                    }
                }
                gas.barrier();
                memory.get(target, own, back);
                model.set(LONG, 0, sum);
                assertSame(model, back, "at the end");
                gas.barrier();
                ChannelTraffic traffic = gas.channelTraffic();
                assertTrue(traffic.handOvers() > 600 && traffic.waited() <= traffic.byChannel()
                    && traffic.byChannel() <= traffic.handOvers(), traffic::toString);
                assertTrue(gas.world().allreduce(ReduceOp.SUM, traffic.byChannel()) > 100, "three ranks together");
                gas.barrier();
            });
        }
    }

    /** Whether a server has had few requests by its channel: which rank has it, and when, depends on their speed. */
    private static boolean isFurtherNeeded(TestJob job, Gas gas, int round) {
        if (round % 100 != 0) {
            return true;
        }
        boolean isNeeded = gas.rank() == 0 && (messages(job, 0) <= 100 || messages(job, 1) <= 100);
        return gas.world().allreduce(ReduceOp.MAX, isNeeded ? 1L : 0) > 0;
    }

    /** Ranks 0 and 1 write to node 1, which has one channel; rank 0 stops, and waits for rank 1. */
    @ParameterizedTest
    @MethodSource("org.tributary.testsupport.TestedProviders#names")
    void shouldLeaveItsChannelWhenAnotherRankNeedsItAndThisOneWaits(String provider) {
        try (TestJob job = TestJob.start("2,1 " + provider + " channels", "fabric.channels=1",
            "server.metrics-port=0")) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(Long.BYTES);
                if (gas.rank() == 0) {
                    addUntil(memory, () -> messages(job, 1) > 0);
                }
                gas.barrier();
                if (gas.rank() == 1) {
                    double before = messages(job, 1);
                    addUntil(memory, () -> messages(job, 1) > before + 10); // rank 0 writes nothing meanwhile
                }
                gas.barrier();
            });
        }
    }

    private static void addUntil(GlobalMemory memory, BooleanSupplier isEnough) {
        do {
            for (int i = 0; i < 100; i++) {
                memory.fetchAndAdd(2, 0, 1);
            }
        } while (!isEnough.getAsBoolean());
    }

    private static double messages(TestJob job, int node) {
        return job.metrics(node).lines().filter(line -> line.startsWith("tributary_fabric_channel_messages_total"))
            .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1))).sum();
    }
}

package org.tributary.miniapps.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.Gas;
import org.tributary.client.testing.TestJob;
import org.tributary.config.Topology;

/** Every synchronization in every design, on jobs of every kind. */
class ExchangeTest {
    private static final int STEPS = 5;
    private static final int PRIME = 31;

    private static Stream<Arguments> everything() {
        List<Arguments> all = new ArrayList<>();
        for (String layout : List.of("1", "4", "1,1", "2,2", "3,2", "1,1,1", "3,3,3")) {
            for (Synchronization synchronization : Synchronization.values()) {
                all.add(Arguments.of(layout, synchronization));
            }
        }
        return all.stream();
    }

    /** One job does all designs, neighbourhoods and sizes in turn. */
    @ParameterizedTest
    @MethodSource("everything")
    void shouldDeliverEveryMessageInEveryStep(String layout, Synchronization synchronization) {
        try (TestJob job = TestJob.start(Topology.parse(layout))) {
            job.run(gas -> {
                for (Design design : synchronization.designs()) {
                    for (int dimensions = 2; dimensions <= 3; dimensions++) {
                        ProcessGrid grid = ProcessGrid.of(gas.rankCount(), dimensions);
                        exchange(gas, Neighbourhood.faces(grid, gas.rank()), synchronization, design, 16);
                        exchange(gas, Neighbourhood.all(grid, gas.rank()), synchronization, design, 1);
                    }
                    ProcessGrid grid = ProcessGrid.of(gas.rankCount(), 2);
                    exchange(gas, Neighbourhood.all(grid, gas.rank()), synchronization, design, 3_000);
                    exchange(gas, Neighbourhood.faces(grid, gas.rank()), synchronization, design, 100_000);
                }
            });
        }
    }

    /** Messages of different lengths, the longer the later the direction. */
    private static void exchange(Gas gas, Neighbourhood neighbourhood, Synchronization synchronization, Design design,
        long shortest) {
        long[] bytes = LongStream.range(0, neighbourhood.count()).map(direction -> shortest + direction).toArray();
        try (Exchange exchange = synchronization.open(gas, neighbourhood, design, bytes)) {
            for (int step = 0; step < STEPS; step++) {
                for (int direction = 0; direction < neighbourhood.count(); direction++) {
                    MemorySegment message = exchange.outgoing(direction);
                    assertEquals(bytes[direction], message.byteSize());
                    for (long i = 0; i < message.byteSize(); i++) {
                        message.set(ValueLayout.JAVA_BYTE, i, content(gas.rank(), direction, step, i));
                    }
                }
                exchange.issue();
                exchange.finish();
                for (int direction = 0; direction < neighbourhood.count(); direction++) {
                    int sent = neighbourhood.opposite(direction);
                    MemorySegment message = exchange.incoming(direction);
                    assertEquals(bytes[sent], message.byteSize());
                    for (long i = 0; i < message.byteSize(); i++) {
                        byte expected = content(neighbourhood.rank(direction), sent, step, i);
                        if (message.get(ValueLayout.JAVA_BYTE, i) != expected) {
                            throw new AssertionError(synchronization + " " + design + ", rank " + gas.rank()
                                + ", direction " + direction + ", step " + step + ", byte " + i + ": "
                                + message.get(ValueLayout.JAVA_BYTE, i) + " instead of " + expected);
                        }
                    }
                }
            }
        }
    }

    /** Each step has messages of another length, down to none; what is behind a message is not looked at. */
    @ParameterizedTest
    @ValueSource(strings = {"2,2", "3"})
    void shouldDeliverMessagesOfAnyLengthUpToTheFirst(String layout) {
        try (TestJob job = TestJob.start(Topology.parse(layout))) {
            job.run(gas -> {
                Neighbourhood neighbourhood = Neighbourhood.faces(ProcessGrid.of(gas.rankCount(), 3), gas.rank());
                long[] bytes = new long[neighbourhood.count()];
                Arrays.fill(bytes, 300);
                for (Synchronization synchronization : Synchronization.values()) {
                    for (Design design : synchronization.designs()) {
                        try (Exchange exchange = synchronization.open(gas, neighbourhood, design, bytes)) {
                            exchangeShorter(gas, neighbourhood, exchange);
                        }
                    }
                }
            });
        }
    }

    private static void exchangeShorter(Gas gas, Neighbourhood neighbourhood, Exchange exchange) {
        for (int step = 0; step < STEPS; step++) {
            for (int direction = 0; direction < neighbourhood.count(); direction++) {
                long sent = length(gas.rank(), direction, step);
                exchange.limit(direction, sent,
                    length(neighbourhood.rank(direction), neighbourhood.opposite(direction), step));
                for (long i = 0; i < sent; i++) {
                    exchange.outgoing(direction).set(ValueLayout.JAVA_BYTE, i,
                        content(gas.rank(), direction, step, i));
                }
            }
            exchange.issue();
            exchange.finish();
            for (int direction = 0; direction < neighbourhood.count(); direction++) {
                int sender = neighbourhood.rank(direction);
                int sent = neighbourhood.opposite(direction);
                for (long i = 0; i < length(sender, sent, step); i++) {
                    assertEquals(content(sender, sent, step, i),
                        exchange.incoming(direction).get(ValueLayout.JAVA_BYTE, i), exchange.toString());
                }
            }
        }
    }

    private static long length(int sender, int direction, int step) {
        return 50L * ((sender + direction + step) % 7);
    }

    private static byte content(int sender, int direction, int step, long index) {
        return (byte) (((sender * PRIME + direction) * PRIME + step) * PRIME + index);
    }

    @Test
    void shouldRefuseDesignsAndLengthsThatDoNotFit() {
        try (TestJob job = TestJob.start(Topology.parse("1,1"))) {
            job.run(gas -> {
                Neighbourhood four = Neighbourhood.faces(ProcessGrid.of(2, 2), gas.rank());
                IllegalArgumentException different = assertThrows(IllegalArgumentException.class,
                    () -> Synchronization.MAILBOX.open(gas, four, Design.AUTO, 8, 8, 64 + 8 * gas.rank(), 8));
                assertTrue(different.getMessage().contains("direction 2 have from 64 to 72 bytes"),
                    different.getMessage());
                assertThrows(IllegalArgumentException.class,
                    () -> Synchronization.FENCE.open(gas, four, Design.IMMEDIATE, 8, 8, 8, 8));
                assertThrows(IllegalArgumentException.class,
                    () -> Synchronization.PSCW.open(gas, four, Design.IMMEDIATE_OPT, 8, 8, 8, 8));
                assertThrows(IllegalArgumentException.class,
                    () -> Synchronization.MAILBOX.open(gas, four, Design.DEFERRED, 8, 8, 8, 8));
                assertThrows(IllegalArgumentException.class,
                    () -> Synchronization.FENCE.open(gas, four, Design.AUTO, 8, 8));
            });
        }
    }
}

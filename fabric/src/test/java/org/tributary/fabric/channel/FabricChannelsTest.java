package org.tributary.fabric.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tributary.config.ChannelDesign;
import org.tributary.fabric.Domain;
import org.tributary.fabric.Endpoint;
import org.tributary.fabric.FabricException;
import org.tributary.fabric.FabricKind;
import org.tributary.fabric.Places;
import org.tributary.fabric.Provider;
import org.tributary.fabric.RegionKey;
import org.tributary.testsupport.TestedProviders;

/** Messages of all designs arrive in order and whole, whichever way the provider tells of them. */
class FabricChannelsTest {
    private static final int MESSAGES = 600;
    private static final int HERE = 3;
    private static final int THERE = 40_000;

    /** One side counts what it gets, the numbers in the messages in order. */
    private static final class Side implements MessageHandler {
        private final Endpoint endpoint;
        private final FabricChannels channels;
        private Channel channel;
        private long received;

        private Side(Domain domain, ChannelShape shape, Arrival arrival) {
            endpoint = domain.open();
            channels = new FabricChannels(endpoint, shape, arrival, 1 << 16, 4);
        }

        @Override
        public void message(MemorySegment memory, long offset, int length) {
            assertEquals(received, memory.get(ValueLayout.JAVA_LONG, offset));
            assertEquals(length(received), length);
            assertEquals((byte) received, memory.get(ValueLayout.JAVA_BYTE, offset + length - 1));
            received++;
        }

        private void poll() {
            channels.progress();
            channel.poll(this, 16);
        }
    }

    private static int length(long number) {
        return (int) (9 + number * 37 % (number % 16 == 0 ? 8_000 : 200));
    }

    static Stream<Arguments> everyDesign() {
        return TestedProviders.constants().flatMap(kind ->
            Arrays.stream(ChannelDesign.values()).map(design -> Arguments.of(kind, design)));
    }

    @ParameterizedTest
    @MethodSource("everyDesign")
    void shouldCarryMessagesBothWaysWhenConnected(FabricKind kind, ChannelDesign design) {
        Provider provider = Places.provider(kind);
        carry(provider, ChannelShape.of(design), FabricChannels.arrival(provider));
    }

    @Test
    void shouldCarryMessagesWhenCompletionsTellOfThem() {
        carry(Places.provider(Places.first()), ChannelShape.of(ChannelDesign.VARIABLE_BOTTOM), Arrival.COMPLETION);
    }

    private static void carry(Provider provider, ChannelShape shape, Arrival arrival) {
        try (Arena arena = Arena.ofConfined(); Domain domain = Domain.open(provider)) {
            Side here = new Side(domain, shape, arrival);
            Side there = new Side(domain, shape, arrival);
            RegionKey keyHere = here.channels.open(HERE);
            RegionKey keyThere = there.channels.open(THERE);
            here.channel = here.channels.connect(HERE, here.endpoint.peer(there.endpoint.address()), keyThere, THERE);
            there.channel = there.channels.connect(THERE, there.endpoint.peer(here.endpoint.address()), keyHere, HERE);
            MemorySegment message = arena.allocate(shape.maxMessage(), Long.BYTES);
            long[] sent = new long[2];
            Places.await(() -> here.received == MESSAGES && there.received == MESSAGES, () -> {
                send(here.channel, message, sent, 0);
                send(there.channel, message, sent, 1);
                here.poll();
                there.poll();
            });
            here.channels.close();
            there.channels.close();
        }
    }

    private static void send(Channel channel, MemorySegment message, long[] sent, int side) {
        long number = sent[side];
        message.set(ValueLayout.JAVA_LONG, 0, number);
        message.set(ValueLayout.JAVA_BYTE, length(number) - 1, (byte) number);
        if (number < MESSAGES && channel.send(message, 0, length(number))) {
            sent[side]++;
        }
    }

    /** Nobody makes progress there, as behind a wall that swallows everything. */
    @Test
    void shouldBreakWhenTheOtherSideIsNotReachedInTime() {
        Provider provider = Places.provider(Places.first());
        try (Arena arena = Arena.ofConfined(); Domain far = Domain.open(provider);
            Domain near = Domain.open(provider)) {
            Endpoint there = far.open();
            Endpoint here = near.open();
            ChannelShape shape = ChannelShape.of(ChannelDesign.VARIABLE_BOTTOM);
            RegionKey key = there.register(arena.allocate(shape.inboundBytes(), ChannelShape.HEAD_BYTES)).key();
            BlockWriters writers = new BlockWriters(here, HERE);
            List<FabricException> broken = new ArrayList<>();
            int own = writers.open(here.peer(there.address()).region(key), 1, broken::add);
            BlockWriter writer = writers.writer(own, shape, FabricChannels.arrival(provider));
            writers.failUnreached(1000, 2000);
            assertEquals(List.of(), broken); // nothing is under way
            assertEquals(100, writer.write(arena.allocate(100), 0, 100));
            writers.failUnreached(1000, 5000); // the first look since something is under way
            writers.failUnreached(1000, 6000);
            assertEquals(List.of(), broken);
            assertTrue(writers.isBusy(own) && writers.areBusy());
            writers.failUnreached(1000, 6001);
            assertEquals(1, broken.size());
            assertThrows(FabricException.class, () -> writer.write(arena.allocate(1), 0, 1));
            writers.close(own);
        }
    }

    @Test
    void shouldRefuseFlagsWhenTheLastByteMayComeEarlier() {
        Provider shm = Places.provider(FabricKind.SHM);
        assertEquals(Arrival.COMPLETION, FabricChannels.arrival(shm));
        assertEquals(Arrival.FLAG, FabricChannels.arrival(Places.provider(FabricKind.TCP)));
        try (Domain domain = Domain.open(shm); Endpoint endpoint = domain.open()) {
            assertThrows(IllegalArgumentException.class, () -> new FabricChannels(endpoint,
                ChannelShape.of(ChannelDesign.FIXED_TOP), Arrival.FLAG, 1, 1));
        }
    }
}

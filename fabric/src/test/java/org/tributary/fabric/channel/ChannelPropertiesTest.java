package org.tributary.fabric.channel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.tributary.config.ChannelDesign;
import org.tributary.wire.shm.DamagedMemoryException;

/** Each message arrives once, whole and in order, whatever the network does that it may do. */
class ChannelPropertiesTest {
    private static final int STEPS = 4_000;
    private static final int SLOT = 104;

    /** A channel between two sides and what is on its way. */
    private static final class Pair {
        private final Random random;
        private final HostileNetwork[] networks = new HostileNetwork[2];
        private final Channel[] channels = new Channel[2];
        private final List<Deque<byte[]>> expected = List.of(new ArrayDeque<>(), new ArrayDeque<>());
        private final ChannelShape shape;
        private final Arena arena = Arena.ofAuto();
        private final MemorySegment[] inbound = new MemorySegment[2];
        private int received;

        private Pair(ChannelShape shape, Arrival arrival, long seed) {
            this.shape = shape;
            this.random = new Random(seed);
            for (int i = 0; i < 2; i++) {
                inbound[i] = arena.allocate(shape.inboundBytes(), Long.BYTES);
            }
            for (int i = 0; i < 2; i++) {
                networks[i] = new HostileNetwork(arrival, random, inbound[1 - i]);
                channels[i] = new Channel(shape, arrival, networks[i], inbound[i], "side " + i);
            }
            networks[0].deliverTo(channels[1]::arrived);
            networks[1].deliverTo(channels[0]::arrived);
        }

        /** Bytes that look like words, flags and nothing. */
        private byte[] message() {
            byte[] bytes = new byte[1 + random.nextInt(random.nextBoolean() ? 24 : shape.maxMessage())];
            int kind = random.nextInt(4);
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) (kind == 0 ? 0 : kind == 1 ? 1 + random.nextInt(3) : random.nextInt(256));
            }
            return bytes;
        }

        private void send(int side) {
            byte[] message = message();
            if (channels[side].send(MemorySegment.ofArray(message), 0, message.length)) {
                expected.get(1 - side).add(message);
            }
        }

        private void poll(int side, int limit) {
            received += channels[side].poll((memory, offset, length) -> assertArrayEquals(expected.get(side).poll(),
                memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE)), limit);
        }

        private void drain() {
            for (int i = 0; i < 100 * STEPS && !(expected.get(0).isEmpty() && expected.get(1).isEmpty()); i++) {
                networks[i & 1].step();
                poll(i >> 1 & 1, 4);
            }
            assertTrue(expected.get(0).isEmpty() && expected.get(1).isEmpty(), "messages that never arrived");
        }
    }

    private static ChannelShape shape(ChannelDesign design, int slots) {
        return new ChannelShape(design, design.isFixed() ? slots * SLOT : slots * SLOT + 8 * (slots % 5), SLOT);
    }

    /** Both sides send as they like; nothing is lost, doubled, torn or reordered, and nobody waits for ever. */
    @Property(tries = 40)
    void shouldDeliverEachMessageOnceAndWholeWhenWritesAreTorn(@ForAll ChannelDesign design,
        @ForAll Arrival arrival, @ForAll @IntRange(min = 2, max = 9) int slots, @ForAll long seed) {
        Pair pair = new Pair(shape(design, slots), arrival, seed);
        for (int i = 0; i < STEPS || pair.received <= 2 * slots; i++) { // every place of a block is used again
            assertTrue(i < 100 * STEPS, "only " + pair.received + " messages");
            int side = pair.random.nextInt(2);
            switch (pair.random.nextInt(6)) {
                case 0, 1 -> pair.send(side);
                case 2 -> pair.poll(side, 1 + pair.random.nextInt(3));
                default -> pair.networks[side].step();
            }
        }
        pair.drain();
    }

    /** Credit comes back although nothing else does: a sender that only sends never stops. */
    @Property(tries = 20)
    void shouldGoOnForEverWhenOnlyOneSideSends(@ForAll ChannelDesign design, @ForAll Arrival arrival,
        @ForAll long seed) {
        Pair pair = new Pair(shape(design, 4), arrival, seed);
        byte[] largest = new byte[pair.shape.maxMessage()];
        int sent = 0;
        for (int i = 0; i < 100 * STEPS && sent < 300; i++) {
            pair.random.nextBytes(largest);
            if (pair.channels[0].send(MemorySegment.ofArray(largest), 0, largest.length)) {
                pair.expected.get(1).add(largest.clone());
                sent++;
            }
            pair.networks[0].step();
            pair.networks[1].step();
            pair.poll(1, 8);
            pair.poll(0, 8);
        }
        pair.drain();
        assertEquals(300, pair.received);
    }

    @Example
    void shouldRefuseWhenLengthIsNone() {
        Pair pair = new Pair(ChannelShape.of(ChannelDesign.VARIABLE_BOTTOM), Arrival.FLAG, 1);
        MemorySegment message = pair.arena.allocate(1 << 14);
        assertThrows(IllegalArgumentException.class, () -> pair.channels[0].send(message, 0, 0));
        assertThrows(IllegalArgumentException.class,
            () -> pair.channels[0].send(message, 0, pair.shape.maxMessage() + 1));
    }

    @Example
    void shouldRefuseWhenSizesDoNotFit() {
        for (int[] sizes : new int[][] {{100, 20}, {1 << 15, 1 << 15}, {1 << 17, 1 << 10}, {1000, 101}, {0, 0}}) {
            assertThrows(IllegalArgumentException.class,
                () -> new ChannelShape(ChannelDesign.VARIABLE_BOTTOM, sizes[0], sizes[1]));
        }
        for (int[] sizes : new int[][] {{127 * 24, 24}, {8200, 4096}, {1 << 21, 1 << 15}}) {
            assertThrows(IllegalArgumentException.class,
                () -> new ChannelShape(ChannelDesign.FIXED_TOP, sizes[0], sizes[1]));
        }
    }

    /** A length that cannot be is told, not followed. */
    @Example
    void shouldTellDamageWhenLengthCannotBe() {
        for (ChannelDesign design : ChannelDesign.values()) {
            ChannelShape shape = ChannelShape.of(design);
            for (int length : new int[] {0, shape.maxMessage() + 1, 0xffffff}) {
                Pair pair = new Pair(shape, Arrival.FLAG, 1);
                long word = design.isTop() ? BlockWord.top(length, 0, BlockWord.topFlagOf(0), 0)
                    : BlockWord.bottom(length, 0, BlockWord.bottomFlagOf(0));
                BlockWord.put(pair.inbound[0], ChannelShape.HEAD_BYTES
                    + (design.isTop() ? 0 : shape.blockBytes() - Long.BYTES), word);
                DamagedMemoryException damage = assertThrows(DamagedMemoryException.class, () -> pair.poll(0, 1));
                assertTrue(damage.getMessage().contains("side 0 is damaged: message 0 has " + length + " bytes"),
                    damage.getMessage());
            }
        }
    }

    /** A completion that comes without its bytes is told as well. */
    @Example
    void shouldTellDamageWhenACompletionComesWithoutItsMessage() {
        Pair pair = new Pair(ChannelShape.of(ChannelDesign.VARIABLE_BOTTOM), Arrival.COMPLETION, 1);
        pair.channels[0].arrived(Arrivals.data(0, false));
        assertThrows(DamagedMemoryException.class, () -> pair.poll(0, 1));
    }

    /** Credit that the other side cannot have given opens no room. */
    @Property(tries = 40)
    void shouldNotWriteOverMessagesWhenCreditCannotBe(@ForAll ChannelDesign design,
        @ForAll @IntRange(min = 1) int grains, @ForAll boolean before) {
        ChannelShape shape = shape(design, 3);
        Pair pair = new Pair(shape, Arrival.FLAG, 1);
        MemorySegment message = pair.arena.allocate(shape.maxMessage());
        long sent = 0;
        while (pair.channels[0].send(message, 0, shape.maxMessage())) {
            sent += shape.taken(shape.maxMessage());
            while (!pair.networks[0].isIdle()) {
                pair.networks[0].step();
            }
        }
        long some = (long) (grains % 1_000_000) * shape.grain() + shape.grain();
        pair.inbound[0].set(ValueLayout.JAVA_LONG, Channel.CREDIT, before ? -some : sent + some);
        assertFalse(pair.channels[0].send(message, 0, shape.maxMessage()));
    }

    /** The bytes that the page describes. */
    @Example
    void shouldHaveTheBytesOfTheContract() {
        MemorySegment memory = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);
        BlockWord.put(memory, 0, BlockWord.bottom(0x030201, 0x060504, 0x88));
        assertArrayEquals(new byte[] {1, 2, 3, 4, 5, 6, 0, (byte) 0x88}, memory.toArray(ValueLayout.JAVA_BYTE));
        BlockWord.put(memory, 0, BlockWord.top(0x030201, 0x060504, 0x87, 0x88));
        assertArrayEquals(new byte[] {1, 2, 3, 4, 5, 6, (byte) 0x87, (byte) 0x88},
            memory.toArray(ValueLayout.JAVA_BYTE));
        BlockWord.put(memory, 0, BlockWord.tail(0x88));
        assertArrayEquals(new byte[] {0, 0, 0, 0, 0, 0, 0, (byte) 0x88}, memory.toArray(ValueLayout.JAVA_BYTE));
        assertEquals(32 << 10, ChannelShape.of(ChannelDesign.VARIABLE_BOTTOM).blockBytes());
        assertEquals(512 << 10, ChannelShape.of(ChannelDesign.FIXED_TOP).blockBytes()
            + ChannelShape.of(ChannelDesign.FIXED_TOP).keptBytes());
    }
}

package org.tributary.fabric.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.tributary.config.ChannelDesign;

/** A stream of bytes through a block arrives as it was written, whatever the network does that it may do. */
class BlockStreamTest {
    private static final int BYTES = 200_000;
    private static final int LARGEST = 20_000;

    private final Arena arena = Arena.ofAuto();
    private final ChannelShape usual = ChannelShape.of(ChannelDesign.VARIABLE_BOTTOM);
    private final MemorySegment copy = arena.allocate(LARGEST);

    private MemorySegment memory(ChannelShape shape) {
        return arena.allocate(shape.inboundBytes(), Long.BYTES);
    }

    @Property(tries = 120)
    void shouldArriveAsItWasWrittenWhenWritesAreTorn(@ForAll ChannelDesign design, @ForAll Arrival arrival,
        @ForAll boolean copies, @ForAll long seed) {
        ChannelShape shape = ChannelShape.of(design);
        MemorySegment memory = memory(shape);
        Random random = new Random(seed);
        HostileNetwork network = new HostileNetwork(arrival, random, memory);
        Copying copying = copies && arrival == Arrival.FLAG ? new Copying() : null;
        network.copyBy(copying);
        BlockReader reader = new BlockReader(shape, memory, arrival, copying, "the test's block");
        network.deliverTo(reader::arrived);
        BlockWriter writer = new BlockWriter(shape, network, arrival);
        byte[] all = new byte[BYTES];
        random.nextBytes(all);
        MemorySegment source = MemorySegment.ofArray(all);
        int written = 0;
        int read = 0;
        for (long step = 0; read < BYTES; step++) {
            assertTrue(step < 100L * BYTES, "nothing moves");
            switch (random.nextInt(8)) {
                case 0 -> written += writer.write(source, written,
                    Math.min(BYTES - written, 1 + random.nextInt(random.nextBoolean() ? 50 : LARGEST)));
                case 1 -> {
                    int there = reader.available();
                    int count = there == 0 ? 0 : 1 + random.nextInt(there);
                    assertTrue(arrival == Arrival.COMPLETION || there == 0 || reader.hasFlag());
                    reader.copy(copy, count);
                    assertEquals(-1, copy.asSlice(0, count).mismatch(source.asSlice(read, count)), "byte " + read);
                    reader.take(count);
                    read += count;
                }
                case 2 -> assertTrue(writer.credit(reader.taken()));
                default -> network.step();
            }
        }
        assertEquals(BYTES, written);
        assertTrue(writer.credit(reader.taken()) && writer.isAllTaken());
        assertTrue(reader.messages() >= BYTES / LARGEST);
    }

    @Example
    void shouldRefuseCreditThatCannotBe() {
        MemorySegment memory = memory(usual);
        HostileNetwork network = new HostileNetwork(Arrival.FLAG, new Random(1), memory);
        BlockWriter writer = new BlockWriter(usual, network, Arrival.FLAG);
        assertEquals(100, writer.write(copy, 0, 100));
        BlockReader reader = new BlockReader(usual, memory, Arrival.FLAG, null, "the test's block");
        while (reader.available() == 0) {
            network.step();
        }
        reader.take(100);
        assertFalse(writer.credit(reader.taken() + Long.BYTES));
        assertFalse(writer.isAllTaken());
        assertTrue(writer.credit(reader.taken()));
        assertFalse(writer.credit(0), "less than before");
        assertTrue(writer.isAllTaken());
        assertEquals(0, memory.get(ValueLayout.JAVA_LONG, 0), "credit is told by other ways");
    }

    /** What does not fit waits for credit, and nothing is written over. */
    @Property
    void shouldTakeNothingWhenTheBlockIsFull(@ForAll ChannelDesign design) {
        ChannelShape shape = ChannelShape.of(design);
        HostileNetwork network = new HostileNetwork(Arrival.FLAG, new Random(2), memory(shape));
        BlockWriter writer = new BlockWriter(shape, network, Arrival.FLAG);
        int total = 0;
        for (int i = 0; i < 1000; i++) {
            total += writer.write(copy, 0, LARGEST);
            while (!network.isIdle()) {
                network.step();
            }
        }
        assertTrue(total > shape.blockBytes() / 2 && total < shape.blockBytes(), total + " bytes");
        assertEquals(0, writer.write(copy, 0, LARGEST));
    }
}

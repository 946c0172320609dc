package org.tributary.benchmarks.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.api.Test;
import org.tributary.fabric.channel.Arrival;

/** The adapter is made up. */
class PlainMessagesTest {
    private static final int INJECTED = 64;

    private final List<String> done = new ArrayList<>();
    private final Arena arena = Arena.ofAuto();
    private final MemorySegment here = arena.allocate(FabricSide.REGION_BYTES);
    private final MemorySegment there = arena.allocate(FabricSide.REGION_BYTES);

    /** As {@code FabricLink} does for a channel. */
    @ParameterizedTest
    @CsvSource({"FLAG, 64, inject", "FLAG, 65, write", "COMPLETION, 64, injectWithData",
        "COMPLETION, 65, writeWithData"})
    void shouldWriteAsAChannelDoesWhenMessagesAreCompared(Arrival arrival, int bytes, String primitive) {
        PlainMessages sender = new PlainMessages(new Copying(here, there), here, arrival, INJECTED);
        sender.begin(bytes);

        assertTrue(sender.send());

        assertEquals(List.of(primitive + " " + bytes), done);
    }

    @Test
    void shouldNoticeEveryMessageByItsLastByteWhenItArrivesByFlag() {
        PlainMessages one = new PlainMessages(new Copying(here, there), here, Arrival.FLAG, INJECTED);
        PlainMessages other = new PlainMessages(new Copying(there, here), there, Arrival.FLAG, INJECTED);
        for (int bytes : new int[] {8, 200, 8}) {
            one.begin(bytes);
            other.begin(bytes);
            for (int i = 0; i < 300; i++) {
                assertFalse(other.receive());
                assertTrue(one.send());
                assertTrue(other.receive());
                assertFalse(one.receive());
                assertTrue(other.send());
                assertTrue(one.receive());
            }
        }
    }

    @Test
    void shouldNoticeMessagesByTheirDataWhenTheyArriveByCompletion() {
        PlainMessages other = new PlainMessages(new Copying(there, here), there, Arrival.COMPLETION, INJECTED);
        other.begin(8);

        assertFalse(other.receive());
        other.arrived();
        assertTrue(other.receive());
        assertFalse(other.receive());
    }

    private final class Copying implements PlainMessages.Writes {
        private final MemorySegment from;
        private final MemorySegment to;

        Copying(MemorySegment from, MemorySegment to) {
            this.from = from;
            this.to = to;
        }

        private boolean copy(String primitive, int bytes) {
            done.add(primitive + " " + bytes);
            MemorySegment.copy(from, PlainMessages.SOURCE, to, 0, bytes);
            return true;
        }

        @Override
        public boolean inject(int bytes) {
            return copy("inject", bytes);
        }

        @Override
        public boolean injectWithData(int bytes, int data) {
            return copy("injectWithData", bytes);
        }

        @Override
        public boolean write(int bytes) {
            return copy("write", bytes);
        }

        @Override
        public boolean writeWithData(int bytes, int data) {
            return copy("writeWithData", bytes);
        }
    }
}

package org.tributary.miniapps.halo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.miniapps.exchange.Exchange;
import org.tributary.miniapps.exchange.Neighbourhood;
import org.tributary.miniapps.exchange.ProcessGrid;

class GhostCellsTest {
    /** What goes out in a direction comes in from the opposite one. */
    private record Echo(MemorySegment... messages) implements Exchange {
        @Override
        public MemorySegment outgoing(int direction) {
            return messages[direction];
        }

        @Override
        public MemorySegment incoming(int direction) {
            return messages[messages.length - 1 - direction];
        }

        @Override
        public void limit(int direction, long sent, long received) {
            // Nothing is sent.
        }

        @Override
        public void issue() {
            // Nothing is sent.
        }

        @Override
        public void finish() {
            // Nothing is sent.
        }

        @Override
        public Optional<String> choice() {
            return Optional.empty();
        }

        @Override
        public void close() {
            // The messages are the test's.
        }
    }

    /** Each has more than 4 GiB, of a file that has only the blocks at their ends. */
    @Test
    void shouldLookAtBothEndsOfAMessageOfMoreThanABillionInts(@TempDir Path folder) throws Exception {
        int count = (1 << 30) + 5;
        try (Arena arena = Arena.ofConfined(); FileChannel file = FileChannel.open(folder.resolve("message"),
            StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE,
            StandardOpenOption.SPARSE)) {
            long bytes = (long) Integer.BYTES * count;
            MemorySegment[] messages = new MemorySegment[4];
            for (int direction = 0; direction < messages.length; direction++) {
                messages[direction] = file.map(FileChannel.MapMode.READ_WRITE, direction * bytes, bytes, arena);
            }
            Exchange echo = new Echo(messages);
            GhostCells cells = new GhostCells(Neighbourhood.faces(ProcessGrid.of(1, 2), 0), count, false);
            cells.fill(echo, 1);
            assertEquals(0, cells.wrong(echo, 1, false));
            messages[2].setAtIndex(ValueLayout.JAVA_INT, count - 1, 0);
            assertEquals(1, cells.wrong(echo, 1, false));
        }
    }
}

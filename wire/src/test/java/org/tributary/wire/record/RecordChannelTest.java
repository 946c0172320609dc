package org.tributary.wire.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RecordChannelTest {
    private static final byte[] FORTH = new byte[32];
    private static final byte[] BACK = new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
        20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};

    private final Pipe pipe = new Pipe();
    private final RecordChannel writer = new RecordChannel(pipe, new RecordSealer(FORTH, 5), new RecordOpener(BACK));
    private final RecordChannel reader = new RecordChannel(pipe, new RecordSealer(BACK), new RecordOpener(FORTH));

    /** Bytes that one side writes and the other reads, as many at once as it is told. */
    private static final class Pipe implements ByteChannel {
        private final ByteBuffer bytes = ByteBuffer.allocate(1 << 20).flip();
        private int mostWritten = Integer.MAX_VALUE;
        private int mostRead = Integer.MAX_VALUE;
        private boolean closed;

        @Override
        public int read(ByteBuffer target) {
            int count = Math.min(Math.min(target.remaining(), bytes.remaining()), mostRead);
            if (count == 0 && closed) {
                return -1;
            }
            target.put(bytes.slice(bytes.position(), count));
            bytes.position(bytes.position() + count);
            return count;
        }

        @Override
        public int write(ByteBuffer source) {
            int room = bytes.capacity() - bytes.remaining();
            int count = Math.min(Math.min(source.remaining(), mostWritten), room);
            bytes.compact().put(source.slice(source.position(), count)).flip();
            source.position(source.position() + count);
            return count;
        }

        @Override
        public boolean isOpen() {
            return !closed;
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    @Test
    void shouldCarryAStreamWhenTheSocketTakesAndGivesItInPieces() throws IOException {
        Random random = new Random(7);
        byte[] all = new byte[3_000_000];
        random.nextBytes(all);
        ByteBuffer[] sources = {ByteBuffer.wrap(all, 0, 17), ByteBuffer.wrap(all, 17, all.length - 17)};
        ByteBuffer target = ByteBuffer.allocate(all.length);
        while (target.hasRemaining()) {
            pipe.mostWritten = random.nextInt(70_000);
            pipe.mostRead = random.nextInt(50_000);
            int room = Math.min(target.remaining(), random.nextInt(40_000));
            writer.write(sources);
            writer.flush();
            ByteBuffer part = target.slice(target.position(), room);
            int count = reader.read(part);
            assertEquals(part.position(), count);
            target.position(target.position() + count);
        }
        assertEquals(ByteBuffer.wrap(all), target.flip());
        assertFalse(reader.hasReadable());
        assertFalse(writer.hasPending());
    }

    @Test
    void shouldSayThatMoreIsThereWhenAReadTakesLessThanARecord() throws IOException {
        writer.write(ByteBuffer.wrap(new byte[100]));
        writer.write(ByteBuffer.wrap(new byte[100]));
        assertEquals(60, reader.read(ByteBuffer.allocate(60)));
        assertTrue(reader.hasReadable());
        assertEquals(140, reader.read(ByteBuffer.allocate(200)));
        assertFalse(reader.hasReadable());
        assertEquals(0, reader.read(ByteBuffer.allocate(200)));
    }

    @Test
    void shouldTakeNothingMoreWhenTheSocketIsFull() throws IOException {
        pipe.mostWritten = 0;
        assertEquals(10, writer.write(ByteBuffer.wrap(new byte[10])));
        assertTrue(writer.hasPending());
        assertEquals(0, writer.write(ByteBuffer.wrap(new byte[10])));
        assertFalse(writer.flush());
        pipe.mostWritten = 100;
        assertTrue(writer.flush());
        assertEquals(10, reader.read(ByteBuffer.allocate(20)));
    }

    @Test
    void shouldTellAnEndFromACutWhenTheSocketIsClosed() throws IOException {
        writer.write(ByteBuffer.wrap(new byte[10]));
        writer.end();
        pipe.close();
        ByteBuffer target = ByteBuffer.allocate(20);
        assertEquals(10, reader.read(target));
        assertEquals(-1, reader.read(target));
    }

    @Test
    void shouldFailWhenTheStreamIsCutOffBetweenRecords() throws IOException {
        writer.write(ByteBuffer.wrap(new byte[10]));
        pipe.close();
        ByteBuffer target = ByteBuffer.allocate(20);
        assertEquals(10, reader.read(target));
        EOFException cut = assertThrows(EOFException.class, () -> reader.read(target));
        assertTrue(cut.getMessage().contains("without a last record"), cut.getMessage());
    }

    @Test
    void shouldFailWhenTheStreamIsCutOffWithinARecord() throws IOException {
        pipe.mostWritten = 20;
        writer.write(ByteBuffer.wrap(new byte[10]));
        pipe.close();
        ByteBuffer target = ByteBuffer.allocate(20);
        assertEquals(0, reader.read(target));
        EOFException cut = assertThrows(EOFException.class, () -> reader.read(target));
        assertTrue(cut.getMessage().contains("within a record"), cut.getMessage());
    }
}

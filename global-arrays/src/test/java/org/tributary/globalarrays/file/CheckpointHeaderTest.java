package org.tributary.globalarrays.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.globalarrays.distribution.Distribution;
import org.tributary.wire.shape.ElementType;

/** Headers of checkpoints: their length, what follows from them, and what is none though its checksum is right. */
class CheckpointHeaderTest {
    private static final int CHECKSUM_AT = 12;
    private static final int CHECKED_FROM = 16;
    /** Behind a program without a text, the number of arrays, the name and the type. */
    private static final int DIMENSIONS_AT = 32 + 4 + 4 + 4 + "A".length() + 4 + "INT".length();
    private static final int LENGTH_AT = DIMENSIONS_AT + 4;
    private static final int BLOCKS_AT = LENGTH_AT + 8;
    private static final int SECOND_LENGTH_AT = BLOCKS_AT + 4 + 2 * 8;

    @TempDir
    private Path folder;

    /** None is written that could not be read. */
    @Test
    void shouldRefuseAHeaderThatIsTooLong() {
        int longest = 64 << 20;
        Path file = folder.resolve("file");
        String program = "p".repeat(longest - 39); // with 40 bytes before and behind it, one more
        assertEquals(file + ": cannot be written: its header would have " + (longest + 4096) + " bytes, "
            + (longest - 39) + " of them for the program's text and most others for the blocks of arrays, and may have "
            + longest, assertThrows(ArrayFileException.class,
                () -> CheckpointHeader.of(file, program, 1, List.of())).getMessage());
        assertEquals(longest, CheckpointHeader.of(file, program.substring(1), 1, List.of()).encoded().remaining());
    }

    @Test
    void shouldGiveNoPageToTwoTiles() {
        CheckpointHeader header = CheckpointHeader.of(folder.resolve("file"), "test", 1, List.of(
            new CheckpointHeader.Contents("A", ElementType.INT,
                Distribution.regular(4, new long[] {11, 9}, new long[] {1, 1})),
            new CheckpointHeader.Contents("B", ElementType.DOUBLE,
                Distribution.regular(4, new long[] {900, 1100}, new long[] {1, 1}))));
        long[] last = {0};
        long bytes = header.forEachTile((array, owner, tile, offset) -> {
            assertEquals(0, offset % 4096);
            assertEquals(last[0] == 0, header.encoded().remaining() == offset);
            last[0] = offset;
        });
        assertEquals(0, bytes % 4096);
        assertEquals(bytes, header.fileBytes());
    }

    /** Such as counts for which no process has the memory, or that wrap around when they are multiplied. */
    @Test
    void shouldRefuseWhatMakesNoSense() throws IOException {
        Path file = folder.resolve("file");
        Distribution four = Distribution.regular(4, new long[] {11, 9}, new long[] {1, 1});
        CheckpointHeader header = CheckpointHeader.of(file, "", 1,
            List.of(new CheckpointHeader.Contents("A", ElementType.INT, four)));
        byte[] right = new byte[(int) header.fileBytes()];
        header.encoded().get(right, 0, header.encoded().remaining());
        Files.write(file, right);
        assertEquals(header.arrays().toString(), read(file).arrays().toString());
        for (int count : new int[] {Integer.MAX_VALUE, 300_000_000, 8, 0, -1}) {
            refused(file, right, DIMENSIONS_AT, count);
        }
        for (int count : new int[] {Integer.MAX_VALUE, 300_000_000, 0, -1}) {
            refused(file, right, BLOCKS_AT, count);
        }
        refused(file, right, LENGTH_AT + Integer.BYTES, -1);
        refused(file, right, SECOND_LENGTH_AT, 0);
    }

    /** The blocks of each dimension are there; the product of two such numbers is more than an int. */
    @Test
    void shouldRefuseMoreBlocksThanCanBeCounted() throws IOException {
        int blocks = 1 << 16;
        ByteBuffer bytes = ByteBuffer.allocate(1 << 21).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(ascii("TRIB")).putInt(bytes.capacity()).putInt(2)
            .putInt(0).putLong(1).putLong(bytes.capacity());
        bytes.putInt(0).putInt(1).putInt(1).put(ascii("A")).putInt(3).put(ascii("INT")).putInt(2);
        for (int d = 0; d < 2; d++) {
            bytes.putLong(blocks).putInt(blocks);
            for (int i = 0; i < blocks; i++) {
                bytes.putLong(i);
            }
        }
        refused(folder.resolve("file"), bytes.array(), LENGTH_AT, blocks);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static CheckpointHeader read(Path file) {
        try (OpenFile open = OpenFile.open(file, StandardOpenOption.READ)) {
            return CheckpointHeader.read(open);
        }
    }

    /** With another word at a place, and the checksum of that. */
    private static void refused(Path file, byte[] right, int at, int word) throws IOException {
        byte[] wrong = right.clone();
        ByteBuffer bytes = ByteBuffer.wrap(wrong).order(ByteOrder.LITTLE_ENDIAN).putInt(at, word);
        CRC32C crc = new CRC32C();
        crc.update(wrong, CHECKED_FROM, bytes.getInt(4) - CHECKED_FROM);
        bytes.putInt(CHECKSUM_AT, (int) crc.getValue());
        Files.write(file, wrong);
        String message = assertThrows(ArrayFileException.class, () -> read(file)).getMessage();
        assertTrue(message.startsWith(file + ": its header makes no sense before byte "), message);
    }
}

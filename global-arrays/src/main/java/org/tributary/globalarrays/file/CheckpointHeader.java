package org.tributary.globalarrays.file;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.tributary.globalarrays.GlobalArray;
import org.tributary.globalarrays.distribution.Distribution;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.globalarrays.distribution.Tiles;
import org.tributary.wire.shape.ElementType;

/**
 * Header of a checkpoint, in little-endian order, and the layout of the elements behind it.
 * <pre>
 *   0        4          8         12         16     24         32
 *   +--------+----------+---------+----------+------+----------+---------+--------+-------+-------+-----+
 *   | magic  | bytes of | version | checksum | step | bytes of | program | arrays | array | array | 0s  |
 *   | "TRIB" | header   |         |          |      | file     | (text)  | (4)    |       |  ...  |     |
 *   +--------+----------+---------+----------+------+----------+---------+--------+-------+-------+-----+
 *   text:  bytes (4), UTF-8
 *   array: name (text), type (text), dimensions (4), for each dimension length (8), blocks (4), and of each block the
 *          first index (8)
 * </pre>
 * The checksum is CRC32C of the header from byte 16 on. Behind the header come the tiles of the first array, block by
 * block in the order of their owners, each block cut as {@link Tiles} does it; then those of the other arrays.
 * <pre>
 *   +--------------+-------------------------------+-----+
 *   | checksum (8) | elements, in row-major order  | 0s  |
 *   +--------------+-------------------------------+-----+
 * </pre>
 * The checksum of a tile is CRC32C of the step, of the tile's place in the file, of its elements and of the zeros: so
 * a tile of another checkpoint, or of another place, is found too. Header and tiles end at
 * multiples of 4096, so that no two ranks write to one page.
 */
final class CheckpointHeader {
    /** Bytes before the elements of a tile. */
    static final int FRAME = 8;
    /** Header and tiles end at multiples of this: a page of most machines. */
    static final int ALIGNMENT = 4096;
    private static final int MAGIC = 'T' | 'R' << 8 | 'I' << 16 | 'B' << 24;
    private static final int VERSION = 2;
    private static final int VERSION_AT = 8;
    private static final int CHECKSUM_AT = 12;
    private static final int CHECKED_FROM = 16;
    private static final int FILE_BYTES_AT = 24;
    private static final int FIXED = 32;
    private static final int LONGEST = 64 << 20;

    private final String program;
    private final long step;
    private final List<Contents> arrays;
    /** From position 0 on. */
    private final ByteBuffer encoded;

    private CheckpointHeader(String program, long step, List<Contents> arrays, ByteBuffer encoded) {
        this.program = program;
        this.step = step;
        this.arrays = List.copyOf(arrays);
        this.encoded = encoded;
    }

    /**
     * The header of a checkpoint that is to be written.
     *
     * @param file for messages
     * @throws ArrayFileException when it is longer than any that is read
     */
    static CheckpointHeader of(Path file, String program, long step, List<Contents> arrays) {
        long length = length(program, arrays);
        if (length > LONGEST) {
            throw new ArrayFileException(file + ": cannot be written: its header would have " + length + " bytes, "
                + utf8(program).length + " of them for the program's text and most others for the blocks of arrays,"
                + " and may have " + LONGEST);
        }
        ByteBuffer to = ByteBuffer.allocate((int) length).order(ByteOrder.LITTLE_ENDIAN);
        CheckpointHeader header = new CheckpointHeader(program, step, arrays, to);
        header.encode();
        to.putLong(FILE_BYTES_AT, header.forEachTile((array, owner, tile, offset) -> { }));
        to.putInt(CHECKSUM_AT, checksum(to));
        return header;
    }

    String program() {
        return program;
    }

    long step() {
        return step;
    }

    List<Contents> arrays() {
        return arrays;
    }

    /** A copy, whose bytes are the same. */
    ByteBuffer encoded() {
        return encoded.duplicate();
    }

    /** The step first; differs from that of any other header, but for chance, and from that of none, null. */
    static long[] identity(CheckpointHeader header) {
        return header == null ? new long[] {0, 0, 0}
            : new long[] {header.step, Integer.toUnsignedLong(header.encoded.getInt(CHECKSUM_AT)), header.fileBytes()};
    }

    long fileBytes() {
        return encoded.getLong(FILE_BYTES_AT);
    }

    /** An array, and how it was spread. */
    record Contents(String name, ElementType type, Distribution distribution) {
        static Contents of(GlobalArray array) {
            return new Contents(array.name(), array.type(), array.distribution());
        }

        /** Such as {@code 'A', DOUBLE [0, 4) x [0, 4)}. */
        @Override
        public String toString() {
            return "'" + name + "', " + type + " " + Patch.whole(distribution.dims());
        }
    }

    /** Something done with a tile: array by number, owner by number, and byte offset of the frame. */
    interface TileAction {
        void accept(int array, int owner, Patch tile, long offset);
    }

    /** All tiles, in the order of the file; returns the bytes of the whole file. */
    long forEachTile(TileAction action) {
        long[] offset = {encoded.limit()};
        for (int i = 0; i < arrays.size(); i++) {
            int number = i;
            Distribution distribution = arrays.get(i).distribution();
            int elementBytes = arrays.get(i).type().sizeInBytes();
            for (int block = 0; block < distribution.blockCount(); block++) {
                int owner = block;
                Tiles.forEach(distribution.patchOf(owner), TileBuffer.limit(elementBytes), tile -> {
                    action.accept(number, owner, tile, offset[0]);
                    offset[0] += FRAME + padded(tile.elementCount() * elementBytes);
                });
            }
        }
        return offset[0];
    }

    /** Bytes of a tile's elements with the zeros after them. */
    static long padded(long elements) {
        return Math.ceilDiv(FRAME + elements, (long) ALIGNMENT) * ALIGNMENT - FRAME;
    }

    /** Up to the next page. */
    private static long length(String program, List<Contents> arrays) {
        long length = FIXED + Integer.BYTES + utf8(program).length + Integer.BYTES;
        for (Contents array : arrays) {
            length += Integer.BYTES + utf8(array.name()).length + Integer.BYTES + utf8(array.type().name()).length
                + Integer.BYTES;
            for (int d = 0; d < array.distribution().dimensions(); d++) {
                length += Long.BYTES + Integer.BYTES + (long) Long.BYTES * array.distribution().blockCount(d);
            }
        }
        return Math.ceilDiv(length, (long) ALIGNMENT) * ALIGNMENT;
    }

    /** All but the checksum and the bytes of the file. */
    private void encode() {
        ByteBuffer to = encoded;
        to.putInt(MAGIC).putInt(to.limit()).putInt(VERSION).putInt(0).putLong(step).putLong(0);
        put(to, program);
        to.putInt(arrays.size());
        for (Contents array : arrays) {
            put(to, array.name());
            put(to, array.type().name());
            Distribution distribution = array.distribution();
            to.putInt(distribution.dimensions());
            for (int d = 0; d < distribution.dimensions(); d++) {
                long[] starts = starts(distribution, d);
                to.putLong(distribution.dimension(d)).putInt(starts.length);
                for (long start : starts) {
                    to.putLong(start);
                }
            }
        }
        to.rewind();
    }

    /** First index of each block along a dimension: that of owners whose blocks come first in all others. */
    private static long[] starts(Distribution distribution, int dimension) {
        int inner = 1;
        for (int d = dimension + 1; d < distribution.dimensions(); d++) {
            inner *= distribution.blockCount(d);
        }
        long[] starts = new long[distribution.blockCount(dimension)];
        for (int block = 0; block < starts.length; block++) {
            starts[block] = distribution.lo(block * inner, dimension);
        }
        return starts;
    }

    private static void put(ByteBuffer to, String text) {
        byte[] bytes = utf8(text);
        to.putInt(bytes.length).put(bytes);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static int checksum(ByteBuffer header) {
        CRC32C crc = new CRC32C();
        crc.update(header.duplicate().position(CHECKED_FROM));
        return (int) crc.getValue();
    }

    /** The checksum of a tile; {@code elements} include the zeros. */
    static long checksum(long step, long offset, ByteBuffer elements) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(2 * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(step).putLong(offset)
            .flip());
        crc.update(elements);
        return crc.getValue();
    }

    /** Reads and checks the header, and that the file is whole. */
    static CheckpointHeader read(OpenFile file) {
        long size = file.size();
        if (size < FIXED) {
            throw new ArrayFileException(file.path() + ": is no checkpoint, or truncated: it has " + size
                + " bytes, and the shortest has " + FIXED);
        }
        ByteBuffer fixed = ByteBuffer.allocate(FIXED).order(ByteOrder.LITTLE_ENDIAN);
        file.read(fixed, 0);
        if (fixed.getInt(0) != MAGIC) {
            throw new ArrayFileException(file.path() + ": is no checkpoint: at byte 0 is "
                + hex(Integer.toUnsignedLong(fixed.getInt(0))) + ", not " + hex(MAGIC));
        }
        if (fixed.getInt(VERSION_AT) != VERSION) {
            throw new ArrayFileException(file.path() + ": is a checkpoint of version " + fixed.getInt(VERSION_AT)
                + " (byte " + VERSION_AT + "); version " + VERSION + " can be read");
        }
        long length = Integer.toUnsignedLong(fixed.getInt(Integer.BYTES));
        if (length < FIXED || length > LONGEST) {
            throw new ArrayFileException(file.path() + ": is damaged: a header of " + length + " bytes, says byte "
                + Integer.BYTES + ", is none");
        }
        if (length > size) {
            throw new ArrayFileException(file.path() + ": is truncated: it has " + size + " bytes, and its header "
                + length);
        }
        ByteBuffer all = ByteBuffer.allocate((int) length).order(ByteOrder.LITTLE_ENDIAN);
        file.read(all, 0);
        all.flip();
        requireSame(file, "header at byte " + CHECKED_FROM + ", " + (length - CHECKED_FROM) + " bytes,",
            Integer.toUnsignedLong(all.getInt(CHECKSUM_AT)), Integer.toUnsignedLong(checksum(all)));
        CheckpointHeader header = decode(file, all);
        if (size != header.fileBytes()) {
            throw new ArrayFileException(file.path() + ": is " + (size < header.fileBytes() ? "truncated"
                : "too long") + ": it has " + size + " bytes, and " + header.fileBytes() + " by its header (byte "
                + FILE_BYTES_AT + ")");
        }
        return header;
    }

    /** Refuses what has another checksum than the file says. */
    static void requireSame(OpenFile file, String what, long stored, long computed) {
        if (stored != computed) {
            throw new ArrayFileException(file.path() + ": is damaged: its " + what + " has the checksum "
                + hex(computed) + ", and should have " + hex(stored) + " (CRC32C)");
        }
    }

    private static String hex(long value) {
        return String.format("0x%08x", value);
    }

    /** The checksum is right, so anything that is wrong was written by another version of this class. */
    private static CheckpointHeader decode(OpenFile file, ByteBuffer encoded) {
        ByteBuffer from = encoded.duplicate().order(ByteOrder.LITTLE_ENDIAN).position(CHECKED_FROM);
        try {
            long step = from.getLong();
            from.getLong();
            String program = text(from);
            List<Contents> arrays = new ArrayList<>();
            for (int left = from.getInt(); left > 0; left--) {
                arrays.add(contents(from));
            }
            return new CheckpointHeader(program, step, arrays, encoded);
        } catch (BufferUnderflowException | IllegalArgumentException | ArithmeticException e) {
            throw new ArrayFileException(file.path() + ": its header makes no sense before byte " + from.position()
                + ": " + e, e);
        }
    }

    private static Contents contents(ByteBuffer from) {
        String name = text(from);
        ElementType type = ElementType.valueOf(text(from));
        long[] dims = new long[count(from, Long.BYTES + Integer.BYTES)];
        long[][] starts = new long[dims.length][];
        int blocks = 1;
        for (int d = 0; d < dims.length; d++) {
            dims[d] = from.getLong();
            starts[d] = new long[count(from, Long.BYTES)];
            for (int block = 0; block < starts[d].length; block++) {
                starts[d][block] = from.getLong();
            }
            blocks = Math.multiplyExact(blocks, starts[d].length);
        }
        return new Contents(name, type, Distribution.irregular(blocks, dims, starts));
    }

    private static String text(ByteBuffer from) {
        byte[] bytes = new byte[count(from, 1)];
        from.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** How many follow, of which each has so many bytes or more: the header cannot ask for more memory than it has. */
    private static int count(ByteBuffer from, int bytes) {
        int count = from.getInt();
        if (count < 0 || count > from.remaining() / bytes) {
            throw new BufferUnderflowException();
        }
        return count;
    }
}

package org.tributary.globalarrays.file;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.tributary.client.Group;
import org.tributary.globalarrays.GlobalArray;
import org.tributary.globalarrays.distribution.Distribution;
import org.tributary.globalarrays.distribution.Patch;

/**
 * The arrays of a program in one file, from which it goes on after its job was ended.
 * <pre>{@code
 * Checkpoint checkpoint = Checkpoint.of(Path.of("heat.checkpoint"), "heat 1000 x 1000", a);
 * OptionalLong found = checkpoint.restore();
 * for (long step = found.orElse(0); step < steps; step++) {
 *     if (step % 100 == 0) {
 *         checkpoint.write(step);
 *     }
 *     advance(a);
 * }
 * }</pre>
 *
 * <p>All ranks write at once, each the elements that it owns, in tiles of up to 1 MiB, each with a checksum (CRC32C).
 * When all of it is on the disk, the file is renamed over the former one: whenever the job is killed, one of them is
 * there. It needs the room of both. Another number of ranks, and arrays that are spread otherwise, can restore it;
 * ghost cells are not in it. Methods are collective over the arrays' group; see the package.
 */
public final class Checkpoint {
    private final Path file;
    private final String program;
    private final List<GlobalArray> arrays;
    private final Group group;

    private Checkpoint(Path file, String program, List<GlobalArray> arrays) {
        this.file = file.toAbsolutePath();
        this.program = program;
        this.arrays = arrays;
        this.group = arrays.getFirst().group();
    }

    /**
     * Describes a checkpoint; touches nothing.
     *
     * @param program what the arrays are the state of, with all parameters that must be the same to go on
     * @param arrays  one or more, of one group; their names are the same on all ranks
     * @throws IllegalArgumentException for no array, or arrays of different groups
     */
    public static Checkpoint of(Path file, String program, GlobalArray... arrays) {
        if (arrays.length == 0) {
            throw new IllegalArgumentException("a checkpoint needs an array");
        }
        for (GlobalArray array : arrays) {
            if (!Arrays.equals(array.group().worldRanks(), arrays[0].group().worldRanks())) {
                throw new IllegalArgumentException("array '" + array.name() + "' is of another group than array '"
                    + arrays[0].name() + "'");
            }
        }
        return new Checkpoint(file, program, List.of(arrays));
    }

    /**
     * Writes the arrays as they are when all ranks are here. Collective.
     *
     * @param step a number that {@link #restore} returns: how far the program is
     * @throws ArrayFileException when a rank cannot write, as when the disk is full, or the ranks have different steps,
     *                            programs or arrays; the former checkpoint is there then, and nothing of the new one
     */
    public void write(long step) {
        meet();
        CheckpointHeader header = agreedHeader(step);
        NewFile.write(group, file, header.fileBytes(), open -> {
            if (group.rank() == 0) {
                open.write(header.encoded(), 0);
            }
            try (TileBuffer buffer = new TileBuffer(CheckpointHeader.ALIGNMENT)) {
                header.forEachTile((array, owner, tile, offset) -> {
                    if (owner == group.rank()) {
                        write(open, step, arrays.get(array), tile, offset, buffer);
                    }
                });
            }
        });
    }

    /** Places and checksums of tiles follow from it, so it has to be the same on all ranks. */
    private CheckpointHeader agreedHeader(long step) {
        CheckpointHeader[] header = new CheckpointHeader[1];
        Agreement.on(group, () -> header[0] = CheckpointHeader.of(file, program, step,
            arrays.stream().map(CheckpointHeader.Contents::of).toList()));
        Agreement.onSame(group, CheckpointHeader.identity(header[0]), first -> {
            String here = " on rank " + group.worldRank(group.rank());
            String there = " on rank " + group.worldRank(0);
            return file + ": the ranks do not write the same checkpoint: " + (first[0] != step
                ? "step " + first[0] + there + ", " + step + here
                : "'" + program + "' with " + header[0].arrays() + here + ", something else" + there);
        });
        return header[0];
    }

    private static void write(OpenFile open, long step, GlobalArray array, Patch tile, long offset, TileBuffer buffer) {
        long elements = tile.elementCount() * array.type().sizeInBytes();
        long bytes = CheckpointHeader.padded(elements);
        buffer.memory().asSlice(CheckpointHeader.FRAME + elements, bytes - elements).fill((byte) 0);
        buffer.load(array, tile, CheckpointHeader.FRAME);
        long checksum = CheckpointHeader.checksum(step, offset, buffer.bytes(CheckpointHeader.FRAME, bytes));
        open.write(whole(buffer, bytes).putLong(0, checksum), offset);
    }

    /** Checksum and elements of a tile. */
    private static ByteBuffer whole(TileBuffer buffer, long bytes) {
        return buffer.bytes(0, CheckpointHeader.FRAME + bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Reads the arrays, if there is a file. Collective.
     *
     * @return the step that the checkpoint was written with, or nothing when there is no file
     * @throws ArrayFileException when a rank cannot tell whether there is a file, or when the file cannot be read, is
     *                            truncated or damaged, is that of another program or of other arrays, or is not the
     *                            same on all hosts. The arrays are as before, unless a tile is damaged or cannot be
     *                            read: then they are undefined on all ranks
     */
    public OptionalLong restore() {
        meet();
        try (Found found = new Found()) {
            Agreement.on(group, found::open);
            long[] own = CheckpointHeader.identity(found.header);
            Agreement.onSame(group, own, first -> file + ": the ranks find different files of that name: "
                + describe(first) + " on rank " + group.worldRank(0) + ", " + describe(own) + " on rank "
                + group.worldRank(group.rank()) + "; all hosts have to see one");
            if (found.header == null) {
                return OptionalLong.empty();
            }
            Agreement.on(group, found::read);
            meet();
            return OptionalLong.of(found.header.step());
        }
    }

    /** Waits for what was done to the arrays, by a single barrier: how many there are, ranks have yet to agree on. */
    private void meet() {
        arrays.forEach(GlobalArray::access); // refuses one that was closed
        arrays.getFirst().barrier();
    }

    private static String describe(long... identity) {
        return Arrays.equals(identity, CheckpointHeader.identity(null)) ? "none"
            : String.format("step %d (checksum 0x%08x)", identity[0], identity[1]);
    }

    /** What this rank finds under the name, open until it has been read. */
    private final class Found implements AutoCloseable {
        private OpenFile open;
        /** Null when there is no file. */
        private CheckpointHeader header;
        /** Made before anything is read, when lack of memory does no harm. */
        private TileBuffer buffer;

        void open() {
            if (OpenFile.look(file).isPresent()) {
                open = OpenFile.open(file, StandardOpenOption.READ);
                header = CheckpointHeader.read(open);
                requireFit(header);
                buffer = new TileBuffer(CheckpointHeader.ALIGNMENT);
            }
        }

        void read() {
            header.forEachTile((array, owner, tile, offset) -> {
                GlobalArray target = arrays.get(array);
                if (target.distribution().ownerOf(tile.lo()) == group.rank()) {
                    Checkpoint.read(open, header.step(), target, tile, offset, buffer);
                }
            });
        }

        @Override
        public void close() {
            if (buffer != null) {
                buffer.close();
            }
            if (open != null) {
                open.close();
            }
        }
    }

    private static void read(OpenFile open, long step, GlobalArray array, Patch tile, long offset, TileBuffer buffer) {
        long bytes = CheckpointHeader.padded(tile.elementCount() * array.type().sizeInBytes());
        ByteBuffer whole = whole(buffer, bytes);
        open.read(whole, offset);
        CheckpointHeader.requireSame(open, "tile " + tile + " of array '" + array.name() + "' at byte "
            + (offset + CheckpointHeader.FRAME) + ", " + bytes + " bytes,", whole.getLong(0),
            CheckpointHeader.checksum(step, offset, buffer.bytes(CheckpointHeader.FRAME, bytes)));
        buffer.store(array, tile, CheckpointHeader.FRAME);
    }

    private void requireFit(CheckpointHeader header) {
        if (!header.program().equals(program)) {
            throw new ArrayFileException(file + ": is a checkpoint of '" + header.program() + "', not of '" + program
                + "'");
        }
        if (header.arrays().size() != arrays.size()) {
            throw new ArrayFileException(file + ": has " + header.arrays().size() + " arrays, and " + arrays.size()
                + " are to be read");
        }
        for (int i = 0; i < arrays.size(); i++) {
            CheckpointHeader.Contents there = header.arrays().get(i);
            CheckpointHeader.Contents here = CheckpointHeader.Contents.of(arrays.get(i));
            Distribution distribution = there.distribution();
            if (!there.name().equals(here.name()) || there.type() != here.type()
                || !Arrays.equals(distribution.dims(), here.distribution().dims())) {
                throw new ArrayFileException(file + ": its array " + i + " is " + there + ", and does not fit "
                    + here);
            }
        }
    }
}

package org.tributary.globalarrays.file;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.tributary.client.Gas;
import org.tributary.client.Group;
import org.tributary.globalarrays.GlobalArray;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.globalarrays.distribution.StridedPlan;
import org.tributary.globalarrays.distribution.Tiles;
import org.tributary.wire.shape.ElementType;

/**
 * Arrays as files of NumPy ({@code .npy}), which {@code numpy.load} reads and {@code numpy.save} writes. Each rank
 * moves its own block, 1 MiB at a time; ghost cells are neither saved nor loaded. Collective; see the package for what
 * all files have in common.
 *
 * <table><caption>Types</caption>
 * <tr><th>NumPy</th><td>{@code <i4}</td><td>{@code <i8}</td><td>{@code <f4}</td><td>{@code <f8}</td><td>{@code
 * <c8}</td><td>{@code <c16}</td></tr>
 * <tr><th>here</th><td>INT</td><td>LONG</td><td>FLOAT</td><td>DOUBLE</td><td>COMPLEX_FLOAT</td><td>COMPLEX_DOUBLE</td>
 * </tr></table>
 *
 * <p>Versions 1.0 and 2.0 are read, in C order and in Fortran order, and 1.0 in C order is written. What follows the
 * elements is left alone, as NumPy does.
 */
public final class NumpyFile {
    private NumpyFile() {
    }

    /**
     * Writes an array, and replaces the file of that name when the new one is whole. Collective.
     *
     * @throws ArrayFileException when a rank cannot write; the former file is there then
     */
    public static void save(GlobalArray array, Path file) {
        array.barrier();
        ByteBuffer header = NumpyHeader.encode(array.type(), array.dims());
        int dataOffset = header.remaining();
        long bytes = dataOffset + Patch.whole(array.dims()).elementCount() * array.type().sizeInBytes();
        NewFile.write(array.group(), file, bytes, open -> {
            if (array.group().rank() == 0) {
                open.write(header, 0);
            }
            try (TileBuffer buffer = new TileBuffer(0)) {
                forEachTile(array.access().patch(), array.type(), tile -> {
                    buffer.load(array, tile, 0);
                    forEachRange(tile, array.dims(), array.type(), (at, place, length) ->
                        open.write(buffer.bytes(at, length), dataOffset + place));
                });
            }
        });
    }

    /**
     * Makes an array of the file's type and shape, spread evenly over all ranks of the job, and fills it. Collective;
     * the caller closes the array.
     *
     * @param name names the array in messages
     * @throws ArrayFileException when the file cannot be read, is no {@code .npy}, is truncated, has a type or shape
     *                            that no array here has, or is not the same on all hosts
     */
    public static GlobalArray load(Gas gas, String name, Path file) {
        try (Found found = new Found(file)) {
            found.open(gas.world(), header -> { });
            GlobalArray array = GlobalArray.create(gas, name, found.header.type(), found.header.shape());
            try {
                found.fill(array);
                return array;
            } catch (RuntimeException | Error e) {
                array.close();
                throw e;
            }
        }
    }

    /**
     * Fills an array from a file of the same type and shape, however the array is spread. Collective.
     *
     * @throws ArrayFileException as of {@link #load}, or when the file is of another type or shape. Elements are as
     *                            before, unless a rank cannot read all of its own: then they are undefined on all ranks
     */
    public static void loadInto(GlobalArray array, Path file) {
        array.barrier();
        try (Found found = new Found(file)) {
            found.open(array.group(), header -> requireFit(array, found.file, header));
            found.fill(array);
        }
    }

    /** What this rank finds under a name, open until it has been read. */
    private static final class Found implements AutoCloseable {
        private static final int SAMPLES = 16;
        private static final int SAMPLE_BYTES = 4096;
        private final Path file;
        private OpenFile open;
        private NumpyHeader header;
        /** Made before anything is read, when lack of memory does no harm; the second one for Fortran order. */
        private TileBuffer buffer;
        private TileBuffer transposed;

        Found(Path file) {
            this.file = file.toAbsolutePath();
        }

        /**
         * Opens it, and makes sure that all members of the group find the same. Collective.
         *
         * @param check refuses a header
         */
        void open(Group group, Consumer<NumpyHeader> check) {
            long[] own = new long[2];
            Agreement.on(group, () -> {
                open = OpenFile.open(file, StandardOpenOption.READ);
                header = NumpyHeader.read(open);
                check.accept(header);
                buffer = new TileBuffer(0);
                transposed = header.isFortranOrder() ? new TileBuffer(0) : null;
                own[0] = open.size();
                own[1] = sample();
            });
            Agreement.onSame(group, own, first -> file + ": the ranks find different files of that name: "
                + describe(first) + " on rank " + group.worldRank(0) + ", " + describe(own) + " on rank "
                + group.worldRank(group.rank()) + "; all hosts have to see one");
        }

        /** Checksum of the header and of some elements, evenly spaced: a file has no other mark of its own. */
        private long sample() {
            CRC32C crc = new CRC32C();
            long end = header.dataOffset() + Patch.whole(header.shape()).elementCount() * header.type().sizeInBytes();
            int length = (int) Math.min(end, SAMPLE_BYTES);
            for (int i = 0; i < SAMPLES; i++) {
                ByteBuffer bytes = buffer.bytes(0, length);
                open.read(bytes, (end - length) / (SAMPLES - 1) * i);
                crc.update(bytes.flip());
            }
            return crc.getValue();
        }

        private static String describe(long... identity) {
            return String.format("%d bytes (checksum of samples 0x%08x)", identity[0], identity[1]);
        }

        /** Reads it into an array, which it fits. Collective. */
        void fill(GlobalArray array) {
            Agreement.on(array.group(), () -> {
                Patch own = array.access().patch();
                if (header.isFortranOrder()) {
                    long[] dims = reversed(header.shape());
                    // The file has the transposed array in C order; so the tiles are those of that array.
                    forEachTile(reversed(own), header.type(), tile -> {
                        load(tile, dims);
                        transpose(buffer.memory(), reversed(tile), header.type().sizeInBytes(), transposed.memory());
                        transposed.store(array, reversed(tile), 0);
                    });
                } else {
                    forEachTile(own, header.type(), tile -> {
                        load(tile, header.shape());
                        buffer.store(array, tile, 0);
                    });
                }
            });
            array.barrier();
        }

        /** Reads a tile of an array that is in the file in C order. */
        private void load(Patch tile, long... dims) {
            forEachRange(tile, dims, header.type(), (at, place, length) ->
                open.read(buffer.bytes(at, length), header.dataOffset() + place));
        }

        @Override
        public void close() {
            if (transposed != null) {
                transposed.close();
            }
            if (buffer != null) {
                buffer.close();
            }
            if (open != null) {
                open.close();
            }
        }
    }

    private static void requireFit(GlobalArray array, Path file, NumpyHeader header) {
        if (header.type() != array.type() || !Arrays.equals(header.shape(), array.dims())) {
            throw new ArrayFileException(file + ": has " + header.describe() + ", which does not fit array '"
                + array.name() + "'; " + NumpyHeader.describe(array.type(), array.dims()) + " would");
        }
    }

    private static void forEachTile(Patch patch, ElementType type, Consumer<Patch> action) {
        Tiles.forEach(patch, TileBuffer.limit(type.sizeInBytes()), action);
    }

    /** A range of bytes that is contiguous in the buffer and in the file. */
    private interface RangeAction {
        /** {@code place} counts from the first element of the file. */
        void accept(long at, long place, long length);
    }

    /** The ranges of a tile, dense in the buffer, of an array in C order in the file. */
    private static void forEachRange(Patch tile, long[] dims, ElementType type, RangeAction action) {
        int dimensions = tile.dimensions();
        long[] dense = new long[dimensions];
        long[] inFile = new long[dimensions];
        long denseStride = type.sizeInBytes();
        long fileStride = type.sizeInBytes();
        long place = 0;
        for (int d = dimensions - 1; d >= 0; d--) {
            dense[d] = denseStride;
            inFile[d] = fileStride;
            place += tile.lo(d) * fileStride;
            denseStride *= tile.extent(d);
            fileStride *= dims[d];
        }
        StridedPlan plan = StridedPlan.of(tile, type.sizeInBytes(), dense, inFile);
        ranges(plan, plan.counts().length - 1, 0, place, action);
    }

    private static void ranges(StridedPlan plan, int level, long at, long place, RangeAction action) {
        if (level < 0) {
            action.accept(at, place, plan.blockBytes());
            return;
        }
        for (long i = 0; i < plan.counts()[level]; i++) {
            ranges(plan, level - 1, at + i * plan.localStrides()[level], place + i * plan.remoteStrides()[level],
                action);
        }
    }

    /** From dense elements of a patch whose first dimension varies fastest to some whose last one does. */
    private static void transpose(MemorySegment from, Patch patch, int elementBytes, MemorySegment to) {
        int last = patch.dimensions() - 1;
        long step = elementBytes * (patch.elementCount() / patch.extent(last));
        long[] target = {0};
        Tiles.forEachRow(patch, (index, count) -> {
            long source = 0;
            for (int d = last; d >= 0; d--) {
                source = source * patch.extent(d) + index[d] - patch.lo(d);
            }
            for (int i = 0; i < count; i++) {
                MemorySegment.copy(from, source * elementBytes + i * step, to, target[0], elementBytes);
                target[0] += elementBytes;
            }
        });
    }

    private static Patch reversed(Patch patch) {
        return Patch.of(reversed(patch.lo()), reversed(patch.hi()));
    }

    private static long[] reversed(long... values) {
        long[] reversed = new long[values.length];
        for (int i = 0; i < values.length; i++) {
            reversed[i] = values[values.length - 1 - i];
        }
        return reversed;
    }
}

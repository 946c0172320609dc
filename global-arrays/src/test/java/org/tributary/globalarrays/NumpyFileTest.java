package org.tributary.globalarrays;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tributary.globalarrays.distribution.Indices;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.globalarrays.file.ArrayFileException;
import org.tributary.globalarrays.file.NumpyFile;
import org.tributary.globalarrays.kernel.Numbers;
import org.tributary.wire.shape.ElementType;

/** Files as NumPy writes and reads them; here they are put together byte by byte. */
class NumpyFileTest {
    private static final Map<ElementType, String> NAMES = Map.of(ElementType.INT, "<i4", ElementType.LONG, "<i8",
        ElementType.FLOAT, "<f4", ElementType.DOUBLE, "<f8", ElementType.COMPLEX_FLOAT, "<c8",
        ElementType.COMPLEX_DOUBLE, "<c16");
    private static final long[][] SHAPES = {{67}, {13, 11}, {5, 6, 7}, {2, 3, 2, 3, 2, 2, 3}};

    @TempDir
    private Path folder;

    /** A file of version 1.0 as {@code numpy.save} writes it, or of 2.0. */
    private static byte[] npy(int version, String dictionary, byte[] elements) {
        int before = version == 1 ? 10 : 12;
        int end = (before + dictionary.length() + 1 + 63) / 64 * 64;
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        file.writeBytes(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', (byte) version, 0,
            (byte) (end - before), (byte) (end - before >> 8)});
        file.writeBytes(new byte[before - 10]);
        file.writeBytes((dictionary + " ".repeat(end - before - dictionary.length() - 1) + "\n")
            .getBytes(StandardCharsets.US_ASCII));
        file.writeBytes(elements);
        return file.toByteArray();
    }

    private static String dictionary(String dtype, boolean isFortranOrder, long... shape) {
        return "{'descr': '" + dtype + "', 'fortran_order': " + (isFortranOrder ? "True" : "False") + ", 'shape': ("
            + Arrays.stream(shape).mapToObj(Long::toString).collect(Collectors.joining(", "))
            + (shape.length == 1 ? ",), }" : "), }");
    }

    /** Elements in the order in which the first index varies fastest. */
    private static byte[] fortran(SerialModel model, ElementType type) {
        Patch whole = model.whole();
        byte[] elements = new byte[Math.toIntExact(whole.elementCount() * type.sizeInBytes())];
        Indices.forEach(whole, index -> {
            int position = 0;
            for (int d = index.length - 1; d >= 0; d--) {
                position = position * Math.toIntExact(whole.extent(d)) + (int) index[d];
            }
            System.arraycopy(Numbers.segment(type, model.get(index)).toArray(ValueLayout.JAVA_BYTE), 0, elements,
                position * type.sizeInBytes(), type.sizeInBytes());
        });
        return elements;
    }

    @ParameterizedTest
    @EnumSource
    void shouldSaveAndLoadArraysOfEachTypeInBothOrders(JobShape job) {
        job.run(gas -> {
            for (ElementType type : ElementType.values()) {
                for (long[] dims : SHAPES) {
                    Path file = folder.resolve("a.npy");
                    GlobalArray array = GlobalArray.builder(gas, "A", type, dims).ghosts(ghosts(dims)).create();
                    SerialModel model = SerialModel.filled(array, 7);
                    NumpyFile.save(array, file);
                    byte[] elements = model.dense(model.whole()).asSlice(0,
                        model.whole().elementCount() * type.sizeInBytes()).toArray(ValueLayout.JAVA_BYTE);
                    assertArrayEquals(npy(1, dictionary(NAMES.get(type), false, dims), elements), read(file));
                    try (GlobalArray loaded = NumpyFile.load(gas, "B", file)) {
                        assertEquals(type, loaded.type());
                        model.verify(loaded);
                    }
                    array.zero();
                    if (gas.rank() == 0) {
                        write(file, npy(2, dictionary(NAMES.get(type), true, dims), fortran(model, type)));
                    }
                    array.barrier();
                    NumpyFile.loadInto(array, file);
                    model.verify(array);
                    array.close();
                }
            }
        });
        assertArrayEquals(new String[] {"a.npy"}, folder.toFile().list());
    }

    private static int[] ghosts(long... dims) {
        int[] ghosts = new int[dims.length];
        Arrays.fill(ghosts, 1);
        return ghosts;
    }

    /** Larger than a tile, in both orders. */
    @ParameterizedTest
    @EnumSource(names = "TWO_NODES_OF_TWO")
    void shouldMoveBlocksOfSeveralTiles(JobShape job) throws IOException {
        int rows = 900;
        int columns = 1100;
        byte[] elements = new byte[rows * columns * Long.BYTES];
        java.nio.LongBuffer numbers = java.nio.ByteBuffer.wrap(elements).order(java.nio.ByteOrder.LITTLE_ENDIAN)
            .asLongBuffer();
        for (int i = 0; i < rows * columns; i++) {
            numbers.put(i, i);
        }
        Path file = Files.write(folder.resolve("f.npy"), npy(1, dictionary("<i8", true, rows, columns), elements));
        Path saved = folder.resolve("c.npy");
        job.run(gas -> {
            try (GlobalArray array = NumpyFile.load(gas, "A", file)) {
                LongView.of(array).forEachLocal((value, index) ->
                    assertEquals(index[0] + rows * index[1], value));
                LongView.of(array).map(Patch.whole(rows, columns), (value, index) -> columns * index[0] + index[1]);
                NumpyFile.save(array, saved);
            }
        });
        assertArrayEquals(npy(1, dictionary("<i8", false, rows, columns), elements), Files.readAllBytes(saved));
    }

    @ParameterizedTest
    @EnumSource(names = "TWO_NODES_OF_TWO")
    void shouldSaveAndLoadWhenARankIsInterrupted(JobShape job) {
        Path file = folder.resolve("a.npy");
        job.run(gas -> {
            GlobalArray array = GlobalArray.create(gas, "A", ElementType.INT, 11, 9);
            SerialModel model = SerialModel.filled(array, 7);
            model.verify(array); // opens connections, which an interrupt ends
            if (gas.rank() == 1) {
                Thread.currentThread().interrupt();
            }
            NumpyFile.save(array, file);
            array.zero();
            NumpyFile.loadInto(array, file);
            model.verify(array);
            try (GlobalArray loaded = NumpyFile.load(gas, "B", file)) {
                model.verify(loaded);
            }
            array.close();
            assertEquals(gas.rank() == 1, Thread.interrupted());
        });
    }

    /** As on hosts without a common file system. The files have the same type, shape and length. */
    @ParameterizedTest
    @EnumSource(names = "TWO_NODES_OF_TWO")
    void shouldRefuseToLoadWhenRanksFindDifferentFiles(JobShape job) {
        byte[] elements = new byte[12 * Double.BYTES];
        Path one = folder.resolve("one.npy");
        Path other = folder.resolve("other.npy");
        Path wide = folder.resolve("wide.npy");
        write(one, npy(1, dictionary("<f8", false, 3, 4), elements));
        elements[50] = 1;
        write(other, npy(1, dictionary("<f8", false, 3, 4), elements));
        write(wide, npy(1, dictionary("<f8", false, 4, 3), elements));
        job.run(gas -> {
            boolean isFirst = gas.node() == 0;
            GlobalArray array = GlobalArray.create(gas, "A", ElementType.DOUBLE, 3, 4);
            array.fill(2.0);
            refuse(other + ": the ranks find different files of that name: 224 bytes (checksum of samples 0x",
                () -> NumpyFile.loadInto(array, isFirst ? one : other));
            refuse(wide + ": the ranks find different files of that name: ",
                () -> NumpyFile.load(gas, "B", isFirst ? one : wide));
            assertEquals(24, DoubleView.of(array).reduce(Patch.whole(3, 4), 0, Double::sum));
            array.close();
        });
    }

    @ParameterizedTest
    @EnumSource(names = "TWO_NODES_OF_TWO")
    void shouldSayWhatDoesNotFit(JobShape job) {
        byte[] right = npy(1, dictionary("<f8", false, 3, 4), new byte[12 * Double.BYTES]);
        byte[] none = right.clone();
        none[1] = 'M';
        byte[] third = right.clone();
        third[6] = 3;
        byte[] huge = npy(2, dictionary("<f8", false, 3, 4), new byte[12 * Double.BYTES]);
        huge[11] = 1;
        Map<String, byte[]> refused = Map.of(
            "is no .npy file: it begins with the bytes 93 4d 55 4d 50 59, not with \\x93NUMPY", none,
            "is of version 3.0 of .npy; versions 1.0 and 2.0 can be read", third,
            "its header has 16777332 bytes, says byte 8; it may have 1048576", huge,
            "its dtype >f8 is not supported; <i4, <i8, <f4, <f8, <c8, <c16 are", npy(1,
                dictionary(">f8", false, 3, 4), new byte[96]),
            "its dtype [('x', '<f8')] is not supported", npy(1,
                "{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (3, 4), }", new byte[96]),
            "has shape (3,) of dtype <i4, which does not fit array 'A'; shape (3, 4) of dtype <f8 would", npy(1,
                dictionary("<i4", false, 3), new byte[12]),
            "its shape () is that of no array here", npy(1,
                "{'descr': '<f8', 'fortran_order': False, 'shape': (), }", new byte[8]),
            "its shape (1099511627776, 1099511627776) has more bytes than any file", npy(1,
                dictionary("<f8", false, 1L << 40, 1L << 40), new byte[8]),
            "is truncated: it has 223 bytes, and 224 are needed for shape (3, 4) of dtype <f8 from byte 128 on",
            Arrays.copyOf(right, right.length - 1),
            "its header has no 'descr', 'fortran_order' and 'shape' that can be read: {}", npy(1, "{}", new byte[0]));
        job.run(gas -> {
            GlobalArray array = GlobalArray.create(gas, "A", ElementType.DOUBLE, 3, 4);
            array.fill(2.0);
            int number = 0;
            for (Map.Entry<String, byte[]> one : refused.entrySet()) {
                Path file = folder.resolve(number++ + ".npy");
                if (gas.rank() == 0) {
                    write(file, one.getValue());
                }
                array.barrier();
                refuse(file + ": " + one.getKey(), () -> NumpyFile.loadInto(array, file));
            }
            Path missing = folder.resolve("missing.npy");
            refuse(missing + ": cannot be opened: no such file or folder", () -> NumpyFile.load(gas, "B", missing));
            Path nowhere = folder.resolve("no/a.npy");
            refuse(folder.resolve("no") + "/a.npy.",
                () -> NumpyFile.save(array, nowhere));
            assertEquals(24, DoubleView.of(array).reduce(Patch.whole(3, 4), 0, Double::sum));
            array.close();
        });
    }

    private static void refuse(String message, Runnable operation) {
        String actual = assertThrows(ArrayFileException.class, operation::run).getMessage();
        assertTrue(actual.startsWith(message), actual);
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(Path file, byte[] bytes) {
        try {
            Files.write(file, bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

package org.tributary.globalarrays.file;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.tributary.globalarrays.distribution.Distribution;
import org.tributary.wire.shape.ElementType;

/**
 * Header of an {@code .npy} file, before the elements of its array. Source: NumPy Enhancement Proposal 1.
 * <pre>
 *   +--------+-------+-------+---------------------+----------------------------------------+----------+
 *   | \x93   | major | minor | bytes of the text   | text: a dictionary of Python, blanks,  | elements |
 *   | NUMPY  |       |       | (2; 4 from 2.0 on)  | and a newline                          |          |
 *   +--------+-------+-------+---------------------+----------------------------------------+----------+
 *   0        6       7       8                                                              dataOffset, of 64
 * </pre>
 *
 * @param dataOffset where elements begin, in bytes
 */
record NumpyHeader(ElementType type, boolean isFortranOrder, long[] shape, long dataOffset) {
    private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
    private static final int VERSION_AT = MAGIC.length;
    private static final int FIXED = VERSION_AT + 2;
    private static final int LENGTH_OF_1 = 2;
    private static final int LENGTH_OF_2 = 4;
    private static final int ALIGNMENT = 64;
    private static final int LONGEST = 1 << 20;
    private static final Pattern DESCR = Pattern.compile("['\"]descr['\"]\\s*:\\s*(?:['\"]([^'\"]*)['\"]|(\\[.*?\\]))");
    private static final Pattern ORDER = Pattern.compile("['\"]fortran_order['\"]\\s*:\\s*(True|False)");
    private static final Pattern SHAPE = Pattern.compile("['\"]shape['\"]\\s*:\\s*\\(([0-9,\\s]*)\\)");

    /** How NumPy names a type, on the machines that this runs on. */
    static String name(ElementType type) {
        return switch (type) {
            case INT -> "<i4";
            case LONG -> "<i8";
            case FLOAT -> "<f4";
            case DOUBLE -> "<f8";
            case COMPLEX_FLOAT -> "<c8";
            case COMPLEX_DOUBLE -> "<c16";
        };
    }

    /** As NumPy writes it: {@code (3, 4)}, {@code (3,)}. */
    static String text(long... shape) {
        return shape.length == 1 ? "(" + shape[0] + ",)"
            : Arrays.stream(shape).mapToObj(Long::toString).collect(Collectors.joining(", ", "(", ")"));
    }

    /** The bytes of a header of version 1.0, in C order. */
    static ByteBuffer encode(ElementType type, long... shape) {
        String text = "{'descr': '" + name(type) + "', 'fortran_order': False, 'shape': " + text(shape) + ", }";
        int before = FIXED + LENGTH_OF_1;
        int length = Math.ceilDiv(before + text.length() + 1, ALIGNMENT) * ALIGNMENT - before;
        ByteBuffer bytes = ByteBuffer.allocate(before + length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(MAGIC).put((byte) 1).put((byte) 0).putShort((short) length);
        bytes.put((text + " ".repeat(length - 1 - text.length()) + "\n").getBytes(StandardCharsets.US_ASCII));
        return bytes.flip();
    }

    /** Reads and checks the header, and that all elements are there. */
    static NumpyHeader read(OpenFile file) {
        ByteBuffer fixed = read(file, 0, FIXED);
        if (!Arrays.equals(MAGIC, Arrays.copyOf(fixed.array(), MAGIC.length))) {
            throw new ArrayFileException(file.path() + ": is no .npy file: it begins with the bytes "
                + HexFormat.ofDelimiter(" ").formatHex(fixed.array(), 0, MAGIC.length) + ", not with \\x93NUMPY");
        }
        int major = fixed.get(VERSION_AT);
        if (major != 1 && major != 2) {
            throw new ArrayFileException(file.path() + ": is of version " + major + "." + fixed.get(VERSION_AT + 1)
                + " of .npy; versions 1.0 and 2.0 can be read");
        }
        int lengthBytes = major == 1 ? LENGTH_OF_1 : LENGTH_OF_2;
        ByteBuffer length = read(file, FIXED, lengthBytes);
        long textBytes = major == 1 ? Short.toUnsignedLong(length.getShort(0))
            : Integer.toUnsignedLong(length.getInt(0));
        if (textBytes > LONGEST) {
            throw new ArrayFileException(file.path() + ": its header has " + textBytes + " bytes, says byte " + FIXED
                + "; it may have " + LONGEST);
        }
        int begin = FIXED + lengthBytes;
        String text = new String(read(file, begin, (int) textBytes).array(), StandardCharsets.ISO_8859_1);
        NumpyHeader header = parse(file, text, begin + textBytes);
        header.requireElements(file);
        return header;
    }

    private static ByteBuffer read(OpenFile file, long offset, int length) {
        ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        file.read(bytes, offset);
        return bytes;
    }

    private static NumpyHeader parse(OpenFile file, String text, long dataOffset) {
        Matcher descr = DESCR.matcher(text);
        Matcher order = ORDER.matcher(text);
        Matcher shape = SHAPE.matcher(text);
        if (!descr.find() || !order.find() || !shape.find()) {
            throw new ArrayFileException(file.path() + ": its header has no 'descr', 'fortran_order' and 'shape' that"
                + " can be read: " + text.strip());
        }
        String dtype = descr.group(1) != null ? descr.group(1) : descr.group(2);
        return new NumpyHeader(type(file, dtype), order.group(1).equals("True"), shape(file, shape.group(1)),
            dataOffset);
    }

    private static ElementType type(OpenFile file, String dtype) {
        for (ElementType type : ElementType.values()) {
            if (name(type).equals(dtype)) {
                return type;
            }
        }
        throw new ArrayFileException(file.path() + ": its dtype " + dtype + " is not supported; "
            + Arrays.stream(ElementType.values()).map(NumpyHeader::name).collect(Collectors.joining(", "))
            + " are, so convert it, such as by a.astype('<f8') in NumPy");
    }

    private static long[] shape(OpenFile file, String text) {
        try {
            long[] shape = Arrays.stream(text.split(",")).map(String::strip).filter(length -> !length.isEmpty())
                .mapToLong(Long::parseLong).toArray();
            if (shape.length >= 1 && shape.length <= Distribution.MAX_DIMENSIONS
                && Arrays.stream(shape).allMatch(length -> length > 0)) {
                return shape;
            }
        } catch (NumberFormatException e) {
            // Refused as any other.
        }
        throw new ArrayFileException(file.path() + ": its shape (" + text + ") is that of no array here: 1 to "
            + Distribution.MAX_DIMENSIONS + " dimensions with 1 element or more each");
    }

    private void requireElements(OpenFile file) {
        long end;
        try {
            end = dataOffset;
            long bytes = type.sizeInBytes();
            for (long length : shape) {
                bytes = Math.multiplyExact(bytes, length);
            }
            end = Math.addExact(end, bytes);
        } catch (ArithmeticException e) {
            throw new ArrayFileException(file.path() + ": its shape " + text(shape) + " has more bytes than any file",
                e);
        }
        long size = file.size();
        if (size < end) {
            throw new ArrayFileException(file.path() + ": is truncated: it has " + size + " bytes, and " + end
                + " are needed for " + describe() + " from byte " + dataOffset + " on");
        }
    }

    /** Such as {@code shape (3, 4) of dtype <f8}. */
    String describe() {
        return describe(type, shape);
    }

    static String describe(ElementType type, long... shape) {
        return "shape " + text(shape) + " of dtype " + name(type);
    }
}

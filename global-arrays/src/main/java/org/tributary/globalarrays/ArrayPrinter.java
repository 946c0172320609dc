package org.tributary.globalarrays;

import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Locale;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.globalarrays.distribution.Tiles;
import org.tributary.wire.shape.ElementType;

/**
 * Prints patches of arrays, a line for each row: {@code GA_Print} and {@code NGA_Print_patch}. One-sided: one rank
 * prints, and gets from the others a piece of the patch at a time, so that a patch may be larger than its memory.
 * Thread-safe, apart from lines of others on the same stream.
 */
public final class ArrayPrinter {
    /** Elements that are got at once. */
    private static final long TILE_ELEMENTS = 1 << 16;

    private ArrayPrinter() {
    }

    /** Prints a whole array. */
    public static void print(GlobalArray array, PrintStream out) {
        print(array, Patch.whole(array.dims()), out);
    }

    /**
     * Prints a patch: a title with name, type and patch, then rows along the last dimension. Above each plane of the
     * last two dimensions of more than two stands the index of the plane, such as {@code [3, *, *]}. Reals have seven
     * digits, whatever the locale.
     *
     * @throws ArrayBoundsException when the patch lies outside the array; nothing is printed then
     */
    public static void print(GlobalArray array, Patch patch, PrintStream out) {
        ArrayChecks.patch(array.alive().name(), array.distribution(), patch);
        out.println("array '" + array.name() + "': " + array.type() + " " + patch);
        int last = patch.dimensions() - 1;
        ElementType type = array.type();
        Tiles.forEach(patch, TILE_ELEMENTS, tile -> {
            MemorySegment elements = MemorySegment.ofArray(
                new long[Math.toIntExact(Math.ceilDiv(tile.elementCount() * type.sizeInBytes(), Long.BYTES))]);
            array.get(tile, LocalBuffer.of(elements));
            long[] next = {0};
            Tiles.forEachRow(tile, (index, count) -> {
                boolean isFirst = index[last] == patch.lo(last);
                if (isFirst && last > 1 && index[last - 1] == patch.lo(last - 1)) {
                    out.println(plane(index));
                }
                StringBuilder row = new StringBuilder();
                for (int i = 0; i < count; i++) {
                    row.append(isFirst && i == 0 ? "" : " ").append(text(type, elements, next[0]++));
                }
                out.print(row);
                if (index[last] + count == patch.hi(last)) {
                    out.println();
                }
            });
        });
    }

    private static String plane(long... index) {
        StringBuilder text = new StringBuilder("[");
        for (int d = 0; d < index.length - 2; d++) {
            text.append(index[d]).append(", ");
        }
        return text.append("*, *]").toString();
    }

    /** Of one width for a type, but for integers of more digits. */
    private static String text(ElementType type, MemorySegment elements, long i) {
        return switch (type) {
            case INT -> format("%11d", elements.getAtIndex(ValueLayout.JAVA_INT, i));
            case LONG -> format("%11d", elements.getAtIndex(ValueLayout.JAVA_LONG, i));
            case FLOAT -> format("%13.6e", elements.getAtIndex(ValueLayout.JAVA_FLOAT, i));
            case DOUBLE -> format("%13.6e", elements.getAtIndex(ValueLayout.JAVA_DOUBLE, i));
            case COMPLEX_FLOAT -> format("%13.6e%+.6ei", elements.getAtIndex(ValueLayout.JAVA_FLOAT, 2 * i),
                elements.getAtIndex(ValueLayout.JAVA_FLOAT, 2 * i + 1));
            case COMPLEX_DOUBLE -> format("%13.6e%+.6ei", elements.getAtIndex(ValueLayout.JAVA_DOUBLE, 2 * i),
                elements.getAtIndex(ValueLayout.JAVA_DOUBLE, 2 * i + 1));
        };
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}

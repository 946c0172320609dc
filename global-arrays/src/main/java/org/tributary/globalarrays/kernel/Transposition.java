package org.tributary.globalarrays.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Transposes a matrix in local memory, in small squares so that both sides stay in the cache. */
public final class Transposition {
    private static final int SIDE = 16;

    private Transposition() {
    }

    /**
     * {@code target[j][i] = source[i][j]}; the two must not overlap.
     *
     * @param elementBytes 4, 8 or 16
     * @param sourcePitch  bytes between the rows of the source
     * @param targetPitch  bytes between the rows of the target
     * @param rows         rows of the source
     * @param columns      columns of the source
     */
    public static void transpose(int elementBytes, MemorySegment source, long sourceOffset, long sourcePitch,
        MemorySegment target, long targetOffset, long targetPitch, long rows, long columns) {
        for (long i = 0; i < rows; i += SIDE) {
            int height = (int) Math.min(SIDE, rows - i);
            for (long j = 0; j < columns; j += SIDE) {
                int width = (int) Math.min(SIDE, columns - j);
                long from = sourceOffset + i * sourcePitch + j * elementBytes;
                long to = targetOffset + j * targetPitch + i * elementBytes;
                if (elementBytes == Integer.BYTES) {
                    ints(source, from, sourcePitch, target, to, targetPitch, height, width);
                } else {
                    longs(elementBytes, source, from, sourcePitch, target, to, targetPitch, height, width);
                }
            }
        }
    }

    private static void ints(MemorySegment source, long from, long sourcePitch, MemorySegment target, long to,
        long targetPitch, int height, int width) {
        for (int i = 0; i < height; i++) {
            for (int j = 0; j < width; j++) {
                target.set(ValueLayout.JAVA_INT_UNALIGNED, to + j * targetPitch + 4L * i,
                    source.get(ValueLayout.JAVA_INT_UNALIGNED, from + i * sourcePitch + 4L * j));
            }
        }
    }

    private static void longs(int elementBytes, MemorySegment source, long from, long sourcePitch, MemorySegment target,
        long to, long targetPitch, int height, int width) {
        for (int i = 0; i < height; i++) {
            for (int j = 0; j < width; j++) {
                long x = from + i * sourcePitch + (long) elementBytes * j;
                long y = to + j * targetPitch + (long) elementBytes * i;
                for (int word = 0; word < elementBytes; word += Long.BYTES) {
                    target.set(ValueLayout.JAVA_LONG_UNALIGNED, y + word,
                        source.get(ValueLayout.JAVA_LONG_UNALIGNED, x + word));
                }
            }
        }
    }
}

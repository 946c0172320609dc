package org.tributary.benchmarks.onesided;

import org.tributary.client.shape.Strided;
import org.tributary.config.ConfigException;

/**
 * The shape of the strided operations, the same at both ends.
 *
 * <pre>
 *   |- rowBytes -|            |- rowBytes -|            |
 *   |-------- pitch ---------||-------- pitch ---------| ... rows times
 * </pre>
 */
record Rows(int rows, long rowBytes, long pitch) {
    private static final long MAX_SPAN = 1L << 30;

    Rows {
        if (rows < 1 || pitch < rowBytes || rows > MAX_SPAN / pitch) {
            throw new ConfigException(rows + " rows of " + rowBytes + " bytes in a pitch of " + pitch
                + " bytes: there must be at least one row, none longer than the pitch, and 1g bytes in all");
        }
    }

    Strided shape() {
        return Strided.rows(rowBytes, rows, pitch, pitch);
    }

    /** Length of the data, without the gaps between rows. */
    long bytes() {
        return rows * rowBytes;
    }

    /** Length of the rows with the gap behind each. */
    long span() {
        return rows * pitch;
    }
}

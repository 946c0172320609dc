package org.tributary.client.shape;

import java.util.Arrays;

/**
 * Ranges of a vector transfer: range {@code i} is {@code lengths[i]} bytes at {@code localOffsets[i]} of the local
 * buffer and at {@code remoteOffsets[i]} of the remote memory. Immutable and thread-safe.
 */
public record Ranges(long[] localOffsets, long[] remoteOffsets, int[] lengths) {
    /** Ranges of any lengths; the arrays are of one size. */
    public Ranges {
        if (localOffsets.length != remoteOffsets.length || localOffsets.length != lengths.length) {
            throw new IllegalArgumentException(localOffsets.length + " local offsets, " + remoteOffsets.length
                + " remote offsets, " + lengths.length + " lengths");
        }
        for (int length : lengths) {
            if (length < 0) {
                throw new IllegalArgumentException("range of " + length + " bytes");
            }
        }
        localOffsets = localOffsets.clone();
        remoteOffsets = remoteOffsets.clone();
        lengths = lengths.clone();
    }

    /** As many ranges as each of the arrays has offsets, in bytes; all are {@code lengthInBytes} long. */
    public static Ranges uniform(int lengthInBytes, long[] localOffsets, long[] remoteOffsets) {
        int[] lengths = new int[localOffsets.length];
        Arrays.fill(lengths, lengthInBytes);
        return new Ranges(localOffsets, remoteOffsets, lengths);
    }

    /** How many ranges there are, empty ones included. */
    public int count() {
        return lengths.length;
    }

    /** Sum of the lengths; a byte that lies in several ranges counts for each. */
    public long bytes() {
        long total = 0;
        for (int length : lengths) {
            total += length;
        }
        return total;
    }

    /** Lowest remote offset, or 0 when there are no ranges. */
    public long remoteLow() {
        return Arrays.stream(remoteOffsets).min().orElse(0);
    }

    /** Where the last of the remote ranges ends. */
    public long remoteHigh() {
        long high = 0;
        for (int range = 0; range < lengths.length; range++) {
            high = Math.max(high, Math.addExact(remoteOffsets[range], lengths[range]));
        }
        return high;
    }

    /** The same with every remote offset moved. */
    public Ranges movedRemotely(long by) {
        return by == 0 ? this
            : new Ranges(localOffsets, Arrays.stream(remoteOffsets).map(offset -> offset + by).toArray(), lengths);
    }

    public long localOffset(int range) {
        return localOffsets[range];
    }

    public long remoteOffset(int range) {
        return remoteOffsets[range];
    }

    public int length(int range) {
        return lengths[range];
    }
}

package org.tributary.client;

import java.util.Arrays;

/**
 * Ranges of a vector transfer: range {@code i} is {@code lengths[i]} bytes at {@code localOffsets[i]} of the local
 * buffer and at {@code remoteOffsets[i]} of the remote memory. Immutable and thread-safe.
 */
public final class Ranges {
    private final long[] localOffsets;
    private final long[] remoteOffsets;
    private final int[] lengths;

    /** Ranges of any lengths; the arrays are of one size. */
    public Ranges(long[] localOffsets, long[] remoteOffsets, int[] lengths) {
        if (localOffsets.length != remoteOffsets.length || localOffsets.length != lengths.length) {
            throw new IllegalArgumentException(localOffsets.length + " local offsets, " + remoteOffsets.length
                + " remote offsets, " + lengths.length + " lengths");
        }
        for (int length : lengths) {
            if (length < 0) {
                throw new IllegalArgumentException("range of " + length + " bytes");
            }
        }
        this.localOffsets = localOffsets.clone();
        this.remoteOffsets = remoteOffsets.clone();
        this.lengths = lengths.clone();
    }

    /** Ranges of one length. */
    public static Ranges uniform(int lengthInBytes, long[] localOffsets, long[] remoteOffsets) {
        int[] lengths = new int[localOffsets.length];
        Arrays.fill(lengths, lengthInBytes);
        return new Ranges(localOffsets, remoteOffsets, lengths);
    }

    /** Number of ranges. */
    public int count() {
        return lengths.length;
    }

    long[] localOffsets() {
        return localOffsets;
    }

    int[] lengths() {
        return lengths;
    }

    long localOffset(int range) {
        return localOffsets[range];
    }

    long remoteOffset(int range) {
        return remoteOffsets[range];
    }

    int length(int range) {
        return lengths[range];
    }
}

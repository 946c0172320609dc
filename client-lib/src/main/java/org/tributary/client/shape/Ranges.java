package org.tributary.client.shape;

import java.util.Arrays;

/**
 * Ranges of a vector transfer: range {@code i} is {@code lengths[i]} bytes at {@code localOffsets[i]} of the local
 * buffer and at {@code remoteOffsets[i]} of the remote memory. Immutable and thread-safe.
 */
public record Ranges(long[] localOffsets, long[] remoteOffsets, int[] lengths) implements Shape {
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

    @Override
    public long bytes() {
        long total = 0;
        for (int length : lengths) {
            total += length;
        }
        return total;
    }

    @Override
    public long meanBlockBytes() {
        return bytes() / Math.max(1, lengths.length);
    }

    /** The lowest remote offset, or 0 when there are no ranges. */
    @Override
    public long remoteLow() {
        return Arrays.stream(remoteOffsets).min().orElse(0);
    }

    @Override
    public long remoteHigh() {
        long high = 0;
        for (int range = 0; range < lengths.length; range++) {
            high = Math.max(high, Math.addExact(remoteOffsets[range], lengths[range]));
        }
        return high;
    }

    /** Of ranges that are not empty; their offsets are complete, and {@code begin} is not added to them. */
    @Override
    public void forEachRemoteBlock(long begin, BlockAction action) {
        for (int range = 0; range < lengths.length; range++) {
            if (lengths[range] > 0) {
                action.at(remoteOffsets[range], lengths[range]);
            }
        }
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

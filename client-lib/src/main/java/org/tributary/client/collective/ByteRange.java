package org.tributary.client.collective;

/**
 * Bytes of a buffer as a stream of chunks: one contiguous piece, or two where the range wraps around the end of the
 * buffer. Each piece begins with a chunk of its own, so a chunk is always contiguous.
 *
 * <p>Mutable, to be set anew for each stream instead of allocated.
 */
final class ByteRange {
    private final int chunkBytes;
    private long start;
    private long first;
    private long second;
    private long firstChunks;
    private long chunks;

    ByteRange(int chunkBytes) {
        this.chunkBytes = chunkBytes;
    }

    /** The bytes from {@code start} on. */
    ByteRange set(long start, long length) {
        return set(start, length, 0);
    }

    /** The parts {@code from} inclusive to {@code to} exclusive, counted modulo the number of parts; not all. */
    ByteRange cover(Partition partition, int from, int to) {
        int parts = partition.parts();
        long begin = partition.start(from % parts);
        if (from == to) {
            return set(begin, 0);
        }
        long end = partition.start(to % parts);
        if (from % parts < to % parts) {
            return set(begin, end - begin);
        }
        return set(begin, partition.start(parts) - begin, end);
    }

    private ByteRange set(long start, long first, long second) {
        this.start = start;
        this.first = first;
        this.second = second;
        firstChunks = chunksOf(first);
        chunks = Math.max(1, firstChunks + chunksOf(second));
        return this;
    }

    private long chunksOf(long bytes) {
        return bytes == 0 ? 0 : (bytes - 1) / chunkBytes + 1;
    }

    /** Chunks of the stream: at least one, which is empty if the range is. */
    long chunks() {
        return chunks;
    }

    /** Where chunk {@code k} begins in the buffer. */
    long offset(long k) {
        return k < firstChunks ? start + k * chunkBytes : (k - firstChunks) * chunkBytes;
    }

    /** Bytes of chunk {@code k}. */
    long length(long k) {
        return k < firstChunks ? Math.min(chunkBytes, first - k * chunkBytes)
            : Math.min(chunkBytes, second - (k - firstChunks) * chunkBytes);
    }
}

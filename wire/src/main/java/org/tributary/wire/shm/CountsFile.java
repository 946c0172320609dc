package org.tributary.wire.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Where a server tells what it has counted, for processes that look at the job from outside. The server writes all of
 * it about once a second; readers map nothing and trust nothing.
 *
 * <pre>
 *   0      magic     int64
 *   8      sequence  int32, odd while the rest is written, 0 before anything has been
 *   12     length    int32
 *   16     what is told, {@link #MAX_BYTES} bytes at most
 * </pre>
 */
public final class CountsFile {
    /** Longest content. */
    public static final int MAX_BYTES = 128 * 1024 - 16;
    static final long MAGIC = 0x53_544E_554F_4352L;
    static final int SEQUENCE_OFFSET = 8;
    static final int LENGTH_OFFSET = 12;
    static final int CONTENT_OFFSET = 16;
    private static final int READINGS = 20;

    private final MemorySegment memory;

    private CountsFile(MemorySegment memory) {
        this.memory = memory;
    }

    /** Length of a file for such a content at the most. */
    public static long bytes(int capacity) {
        return CONTENT_OFFSET + Math.min(capacity, MAX_BYTES);
    }

    /**
     * Creates the file and reserves its memory; the server calls this once.
     *
     * @param capacity longest content that it will write
     */
    public static CountsFile create(Path file, Arena arena, int capacity) throws IOException {
        SharedFile.create(file, bytes(capacity));
        MemorySegment memory = SharedFile.map(file, arena);
        memory.set(ValueLayout.JAVA_LONG, 0, MAGIC);
        return new CountsFile(memory);
    }

    /** Length of the file: room for the longest content, and the 16 bytes before it. */
    public long sizeInBytes() {
        return memory.byteSize();
    }

    /** Writes what is between position and limit, by the server's event loop alone; what does not fit is not told. */
    public void write(ByteBuffer content) {
        int length = content.remaining();
        if (length > memory.byteSize() - CONTENT_OFFSET) {
            return;
        }
        int odd = memory.get(ValueLayout.JAVA_INT, SEQUENCE_OFFSET) | 1; // whatever a stray store has left
        memory.set(ValueLayout.JAVA_INT, SEQUENCE_OFFSET, odd);
        VarHandle.releaseFence(); // a reader of this content sees an odd or later sequence before
        memory.set(ValueLayout.JAVA_LONG, 0, MAGIC); // again: as the sequence
        memory.set(ValueLayout.JAVA_INT, LENGTH_OFFSET, length);
        MemorySegment.copy(MemorySegment.ofBuffer(content), 0, memory, CONTENT_OFFSET, length);
        SharedWord.setRelease(memory, SEQUENCE_OFFSET, odd + 1); // partner: the two readings of read()
    }

    /**
     * Reads the latest counts of the server; empty when it has not told any yet, or the file is none of this kind.
     *
     * @throws IOException when there is no file
     */
    public static ByteBuffer read(Path path) throws IOException {
        try (OpenFile file = OpenFile.of(path)) {
            for (int reading = 0; reading < READINGS; reading++) {
                ByteBuffer header = file.read(0, CONTENT_OFFSET);
                int sequence = header.limit() < CONTENT_OFFSET ? 0 : header.getInt(SEQUENCE_OFFSET);
                int length = sequence == 0 ? 0 : header.getInt(LENGTH_OFFSET);
                if (sequence == 0 || header.getLong(0) != MAGIC) {
                    return ByteBuffer.allocate(0);
                }
                if ((sequence & 1) == 0 && length >= 0 && length <= MAX_BYTES) {
                    ByteBuffer content = file.read(CONTENT_OFFSET, length);
                    if (header.equals(file.read(0, CONTENT_OFFSET)) && content.limit() == length) {
                        return content;
                    }
                }
            }
            return ByteBuffer.allocate(0);
        }
    }
}

package org.tributary.wire.shm;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * A stream of bytes from one rank to its server: a ring with one writer and one reader, each with a word on cache lines
 * of its own (128 bytes, because processors fetch lines in pairs).
 *
 * <pre>
 *   0      tail  int64, bytes written since the beginning; stored by the writer
 *   128    head  int64, bytes taken since the beginning; stored by the reader
 *   256    data, a power of 2 of bytes; byte n of the stream is at n modulo that
 * </pre>
 *
 * <p>Either side remembers its own word, which it never reads again, and trusts the other's only within bounds: a
 * reader copies bytes out before it looks at them, and a tail or a head that cannot be is a
 * {@link DamagedMemoryException}.
 */
public final class RequestRing {
    static final long TAIL = 0;
    static final long HEAD = 128;
    static final long DATA = 256;

    private RequestRing() {
    }

    /** Bytes that a ring of that capacity takes. */
    public static long bytes(int capacity) {
        return DATA + capacity;
    }

    private static int capacityOf(MemorySegment memory) {
        return Math.toIntExact(memory.byteSize() - DATA);
    }

    /** The rank's side. Not thread-safe. */
    public static final class Writer {
        private final MemorySegment memory;
        private final ByteBuffer data;
        private final int capacity;
        private final String where;
        private long tail;
        private long head;

        /** The writer of an empty ring, which goes on where another may have ended; {@code where} is its name. */
        public Writer(MemorySegment memory, String where) {
            this.memory = memory;
            this.where = where;
            this.tail = SharedWord.getLongAcquire(memory, TAIL);
            this.head = tail;
            this.capacity = capacityOf(memory);
            this.data = memory.asSlice(DATA).asByteBuffer();
        }

        /** Takes as many bytes from the buffer as there is room for; the reader sees none before {@link #publish}. */
        public int write(ByteBuffer source) {
            int wanted = source.remaining();
            if (room() < wanted) {
                look();
            }
            int length = Math.min(wanted, room());
            int at = (int) tail & capacity - 1;
            int first = Math.min(length, capacity - at);
            int from = source.position();
            data.put(at, source, from, first);
            data.put(0, source, from + first, length - first);
            source.position(from + length);
            tail += length;
            return length;
        }

        private int room() {
            return capacity - (int) (tail - head);
        }

        /** Looks what the reader has taken since. */
        private void look() {
            long taken = SharedWord.getLongAcquire(memory, HEAD); // read once; partner: Reader.take()
            if (taken - head < 0 || taken - tail > 0) {
                throw new DamagedMemoryException(where, "its head is " + taken + ", not between " + head
                    + ", which it was, and " + tail + ", its tail");
            }
            head = taken;
        }

        /** Lets the reader see what has been written. */
        public void publish() {
            SharedWord.setLongRelease(memory, TAIL, tail); // partner: Reader.available()
        }

        /** Whether the reader has taken everything. */
        public boolean isEmpty() {
            if (head != tail) {
                look();
            }
            return head == tail;
        }
    }

    /** The server's side. Not thread-safe. */
    public static final class Reader implements RequestStream {
        private final MemorySegment memory;
        private final MemorySegment data;
        private final int capacity;
        private final String where;
        private long head;

        /** The reader of a ring, which goes on where another may have ended; {@code where} is its name. */
        public Reader(MemorySegment memory, String where) {
            this.memory = memory;
            this.where = where;
            this.head = SharedWord.getLongAcquire(memory, HEAD);
            this.capacity = capacityOf(memory);
            this.data = memory.asSlice(DATA);
        }

        @Override
        public int available() {
            long tail = SharedWord.getLongAcquire(memory, TAIL); // read once; partner: Writer.publish()
            long length = tail - head;
            if (length < 0 || length > capacity) {
                throw new DamagedMemoryException(where, "its tail is " + tail + ", not between " + head
                    + ", its head, and " + (head + capacity) + ", when it is full");
            }
            return (int) length;
        }

        @Override
        public void copy(MemorySegment target, int length) {
            int at = (int) head & capacity - 1;
            int first = Math.min(length, capacity - at);
            MemorySegment.copy(data, at, target, 0, first);
            MemorySegment.copy(data, 0, target, first, length - first);
        }

        @Override
        public void take(int length) {
            head += length;
            SharedWord.setLongRelease(memory, HEAD, head); // after the copies; partner: Writer.look()
        }

        /** Stores again what has been taken, in case somebody else has stored there: the writer waits for it. */
        public void repeat() {
            SharedWord.setLongRelease(memory, HEAD, head); // partner: Writer.look()
        }
    }
}

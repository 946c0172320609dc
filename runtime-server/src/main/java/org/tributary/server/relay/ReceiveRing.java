package org.tributary.server.relay;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.tributary.server.io.ReplyWriter;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.SingleSum;

/**
 * Where requests of a source that are to be passed on lie until they leave: a ring. Positions are
 * bytes since the source came. Which of them are taken is the forwarder's to know. Owned by the event loop.
 */
final class ReceiveRing {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final MemorySegment memory;
    private final int capacity;

    /** A ring in memory whose length is a multiple of 8. */
    ReceiveRing(MemorySegment memory) {
        this.memory = memory;
        this.capacity = (int) memory.byteSize();
    }

    private int at(long position) {
        return (int) (position % capacity);
    }

    void put(long position, MemorySegment source, long from, int length) {
        int at = at(position);
        int first = Math.min(length, capacity - at);
        MemorySegment.copy(source, from, memory, at, first);
        MemorySegment.copy(source, from + first, memory, 0, length - first);
    }

    void putInt(long position, int value) {
        int at = at(position);
        if (at <= capacity - Integer.BYTES) {
            memory.set(INT, at, value);
            return;
        }
        for (int i = 0; i < Integer.BYTES; i++) {
            memory.set(ValueLayout.JAVA_BYTE, at(position + i), (byte) (value >>> i * Byte.SIZE));
        }
    }

    int getInt(long position) {
        int at = at(position);
        if (at <= capacity - Integer.BYTES) {
            return memory.get(INT, at);
        }
        int value = 0;
        for (int i = 0; i < Integer.BYTES; i++) {
            value |= (memory.get(ValueLayout.JAVA_BYTE, at(position + i)) & 0xFF) << i * Byte.SIZE;
        }
        return value;
    }

    void putLong(long position, long value) {
        putInt(position, (int) value);
        putInt(position + Integer.BYTES, (int) (value >>> Integer.SIZE));
    }

    long getLong(long position) {
        return getInt(position) & 0xFFFFFFFFL | (long) getInt(position + Integer.BYTES) << Integer.SIZE;
    }

    /** Adds the elements of another ring's to those at {@code position}. */
    void add(long position, ReceiveRing other, long from, int length, ElementType type) {
        for (int done = 0; done < length; done += type.sizeInBytes()) {
            long to = position + done;
            if (type.sizeInBytes() == Long.BYTES) {
                putLong(to, SingleSum.sum(type, getLong(to), other.getLong(from + done)));
            } else {
                putInt(to, (int) SingleSum.sum(type, getInt(to), other.getInt(from + done)));
            }
        }
    }

    void send(long position, int length, ReplyWriter to) {
        int at = at(position);
        int first = Math.min(length, capacity - at);
        to.append(memory, at, first);
        to.append(memory, 0, length - first);
    }
}

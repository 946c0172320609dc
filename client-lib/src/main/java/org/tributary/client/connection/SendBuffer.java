package org.tributary.client.connection;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.GatheringByteChannel;
import java.util.ArrayDeque;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.wire.shape.StridedRegion;

/**
 * Requests on their way into one socket or ring. Small ones gather here until they are flushed or the buffer is full;
 * large contiguous payload goes from where it lies, either at once or, when the caller allows that, later and in
 * pieces. Payload that is left for later keeps its place between the bytes of the buffer:
 *
 * <pre>
 *   buffer   |  with the kernel  |  header  |  header, small requests  |  not flushed yet  |
 *            0                 sent         |                         due              position
 *   payload                                 +-- goes out between these two headers
 * </pre>
 *
 * When the socket takes no more, {@link Blocked} is called until it does, so that answers are read meanwhile and
 * neither side waits for the other for ever.
 */
final class SendBuffer {
    /** Action while the socket takes nothing, and when it has taken what somebody waits for. */
    interface Blocked {
        void socketFull() throws IOException;

        /** Payload that was left for later is with the kernel, as its callback has been told. */
        default void payloadSent() {
            // Nobody sleeps until then.
        }

        /** It took something again, or nobody waits for that any more. */
        default void socketTakesAgain() {
            // Nobody counts.
        }
    }

    /** Of buffers, in bytes. */
    static final int ALIGNMENT = 64;
    /** From this size on, payload is sent from where it lies. */
    static final int DIRECT_BYTES = 16 * 1024;
    /** Megabytes in one call make the sender do the kernel's work of the whole transfer: pieces flow faster. */
    private static final int MAX_WRITE = 512 << 10;
    private static final ValueLayout.OfLong LONG =
        ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final GatheringByteChannel channel;
    private final RecordTransport sealed;
    private final LinkSet<?>.Membership unflushed;
    private final LinkSet<?>.Membership postponed;
    private final Blocked blocked;
    private final MemorySegment memory;
    private final ByteBuffer bytes;
    private final UnsafeBuffer codec;
    private final ByteBuffer[] gathered = new ByteBuffer[2];
    private final ArrayDeque<Payload> queue = new ArrayDeque<>();
    private final long deferredMin;
    private final Thread deferredSender;
    private boolean deferring;
    private boolean deferredLast;
    private int sent;
    private int due;
    private int position;

    /**
     * An empty buffer.
     *
     * @param unflushed      whether something in it is not with the kernel
     * @param postponed      whether payload has been left for later
     * @param deferredMin    from how many bytes on payload may be left for later
     * @param deferredSender the thread that sends it then
     */
    SendBuffer(GatheringByteChannel channel, int capacity, SegmentAllocator allocator, LinkSet<?>.Membership unflushed,
        LinkSet<?>.Membership postponed, Blocked blocked, long deferredMin, Thread deferredSender) {
        this.deferredMin = deferredMin == 0 ? Long.MAX_VALUE : deferredMin;
        this.deferredSender = deferredSender;
        this.channel = channel;
        this.sealed = RecordTransport.of(channel);
        this.unflushed = unflushed;
        this.postponed = postponed;
        this.blocked = blocked;
        this.memory = allocator.allocate(capacity, ALIGNMENT);
        this.bytes = memory.asByteBuffer();
        this.codec = new UnsafeBuffer(bytes);
    }

    UnsafeBuffer codec() {
        return codec;
    }

    int position() {
        return position;
    }

    int capacity() {
        return codec.capacity();
    }

    int room() {
        return codec.capacity() - position;
    }

    /** Makes room for that many bytes, which are fewer than the capacity. */
    void ensure(int length) throws IOException {
        if (room() < length) {
            flush();
        }
    }

    /**
     * Claims bytes that have been or will be encoded at the returned position. A flush in the middle of a message makes
     * the buffer empty, so whatever comes next makes it unflushed anew.
     */
    int claim(int length) {
        unflushed.addToSet();
        int at = position;
        position += length;
        return at;
    }

    void putLong(long value) {
        memory.set(LONG, claim(Long.BYTES), value);
    }

    void putInt(int value) {
        memory.set(INT, claim(Integer.BYTES), value);
    }

    /** Appends bytes that fit. */
    void copy(MemorySegment source, long offset, int length) {
        MemorySegment.copy(source, offset, memory, claim(length), length);
    }

    boolean isDeferred(long length) {
        return length >= deferredMin;
    }

    /** Appends payload of any size. */
    void payload(MemorySegment source, long offset, long length) throws IOException {
        if (length >= DIRECT_BYTES && source.isNative()) {
            boolean large = isDeferred(length) || !queue.isEmpty(); // what is behind such payload waits anyway
            deferredLast = deferring && large && source.isAccessibleBy(deferredSender);
            queue.add(new Payload(position, source.asSlice(offset, length).asByteBuffer()));
            due = position;
            if (!deferredLast) {
                flush();
            }
            return;
        }
        long from = offset;
        long left = length;
        while (left > 0) {
            if (room() == 0) {
                flush();
            }
            int piece = (int) Math.min(room(), left);
            copy(source, from, piece);
            from += piece;
            left -= piece;
        }
    }

    /** Appends all that remains of a region. */
    void payload(StridedRegion source) throws IOException {
        if (source.isContiguous()) {
            payload(source.memory(), source.position(), source.remaining());
            return;
        }
        while (source.remaining() > 0) {
            if (room() == 0) {
                flush();
            }
            int piece = (int) Math.min(room(), source.remaining());
            source.gather(memory, claim(piece), piece);
        }
    }

    /** Large payload that follows may be left for later, because it stays as it is until then. */
    void beginDeferring() {
        deferring = true;
        deferredLast = false;
    }

    /** Ends that; whether payload that was appended meanwhile, its end at least, is still to be sent. */
    boolean endDeferring() {
        deferring = false;
        return deferredLast && !queue.isEmpty();
    }

    /** Whether something that may leave has not. */
    boolean hasDeferred() {
        return due > sent || !queue.isEmpty() || sealed != null && sealed.hasPending();
    }

    /** Somebody waits until the payload that was appended last is with the kernel. */
    void whenSent(Callback callback) {
        queue.getLast().callback = callback;
    }

    /** Requests in the buffer may leave, after the payload that is queued before them, and are left for later. */
    void postpone() {
        due = position;
        postponed.addToSet();
    }

    /** Hands some bytes that may leave to the kernel, without waiting; returns how many it took. */
    long write(int maxPayload) throws IOException {
        if (sealed != null && !sealed.flush()) {
            return 0;
        }
        Payload payload = queue.peek();
        bytes.limit(payload == null ? due : payload.at).position(sent);
        long written;
        if (payload == null) {
            written = channel.write(bytes);
        } else {
            ByteBuffer data = payload.data;
            int end = data.limit();
            gathered[0] = bytes;
            gathered[1] = data.limit((int) Math.min(end, (long) data.position() + maxPayload));
            written = channel.write(gathered);
            gathered[1] = null;
            if (!data.limit(end).hasRemaining()) {
                queue.remove();
                if (payload.callback != null) {
                    payload.callback.completed(null);
                    blocked.payloadSent();
                }
            }
        }
        sent = bytes.position();
        if (sent == position && queue.isEmpty()) {
            becomeEmpty();
        }
        if (!hasDeferred()) {
            postponed.removeFromSet();
        }
        return written;
    }

    private void becomeEmpty() {
        sent = 0;
        due = 0;
        position = 0;
        unflushed.removeFromSet();
    }

    /** Hands everything to the kernel. */
    void flush() throws IOException {
        due = position;
        boolean isFull = false;
        try {
            while (hasDeferred()) {
                boolean wasFull = isFull;
                isFull = write(MAX_WRITE) == 0 && hasDeferred();
                if (isFull) {
                    blocked.socketFull();
                } else if (wasFull) {
                    blocked.socketTakesAgain();
                }
            }
        } finally {
            if (isFull) {
                blocked.socketTakesAgain();
            }
        }
    }

    /** Nothing will be sent any more. */
    void discard() {
        queue.clear();
        becomeEmpty();
        postponed.removeFromSet();
    }

    /** Payload that goes out from where it lies, before the byte of the buffer at position {@code at}. */
    private static final class Payload {
        private final int at;
        private final ByteBuffer data;
        private Callback callback;

        Payload(int at, ByteBuffer data) {
            this.at = at;
            this.data = data;
        }
    }
}

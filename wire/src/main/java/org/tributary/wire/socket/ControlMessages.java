package org.tributary.wire.socket;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import org.tributary.wire.libc.CFunction;

/**
 * sendmsg(2) and recvmsg(2) of short messages with one byte of control data (cmsg(3)), without waiting. Memory for one
 * message at a time: not thread-safe.
 *
 * <pre>
 *   struct msghdr    0 name, 8 length of it, 16 vectors, 24 their number, 32 control, 40 length of it, 48 flags
 *   struct iovec     0 base, 8 length
 *   struct cmsghdr   0 length, 8 level, 12 type, 16 the byte
 * </pre>
 */
public final class ControlMessages {
    /** Longest message. */
    public static final int MAX_BYTES = 16;

    private static final int MSG_PEEK = 0x2;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int HEADER_BYTES = 56;
    private static final int VECTOR_AT = HEADER_BYTES;
    private static final int VECTOR_BYTES = 16;
    private static final int CONTROL_AT = VECTOR_AT + VECTOR_BYTES;
    private static final int CONTROL_SPACE = 24;
    private static final int CONTROL_LENGTH = 17;
    private static final int CONTENT_AT = CONTROL_AT + CONTROL_SPACE;

    private static final CFunction SEND = CFunction.of("sendmsg");
    private static final CFunction RECEIVE = CFunction.of("recvmsg");

    private final int level;
    private final MemorySegment memory = Arena.ofAuto().allocate(CONTENT_AT + MAX_BYTES, Long.BYTES);

    /** Control data of that level, such as SOL_TLS. */
    public ControlMessages(int level) {
        this.level = level;
    }

    private void prepare(int bytes) {
        memory.fill((byte) 0);
        memory.set(ValueLayout.ADDRESS, 16, memory.asSlice(VECTOR_AT));
        memory.set(ValueLayout.JAVA_LONG, 24, 1);
        memory.set(ValueLayout.ADDRESS, 32, memory.asSlice(CONTROL_AT));
        memory.set(ValueLayout.JAVA_LONG, 40, CONTROL_SPACE);
        memory.set(ValueLayout.ADDRESS, VECTOR_AT, memory.asSlice(CONTENT_AT));
        memory.set(ValueLayout.JAVA_LONG, VECTOR_AT + 8, bytes);
    }

    private int call(CFunction function, int descriptor, int flags) {
        try {
            return function.call(descriptor, memory.address(), flags | MSG_DONTWAIT);
        } finally {
            Reference.reachabilityFence(memory);
        }
    }

    /** Sends a message with the byte {@code value} of that type; bytes sent, or a negative errno. */
    public int send(int descriptor, int type, int value, byte[] content) {
        prepare(content.length);
        memory.set(ValueLayout.JAVA_LONG, CONTROL_AT, CONTROL_LENGTH);
        memory.set(ValueLayout.JAVA_INT, CONTROL_AT + 8, level);
        memory.set(ValueLayout.JAVA_INT, CONTROL_AT + 12, type);
        memory.set(ValueLayout.JAVA_BYTE, CONTROL_AT + 16, (byte) value);
        MemorySegment.copy(content, 0, memory, ValueLayout.JAVA_BYTE, CONTENT_AT, content.length);
        return call(SEND, descriptor, MSG_NOSIGNAL);
    }

    /** Receives the beginning of a message, and leaves it there when {@code peeks}; its bytes, or a negative errno. */
    public int receive(int descriptor, boolean peeks) {
        prepare(MAX_BYTES);
        return call(RECEIVE, descriptor, peeks ? MSG_PEEK : 0);
    }

    /** The byte of that type beside what was received last; -1 when there was none. */
    public int control(int type) {
        boolean isThere = memory.get(ValueLayout.JAVA_LONG, 40) >= CONTROL_LENGTH
            && memory.get(ValueLayout.JAVA_INT, CONTROL_AT + 8) == level
            && memory.get(ValueLayout.JAVA_INT, CONTROL_AT + 12) == type;
        return isThere ? memory.get(ValueLayout.JAVA_BYTE, CONTROL_AT + 16) & 0xFF : -1;
    }

    /** A byte of what was received last. */
    public int content(int index) {
        return memory.get(ValueLayout.JAVA_BYTE, CONTENT_AT + index) & 0xFF;
    }
}

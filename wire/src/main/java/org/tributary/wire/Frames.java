package org.tributary.wire;

import org.tributary.wire.codec.MessageHeaderDecoder;
import org.tributary.wire.codec.RequesterDecoder;

/**
 * Framing of every stream connection.
 *
 * <pre>
 *   0        4                12
 *   +--------+----------------+--------------------+----------------+------------------+
 *   | length | message header | block of the       | groups, text   | payload: the     |
 *   | int32  | (SBE, 8 bytes) | message (SBE)      | (SBE)          | rest of length   |
 *   +--------+----------------+--------------------+----------------+------------------+
 * </pre>
 *
 * <p>{@code length} counts the whole frame, itself included. All integers are little-endian. Payload is raw memory.
 */
public final class Frames {
    /** Bytes of the frame length. */
    public static final int LENGTH_BYTES = Integer.BYTES;
    /** Bytes before the message's block: frame length and SBE message header. */
    public static final int HEADER_BYTES = LENGTH_BYTES + MessageHeaderDecoder.ENCODED_LENGTH;
    /** Bytes of the message that names the requester before each request on a channel. */
    public static final int REQUESTER_BYTES = HEADER_BYTES + RequesterDecoder.BLOCK_LENGTH;
    /** No message other than payload and the lists of {@code Allocate} is longer than this. */
    public static final int MAX_FIXED_BYTES = 2048;
    /** The reason of an {@code Abort} is cut behind this. */
    public static final int MAX_REASON_BYTES = MAX_FIXED_BYTES / 2;
    /** Longest frame accepted before the other side has proved itself. */
    public static final int MAX_HANDSHAKE = 1536;
    /** Bytes in front of each range in a vector message: offset (int64) and length (int32). */
    public static final int VECTOR_ENTRY_BYTES = Long.BYTES + Integer.BYTES;
    /** Strided transfers have at most this many levels above the contiguous block. */
    public static final int MAX_LEVELS = 8;

    /** Flag: the sender wants an {@code Ack} once this request is executed. */
    public static final int FLAG_ACK = 1;
    /** The bits of the flags that say what follows the execution of a request: one of the {@code THEN_} codes. */
    public static final int THEN_MASK = 0xF0;
    /** Count it at the target as an operation of a fence epoch, in the word at {@code WindowLayout.FENCE_COUNT}. */
    public static final int THEN_COUNT_FENCE = 0x10;
    /** Count it at the target as the end of a member's access epoch: {@link #thenCountExposure}. */
    public static final int THEN_COUNT_EXPOSURE = 0x20;
    /** Release the sender's shared lock of the target's part of the window. */
    public static final int THEN_UNLOCK_SHARED = 0x30;
    /** Release the sender's exclusive lock of the target's part of the window. */
    public static final int THEN_UNLOCK_EXCLUSIVE = 0x40;

    /** Window id of requests that belong to no window. */
    public static final long NO_WINDOW = 0;
    /** Longest payload of operations that travel with a lock request, or that return what was there before. */
    public static final int MAX_HELD_PAYLOAD = 16 * 1024;

    /** Request id of answers to one-way requests. */
    public static final long NO_REQUEST = -1;

    /** Rank of a {@code Goodbye} that is a server's own. */
    public static final int NO_RANK = -1;

    /** Room for what precedes the payload of a request on a channel between servers. */
    public static final int MAX_FORWARDED_OVERHEAD = 1024;

    private static final int MEMBER_SHIFT = 8;

    private Frames() {
    }

    /** Flags that count the end of a member's access epoch, in its word at {@code WindowLayout.ends}. */
    public static int thenCountExposure(int member) {
        return THEN_COUNT_EXPOSURE | member << MEMBER_SHIFT;
    }

    /** The member whose access epoch ends, of such flags. */
    public static int member(int flags) {
        return flags >>> MEMBER_SHIFT;
    }
}

package org.tributary.wire.record;

/**
 * Layout of the records in which an encrypted stream travels, in each direction by itself.
 *
 * <pre>
 *   0        4                          4 + n              4 + n + 16
 *   +--------+--------------------------+------------------+
 *   | head   | n bytes of the stream,   | tag              |
 *   | int32  | encrypted                | 16 bytes         |
 *   +--------+--------------------------+------------------+
 *
 *   head     31 .. 26   25     24         23 .. 0
 *            0          last   next key   n
 * </pre>
 *
 * <p>The head is little-endian and authenticated as additional data. AES-128-GCM (NIST SP 800-38D) with the key and the
 * initial vector of a {@link RecordKey}; the nonce is that vector, its last 8 bytes XORed with the big-endian number of
 * the record under its key, from 0, as in RFC 8446, section 5.3. So a record that was changed, dropped, repeated or put
 * out of order does not verify. <em>Next key</em>: from this record on the sender uses the key that follows.
 * <em>Last</em>: nothing follows, so that a stream that was cut off can be told from one that has ended.
 */
public final class Records {
    /** Bytes before the content of a record. */
    public static final int HEAD_BYTES = 4;
    /** Bytes after the content of a record. */
    public static final int TAG_BYTES = 16;
    /** Most bytes of the stream in one record. */
    public static final int MAX_CONTENT = 32 * 1024;
    /** Bytes that a record adds to its content. */
    public static final int OVERHEAD = HEAD_BYTES + TAG_BYTES;
    /** Longest record, in bytes. */
    public static final int MAX_BYTES = MAX_CONTENT + OVERHEAD;
    /** Records under one key, at most: a stream that goes on without another key is refused. */
    public static final int MAX_PER_KEY = 1 << 24;
    /** After so many records a sender takes the next key. */
    public static final int PER_KEY = 1 << 16;

    /** Bytes of a traffic secret. */
    static final int SECRET_BYTES = 32;
    static final int LENGTH_MASK = (1 << 24) - 1;
    static final int NEXT_KEY = 1 << 24;
    static final int LAST = 1 << 25;
    static final String CIPHER = "AES/GCM/NoPadding";
    static final int TAG_BITS = 8 * TAG_BYTES;

    private Records() {
    }

    /** Whether a head can be that of a record. */
    static boolean isHead(int head) {
        return (head & ~(LENGTH_MASK | NEXT_KEY | LAST)) == 0 && (head & LENGTH_MASK) <= MAX_CONTENT;
    }
}

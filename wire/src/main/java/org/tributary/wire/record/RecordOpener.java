package org.tributary.wire.record;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.crypto.Cipher;

/**
 * Takes the {@link Records} of one direction of a connection apart, in order. Bytes that do not verify are never given
 * to anybody. Not thread-safe.
 */
public final class RecordOpener {
    /** No whole record is there. */
    public static final int INCOMPLETE = -1;

    private final Cipher cipher = RecordSealer.cipher();
    private final byte[] head = new byte[Records.HEAD_BYTES];
    private final int maxPerKey;
    private RecordKey key;
    private long records;
    private boolean ended;
    private boolean failed;

    /** Of a direction's traffic secret, 32 bytes. */
    public RecordOpener(byte[] secret) {
        this(secret, Records.MAX_PER_KEY);
    }

    RecordOpener(byte[] secret, int maxPerKey) {
        this.key = new RecordKey(secret);
        this.maxPerKey = maxPerKey;
    }

    /** An array for {@link #open}. */
    public static byte[] contentBuffer() {
        return new byte[Records.MAX_CONTENT + Records.TAG_BYTES];
    }

    /** Whether a whole record is there; one that is none counts, because {@link #open} says so. */
    public boolean isComplete(ByteBuffer in) {
        if (in.remaining() < Records.HEAD_BYTES) {
            return false;
        }
        int bits = head(in);
        return ended || !Records.isHead(bits)
            || in.remaining() >= Records.OVERHEAD + (bits & Records.LENGTH_MASK);
    }

    /**
     * Opens the next record.
     *
     * @param in      the stream; its position moves behind the record
     * @param content where the content goes, from index 0 on: a {@link #contentBuffer()}
     * @return bytes of content, or {@link #INCOMPLETE}
     * @throws RecordException when it is no record of this stream; nothing can be opened after that
     */
    public int open(ByteBuffer in, byte[] content) throws RecordException {
        if (failed) {
            throw new RecordException("nothing can be read after a record that did not verify");
        }
        if (!isComplete(in)) {
            return INCOMPLETE;
        }
        int bits = head(in);
        if (ended) {
            throw refused("it comes after the last one", null);
        }
        if (!Records.isHead(bits)) {
            throw refused("its head is 0x" + Integer.toHexString(bits) + ", at most " + Records.MAX_CONTENT
                + " bytes are allowed", null);
        }
        boolean takesNext = (bits & Records.NEXT_KEY) != 0;
        if (!takesNext && key.records() >= maxPerKey) {
            throw refused("its sender has not taken another key after " + maxPerKey, null);
        }
        int length = bits & Records.LENGTH_MASK;
        in.get(head).get(content, 0, length + Records.TAG_BYTES);
        key = takesNext ? key.next() : key;
        try {
            cipher.init(Cipher.DECRYPT_MODE, key.key(), key.nextNonce());
            cipher.updateAAD(head);
            cipher.doFinal(content, 0, length + Records.TAG_BYTES, content, 0);
        } catch (GeneralSecurityException e) {
            throw refused(RecordException.CHANGED, e);
        }
        records++;
        ended = (bits & Records.LAST) != 0;
        return length;
    }

    private static int head(ByteBuffer in) {
        int bits = 0;
        for (int i = 0; i < Records.HEAD_BYTES; i++) {
            bits |= (in.get(in.position() + i) & 0xFF) << Byte.SIZE * i;
        }
        return bits;
    }

    private RecordException refused(String problem, Throwable cause) {
        failed = true;
        RecordException refused = RecordException.at(records, problem);
        refused.initCause(cause);
        return refused;
    }

    /** Whether the other side has said that nothing follows. */
    public boolean isEnded() {
        return ended;
    }
}

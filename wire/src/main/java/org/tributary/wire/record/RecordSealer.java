package org.tributary.wire.record;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import javax.crypto.Cipher;

/**
 * Makes the {@link Records} of one direction of a connection: gathers content, then seals it. Takes the next key by
 * itself. The content passes through an array, because the cipher of the JDK is three times as fast there as in native
 * memory, copies included. Not thread-safe.
 */
public final class RecordSealer {
    private final Cipher cipher;
    private final int recordsPerKey;
    private final byte[] head = new byte[Records.HEAD_BYTES];
    private final byte[] work;
    private RecordKey key;
    private int filled;
    private boolean ended;

    /** Of a direction's traffic secret, 32 bytes. */
    public RecordSealer(byte[] secret) {
        this(secret, workBuffer());
    }

    /**
     * With an array of {@link #workBuffer()}, which sealers of one thread may share: each seals what it has gathered
     * before another gathers.
     */
    public RecordSealer(byte[] secret, byte[] work) {
        this(secret, work, Records.PER_KEY);
    }

    RecordSealer(byte[] secret, int recordsPerKey) {
        this(secret, workBuffer(), recordsPerKey);
    }

    private RecordSealer(byte[] secret, byte[] work, int recordsPerKey) {
        this.work = work;
        this.key = new RecordKey(secret);
        this.recordsPerKey = recordsPerKey;
        this.cipher = cipher();
    }

    /** Room for one record while it is gathered and sealed. */
    public static byte[] workBuffer() {
        return new byte[Records.MAX_CONTENT + Records.TAG_BYTES];
    }

    static Cipher cipher() {
        try {
            return Cipher.getInstance(Records.CIPHER);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(Records.CIPHER + " is missing in this Java", e);
        }
    }

    /** Bytes that still fit into the record that is being gathered. */
    public int room() {
        return Records.MAX_CONTENT - filled;
    }

    /** Whether nothing has been gathered since the last record. */
    public boolean isEmpty() {
        return filled == 0;
    }

    /** Gathers what there is room for; returns how many bytes that was. */
    public int add(ByteBuffer source) {
        int length = Math.min(room(), source.remaining());
        source.get(work, filled, length);
        filled += length;
        return length;
    }

    /** Seals what has been gathered into {@code out}, which has room for it and {@link Records#OVERHEAD} more. */
    public void seal(ByteBuffer out) {
        seal(out, 0);
    }

    /** Seals what has been gathered, if anything, as the last record. */
    public void sealLast(ByteBuffer out) {
        seal(out, Records.LAST);
        ended = true;
    }

    private void seal(ByteBuffer out, int flags) {
        if (ended) {
            throw new IllegalStateException("a record after the last one");
        }
        int bits = filled | flags;
        if (key.records() >= recordsPerKey) {
            key = key.next();
            bits |= Records.NEXT_KEY;
        }
        for (int i = 0; i < Records.HEAD_BYTES; i++) {
            head[i] = (byte) (bits >>> Byte.SIZE * i);
        }
        try {
            cipher.init(Cipher.ENCRYPT_MODE, key.key(), key.nextNonce());
            cipher.updateAAD(head);
            int length = cipher.doFinal(work, 0, filled, work, 0);
            out.order(ByteOrder.LITTLE_ENDIAN).put(head).put(work, 0, length);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a record of " + filled + " bytes cannot be sealed", e);
        }
        filled = 0;
    }
}

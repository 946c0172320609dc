package org.tributary.wire.record;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.KDF;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.HKDFParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Key of one direction of a connection and the count of what was done with it. Everything comes from a traffic secret
 * by HKDF-Expand with SHA-256 (RFC 5869): the key, the initial vector and the secret of the key that follows, so that
 * an attacker that learns a key learns nothing of earlier ones. Not thread-safe.
 */
final class RecordKey {
    private static final int KEY_BYTES = 16;
    private static final int NONCE_BYTES = 12;
    private static final int COUNT_BYTES = 8;
    /** Labels of what comes from a secret: none is used for two purposes. */
    private static final String KEY_LABEL = "tributary key";
    private static final String VECTOR_LABEL = "tributary iv";
    private static final String NEXT_LABEL = "tributary next";

    private final SecretKeySpec key;
    private final byte[] vector;
    private final byte[] nonce = new byte[NONCE_BYTES];
    private final byte[] secret;
    private long records;

    RecordKey(byte[] secret) {
        if (secret.length != Records.SECRET_BYTES) {
            throw new IllegalArgumentException("a traffic secret of " + secret.length + " bytes, not "
                + Records.SECRET_BYTES);
        }
        this.secret = secret.clone();
        this.key = new SecretKeySpec(expand(KEY_LABEL, KEY_BYTES), "AES");
        this.vector = expand(VECTOR_LABEL, NONCE_BYTES);
    }

    /** The key that follows; this one cannot be followed again. */
    RecordKey next() {
        byte[] following = expand(NEXT_LABEL, Records.SECRET_BYTES);
        RecordKey next = new RecordKey(following);
        Arrays.fill(following, (byte) 0);
        Arrays.fill(secret, (byte) 0);
        return next;
    }

    private byte[] expand(String label, int bytes) {
        try {
            byte[] info = label.getBytes(StandardCharsets.US_ASCII);
            return KDF.getInstance("HKDF-SHA256").deriveData(
                HKDFParameterSpec.expandOnly(new SecretKeySpec(secret, "HKDF"), info, bytes));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("HKDF-SHA256 is missing in this Java", e);
        }
    }

    SecretKey key() {
        return key;
    }

    /** The initial vector; not a copy. */
    byte[] vector() {
        return vector;
    }

    /** Records so far. */
    long records() {
        return records;
    }

    /** The nonce of the next record, which is no other's. */
    AlgorithmParameterSpec nextNonce() {
        System.arraycopy(vector, 0, nonce, 0, NONCE_BYTES);
        for (int i = 0; i < COUNT_BYTES; i++) {
            nonce[NONCE_BYTES - 1 - i] ^= (byte) (records >>> Byte.SIZE * i);
        }
        records++;
        return new GCMParameterSpec(Records.TAG_BITS, nonce);
    }
}

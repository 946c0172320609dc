package org.tributary.wire;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * HMAC-SHA256 (RFC 2104), by the JDK's SHA-256. Its {@code Mac} loads all providers of cryptography before that which
 * has it, with their curves, a sixth of what a rank computes when it starts. Stateless and thread-safe.
 */
final class HmacSha256 {
    /** Of what SHA-256 takes at a time. */
    private static final int BLOCK_BYTES = 64;
    private static final byte INNER = 0x36;
    private static final byte OUTER = 0x5c;

    private HmacSha256() {
    }

    /** The code of a message that consists of some parts, 32 bytes. */
    static byte[] of(byte[] key, byte[]... parts) {
        MessageDigest sha256 = sha256();
        byte[] block = Arrays.copyOf(key.length > BLOCK_BYTES ? sha256.digest(key) : key, BLOCK_BYTES);
        sha256.update(masked(block, INNER));
        for (byte[] part : parts) {
            sha256.update(part);
        }
        byte[] inner = sha256.digest();
        sha256.update(masked(block, OUTER));
        return sha256.digest(inner);
    }

    private static byte[] masked(byte[] block, byte mask) {
        byte[] masked = block.clone();
        for (int i = 0; i < masked.length; i++) {
            masked[i] ^= mask;
        }
        return masked;
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java installation has no SHA-256", e);
        }
    }
}

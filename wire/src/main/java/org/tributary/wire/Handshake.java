package org.tributary.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Mutual challenge on the job's secret with HMAC-SHA256 (RFC 2104, FIPS 180-4): neither side reveals anything before
 * the other has shown that it knows the secret, and each proof covers both nonces, the direction and who connects, so
 * that it can be neither replayed nor reflected.
 *
 * <pre>
 *   connecting side                              server
 *   Hello(role, rank, node, pid, job, nonceC) -&gt;
 *                                             &lt;- Challenge(nonceS, HMAC("server" ...))
 *   Response(HMAC("client" ...))              -&gt;
 *                                             &lt;- Welcome | Refused
 * </pre>
 *
 * <p>Instances are not thread-safe; each belongs to one connection attempt.
 */
public final class Handshake {
    /** Length of nonces and proofs in bytes. */
    public static final int TOKEN_BYTES = 32;
    private static final String ALGORITHM = "HmacSHA256";

    private final byte[] secret;
    private final String jobId;
    private final int role;
    private final int rank;
    private final int node;

    /** Everything both sides know of the connecting side; {@code role} is the wire value of its {@code Role}. */
    public Handshake(byte[] secret, String jobId, int role, int rank, int node) {
        this.secret = secret.clone();
        this.jobId = jobId;
        this.role = role;
        this.rank = rank;
        this.node = node;
    }

    /** A fresh nonce. */
    public static byte[] nonce(SecureRandom random) {
        byte[] nonce = new byte[TOKEN_BYTES];
        random.nextBytes(nonce);
        return nonce;
    }

    /** What the server sends to prove itself. */
    public byte[] serverProof(byte[] clientNonce, byte[] serverNonce) {
        return proof("server", clientNonce, serverNonce);
    }

    /** What the connecting side sends to prove itself. */
    public byte[] clientProof(byte[] clientNonce, byte[] serverNonce) {
        return proof("client", clientNonce, serverNonce);
    }

    /** Compares in constant time. */
    public static boolean matches(byte[] expected, byte[] received) {
        return MessageDigest.isEqual(expected, received);
    }

    private byte[] proof(String direction, byte[] clientNonce, byte[] serverNonce) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret, ALGORITHM));
            updateText(mac, direction);
            updateText(mac, jobId);
            mac.update(ByteBuffer.allocate(3 * Integer.BYTES).putInt(role).putInt(rank).putInt(node).flip());
            mac.update(clientNonce);
            mac.update(serverNonce);
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java installation has no " + ALGORITHM, e);
        }
    }

    private static void updateText(Mac mac, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        mac.update((byte) bytes.length);
        mac.update(bytes);
    }
}

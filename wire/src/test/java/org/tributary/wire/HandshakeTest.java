package org.tributary.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A proof is good for exactly one secret, job, role, rank, node, direction and pair of nonces. */
class HandshakeTest {
    private static final byte[] SECRET = "a secret of 20 bytes".getBytes(StandardCharsets.UTF_8);
    private static final byte[] CLIENT = filled(1);
    private static final byte[] SERVER = filled(2);

    private static byte[] filled(int value) {
        byte[] nonce = new byte[Handshake.TOKEN_BYTES];
        Arrays.fill(nonce, (byte) value);
        return nonce;
    }

    private static Handshake handshake() {
        return new Handshake(SECRET, "job", 2, 7, 3);
    }

    @Test
    void shouldAgreeWhenBothSidesKnowTheSame() {
        assertTrue(Handshake.matches(handshake().serverProof(CLIENT, SERVER), handshake().serverProof(CLIENT, SERVER)));
        assertTrue(Handshake.matches(handshake().clientProof(CLIENT, SERVER), handshake().clientProof(CLIENT, SERVER)));
        assertEquals(Handshake.TOKEN_BYTES, handshake().clientProof(CLIENT, SERVER).length);
    }

    @Test
    void shouldHaveGoldenBytesWhenComputedAnywhere() {
        // HMAC-SHA256 of 6 "server" or "client", 3 "job", role, rank, node as big-endian ints, both nonces.
        assertEquals("bd14d2fbcc9cceefb2883ab64d711a426f09fc12b7e17de766a4a2240e95cf08",
            HexFormat.of().formatHex(handshake().serverProof(CLIENT, SERVER)));
        assertEquals("418c1806e847106ff3532462d878c5ee609642b07c6cfc87998ad68dbeedbc6b",
            HexFormat.of().formatHex(handshake().clientProof(CLIENT, SERVER)));
    }

    @Test
    void shouldDifferWhenAnythingDiffers() {
        byte[] expected = handshake().clientProof(CLIENT, SERVER);
        byte[] otherSecret = SECRET.clone();
        otherSecret[19] ^= 1;
        List<byte[]> others = List.of(
            new Handshake(otherSecret, "job", 2, 7, 3).clientProof(CLIENT, SERVER),
            new Handshake(SECRET, "joc", 2, 7, 3).clientProof(CLIENT, SERVER),
            new Handshake(SECRET, "job", 1, 7, 3).clientProof(CLIENT, SERVER),
            new Handshake(SECRET, "job", 2, 8, 3).clientProof(CLIENT, SERVER),
            new Handshake(SECRET, "job", 2, 7, 4).clientProof(CLIENT, SERVER),
            new Handshake(SECRET, "job", 2, 3, 7).clientProof(CLIENT, SERVER),
            handshake().clientProof(filled(3), SERVER),
            handshake().clientProof(CLIENT, filled(3)),
            handshake().clientProof(SERVER, CLIENT),
            handshake().serverProof(CLIENT, SERVER), // reflected
            handshake().serverProof(SERVER, CLIENT),
            new byte[Handshake.TOKEN_BYTES], new byte[0], Arrays.copyOf(expected, 31));
        for (byte[] other : others) {
            assertFalse(Handshake.matches(expected, other), HexFormat.of().formatHex(other));
        }
    }

    @Test
    void shouldBeFreshWhenNoncesAreDrawn() {
        SecureRandom random = new SecureRandom();
        assertFalse(Arrays.equals(Handshake.nonce(random), Handshake.nonce(random)));
        assertEquals(32, Handshake.nonce(random).length);
    }

    @Test
    void shouldKeepItsSecretWhenCallerClearsItsOwn() {
        byte[] secret = SECRET.clone();
        Handshake handshake = new Handshake(secret, "job", 2, 7, 3);
        Arrays.fill(secret, (byte) 0);
        assertTrue(Handshake.matches(handshake().clientProof(CLIENT, SERVER), handshake.clientProof(CLIENT, SERVER)));
    }
}

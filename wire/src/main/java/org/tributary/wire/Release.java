package org.tributary.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.tributary.wire.codec.HelloEncoder;

/**
 * Which release this is, as processes compare it: version and digest of the message schema. The schema's
 * {@code semanticVersion} goes up with every change of what two processes must do alike and the messages do not show,
 * such as layouts in shared memory and the steps of collectives. The C client's build computes the same text.
 */
final class Release {
    private static final String SCHEMA = "tributary-wire.xml";
    private static final int DIGEST_BYTES = 8;
    private static final String TEXT = "schema " + HelloEncoder.SCHEMA_VERSION + " " + digest(schema());

    private Release() {
    }

    static String text() {
        return TEXT;
    }

    private static byte[] schema() {
        try (InputStream stream = Release.class.getResourceAsStream(SCHEMA)) {
            return stream.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The beginning of the SHA-256 of some bytes, in hexadecimal. */
    static String digest(byte[] bytes) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            return HexFormat.of().formatHex(digest, 0, DIGEST_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java installation has no SHA-256", e);
        }
    }
}

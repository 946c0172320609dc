package org.tributary.wire;

import java.util.HexFormat;
import org.tributary.wire.codec.HelloEncoder;
import org.tributary.wire.codec.Templates;

/**
 * Which release this is, as processes compare it: version and digest of the message schema. The schema's
 * {@code semanticVersion} goes up with every change of what two processes must do alike and the messages do not show,
 * such as layouts in shared memory and the steps of collectives. The C client's build computes the same text.
 */
final class Release {
    private static final int DIGEST_BYTES = 8;
    private static final String TEXT = "schema " + HelloEncoder.SCHEMA_VERSION + " " + Templates.SCHEMA_DIGEST;

    private Release() {
    }

    static String text() {
        return TEXT;
    }

    /** The beginning of the SHA-256 of some bytes, in hexadecimal. */
    static String digest(byte[] bytes) {
        return HexFormat.of().formatHex(HmacSha256.sha256().digest(bytes), 0, DIGEST_BYTES);
    }
}

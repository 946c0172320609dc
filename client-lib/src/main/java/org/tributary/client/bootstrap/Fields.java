package org.tributary.client.bootstrap;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Texts as one that a process manager takes: separated by ';', with %XX for all but some visible characters. Messages
 * repeat no text: it may hold the job's secret.
 */
final class Fields {
    private static final String PLAIN = "._:,*/-[]";
    private static final int ESCAPE_LENGTH = 3;

    private Fields() {
    }

    static String join(String... fields) {
        StringBuilder joined = new StringBuilder();
        for (int i = 0; i < fields.length; i++) {
            joined.append(i == 0 ? "" : ";");
            for (byte b : fields[i].getBytes(StandardCharsets.UTF_8)) {
                if (b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || PLAIN.indexOf(b) >= 0) {
                    joined.append((char) b);
                } else {
                    joined.append(String.format("%%%02X", b & 0xff));
                }
            }
        }
        return joined.toString();
    }

    /** Exactly that many. */
    static List<String> split(String joined, int count) throws IOException {
        List<String> fields = new ArrayList<>();
        int at = 0;
        for (String field : joined.split(";", -1)) {
            fields.add(plain(field, at, joined.length()));
            at += field.length() + 1;
        }
        if (fields.size() != count) {
            throw new IOException("a text of " + joined.length() + " characters has " + fields.size()
                + " fields, not " + count + ": do all ranks run the same release?");
        }
        return fields;
    }

    /** {@code start}: where in the text of {@code length} characters the field begins, for a message. */
    private static String plain(String field, int start, int length) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < field.length(); i++) {
            if (field.charAt(i) != '%') {
                bytes.write(field.charAt(i));
                continue;
            }
            try {
                bytes.write(Integer.parseInt(field, i + 1, i + ESCAPE_LENGTH, 16));
            } catch (NumberFormatException | IndexOutOfBoundsException e) {
                throw new IOException("a text has at character " + (start + i) + " of " + length
                    + " a % that no two digits follow", e);
            }
            i += ESCAPE_LENGTH - 1;
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import uk.co.real_logic.sbe.xml.EnumType;
import uk.co.real_logic.sbe.xml.Field;
import uk.co.real_logic.sbe.xml.Message;
import uk.co.real_logic.sbe.xml.ParserOptions;
import uk.co.real_logic.sbe.xml.XmlSchemaParser;

/** Writes the class {@code Templates} beside the codecs: {@code java TemplatesGenerator.java SCHEMA FOLDER}. */
final class TemplatesGenerator {
    private static final String CLASS = """
        /* Generated from the message schema. */
        package org.tributary.wire.codec;

        import org.agrona.DirectBuffer;

        /** What the schema says of each message, by template id, for any number that may come as one. */
        public final class Templates {
            /** The beginning of the SHA-256 of the schema, in hexadecimal. */
            public static final String SCHEMA_DIGEST = "%s";
            private static final int PAYLOAD = 1;
            private static final int ONE_WAY = 2;
            private static final int STRIDED = 4;
            private static final int[] FOR_SERVER = {%s};
            private static final int[] FOR_RANK = {%s};
            private static final int[] IN_HANDSHAKE = {%s};
            private static final int[] TRAITS = {%s};
            private static final int[] RANKS_AT = {%s};
            private static final int[] FLAGS_AT = {%s};
            /** Where an enumeration lies, and how many values it has, from 0 on; then the next one. */
            private static final int[][] ENUMERATIONS = {%s};

            private Templates() {
            }

            /** Shortest block of a message that a server accepts, or -1 when it accepts no such message. */
            public static int blockLengthForServer(int template) {
                return entry(FOR_SERVER, template);
            }

            /** Shortest block of a message that a rank accepts, or -1 when it accepts no such message. */
            public static int blockLengthForRank(int template) {
                return entry(FOR_RANK, template);
            }

            /** Block of a message of the handshake, or -1 when it is none. */
            public static int blockLengthInHandshake(int template) {
                return entry(IN_HANDSHAKE, template);
            }

            /** Whether the frame is payload from the end of its fixed part on. */
            public static boolean carriesPayload(int template) {
                return has(PAYLOAD, template);
            }

            /** Whether the request is answered by an acknowledgement only. */
            public static boolean isOneWay(int template) {
                return has(ONE_WAY, template);
            }

            /** Whether the levels of a strided transfer follow the block. */
            public static boolean isStrided(int template) {
                return has(STRIDED, template);
            }

            /** Where in the block a request names the target's rank, or -1 when it is for no rank. */
            public static int rankOffset(int template) {
                return entry(RANKS_AT, template);
            }

            /** Where in the block a one-way request has its flags. */
            public static int flagsOffset(int template) {
                return FLAGS_AT[template];
            }

            /** Whether each enumeration in the block of a request, which begins at {@code at}, has a value of its own. */
            public static boolean hasKnownValues(DirectBuffer buffer, int at, int template) {
                int[] enumerations = ENUMERATIONS[template];
                for (int i = 0; i < enumerations.length; i += 2) {
                    if (Byte.toUnsignedInt(buffer.getByte(at + enumerations[i])) >= enumerations[i + 1]) {
                        return false;
                    }
                }
                return true;
            }

            private static int entry(int[] table, int template) {
                return template < table.length ? table[template] : -1;
            }

            private static boolean has(int trait, int template) {
                return template < TRAITS.length && (TRAITS[template] & trait) != 0;
            }
        }
        """;

    private static final int DIGEST_BYTES = 8;

    private final Map<Integer, Message> messages = new TreeMap<>();
    private final String digest;

    private TemplatesGenerator(Path schema) throws Exception {
        digest = HexFormat.of().formatHex(
            MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(schema)), 0, DIGEST_BYTES);
        try (InputStream in = Files.newInputStream(schema)) {
            XmlSchemaParser.parse(in, ParserOptions.builder().stopOnError(true).build()).messages()
                .forEach(message -> messages.put(message.id(), message));
        }
    }

    public static void main(String... arguments) throws Exception {
        Path folder = Path.of(arguments[1], "org", "tributary", "wire", "codec");
        Files.writeString(folder.resolve("Templates.java"), new TemplatesGenerator(Path.of(arguments[0])).text());
    }

    private String text() throws IOException {
        return CLASS.formatted(digest,
            table(message -> is("onlyToRank", message) ? "-1"
                : is("handshake", message) ? "0" : blockLength(message), "-1"),
            table(message -> is("toRank", message) || is("onlyToRank", message) ? blockLength(message) : "-1", "-1"),
            table(message -> is("handshake", message) ? blockLength(message) : "-1", "-1"),
            table(message -> (is("payload", message) ? "PAYLOAD" : "0") + (is("oneWay", message) ? " | ONE_WAY" : "")
                + (has("levels", message) ? " | STRIDED" : ""), "0"),
            table(message -> is("oneWay", message) || is("answered", message) ? offset("rank", message) : "-1", "-1"),
            table(message -> is("oneWay", message) ? offset("flags", message) : "-1", "-1"),
            table(message -> is("oneWay", message) || is("answered", message) ? enumerations(message) : "{}", "{}"));
    }

    private static String enumerations(Message message) {
        return message.fields().stream().filter(field -> field.type() instanceof EnumType)
            .map(field -> offset(field.name(), message) + ", " + values((EnumType) field.type()))
            .collect(Collectors.joining(", ", "{", "}"));
    }

    private static int values(EnumType type) {
        int count = type.validValues().size();
        boolean areInOrder = IntStream.range(0, count).allMatch(value ->
            type.validValues().stream().anyMatch(known -> known.primitiveValue().longValue() == value));
        if (type.encodedLength() != 1 || !areInOrder) {
            throw new IllegalStateException(type.name() + " is not one byte with values from 0 on");
        }
        return count;
    }

    private interface Entry {
        String of(Message message);
    }

    /** Initializers of an array, one for each template id. */
    private String table(Entry entry, String none) {
        int last = messages.keySet().stream().max(Integer::compare).orElseThrow();
        return IntStream.rangeClosed(0, last).mapToObj(messages::get)
            .map(message -> message == null ? none : entry.of(message))
            .collect(Collectors.joining(",\n        ", "\n        ", "\n    "));
    }

    private static boolean is(String word, Message message) {
        String words = message.semanticType();
        return words != null && Arrays.asList(words.split(" ")).contains(word);
    }

    private static String blockLength(Message message) {
        return message.name() + "Decoder.BLOCK_LENGTH";
    }

    private static boolean has(String field, Message message) {
        return message.fields().stream().map(Field::name).anyMatch(field::equals);
    }

    private static String offset(String field, Message message) {
        return has(field, message) ? message.name() + "Decoder." + field + "EncodingOffset()" : "-1";
    }
}

package org.tributary.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.tributary.wire.status.ServerGauge;
import org.tributary.wire.status.ServerOperation;

class ProtocolPageTest {
    private static final Path PAGE = Path.of("..", "docs", "protocol.md");

    @Test
    void shouldBeCurrentWhenSchemaChanges() throws IOException {
        String old = Files.readString(PAGE);
        String current = new ProtocolTables().replaceIn(old);
        if (Boolean.getBoolean("tributary.updateDocs")) {
            Files.writeString(PAGE, current);
            return;
        }
        assertEquals(current, old,
            "docs/protocol.md is out of date: mvn -pl wire -am test -Dtributary.updateDocs=true");
    }

    @Test
    void shouldNameCountsInTheOrderOfTheirCodesWhenListed() throws IOException {
        String page = Files.readString(PAGE).replaceAll("\\s+", " ");
        assertTrue(page.contains("Operations (`ServerOperation`): " + codes(ServerOperation.values())));
        assertTrue(page.contains("Values (`ServerGauge`): " + codes(ServerGauge.values())));
    }

    private static String codes(Enum<?>... values) {
        return Arrays.stream(values).map(value -> "`" + value.name() + "`").collect(Collectors.joining(", ", "", "."));
    }

    /** The page adds up offsets itself; the generated codecs are what is true. */
    @Test
    void shouldAgreeWithCodecsWhenLengthsAreAddedUp() throws IOException, ReflectiveOperationException {
        Map<String, Integer> lengths = new ProtocolTables().blockLengths();
        assertFalse(lengths.isEmpty());
        for (Map.Entry<String, Integer> message : lengths.entrySet()) {
            Class<?> codec = Class.forName("org.tributary.wire.codec." + message.getKey() + "Encoder");
            assertEquals(codec.getField("BLOCK_LENGTH").getInt(null), message.getValue(), message.getKey());
        }
    }
}

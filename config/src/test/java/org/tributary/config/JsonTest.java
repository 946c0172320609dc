package org.tributary.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {
    @Test
    void shouldWriteWhatHasBeenGiven() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("text", "a \"b\"\n");
        all.put("number", 1.5);
        all.put("flags", List.of(true, false));
        all.put("nothing", null);
        assertEquals("{\"text\": \"a \\\"b\\\"\\u000a\", \"number\": 1.5, \"flags\": [true, false], \"nothing\": null}",
            Json.of(all));
    }

    @Test
    void shouldEscapeCharactersWhereverTheyStandAndCloseWhatIsEmpty() {
        assertEquals("\"\\\\a\\\"\\u0001bc\\u001f\"", Json.quote("\\a\"\u0001bc\u001f"));
        assertEquals("[\"\", {}, [], {\"\\\"\": []}]",
            Json.of(List.of("", Map.of(), List.of(), Map.of("\"", List.of()))));
    }

    /** JSON has no such numbers, and its readers refuse the whole text for one. */
    @Test
    void shouldWriteNullForWhatIsNoNumberWhereverItStands() {
        assertEquals("[1.0, null, null, [null]]",
            Json.of(List.of(1.0, Double.NaN, Double.NEGATIVE_INFINITY, List.of(Double.POSITIVE_INFINITY))));
        assertEquals("{\"floats\": [0.5, null]}", Json.of(Map.of("floats", List.of(0.5f, Float.NaN))));
    }
}

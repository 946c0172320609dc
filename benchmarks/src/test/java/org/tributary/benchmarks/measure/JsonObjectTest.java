package org.tributary.benchmarks.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class JsonObjectTest {
    @Test
    void shouldKeepOrderAndTypesWhenMembersAreAdded() {
        JsonObject object = new JsonObject().put("b", "text").put("a", 7L).put("c", 1.23456);

        assertEquals("{\"b\": \"text\", \"a\": 7, \"c\": 1.235}", object.toString());
    }

    @Test
    void shouldWriteNullWhenThereIsNoValue() {
        JsonObject object = new JsonObject().put("limit", (String) null).put("ratio", Double.NaN)
            .put("rate", Double.POSITIVE_INFINITY);

        assertEquals("{\"limit\": null, \"ratio\": null, \"rate\": null}", object.toString());
    }

    @Test
    void shouldEscapeWhenTextHasQuotesBackslashesAndControls() {
        assertEquals("{\"a\": \"\\\"\\\\\\u000a\"}", new JsonObject().put("a", "\"\\\n").toString());
    }
}

package org.tributary.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ReferencePageTest {
    private static final Path PAGE = Path.of("..", "docs", "configuration.md");

    @Test
    void shouldBeCurrentWhenOptionsChange() throws IOException {
        if (Boolean.getBoolean("tributary.updateDocs")) {
            Files.createDirectories(PAGE.getParent());
            Files.writeString(PAGE, ReferencePage.markdown());
        }
        assertEquals(ReferencePage.markdown(), Files.readString(PAGE),
            "docs/configuration.md is out of date: mvn -pl config -am test -Dtributary.updateDocs=true");
    }

    @Test
    void shouldNameOptionsOfJavaWhenRankNeedsThem() {
        assertTrue(JvmOptions.required().stream().allMatch(option -> option.startsWith("-")));
        assertEquals(4, JvmOptions.required().size());
    }
}

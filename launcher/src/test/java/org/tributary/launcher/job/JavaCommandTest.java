package org.tributary.launcher.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.tributary.config.JvmOptions;

class JavaCommandTest {
    @Test
    void shouldHaveRequiredOptionsWhenServerOrRank() {
        assertTrue(JavaCommand.server().containsAll(JvmOptions.required()));
        List<String> rank = JavaCommand.rank("my.Main", "classes", List.of("-Xmx2g"));
        assertTrue(rank.containsAll(JvmOptions.required()));
        assertEquals("my.Main", rank.getLast());
        assertTrue(rank.get(rank.size() - 2).endsWith(":classes"));
    }

    @Test
    void shouldLeaveOwnCollectorOutWhenUserNamesOne() {
        assertTrue(JavaCommand.rank("m.M", "", List.of()).contains("-XX:+UseSerialGC"));
        assertFalse(JavaCommand.rank("m.M", "", List.of("-XX:+UseZGC")).contains("-XX:+UseSerialGC"));
    }
}

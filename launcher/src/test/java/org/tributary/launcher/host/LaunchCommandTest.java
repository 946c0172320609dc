package org.tributary.launcher.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.ConfigException;

class LaunchCommandTest {
    @Test
    void shouldQuoteForTheOtherShellWhenSsh() {
        List<String> command = LaunchCommand.ssh().on("b", List.of("/opt/a b/java", "-Xmx1g", "it's"));
        assertEquals(List.of("b", "'/opt/a b/java'", "-Xmx1g", "'it'\\''s'"),
            command.subList(command.size() - 4, command.size()));
    }

    @Test
    void shouldPutHostWhereItIsAskedForWhenCommandIsTheUsers() {
        assertEquals(List.of("setsid", "kubectl", "exec", "-i", "b", "--", "a b"),
            LaunchCommand.parse("kubectl exec -i {host} --").on("b", List.of("a b")));
        assertEquals(List.of("setsid", "sh", "-c", "echo 'x'", "b", "run"),
            LaunchCommand.parse(" sh -c  \"echo 'x'\" ").on("b", List.of("run")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  ", "ssh 'x"})
    void shouldRefuseWhenCommandIsNone(String line) {
        assertThrows(ConfigException.class, () -> LaunchCommand.parse(line));
    }
}

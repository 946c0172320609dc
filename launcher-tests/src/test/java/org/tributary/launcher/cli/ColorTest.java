package org.tributary.launcher.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.launcher.Main;

/** Help and complaints have colours on a terminal alone, and never with NO_COLOR (https://no-color.org). */
class ColorTest {
    private static final Path SCRIPT = Path.of("/usr/bin/script");
    private static final String ESCAPE = "\u001b";
    private static final long DEADLINE_S = 250;

    @TempDir
    private Path directory;

    private String tributary(boolean onTerminal, Map<String, String> variables, String... words) throws Exception {
        List<String> java = List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
            Main.class.getName());
        List<String> command = Stream.concat(java.stream(), Stream.of(words)).toList();
        if (onTerminal) {
            assumeTrue(Files.isExecutable(SCRIPT), "needs script, for a terminal");
            command = List.of(SCRIPT.toString(), "-qec", String.join(" ", command), "/dev/null");
        }
        Path out = directory.resolve("out");
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile());
        builder.environment().keySet().removeAll(List.of("NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"));
        builder.environment().put("TERM", "xterm");
        builder.environment().putAll(variables);
        Process process = builder.start();
        try {
            process.getOutputStream().close();
            assertTrue(process.waitFor(DEADLINE_S, TimeUnit.SECONDS), "does not end");
            return Files.readString(out, StandardCharsets.UTF_8);
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void shouldHaveColoursWhenHelpGoesToATerminal() throws Exception {
        String help = tributary(true, Map.of(), "run", "--help");
        assertTrue(help.contains(ESCAPE + "["), help);
    }

    @ParameterizedTest
    @ValueSource(strings = {"run --help", "bench windows --help", "run --nods 2", "--version", "config"})
    void shouldHaveNoEscapeCodeWhenNoColorIsSet(String words) throws Exception {
        String said = tributary(true, Map.of("NO_COLOR", "1"), words.split(" "));
        assertTrue(said.length() > 10, said);
        assertFalse(said.contains(ESCAPE), said);
    }

    @Test
    void shouldHaveNoEscapeCodeWhenHelpGoesToAFile() throws Exception {
        String help = tributary(false, Map.of(), "run", "--help");
        assertEquals(-1, help.indexOf(ESCAPE), help);
        assertTrue(help.contains("--nodes"), help);
    }
}

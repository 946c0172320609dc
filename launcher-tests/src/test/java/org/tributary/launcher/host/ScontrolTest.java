package org.tributary.launcher.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.ConfigException;

/** Scripts in place of Slurm's command. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ScontrolTest {
    @TempDir
    private Path directory;

    private Scontrol scontrol(String script, long limitMs) throws IOException {
        Path program = Files.createFile(directory.resolve("scontrol"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.writeString(program, "#!/bin/sh\n" + script + "\n");
        return new Scontrol(program.toString(), TimeUnit.MILLISECONDS.toNanos(limitMs));
    }

    @Test
    void shouldHaveTheNamesWhenScontrolPrintsThem() throws IOException {
        Scontrol scontrol = scontrol("[ \"$*\" = 'show hostnames n[0-1]' ] && printf 'n0\\nn1\\n'", 50_000);
        assertEquals(List.of("n0", "n1"), scontrol.hostNames("n[0-1]"));
    }

    /** Also when a process behind it holds its output open, and when it has closed that. */
    @ParameterizedTest
    @ValueSource(strings = {"exec sleep 1000", "echo n0; sleep 1000; echo n1", "echo n0; exec >&-; sleep 1000"})
    void shouldGiveUpWhenScontrolDoesNotEnd(String script) throws IOException {
        Scontrol scontrol = scontrol(script, 200);
        ConfigException e = assertThrows(ConfigException.class, () -> scontrol.hostNames("n[0-1]"));
        assertEquals("'scontrol show hostnames n[0-1]', which tells the nodes of this allocation, has not answered"
            + " within 0.2 s; name them with --hosts", e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"exit 3", "true"})
    void shouldSayWhatToDoWhenScontrolTellsNothing(String script) throws IOException {
        Scontrol scontrol = scontrol(script, 50_000);
        ConfigException e = assertThrows(ConfigException.class, () -> scontrol.hostNames("n0"));
        assertTrue(e.getMessage().endsWith("does not tell the nodes of this allocation; name them with --hosts"),
            e.getMessage());
    }

    @Test
    void shouldSayWhatToDoWhenThereIsNone() {
        Scontrol none = new Scontrol(directory.resolve("none").toString(), 1);
        ConfigException e = assertThrows(ConfigException.class, () -> none.hostNames("n0"));
        assertTrue(e.getMessage().startsWith("cannot run scontrol") && e.getMessage().endsWith("with --hosts"),
            e.getMessage());
    }
}

package org.tributary.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessFilesTest {
    @TempDir
    private Path folder;

    /** It waits for input, which comes when the test ends it. */
    private static Process start(Path program, String variable) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(program.toString(), "-c", "read line");
        builder.environment().clear();
        builder.environment().put("NAME", variable);
        return builder.start();
    }

    @Test
    void shouldTellOfAProcessWhenItsNameLooksLikeFields() throws IOException, InterruptedException {
        Path program = Files.createSymbolicLink(folder.resolve("a) Z 1 (b"), Path.of("/bin/sh"));
        Process process = start(program, "value");
        ProcessFiles files = ProcessFiles.of(process.toHandle());
        assertTrue(files.runs());
        assertEquals(Long.toString(ProcessHandle.current().pid()), files.stat(4));
        assertEquals("", files.stat(1000));
        assertTrue(files.findsVariable("NAME", "value"));
        assertFalse(files.findsVariable("NAME", "valu"));
        assertFalse(files.findsVariable("AME", "value"));
        assertTrue(files.findsVariable("NAME"));
        assertFalse(files.findsVariable("NAM"));
        assertEquals(List.of(program.toString(), "-c", "read line"), files.commandLine());
        process.getOutputStream().close();
        process.waitFor();
        Files.delete(program);
        assertFalse(files.runs());
        assertFalse(files.findsVariable("NAME"));
        assertEquals("", files.stat(4));
    }

    /** For a part of execve(2) the kernel shows no environment. */
    @Test
    void shouldFindEnvironmentWhenProcessIsStartingAProgram() throws IOException, InterruptedException {
        Path script = Files.writeString(folder.resolve("again"), "exec /bin/sh " + folder.resolve("again") + "\n");
        ProcessBuilder builder = new ProcessBuilder("/bin/sh", script.toString());
        builder.environment().put("NAME", "value");
        Process process = builder.start();
        try {
            ProcessFiles files = ProcessFiles.of(process.toHandle());
            for (int look = 0; look < 3000; look++) {
                assertTrue(files.findsVariable("NAME", "value"), "look " + look);
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void shouldFindNoneWhenProgramIsStartedWithoutAny() throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("/bin/sh", "-c", "exec env -i sleep 100");
        Process process = builder.start();
        try {
            ProcessFiles files = ProcessFiles.of(process.toHandle());
            while (!files.commandLine().getFirst().equals("sleep")) {
                Thread.onSpinWait();
            }
            assertFalse(files.findsVariable("PATH"));
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void shouldTellOfItselfWhenAsked() {
        assertTrue(ProcessFiles.own().runs());
        assertEquals(ProcessFiles.of(ProcessHandle.current()).stat(22), ProcessFiles.own().stat(22));
    }
}

package org.tributary.release;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A root that has neither Java nor Maven, with the release at a place where nobody can write. */
final class Container {
    /** Not where it was made, nor where it is unpacked. */
    static final String PLACE = "/opt/elsewhere/tributary";

    private static final Path SCRIPT = Path.of("src/test/sh/container.sh").toAbsolutePath();
    private static final long DEADLINE_S = 240;

    private final Path release;
    private final Path work;

    Container(Path release, Path work) {
        this.release = release;
        this.work = work;
    }

    static void assumePossible() throws Exception {
        Process root = new ProcessBuilder("unshare", "-m", "true").start();
        assumeTrue(root.waitFor() == 0, "needs root, for mounts of its own");
    }

    static void assumeProgram(String name) {
        assumeTrue(Stream.of("/usr/bin", "/bin").anyMatch(folder -> Files.isExecutable(Path.of(folder, name))),
            "needs " + name);
    }

    /** What {@code command} printed, which must succeed. */
    String run(String command) throws IOException, InterruptedException {
        Output output = attempt(command);
        assertEquals(0, output.code(), output.text());
        return output.text();
    }

    Output attempt(String command) throws IOException, InterruptedException {
        return attempt(PLACE, command);
    }

    /** With the release at another place. */
    Output attempt(String place, String command) throws IOException, InterruptedException {
        return run(List.of(SCRIPT.toString(), release.toString(), place, work.toString(), command), work);
    }

    static Output run(List<String> command, Path directory) throws IOException, InterruptedException {
        File log = Files.createTempFile(directory, "output", ".txt").toFile();
        Process process = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true)
            .redirectOutput(log).start();
        boolean ended = process.waitFor(DEADLINE_S, TimeUnit.SECONDS);
        if (!ended) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        String text = Files.readString(log.toPath());
        assertTrue(ended, () -> command + " does not end:\n" + text);
        return new Output(process.exitValue(), text);
    }

    record Output(int code, String text) {
    }
}

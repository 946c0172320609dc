package org.tributary.benchmarks.measure;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Which commit the running classes were built from, as far as that can be known. */
public final class SourceVersion {
    private static final long GIT_TIMEOUT_SECONDS = 5;

    private SourceVersion() {
    }

    /** Such as {@code 1a2b3c4-dirty}; null when the classes do not lie in a git work tree or there is no git. */
    public static String find() {
        try {
            Path classes = Path.of(SourceVersion.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            return describe(classes.getParent());
        } catch (URISyntaxException | IOException e) {
            return null; // a result without its commit is still a result
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    private static String describe(Path directory) throws IOException, InterruptedException {
        Process git = new ProcessBuilder("git", "describe", "--always", "--dirty", "--exclude=*")
            .directory(directory.toFile())
            .redirectError(ProcessBuilder.Redirect.to(new File("/dev/null")))
            .start();
        try {
            if (!git.waitFor(GIT_TIMEOUT_SECONDS, TimeUnit.SECONDS) || git.exitValue() != 0) {
                return null;
            }
            return new String(git.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
        } finally {
            git.destroyForcibly();
        }
    }
}

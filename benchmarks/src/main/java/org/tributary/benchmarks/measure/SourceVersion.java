package org.tributary.benchmarks.measure;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

    /** Documents do not count: else the file of one run's results would make the next run one of a changed tree. */
    private static String describe(Path directory) throws IOException, InterruptedException {
        String commit = git(directory, "describe", "--always", "--exclude=*");
        String changes = git(directory, "status", "--porcelain", "-uno", "--", ":/", ":(top,exclude)docs");
        return commit == null || changes == null ? null : commit + (changes.isEmpty() ? "" : "-dirty");
    }

    private static String git(Path directory, String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(words));
        command.addFirst("git");
        Process git = new ProcessBuilder(command)
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

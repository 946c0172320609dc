package org.tributary.testsupport;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiConsumer;

/** Standard error of a process of the present test: copied to that of this one, and searched for errors. */
final class WatchedStream {
    private static final long LAST_WORDS_MS = 5_000;

    private final String name;
    private final Process process;
    private final StringBuilder said = new StringBuilder();
    private final Thread reader;
    private int found;

    WatchedStream(String name, Process process) {
        this.name = name;
        this.process = process;
        this.reader = Thread.ofVirtual().start(this::copy);
    }

    private void copy() {
        try (BufferedReader lines = process.errorReader(StandardCharsets.UTF_8)) {
            lines.lines().forEach(line -> {
                System.err.println(line);
                synchronized (said) {
                    said.append(line).append('\n');
                }
            });
        } catch (IOException | UncheckedIOException e) {
            synchronized (said) {
                said.append("output broke off: ").append(e).append('\n');
            }
        }
    }

    /**
     * Reports the errors in what it has said since it was last searched, with the name of the process.
     *
     * @return whether it has ended, so that nothing follows
     */
    boolean search(BiConsumer<String, String> report) throws InterruptedException {
        boolean ended = !process.isAlive();
        if (ended) {
            reader.join(LAST_WORDS_MS);
        }
        List<String> errors;
        synchronized (said) {
            errors = ErrorLines.of(said.toString());
        }
        errors.subList(found, errors.size()).forEach(error -> report.accept(name, error));
        found = errors.size();
        return ended;
    }
}

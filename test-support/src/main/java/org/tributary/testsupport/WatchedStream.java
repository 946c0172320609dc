package org.tributary.testsupport;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Standard error of a process of the present test: copied to that of this one, and searched for errors in the end. */
final class WatchedStream {
    private static final long LAST_WORDS_MS = 5_000;

    private final String name;
    private final Process process;
    private final StringBuilder said = new StringBuilder();
    private final Thread reader;

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

    /** All that it said, as the test ends; the process should have ended as well. */
    void search() throws InterruptedException {
        if (!process.isAlive()) {
            reader.join(LAST_WORDS_MS);
        }
        synchronized (said) {
            LoggedErrors.scan(name, said.toString());
        }
    }
}

package org.tributary.benchmarks.observe;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.net.Proxy;
import java.net.URI;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Reads the events of a live page, as a browser does, on a thread of its own, until the page ends with its job. */
final class EventReader {
    private static final int LIMIT_MS = (int) TimeUnit.SECONDS.toMillis(30);
    private static final String EVENT = "event: ";

    private final BufferedReader lines;
    private final Thread thread;
    private volatile String end = "it has ended";

    /** Of the page at that address, which ends in a slash; it has told its first event when this returns. */
    EventReader(String url) throws IOException {
        URLConnection page = URI.create(url).resolve("events").toURL().openConnection(Proxy.NO_PROXY);
        page.setConnectTimeout(LIMIT_MS);
        page.setReadTimeout(LIMIT_MS);
        lines = new BufferedReader(new InputStreamReader(page.getInputStream(), StandardCharsets.UTF_8));
        String line = lines.readLine();
        if (line == null || !line.startsWith(EVENT)) {
            lines.close();
            throw new IOException("the live page tells no events but '" + line + "'");
        }
        thread = Thread.ofPlatform().daemon().name("events-of-page").start(this::read);
    }

    private void read() {
        try (lines) {
            lines.transferTo(Writer.nullWriter());
        } catch (IOException e) {
            end = e.toString();
        }
    }

    /** Fails when the page is not read any more. */
    void check() throws IOException {
        if (!thread.isAlive()) {
            throw new IOException("the live page was not read to the end of the job: " + end);
        }
    }
}

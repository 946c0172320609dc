package org.tributary.launcher.job;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * Copies one output of one process line by line. A line is held back until it is complete; one longer than
 * {@link #MAX_LINE} is cut there, so that a process writing no line ends takes bounded memory. Used by one thread.
 */
final class LinePump {
    static final int MAX_LINE = 64 << 10;

    private final byte[] prefix;
    private final LineSink sink;
    private final LineTest intercept;
    private final byte[] buffer = new byte[MAX_LINE];
    private final ByteArrayOutputStream ready = new ByteArrayOutputStream();
    private int held;

    LinePump(String prefix, LineSink sink) {
        this(prefix, sink, (line, offset, length) -> false);
    }

    LinePump(String prefix, LineSink sink, LineTest intercept) {
        this.prefix = prefix.getBytes(StandardCharsets.UTF_8);
        this.sink = sink;
        this.intercept = intercept;
    }

    /** Until the end of the stream, or its closing; what is left of a last line is written then. */
    void copy(InputStream in) {
        try {
            for (int n = in.read(buffer, 0, MAX_LINE); n >= 0; n = in.read(buffer, held, MAX_LINE - held)) {
                held += n;
                takeLines();
            }
        } catch (IOException e) {
            // The stream was closed under us because the job is over: what was read is all there is.
        }
        if (held > 0) {
            line(0, held);
            held = 0;
        }
        flush();
    }

    private void line(int offset, int length) {
        if (intercept.test(buffer, offset, length)) {
            return;
        }
        ready.writeBytes(prefix);
        ready.write(buffer, offset, length);
        ready.write('\n');
    }

    private void takeLines() {
        int start = 0;
        for (int i = 0; i < held; i++) {
            if (buffer[i] == '\n') {
                line(start, i - start);
                start = i + 1;
            }
        }
        if (start == 0 && held == MAX_LINE) {
            line(0, held);
            start = held;
        }
        System.arraycopy(buffer, start, buffer, 0, held - start);
        held -= start;
        flush();
    }

    private void flush() {
        if (ready.size() > 0) {
            byte[] lines = ready.toByteArray();
            sink.write(lines, 0, lines.length);
            ready.reset();
        }
    }

    /** Says whether a line is meant for the launcher itself, and so not copied. */
    interface LineTest {
        boolean test(byte[] buffer, int offset, int length);
    }
}

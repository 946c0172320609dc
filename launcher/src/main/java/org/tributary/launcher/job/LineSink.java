package org.tributary.launcher.job;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Where lines of many processes meet. Each write is whole lines and happens under the sink's lock, so lines never
 * interleave. Once the reader of the output has gone, lines are dropped, so that no rank blocks on a full pipe.
 */
public final class LineSink {
    private final OutputStream out;
    private boolean closed;

    public LineSink(OutputStream out) {
        this.out = out;
    }

    /** Whole lines. */
    public synchronized void write(byte[] lines, int offset, int length) {
        if (closed) {
            return;
        }
        try {
            out.write(lines, offset, length);
            out.flush();
        } catch (IOException e) {
            closed = true;
        }
    }

    /** One line, without its end. */
    public void write(String line) {
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        write(bytes, 0, bytes.length);
    }

    /** A line of the launcher's own. */
    public void say(String message) {
        write("tributary: " + message);
    }
}

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

    synchronized void write(byte[] lines, int offset, int length) {
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

    public void say(String message) {
        byte[] line = ("tributary: " + message + "\n").getBytes(StandardCharsets.UTF_8);
        write(line, 0, line.length);
    }
}

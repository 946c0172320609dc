package org.tributary.launcher.job;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Where lines of many processes meet. Each write is whole lines and happens under the sink's lock, so lines never
 * interleave. Once the reader of the output has gone, lines are dropped, so that no rank blocks on a full pipe.
 */
public final class LineSink {
    /** To the first column, and nothing behind it. */
    private static final byte[] ERASE = "\r\033[K".getBytes(StandardCharsets.US_ASCII);
    private static final int STANDARD_ERROR = 2;

    private final OutputStream out;
    private final boolean terminal;
    private boolean showing;
    private boolean closed;

    public LineSink(OutputStream out) {
        this(out, false);
    }

    /** The same, where {@code terminal} says whether somebody watches it who may be shown a passing line. */
    public LineSink(OutputStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    /** To standard error of this process, which may be a terminal. */
    public static LineSink ofStandardError() {
        return new LineSink(new FileOutputStream(FileDescriptor.err), Terminal.is(STANDARD_ERROR));
    }

    /** Whether somebody watches it. */
    public boolean isTerminal() {
        return terminal;
    }

    /** Shows a line until the next one is written or shown; only on a terminal. */
    public synchronized void show(String passing) {
        if (terminal) {
            byte[] line = passing.getBytes(StandardCharsets.UTF_8);
            write(line, 0, line.length);
            showing = true;
        }
    }

    /** Shows no such line any more. */
    public synchronized void hide() {
        if (showing) {
            write(new byte[0], 0, 0);
        }
    }

    /** Whole lines. */
    public synchronized void write(byte[] lines, int offset, int length) {
        if (closed) {
            return;
        }
        try {
            if (showing) {
                out.write(ERASE);
                showing = false;
            }
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

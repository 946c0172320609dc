package org.tributary.launcher.job;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Copies one output of one process line by line. A line is held back until it is complete; one longer than
 * {@link #MAX_LINE} is cut there, so that a process writing no line ends takes bounded memory. A job of a thousand
 * ranks has two thousand of these, so one has more than {@link #FIRST_ROOM} only while it holds a long line. Used by
 * one thread, but that others may see whether it waits for its process or for its sink.
 */
final class LinePump {
    static final int MAX_LINE = 64 << 10;
    static final int FIRST_ROOM = 4 << 10;

    private final byte[] prefix;
    private final LineSink sink;
    private final LineTest intercept;
    private byte[] buffer = new byte[FIRST_ROOM];
    private ByteArrayOutputStream ready = new ByteArrayOutputStream();
    private int held;
    /** Odd while it waits for something to read. Only the thread that copies writes it. */
    private volatile long reads;

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
            for (int n = read(in); n >= 0; n = read(in)) {
                held += n;
                takeLines();
                fitRoom();
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

    private int read(InputStream in) throws IOException {
        reads++;
        try {
            return in.read(buffer, held, buffer.length - held);
        } finally {
            reads++;
        }
    }

    /** How often it has begun or ended to read, for {@link #isReading}; may be called by any thread. */
    long reads() {
        return reads;
    }

    /** Whether it was waiting for something to read when it told {@code reads}, rather than holding some of it. */
    static boolean isReading(long reads) {
        return (reads & 1) == 1;
    }

    private void line(int offset, int length) {
        if (intercept.test(buffer, offset, length)) {
            return;
        }
        int passing = length > 1 && buffer[offset] == LineSink.PASSING ? 1 : 0; // which comes before the prefix, too
        ready.write(buffer, offset, passing);
        ready.writeBytes(prefix);
        ready.write(buffer, offset + passing, length - passing);
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

    /** Room for more of a long line, or no more than at first when there is none. */
    private void fitRoom() {
        if (held == buffer.length) {
            buffer = Arrays.copyOf(buffer, Math.min(2 * held, MAX_LINE));
        } else if (held == 0 && buffer.length > FIRST_ROOM) {
            buffer = new byte[FIRST_ROOM];
        }
    }

    /** How much this can hold, in bytes. */
    int room() {
        return buffer.length;
    }

    private void flush() {
        if (ready.size() > 0) {
            byte[] lines = ready.toByteArray();
            sink.write(lines, 0, lines.length);
            if (lines.length > FIRST_ROOM) {
                ready = new ByteArrayOutputStream();
            } else {
                ready.reset();
            }
        }
    }

    /** Says whether a line is meant for the launcher itself, and so not copied. */
    interface LineTest {
        boolean test(byte[] buffer, int offset, int length);
    }
}

package org.tributary.launcher.host;

import java.io.OutputStream;
import java.util.Arrays;
import java.util.function.Consumer;
import org.tributary.launcher.link.Frame;

/**
 * Output of one host's processes on its way to the launcher. Writers wait when {@link #WINDOW} bytes are on their way,
 * as they would for a full pipe. Thread-safe.
 */
final class AgentOutput {
    /** Bytes that one agent may have on their way: of a thousand, all of them together fit the launcher's heap. */
    static final int WINDOW = 64 << 10;

    private final int node;
    private final Consumer<Frame> upstream;
    private final Window window = new Window(WINDOW);
    private volatile boolean closed;

    AgentOutput(int node, Consumer<Frame> upstream) {
        this.node = node;
        this.upstream = upstream;
    }

    /** So many bytes have been written at the other end. */
    void taken(int bytes) {
        window.arrived(bytes);
    }

    /** The launcher reads no more: later output is dropped, so that no process waits for it. */
    void close() {
        closed = true;
        window.open();
    }

    /** Each write is whole lines. */
    OutputStream stream(byte kind) {
        return new OutputStream() {
            @Override
            public void write(int b) {
                throw new UnsupportedOperationException("lines are written as a whole");
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
                window.send(length);
                if (!closed) {
                    upstream.accept(new Frame(kind, node, Arrays.copyOfRange(bytes, offset, offset + length)));
                }
            }
        };
    }
}

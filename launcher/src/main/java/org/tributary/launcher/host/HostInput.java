package org.tributary.launcher.host;

import java.util.Arrays;
import java.util.function.Consumer;
import org.tributary.launcher.job.InputTaker;
import org.tributary.launcher.link.Codec;
import org.tributary.launcher.link.Command;
import org.tributary.launcher.link.Frame;

/**
 * Input of rank 0 on its way to that rank's host. The thread that gives it waits while {@link AgentOutput#WINDOW} bytes
 * are on their way, as for a full pipe. Thread-safe.
 */
final class HostInput implements InputTaker {
    private final Consumer<Frame> downstream;
    private final int node;
    private final Window window = new Window(AgentOutput.WINDOW);
    private volatile boolean closed;

    HostInput(Consumer<Frame> downstream, int node) {
        this.downstream = downstream;
        this.node = node;
    }

    /** So many bytes have been read there, or none will be any more if that is negative. */
    void taken(int bytes) {
        if (bytes < 0) {
            stop();
        } else {
            window.arrived(bytes);
        }
    }

    /** Takes no more: nobody waits here from now on. */
    void stop() {
        closed = true;
        window.open();
    }

    @Override
    public boolean give(byte[] bytes, int length) {
        window.send(length);
        if (closed) {
            return false;
        }
        if (length > 0) {
            downstream.accept(Codec.encode(new Command.Input(Arrays.copyOf(bytes, length)), node));
        }
        return true;
    }

    @Override
    public void closeInput() {
        downstream.accept(Codec.encode(new Command.Input(new byte[0]), node));
    }
}

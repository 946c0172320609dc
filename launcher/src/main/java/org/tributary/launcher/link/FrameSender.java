package org.tributary.launcher.link;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** The way from an agent to the one that has started it. Thread-safe. */
public final class FrameSender {
    private final OutputStream pipe;
    private final DataOutputStream out;
    private volatile boolean unheard;

    /** Through such a pipe; closing it has to end a write that waits for room, as that of a file channel does. */
    public FrameSender(OutputStream pipe) {
        this.pipe = pipe;
        this.out = new DataOutputStream(new BufferedOutputStream(pipe));
    }

    /** Where frames go, for what has another form. Not to be used while others send. */
    public DataOutputStream stream() {
        return out;
    }

    public void send(Frame frame) {
        if (unheard) {
            return;
        }
        synchronized (out) {
            try {
                frame.write(out);
                out.flush();
            } catch (IOException e) {
                unheard = true; // the other side is gone, which the other direction tells
            }
        }
    }

    /** Whether the other side has read all that was sent, or may still read it. */
    public boolean isHeard() {
        return !unheard;
    }

    /** Sends no more: nobody is there to read it. Threads that wait for room in the pipe go on. */
    public void giveUp() {
        unheard = true;
        try {
            pipe.close();
        } catch (IOException e) {
            // Nothing was to get there any more.
        }
    }
}

package org.tributary.launcher.link;

import java.io.DataOutputStream;
import java.io.IOException;

/** The way from an agent to the one that has started it. Thread-safe. */
public final class FrameSender {
    private final DataOutputStream out;
    private volatile boolean unheard;

    public FrameSender(DataOutputStream out) {
        this.out = out;
    }

    public void send(Frame frame) {
        if (unheard) {
            return; // who holds the lock may wait for room in the pipe
        }
        synchronized (out) {
            try {
                frame.write(out);
                out.flush();
            } catch (IOException e) {
                // The other side is gone, which the other direction tells.
            }
        }
    }

    /** Sends no more: nobody is there to read it. */
    public void giveUp() {
        unheard = true;
    }
}

package org.tributary.launcher.host;

import java.io.DataOutputStream;
import java.io.IOException;

/** The way from an agent to the one that has started it. Thread-safe. */
final class FrameSender {
    private final DataOutputStream out;
    private volatile boolean unheard;

    FrameSender(DataOutputStream out) {
        this.out = out;
    }

    void send(Frame frame) {
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
    void giveUp() {
        unheard = true;
    }
}

package org.tributary.launcher.host;

import java.io.IOException;
import org.tributary.launcher.job.Event;
import org.tributary.launcher.link.Codec;
import org.tributary.launcher.link.Frame;

/** How many nodes and ranks a job has, against which numbers that an agent tells are checked. */
record JobSize(int nodes, int ranks) {
    /** The event of a frame; an {@link IOException} when it names a node or rank that the job does not have. */
    Event event(Frame frame) throws IOException {
        Event event = Codec.event(frame);
        switch (event) {
            case Event.HostReady ready -> checkNode(ready.node());
            case Event.HostGone gone -> {
                checkNode(gone.node());
                if (gone.count() < 1 || gone.count() > nodes - gone.node()) {
                    throw new IOException(gone.count() + " nodes from " + gone.node() + " on, in a job of " + nodes);
                }
            }
            case Event.ServerReady ready -> checkNode(ready.node());
            case Event.ServerAborted aborted -> checkNode(aborted.node());
            case Event.ServerEnded ended -> checkNode(ended.node());
            case Event.NodeEnded ended -> checkNode(ended.node());
            case Event.RankEnded ended -> check("rank", ended.rank(), ranks);
            case Event.StartFailed failed -> { }
            case Event.Remark remark -> { }
            case Event.SignalReceived received -> throw new IOException("an event of another process: " + received);
            case Event.Report report -> throw new IOException("an event of another process: " + report);
        }
        return event;
    }

    void checkNode(int node) throws IOException {
        check("node", node, nodes);
    }

    private static void check(String what, int number, int count) throws IOException {
        if (number < 0 || number >= count) {
            throw new IOException(what + " " + number + " in a job of " + count);
        }
    }
}

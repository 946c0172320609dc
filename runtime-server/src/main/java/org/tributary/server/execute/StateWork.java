package org.tributary.server.execute;

import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.server.io.Replies;
import org.tributary.server.observe.RequestCounts;

/**
 * How a connection has requests executed that change the state of the node, which the main event loop owns. While that
 * lasts, the connection executes nothing else, so the order of its requests stays. Called on the connection's loop.
 */
public interface StateWork {
    /** Something to do on the main loop. */
    interface Step {
        /** Returns false when it has to be done again, because a lock of accumulates is not free. */
        boolean run();
    }

    /** A request whose fixed part is all of it, executed on the main loop. */
    interface Request {
        void execute(UnsafeBuffer buffer, int at, int template, int blockLength, int version, int extra);
    }

    /** Returns false when the step has been done, and has to be done again later. */
    boolean execute(Step step);

    /** Executes a request; {@code extra} is what follows its block. */
    void execute(Request request, UnsafeBuffer buffer, int at, int template, int blockLength, int version, int extra);

    /** Takes the answers of what is executed. */
    Replies replies();

    /** Counts what is executed. */
    RequestCounts counts();
}

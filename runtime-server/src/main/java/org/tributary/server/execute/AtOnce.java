package org.tributary.server.execute;

import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.server.io.Replies;
import org.tributary.server.observe.RequestCounts;

/** The work of a connection of the main event loop. */
public record AtOnce(Replies replies, RequestCounts counts) implements StateWork {
    @Override
    public boolean execute(Step step) {
        return step.run();
    }

    @Override
    public void execute(Request request, UnsafeBuffer buffer, int at, int template, int blockLength, int version,
        int extra) {
        request.execute(buffer, at, template, blockLength, version, extra);
    }
}

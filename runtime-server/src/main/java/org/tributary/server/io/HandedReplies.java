package org.tributary.server.io;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.tributary.fabric.RegionKey;
import org.tributary.server.observe.GuardedTasks;
import org.tributary.wire.codec.ErrorCode;

/**
 * Answers that the main event loop gives on a connection of another one: handed over to that loop, which writes them.
 * Owned by the main loop.
 */
public final class HandedReplies implements Replies {
    private final ReplyWriter writer;
    private final GuardedTasks loop;
    private List<Consumer<ReplyWriter>> gathered = new ArrayList<>();

    /** Has {@code loop} write to {@code writer}, which it owns. */
    public HandedReplies(ReplyWriter writer, GuardedTasks loop) {
        this.writer = writer;
        this.loop = loop;
    }

    @Override
    public void value(long requestId, long result) {
        gathered.add(to -> to.value(requestId, result));
    }

    @Override
    public void done(long requestId) {
        gathered.add(to -> to.done(requestId));
    }

    @Override
    public void copy(long requestId, MemorySegment source, long offset, int length) {
        MemorySegment copy = MemorySegment.ofArray(new long[(length + Long.BYTES - 1) / Long.BYTES]);
        MemorySegment.copy(source, offset, copy, 0, length);
        gathered.add(to -> to.copy(requestId, copy, 0, length));
    }

    @Override
    public void error(long requestId, ErrorCode code, int rank, long segmentId, long offset, long length, long bound,
        String detail) {
        gathered.add(to -> to.error(requestId, code, rank, segmentId, offset, length, bound, detail));
    }

    @Override
    public void region(long requestId, RegionKey key, long partOffset, String provider, byte[] address) {
        gathered.add(to -> to.region(requestId, key, partOffset, provider, address));
    }

    @Override
    public void flush() {
        if (gathered.isEmpty()) {
            return;
        }
        List<Consumer<ReplyWriter>> answers = gathered;
        gathered = new ArrayList<>();
        loop.run(() -> {
            answers.forEach(answer -> answer.accept(writer));
            writer.flush();
        });
    }
}

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
 * The work of the connection that comes back takes its answers along; others, such as the grant of a lock, go by
 * themselves. Owned by the main loop.
 */
public final class HandedReplies implements Replies {
    private final Replies writer;
    private final GuardedTasks loop;
    private final SpinThenBlock waiting;
    private List<Consumer<Replies>> gathered = new ArrayList<>();
    private boolean isHeld;

    /** Has {@code loop}, which waits in that way, write to {@code writer}, which it owns. */
    public HandedReplies(Replies writer, GuardedTasks loop, SpinThenBlock waiting) {
        this.writer = writer;
        this.loop = loop;
        this.waiting = waiting;
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

    /** Work of the connection begins, which will take what is answered meanwhile. */
    public void hold() {
        isHeld = true;
    }

    /** The work goes on elsewhere, and takes what is answered at its end. */
    public void release() {
        isHeld = false;
        flush();
    }

    /** The work takes what has been answered along; for {@link #write}. */
    public List<Consumer<Replies>> take() {
        isHeld = false;
        if (gathered.isEmpty()) {
            return List.of();
        }
        List<Consumer<Replies>> answers = gathered;
        gathered = new ArrayList<>();
        return answers;
    }

    /** The work has failed: what it has answered is not to be sent. */
    public void drop() {
        gathered.clear();
    }

    /** Sends answers that were taken. On the connection's loop. */
    public void write(List<Consumer<Replies>> answers) {
        if (!answers.isEmpty()) {
            answers.forEach(answer -> answer.accept(writer));
            writer.flush();
        }
    }

    @Override
    public void flush() {
        if (!isHeld) {
            List<Consumer<Replies>> answers = take();
            if (!answers.isEmpty()) {
                loop.run(() -> {
                    waiting.traffic(); // the rank is likely to send its next request soon
                    write(answers);
                });
            }
        }
    }
}

package org.tributary.cooperation;

import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.IntArrayList;

/**
 * The sources of one server by their numbers. A turn marks the sources to which there may be something to tell, and its
 * end goes through these only: one acknowledgement then covers all requests of the turn. A number is used again after
 * {@link Output#released}. Owned by the event loop.
 */
final class Sources {
    private final CooperationOptions options;
    private final Output output;
    private final List<SourceState> byNumber = new ArrayList<>();
    private final IntArrayList freeNumbers = new IntArrayList();
    private final IntArrayList touched = new IntArrayList();

    Sources(CooperationOptions options, Output output) {
        this.options = options;
        this.output = output;
    }

    int open(boolean isChannel) {
        SourceState source = new SourceState(isChannel, options.channelBytes());
        if (freeNumbers.isEmpty()) {
            byNumber.add(source);
            return byNumber.size() - 1;
        }
        int number = freeNumbers.removeAt(freeNumbers.size() - 1);
        byNumber.set(number, source);
        return number;
    }

    SourceState get(int number) {
        return byNumber.get(number);
    }

    /** The bytes of a request are needed no longer. */
    void release(int number, long position) {
        get(number).ring.release(position);
        touch(number);
    }

    /** There may be something to tell the source. */
    void touch(int number) {
        SourceState source = get(number);
        if (!source.isTouched) {
            source.isTouched = true;
            touched.addInt(number);
        }
    }

    /**
     * Whether nothing more of the source is to be read. What is combined with a request of another source gives its
     * room back at once, but somebody waits for it: that counts as well. Waits for locks do not: the release of a lock
     * may come behind them.
     */
    boolean mustWait(SourceState source) {
        return source.replyBytes > options.channelBytes()
            || (long) source.promptPending * Waiters.BYTES_EACH > options.channelBytes()
            || !source.isChannel && !source.ring.hasRoom(options.maxForwarded());
    }

    /** The turn ends: acknowledges, gives credit, lets go on. */
    void endTurn() {
        for (int i = 0; i < touched.size(); i++) {
            tell(touched.getInt(i));
        }
        touched.clear();
    }

    private void tell(int number) {
        SourceState source = get(number);
        source.isTouched = false;
        if (source.isClosed) {
            if (source.isReleasable()) {
                freeNumbers.addInt(number);
                output.released(number);
            }
            return;
        }
        if (source.takeAcknowledgement()) {
            output.acknowledge(number, source.executed.prefix());
            source.hasSpoken = true;
        }
        if (source.takeCredit(options.channelBytes())) {
            output.credit(number, source.ring.freed());
        }
        source.hasSpoken = false;
        if (source.isHeld && !mustWait(source)) {
            source.isHeld = false;
            output.unblocked(number);
        }
    }
}

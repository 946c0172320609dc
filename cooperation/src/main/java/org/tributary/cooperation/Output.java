package org.tributary.cooperation;

import org.tributary.wire.shape.ElementType;

/**
 * What a {@link Forwarder} has a server do. Calls come from within those of the forwarder, and must not call it back,
 * but for {@link #connect}, within which the channel may be told to be connected.
 */
public interface Output {
    /** The channel to {@code peer} is needed: to be opened, then {@link Forwarder#connected}. */
    void connect(int peer);

    /** A message of so many requests to {@code peer} begins; bytes are those of the requests. */
    void begin(int peer, int requests, long lengthInBytes);

    /**
     * The next request of the message.
     *
     * @param ticket to be given as its id, and asked for in its answer; -1 for a one-way request
     * @param origin in whose block it lies
     * @param position where: that many bytes since the origin came, modulo the size of the block
     */
    void request(int peer, long ticket, int origin, long position, int lengthInBytes);

    /** As {@link #request}, for a fetch-and-add whose operand is another one now. */
    void fetchAndAdd(int peer, long ticket, int origin, long position, int lengthInBytes, long operand);

    /** The message is complete: send it. */
    void end(int peer);

    /** Adds the elements of one accumulate that waits to those of another; both as long, at the same place in each. */
    void sum(int intoOrigin, long intoPosition, int fromOrigin, long fromPosition, int payloadAt, int payloadLength,
        ElementType type);

    /** One fetch-and-add has become part of another: its bytes are needed no longer. */
    default void joined(int intoOrigin, long intoPosition, int fromOrigin, long fromPosition) {
    }

    /** All of the origin's first {@code executed} one-way requests have been executed. */
    void acknowledge(int origin, long executed);

    /** So many bytes of the origin's block have been freed since it came. */
    void credit(int origin, long freed);

    /** The origin may go on: there is room for what {@link Forwarder#place} refused, or few enough answers are due. */
    void unblocked(int origin);

    /** Nothing refers to a closed origin any longer: its block may go, its number will be used again. */
    void released(int origin);

    /**
     * The server of {@code node} is lost, and with it a request, or its answer: it may have been executed or not.
     *
     * @param requestId -1 - n for the origin's n-th one-way request, which counts as executed where acknowledgements
     *     are concerned
     */
    void failed(int origin, long requestId, int node);

    /** {@link Forwarder#timer} is to be called at that time, or earlier. */
    void wakeAt(long timeNs);
}

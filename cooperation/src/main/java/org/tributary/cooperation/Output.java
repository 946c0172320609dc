package org.tributary.cooperation;

import org.tributary.wire.shape.ElementType;

/**
 * Actions of a server on behalf of a {@link Forwarder}. Calls come from within those of the forwarder, and must not
 * call it back, but for {@link #connect}, within which the channel may be told to be connected.
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
     * @param source in whose ring it lies
     * @param position where: that many bytes since the source came, modulo the size of the ring
     */
    void request(int peer, long ticket, int source, long position, int lengthInBytes);

    /** As {@link #request}, for a fetch-and-add whose operand is another one now. */
    void fetchAndAdd(int peer, long ticket, int source, long position, int lengthInBytes, long operand);

    /** The message is complete: send it. */
    void end(int peer);

    /** Adds the elements of one accumulate that waits to those of another; both as long, at the same place in each. */
    void sum(int intoSource, long intoPosition, int fromSource, long fromPosition, int payloadAt, int payloadLength,
        ElementType type);

    /** One fetch-and-add has become part of another: its bytes are needed no longer. */
    default void joined(int intoSource, long intoPosition, int fromSource, long fromPosition) {
    }

    /** All of the source's first {@code executed} one-way requests have been executed. */
    void acknowledge(int source, long executed);

    /** So many bytes of the source's ring have been freed since it came. */
    void credit(int source, long freed);

    /** The source, which {@link Intake#holdIfBlocked} had wait, may go on. */
    void unblocked(int source);

    /** Nothing refers to a closed source any longer: its ring may go, its number will be used again. */
    void released(int source);

    /**
     * The server of {@code node} is lost, and with it a request, or its answer: it may have been executed or not.
     *
     * @param requestId -1 - n for the source's n-th one-way request, which counts as executed where acknowledgements
     *     are concerned
     */
    void failed(int source, long requestId, int node);

    /** {@link Forwarder#timer} is to be called at that time, or earlier, and not at the one that was given before. */
    void wakeAt(long timeNs);
}

package org.tributary.miniapps.exchange;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Sends a message to each neighbour and receives one from each, over and over. In every step a rank fills {@link
 * #outgoing}, calls {@link #issue}, may compute, calls {@link #finish}, and reads {@link #incoming}. All ranks go
 * through the same steps. One thread a rank.
 */
public interface Exchange extends AutoCloseable {
    /**
     * The message to the neighbour in a direction, which keeps its content from step to step; not to be changed between
     * {@link #issue} and {@link #finish}.
     */
    MemorySegment outgoing(int direction);

    /**
     * From the next step on, only so many bytes of a message go out in a direction, and come in from there: messages
     * that vary in length. What {@link #outgoing} and {@link #incoming} return stays as long as it was; the bytes
     * behind are anything.
     */
    void limit(int direction, long sent, long received);

    /**
     * Opens the step's epoch and puts the messages, as early as the design permits. What came in the step before need
     * not be kept by others any longer: it has been read.
     */
    void issue();

    /** Closes the epoch: all messages to this rank are there, and its own may be changed. */
    void finish();

    /** The message from the neighbour in a direction, from {@link #finish} to the next {@link #issue}. */
    MemorySegment incoming(int direction);

    /** The design of the last step, and why it was chosen, if the design is chosen automatically. */
    Optional<String> choice();

    /** Closes everything; collective. */
    @Override
    void close();
}

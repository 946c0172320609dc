package org.tributary.fabric;

import java.util.OptionalInt;

/** How a thread makes progress at an endpoint, and sleeps while there is nothing to be done. */
public interface Progress {
    /**
     * Makes progress, also for others who read and write here, and tells what has happened. Never blocks.
     *
     * @return how much has happened
     * @throws FabricException when the endpoint can no longer be used
     */
    int poll(CompletionHandler handler);

    /**
     * A descriptor for {@code poll} and {@code epoll}, which is readable when there is something to {@link #poll}; none
     * with providers that have none, such as shm. It belongs to the endpoint.
     */
    OptionalInt waitDescriptor();

    /** Whether the descriptor wakes a thread that sleeps on it from now on. If not, poll first. */
    boolean maySleep();
}

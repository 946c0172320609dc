package org.tributary.client.adapter;

import java.lang.foreign.MemorySegment;
import org.tributary.fabric.Domain;
import org.tributary.fabric.Endpoint;
import org.tributary.fabric.FabricException;
import org.tributary.fabric.Provider;

/** A rank's endpoint and the memory through which its data passes. Guarded by the lock of the links. */
final class Opened implements AutoCloseable {
    /** Of memory that has to be registered; less is copied. */
    private static final long WORTH_REGISTERING = 1 << 20;

    private final Domain domain;
    private final Endpoint endpoint;
    /** Null when memory has to be registered. */
    private final Direct any;
    private final Bounce bounce;
    private final RequestChannels channels;
    private boolean cannotRegister;

    /**
     * Opens a provider.
     *
     * @throws org.tributary.fabric.FabricException when it cannot be opened, or not use memory; nothing is left open
     */
    Opened(Provider provider) {
        domain = Domain.open(provider);
        try {
            endpoint = domain.open();
            any = endpoint.anyMemory().map(memory -> new Direct(memory, false)).orElse(null);
            bounce = new Bounce(endpoint);
            channels = new RequestChannels(endpoint, Bounce.SLOTS);
        } catch (RuntimeException | Error e) {
            domain.close();
            throw e;
        }
    }

    Endpoint endpoint() {
        return endpoint;
    }

    /**
     * How it uses memory of a caller itself; null when that has to be copied.
     *
     * @param part     of the caller's memory that is used; null when it is in several pieces
     * @param isTarget whether it is for reads; otherwise it is for writes
     */
    Direct direct(MemorySegment part, boolean isTarget) {
        if (any != null) {
            return any;
        }
        if (part == null || part.byteSize() < WORTH_REGISTERING || cannotRegister) {
            return null;
        }
        try {
            return new Direct(endpoint.use(part, isTarget), true);
        } catch (FabricException e) {
            cannotRegister = true;
            System.err.println("tributary: data of puts and gets is copied for the network adapter from now on: "
                + e.getMessage() + ". If memory must not be locked, raise the limit (ulimit -l)");
            return null;
        }
    }

    Bounce bounce() {
        return bounce;
    }

    RequestChannels channels() {
        return channels;
    }

    /** Closes all but the memory: what the endpoint was given may have gone to others, who still use it. */
    void abandon() {
        domain.close();
    }

    @Override
    public void close() {
        domain.close();
        bounce.close();
        channels.close();
    }
}

package org.tributary.client.adapter;

import java.util.OptionalInt;
import org.tributary.fabric.Domain;
import org.tributary.fabric.Endpoint;
import org.tributary.fabric.FabricException;
import org.tributary.fabric.LocalMemory;
import org.tributary.fabric.Provider;

/** A rank's endpoint and the memory through which its data passes. Guarded by the lock of the links. */
final class Opened implements AutoCloseable {
    private final Domain domain;
    private final Endpoint endpoint;
    private final OptionalInt descriptor;
    private final LocalMemory direct;
    private final Bounce bounce;
    private final RequestChannels channels;

    /**
     * Opens a provider.
     *
     * @throws FabricException when it cannot be opened, or not use memory; nothing is left open
     */
    Opened(Provider provider) {
        domain = Domain.open(provider);
        try {
            endpoint = domain.open();
            descriptor = endpoint.waitDescriptor();
            direct = endpoint.anyMemory().orElse(null);
        } catch (RuntimeException | Error e) {
            domain.close();
            throw e;
        }
        try {
            bounce = new Bounce(endpoint);
            channels = new RequestChannels(endpoint, Bounce.SLOTS);
        } catch (FabricException e) {
            domain.close();
            throw new FabricException(e.getMessage() + ". If memory must not be locked, raise the limit (ulimit -l)",
                e.code());
        } catch (RuntimeException | Error e) {
            domain.close();
            throw e;
        }
    }

    Endpoint endpoint() {
        return endpoint;
    }

    /** On which a thread may sleep; none with providers that have none. */
    OptionalInt descriptor() {
        return descriptor;
    }

    /** By which it uses memory of callers itself; null when that has to be registered. */
    LocalMemory direct() {
        return direct;
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

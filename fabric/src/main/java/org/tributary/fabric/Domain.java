package org.tributary.fabric;

import java.security.SecureRandom;

/** An adapter that is open. One thread at a time uses it and what belongs to it. */
public final class Domain extends NativeObject {
    private static final int MAX_KEY_BYTES = 8;

    private final Provider provider;
    private final SecureRandom keys = new SecureRandom();

    private Domain(Provider provider, long handle) {
        super(null, handle);
        this.provider = provider;
    }

    /**
     * Opens it.
     *
     * @throws FabricException when it cannot be opened, or is gone
     */
    public static Domain open(Provider provider) {
        Fabric fabric = Fabric.load();
        long[] opened = {-1};
        fabric.visit(provider.name(), provider.host(), info -> {
            if (fabric.provider(info, provider.host()).equals(provider)) {
                opened[0] = fabric.make("opening " + provider, cell -> fabric.shim().tf_domain_open(info, cell));
                return true;
            }
            return false;
        });
        if (opened[0] == -1) {
            throw new FabricException(provider + " is not there any more", 0);
        }
        return new Domain(provider, opened[0]);
    }

    /** Whose adapter it is. */
    public Provider provider() {
        return provider;
    }

    /**
     * A place that sends and is written to.
     *
     * @throws FabricException when the adapter has no more of them, for instance
     */
    public Endpoint open() {
        Fabric fabric = Fabric.load();
        return new Endpoint(this, provider, this::nextKey, fabric.make("an endpoint of " + provider,
            cell -> fabric.shim().tf_endpoint_open(handle(), cell)));
    }

    /**
     * For a region: no other of the domain may have it, and it must not be possible to guess it, because any process
     * that reaches the endpoint may use it. Providers that choose keys themselves ignore it.
     */
    private long nextKey() {
        int bits = Byte.SIZE * Math.min(provider.keyBytes(), MAX_KEY_BYTES);
        return bits == 0 ? 0 : keys.nextLong() >>> Long.SIZE - bits;
    }

    @Override
    void release(long closing) {
        Fabric.load().shim().tf_domain_close(closing);
    }

    @Override
    public String toString() {
        return "domain of " + provider;
    }
}

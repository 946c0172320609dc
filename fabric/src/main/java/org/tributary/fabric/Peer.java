package org.tributary.fabric;

/** Another endpoint. What belongs to it is closed with it; the connection to it ends when this endpoint is closed. */
public final class Peer extends NativeObject {
    private final NativeObject endpoint;
    private final Shim shim;
    private final Provider provider;

    Peer(NativeObject endpoint, Shim shim, Provider provider, long number) {
        super(endpoint, number);
        this.endpoint = endpoint;
        this.shim = shim;
        this.provider = provider;
    }

    /** Memory of it, by what its {@link Region#key()} told. */
    public RemoteRegion region(RegionKey key) {
        return new RemoteRegion(this, shim, provider, key, Fabric.load().make("a remote region",
            cell -> shim.tf_remote_open(endpoint.handle(), handle(), key.base(), key.key(), cell)));
    }

    /** Connections end with the endpoint. */
    @Override
    void release(long closing) {
    }

    @Override
    public String toString() {
        return "peer of " + endpoint;
    }
}

package org.tributary.fabric;

import java.util.Objects;

/**
 * Memory of this process that operations of its endpoint may read and write: what has been registered, or, with
 * {@link Endpoint#anyMemory}, all there is. Offsets in the latter are addresses: the caller answers for what lies
 * there.
 */
public sealed class LocalMemory extends NativeObject permits Region {
    private final NativeObject endpoint;
    private final Shim shim;
    private final long address;
    private final long bytes;

    LocalMemory(NativeObject endpoint, Shim shim, long address, long bytes, long handle) {
        super(endpoint, handle);
        this.endpoint = endpoint;
        this.shim = shim;
        this.address = address;
        this.bytes = bytes;
    }

    /** Where an address lies in it. */
    public final long offsetOf(long place) {
        return place - address;
    }

    /** The address of so many bytes from there on. */
    final long address(long from, long length) {
        Objects.checkFromIndexSize(from, length, bytes);
        return address + from;
    }

    @Override
    final void release(long closing) {
        shim.tf_region_close(closing); // an error changes nothing: the endpoint's end closes it too
    }

    @Override
    public final String toString() {
        return "region of " + bytes + " bytes of " + endpoint;
    }
}

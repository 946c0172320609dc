package org.tributary.fabric;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Memory of another process. Operations begin and return true, or false when the adapter has no room for another:
 * {@link Endpoint#poll} and try again. Each is told to the {@link CompletionHandler} when it is complete, with a
 * {@code context} that is not negative. Offsets and lengths are in bytes. An operation beyond the end of either region
 * is an {@link IndexOutOfBoundsException}; one that the provider refuses is a {@link FabricException}.
 */
public final class RemoteRegion extends NativeObject {
    private final NativeObject peer;
    private final Shim shim;
    private final Provider provider;
    private final long bytes;

    RemoteRegion(NativeObject peer, Shim shim, Provider provider, RegionKey key, long handle) {
        super(peer, handle);
        this.peer = peer;
        this.shim = shim;
        this.provider = provider;
        this.bytes = key.bytes();
    }

    /** Writes; complete when the source may be changed. */
    public boolean write(long offset, LocalMemory source, long from, long length, int context) {
        check(offset, length, context);
        return began(shim.tf_write(handle(), offset, source.handle(), source.address(from, length),
            size(length, context)));
    }

    /** Writes; complete when the bytes are in the other process's memory. */
    public boolean writeDelivered(long offset, LocalMemory source, long from, long length, int context) {
        check(offset, length, context);
        return began(shim.tf_write_delivered(handle(), offset, source.handle(), source.address(from, length),
            size(length, context)));
    }

    /**
     * Writes; the bytes are in the other process's memory when this is complete and a {@link #writeDelivered} that
     * begins later.
     */
    public boolean writeAhead(long offset, LocalMemory source, long from, long length, int context) {
        check(offset, length, context);
        return began(shim.tf_write_ahead(handle(), offset, source.handle(), source.address(from, length),
            size(length, context)));
    }

    /** Writes, and tells the other side ({@link CompletionHandler#arrived}); complete when the source may change. */
    public boolean writeWithData(long offset, LocalMemory source, long from, long length, int data, int context) {
        check(offset, length, context);
        shim.tf_data(handle(), data);
        return began(shim.tf_write_data(handle(), offset, source.handle(), source.address(from, length),
            size(length, context)));
    }

    /**
     * Writes, and tells the other side ({@link CompletionHandler#arrived}); complete when the bytes are in its memory.
     */
    public boolean writeDeliveredWithData(long offset, LocalMemory source, long from, long length, int data,
        int context) {
        check(offset, length, context);
        shim.tf_data(handle(), data);
        return began(shim.tf_write_data_delivered(handle(), offset, source.handle(), source.address(from, length),
            size(length, context)));
    }

    /**
     * Writes at most {@link Provider#injectBytes} from any native memory, which may be changed at once. Has no
     * completion.
     */
    public boolean inject(long offset, MemorySegment source, long from, long length) {
        return began(shim.tf_inject(handle(), offset, injected(offset, source, from, length), length));
    }

    /** Injects, and tells the other side's {@link CompletionHandler#arrived}. */
    public boolean injectWithData(long offset, MemorySegment source, long from, long length, int data) {
        return began(shim.tf_inject_data(handle(), offset, injected(offset, source, from, length), length, data));
    }

    private long injected(long offset, MemorySegment source, long from, long length) {
        check(offset, length, 0);
        Objects.checkFromIndexSize(from, length, source.byteSize());
        if (length > provider.injectBytes() || !source.isNative()) {
            throw new IllegalArgumentException(provider + " injects at most "
                + provider.injectBytes() + " bytes of native memory, not " + length + " of " + source);
        }
        return source.address() + from;
    }

    /** Reads; complete when the bytes are here. */
    public boolean read(long offset, LocalMemory target, long to, long length, int context) {
        check(offset, length, context);
        return began(shim.tf_read(handle(), offset, target.handle(), target.address(to, length),
            size(length, context)));
    }

    private void check(long offset, long length, int context) {
        Objects.checkFromIndexSize(offset, length, bytes);
        if (context < 0 || length > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("a context is not negative, a length below 2 GiB: " + context + ", "
                + length);
        }
    }

    /** Both in one number, as the shim takes them. */
    private static long size(long length, int context) {
        return (long) context << Integer.SIZE | length;
    }

    private boolean began(long result) {
        if (result < 0 && result != Shim.AGAIN) {
            throw Fabric.load().failure(result, "starting an operation with a " + peer, "");
        }
        return result == 0;
    }

    @Override
    void release(long closing) {
        shim.tf_remote_close(closing);
    }

    @Override
    public String toString() {
        return "remote region of " + bytes + " bytes of a " + peer;
    }
}

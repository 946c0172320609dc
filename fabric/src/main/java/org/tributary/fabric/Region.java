package org.tributary.fabric;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** Memory of this process that the adapter may read and write. Close it before the memory's arena. */
public final class Region extends NativeObject {
    private final NativeObject endpoint;
    private final Shim shim;
    private final MemorySegment memory;
    private final RegionKey key;

    Region(NativeObject endpoint, Shim shim, MemorySegment memory, long handle) {
        super(endpoint, handle);
        this.endpoint = endpoint;
        this.shim = shim;
        this.memory = memory;
        this.key = new RegionKey(shim.tf_region_number(handle, Shim.BASE),
            shim.tf_region_number(handle, Shim.KEY), memory.byteSize());
    }

    /** The memory that was registered; offsets of operations count from its beginning. */
    public MemorySegment memory() {
        return memory;
    }

    /** The key with which others read and write it. */
    public RegionKey key() {
        return key;
    }

    /** The address of so many bytes from there on. */
    long address(long from, long bytes) {
        Objects.checkFromIndexSize(from, bytes, memory.byteSize());
        return memory.address() + from;
    }

    @Override
    void release(long closing) {
        shim.tf_region_close(closing); // an error changes nothing: the endpoint's end closes it too
    }

    @Override
    public String toString() {
        return "region of " + memory.byteSize() + " bytes of " + endpoint;
    }
}

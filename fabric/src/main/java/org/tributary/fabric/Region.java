package org.tributary.fabric;

import java.lang.foreign.MemorySegment;

/** Memory of this process that the adapter may read and write, for others too. Close it before the memory's arena. */
public final class Region extends LocalMemory {
    private final MemorySegment memory;
    private final RegionKey key;

    Region(NativeObject endpoint, Shim shim, MemorySegment memory, long handle) {
        super(endpoint, shim, memory.address(), memory.byteSize(), handle);
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
}

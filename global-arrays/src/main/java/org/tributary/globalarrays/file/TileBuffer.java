package org.tributary.globalarrays.file;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.tributary.globalarrays.GlobalArray;
import org.tributary.globalarrays.LocalBuffer;
import org.tributary.globalarrays.distribution.Patch;

/** Memory for one tile of an array on its way to a file, or back, its elements dense. One thread. */
final class TileBuffer implements AutoCloseable {
    /** Most bytes of a tile. */
    static final int TILE_BYTES = 1 << 20;
    private static final long ALIGNMENT = 16;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;

    /** Room for a tile, and {@code more} bytes for what goes with it. */
    TileBuffer(int more) {
        memory = arena.allocate(more + (long) TILE_BYTES, ALIGNMENT);
    }

    /** Most elements of a tile. */
    static long limit(int elementBytes) {
        return TILE_BYTES / elementBytes;
    }

    MemorySegment memory() {
        return memory;
    }

    ByteBuffer bytes(long offset, long length) {
        return memory.asSlice(offset, length).asByteBuffer();
    }

    /** Gets a tile from the array. */
    void load(GlobalArray array, Patch tile, long offset) {
        array.get(tile, LocalBuffer.of(memory.asSlice(offset)));
    }

    /** Puts a tile to the array. */
    void store(GlobalArray array, Patch tile, long offset) {
        array.put(tile, LocalBuffer.of(memory.asSlice(offset)));
    }

    @Override
    public void close() {
        arena.close();
    }
}

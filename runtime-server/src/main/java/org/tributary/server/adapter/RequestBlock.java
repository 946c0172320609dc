package org.tributary.server.adapter;

import java.lang.foreign.Arena;
import org.tributary.fabric.Region;
import org.tributary.fabric.RegionKey;
import org.tributary.fabric.channel.BlockReader;

/** A block to which a rank of another node may write requests. Of the server's event loop. */
public final class RequestBlock {
    /** Numbers of blocks have this bit, which numbers of windows have not. */
    static final int NUMBERS = 1 << 15;

    private final int number;
    private final RegionKey key;
    private final BlockReader reader;
    /** Of the adapter's loop. */
    private final Region region;
    /** Of the adapter's loop, which looks at the block before the server does. */
    private final Arena arena;

    RequestBlock(int number, Region region, BlockReader reader, Arena arena) {
        this.number = number;
        this.key = region.key();
        this.reader = reader;
        this.region = region;
        this.arena = arena;
    }

    /** By which completions name it: 16 bits. */
    public int number() {
        return number;
    }

    /** With which the rank writes. */
    public RegionKey key() {
        return key;
    }

    public BlockReader reader() {
        return reader;
    }

    /** A later write is an error at its sender. Of the adapter's loop, once the reader is not used any more. */
    void closeRegion() {
        region.close();
    }

    /** Its memory. */
    Arena arena() {
        return arena;
    }
}

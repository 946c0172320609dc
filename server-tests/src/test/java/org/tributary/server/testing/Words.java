package org.tributary.server.testing;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.shm.SharedFile;
import org.tributary.wire.shm.SharedWord;

/** The words of a segment of one node, as a rank there sees them. */
public record Words(MemorySegment memory) {
    /** Maps a segment whose first part is that of the rank in question. */
    public static Words of(TestServers job, int node, long segment) throws IOException {
        return new Words(SharedFile.map(new NodeDirectory(job.directory(node)).segment(segment), Arena.ofAuto()));
    }

    /** One 8-byte word. */
    public long get(long offset) {
        return SharedWord.getLongAcquire(memory, offset);
    }
}

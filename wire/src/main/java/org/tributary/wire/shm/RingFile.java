package org.tributary.wire.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/**
 * The node's rings: where ranks hand requests to their own server when that server owns the node's channels.
 *
 * <pre>
 *   0      magic       int64
 *   8      version     int32, written last with release: the ready flag
 *   12     localRanks  int32
 *   16     ringBytes   int32, a power of 2
 *   128    {@link ServerBell}
 *   256    rings, one for each rank of the node: {@link RequestRing}
 * </pre>
 *
 * <p>Immutable and thread-safe.
 */
public final class RingFile {
    static final long MAGIC = 0x474E_4952_5542_4952L;
    static final int VERSION = 1;
    static final long VERSION_OFFSET = 8;
    static final long LOCAL_RANKS_OFFSET = 12;
    static final long RING_BYTES_OFFSET = 16;
    static final long BELL_OFFSET = 128;
    static final long FIRST_OFFSET = 256;

    private final Path file;
    private final MemorySegment memory;
    private final int localRanks;
    private final int ringBytes;

    private RingFile(Path file, MemorySegment memory, int localRanks, int ringBytes) {
        this.file = file;
        this.memory = memory;
        this.localRanks = localRanks;
        this.ringBytes = ringBytes;
    }

    /** Length of the file of a node with so many ranks. */
    public static long bytes(int localRanks, int ringBytes) {
        return FIRST_OFFSET + localRanks * RequestRing.bytes(ringBytes);
    }

    /** Creates the file and reserves its memory; the server calls this once. */
    public static RingFile create(Path file, Arena arena, int localRanks, int ringBytes) throws IOException {
        SharedFile.create(file, bytes(localRanks, ringBytes));
        MemorySegment memory = SharedFile.map(file, arena);
        memory.set(ValueLayout.JAVA_LONG, 0, MAGIC);
        memory.set(ValueLayout.JAVA_INT, LOCAL_RANKS_OFFSET, localRanks);
        memory.set(ValueLayout.JAVA_INT, RING_BYTES_OFFSET, ringBytes);
        SharedWord.setRelease(memory, VERSION_OFFSET, VERSION); // partner: open()
        return new RingFile(file, memory, localRanks, ringBytes);
    }

    /**
     * Opens the file of a running server.
     *
     * @throws IOException when it is no such file of this version
     */
    public static RingFile open(Path file, Arena arena) throws IOException {
        MemorySegment memory = SharedFile.map(file, arena);
        if (memory.byteSize() < FIRST_OFFSET) {
            throw new IOException(file + " holds no rings: it has " + memory.byteSize() + " bytes, not at least "
                + FIRST_OFFSET);
        }
        int version = SharedWord.getAcquire(memory, VERSION_OFFSET); // partner: create()
        long magic = memory.get(ValueLayout.JAVA_LONG, 0);
        int localRanks = memory.get(ValueLayout.JAVA_INT, LOCAL_RANKS_OFFSET);
        int ringBytes = memory.get(ValueLayout.JAVA_INT, RING_BYTES_OFFSET);
        if (magic != MAGIC || version != VERSION || Integer.bitCount(ringBytes) != 1 || ringBytes < 0 || localRanks < 1
            || memory.byteSize() != bytes(localRanks, ringBytes)) {
            throw new IOException(file + " holds no rings of version " + VERSION + ": magic "
                + Long.toHexString(magic) + ", version " + version + ", " + localRanks + " rings of " + ringBytes
                + " bytes in " + memory.byteSize() + "; rank and server must be of one release");
        }
        return new RingFile(file, memory, localRanks, ringBytes);
    }

    /** Rings of the file, one for each rank of the node. */
    public int localRankCount() {
        return localRanks;
    }

    public long sizeInBytes() {
        return memory.byteSize();
    }

    /** How ranks tell the server that there is something in a ring. */
    public ServerBell bell() {
        return new ServerBell(memory.asSlice(BELL_OFFSET, FIRST_OFFSET - BELL_OFFSET));
    }

    /** The rank's side of its ring; made once. */
    public RequestRing.Writer writer(int localIndex) {
        return new RequestRing.Writer(ring(localIndex), where(localIndex));
    }

    /** The server's side of a rank's ring; made once. */
    public RequestRing.Reader reader(int localIndex) {
        return new RequestRing.Reader(ring(localIndex), where(localIndex));
    }

    private String where(int localIndex) {
        return "ring " + localIndex + " of " + file;
    }

    private MemorySegment ring(int localIndex) {
        long bytes = RequestRing.bytes(ringBytes);
        return memory.asSlice(FIRST_OFFSET + localIndex * bytes, bytes);
    }
}

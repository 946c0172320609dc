package org.tributary.server.io;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.server.frame.FrameReader;

/**
 * Memory for requests that have been read but have to wait, because their connection does not take its answers. Pieces
 * are little more than powers of two, used again and never freed. There is a bound: when the next piece might exceed
 * it, connections are read in such small portions that each keeps little, until others have gone on; but those whose
 * other side has ended are read to their end. Owned by an event loop; the bound is one for all loops of a server.
 */
public final class KeptRequests implements FrameReader.Lender {
    /** Most bytes that one connection keeps when memory is scarce. */
    public static final int SMALL_BYTES = 8 * 1024;
    /** So much longer than a power of two, a piece holds a part of any record: its content may have 32 KiB. */
    public static final int EXTRA_BYTES = 64;
    private static final int SIZES = 32;
    /** However large reads are, so many of them are kept before they get small. */
    private static final long READS_AT_LEAST = 4;

    public final class Piece implements FrameReader.Loan {
        private final MemorySegment memory;
        private final UnsafeBuffer codec;
        private int length;

        private Piece(MemorySegment memory) {
            this.memory = memory;
            this.codec = new UnsafeBuffer(memory.asByteBuffer());
        }

        @Override
        public MemorySegment memory() {
            return memory;
        }

        @Override
        public UnsafeBuffer codec() {
            return codec;
        }

        @Override
        public void giveBack() {
            KeptRequests.this.giveBack(this);
        }

        /** How many bytes are kept in it. */
        public int length() {
            return length;
        }
    }

    private final Arena arena;
    private final int largest;
    private final long bound;
    private final AtomicLong usedByAll;
    @SuppressWarnings({"unchecked", "rawtypes"})
    private final ArrayDeque<Piece>[] free = new ArrayDeque[SIZES];
    private long used;
    private long made;
    private long scarce;

    /** That of a server's only loop. */
    public KeptRequests(Arena arena, int largest, long bound) {
        this(arena, largest, bound, new AtomicLong());
    }

    /**
     * Without memory yet.
     *
     * @param largest   how many bytes one read brings at most
     * @param bound     how many bytes all loops keep before reads get small
     * @param usedByAll what all loops keep
     */
    public KeptRequests(Arena arena, int largest, long bound, AtomicLong usedByAll) {
        this.arena = arena;
        this.usedByAll = usedByAll;
        this.largest = BitUtil.findNextPositivePowerOfTwo(largest) + EXTRA_BYTES;
        this.bound = Math.max(bound, READS_AT_LEAST * this.largest);
    }

    /**
     * Whether a whole read might bring more than there is memory for, so that only {@link #SMALL_BYTES} are read, which
     * is counted.
     */
    public boolean noteIfScarce() {
        boolean isScarce = usedByAll.get() + largest > bound;
        if (isScarce) {
            scarce++;
        }
        return isScarce;
    }

    public Piece keep(MemorySegment source, int from, int length) {
        Piece piece = lend(length);
        MemorySegment.copy(source, from, piece.memory, 0, length);
        piece.length = length;
        return piece;
    }

    @Override
    public Piece lend(int length) {
        int power = BitUtil.findNextPositivePowerOfTwo(Math.max(SMALL_BYTES, length - EXTRA_BYTES));
        int size = power + EXTRA_BYTES;
        ArrayDeque<Piece> pieces = free[Integer.numberOfTrailingZeros(power)];
        Piece piece = pieces == null ? null : pieces.pollFirst();
        if (piece == null) {
            piece = new Piece(arena.allocate(size, BitUtil.CACHE_LINE_LENGTH));
            made += size;
        }
        used += size;
        usedByAll.addAndGet(size);
        piece.length = 0;
        return piece;
    }

    /** The bytes have been dealt with. */
    public void giveBack(Piece piece) {
        int size = piece.codec.capacity();
        used -= size;
        usedByAll.addAndGet(-size);
        int index = Integer.numberOfTrailingZeros(size - EXTRA_BYTES);
        if (free[index] == null) {
            free[index] = new ArrayDeque<>();
        }
        free[index].addFirst(piece);
    }

    /** Bytes of memory in use; any thread, to which it may be a moment old. */
    public long used() {
        return used;
    }

    /** Bytes of memory that all loops use. */
    public long usedByAll() {
        return usedByAll.get();
    }

    /** Bytes of memory made so far. */
    public long made() {
        return made;
    }

    /** Reads that were made small; any thread, to which it may be a moment old. */
    public long scarceReads() {
        return scarce;
    }
}

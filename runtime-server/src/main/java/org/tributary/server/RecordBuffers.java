package org.tributary.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.tributary.wire.record.RecordOpener;
import org.tributary.wire.record.RecordSealer;
import org.tributary.wire.record.Records;

/**
 * The memory that all encrypted connections of a loop share: what a read brings is opened and dealt with before the
 * next read, so that only a connection in the middle of a record, or with answers on their way, holds any. Owned by the
 * event loop.
 */
final class RecordBuffers {
    /** Records that fit into a block. */
    private static final int RECORDS = 2;

    private final Arena arena;
    private final ReceiveBuffer sealed;
    private final ByteBuf oneRecord;
    private final ReceiveBuffer opened;
    private final byte[] content = RecordOpener.contentBuffer();
    private final byte[] gathered = RecordSealer.workBuffer();
    private final ArrayDeque<SealedBlock> free = new ArrayDeque<>();

    /** For reads of so many bytes, or of a few records when that is less. */
    RecordBuffers(int receiveBytes, Arena arena) {
        int capacity = Math.max(receiveBytes, 2 * RECORDS * Records.MAX_BYTES);
        this.arena = arena;
        this.sealed = new ReceiveBuffer(capacity, arena);
        this.oneRecord = Unpooled.unreleasableBuffer(
            new FixedByteBuf(sealed.memory().asSlice(0, Records.MAX_BYTES)).clear());
        this.opened = new ReceiveBuffer(capacity, arena);
    }

    /** What has come from a socket. */
    ReceiveBuffer sealed() {
        return sealed;
    }

    /** The beginning of {@link #sealed()}, for a read that is to bring no more than the rest of one record. */
    ByteBuf toReadOne() {
        return oneRecord.clear();
    }

    /** In which each connection gathers a record and seals it. */
    byte[] gathered() {
        return gathered;
    }

    /** What was in the records of {@link #sealed()}. */
    ReceiveBuffer opened() {
        return opened;
    }

    /** The content of one record. */
    byte[] content() {
        return content;
    }

    /** An empty block. */
    SealedBlock take() {
        SealedBlock block = free.pollFirst();
        return block != null ? block : new SealedBlock(arena.allocate((long) RECORDS * Records.MAX_BYTES, Long.BYTES));
    }

    /** Nobody uses the block any more. */
    void giveBack(SealedBlock block) {
        block.clear();
        free.addFirst(block);
    }

    /** Memory for a few records. */
    static final class SealedBlock {
        private final MemorySegment memory;
        private final ByteBuffer bytes;
        private final FixedByteBuf socket;

        private SealedBlock(MemorySegment memory) {
            this.memory = memory;
            this.bytes = memory.asByteBuffer();
            this.socket = new FixedByteBuf(memory);
        }

        MemorySegment memory() {
            return memory;
        }

        ByteBuffer bytes() {
            return bytes;
        }

        boolean hasRoom() {
            return bytes.remaining() >= Records.MAX_BYTES;
        }

        /** What has been put into {@link #bytes()}, to be written once. */
        ByteBuf toSend() {
            return socket.retain().setIndex(0, bytes.position());
        }

        private void clear() {
            bytes.clear();
        }
    }
}

package org.tributary.server.io;

import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.tributary.wire.record.RecordException;
import org.tributary.wire.record.RecordOpener;

/**
 * The incoming side of one encrypted connection: opens all whole records of a read, and keeps the one of which only a
 * part has come. Owned by the event loop.
 */
public final class IncomingRecords implements SecuredStream {
    private final RecordBuffers buffers;
    private final RecordOpener opener;
    private final KeptRequests kept;
    private KeptRequests.Piece partial;
    private boolean failed;

    /** The part of an incomplete record that has come is kept in {@code kept}. */
    IncomingRecords(RecordBuffers buffers, KeptRequests kept, RecordOpener opener) {
        this.buffers = buffers;
        this.kept = kept;
        this.opener = opener;
    }

    /**
     * Where the next read goes: behind the part of a record that is there already.
     *
     * @param little whether it is to bring one record at most
     */
    public ByteBuf toRead(boolean little) {
        ByteBuf target = little ? buffers.toReadOne() : buffers.sealed().toRead();
        if (partial != null) {
            MemorySegment.copy(partial.memory(), 0, buffers.sealed().memory(), 0, partial.length());
            target.writerIndex(partial.length());
        }
        return target;
    }

    /** Opens what has been read to {@link #toRead}; returns how many bytes are in {@link #opened()} now. */
    public int open(int end) throws RecordException {
        try {
            return openAll(end);
        } catch (RecordException e) {
            failed = true;
            throw e;
        }
    }

    private int openAll(int end) throws RecordException {
        ByteBuffer in = buffers.sealed().bytes().limit(end).position(0);
        MemorySegment target = buffers.opened().memory();
        int total = 0;
        int length = opener.open(in, buffers.content());
        while (length != RecordOpener.INCOMPLETE) {
            MemorySegment.copy(buffers.content(), 0, target, ValueLayout.JAVA_BYTE, total, length);
            total += length;
            length = opener.open(in, buffers.content());
        }
        keep(in);
        return total;
    }

    private void keep(ByteBuffer rest) {
        release();
        if (rest.hasRemaining()) {
            partial = kept.keep(buffers.sealed().memory(), rest.position(), rest.remaining());
        }
    }

    /** The content of the records that were opened last. */
    public ReceiveBuffer opened() {
        return buffers.opened();
    }

    /** Whether something came that was no record of the stream. */
    boolean hasFailed() {
        return failed;
    }

    @Override
    public String problemOfEnd() {
        return opener.isEnded() || failed ? null : partial == null ? CUT_OFF
            : "its stream was cut off within a record";
    }

    @Override
    public void release() {
        if (partial != null) {
            kept.giveBack(partial);
            partial = null;
        }
    }
}

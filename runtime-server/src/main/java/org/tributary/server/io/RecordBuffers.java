package org.tributary.server.io;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.foreign.Arena;
import org.tributary.wire.record.RecordOpener;
import org.tributary.wire.record.RecordSealer;
import org.tributary.wire.record.Records;

/**
 * The memory that all encrypted connections of a loop share: what a read brings is opened and dealt with before the
 * next read. Only a connection in the middle of a record holds any, of {@link KeptRequests}, and one whose answers are
 * on their way, of the {@link ReplyBufferPool}: both are bounded and counted. Owned by the event loop.
 */
final class RecordBuffers {
    /** Most records of full length that one read brings, when that is more than reads of others bring. */
    private static final int RECORDS = 4;

    private final ReceiveBuffer sealed;
    private final ByteBuf oneRecord;
    private final ReceiveBuffer opened;
    private final byte[] content = RecordOpener.contentBuffer();
    private final byte[] gathered = RecordSealer.workBuffer();

    /** For reads of so many bytes, or of a few records when that is less. */
    RecordBuffers(int receiveBytes, Arena arena) {
        int capacity = Math.max(receiveBytes, RECORDS * Records.MAX_BYTES);
        this.sealed = new ReceiveBuffer(capacity, arena);
        this.oneRecord = Unpooled.unreleasableBuffer(
            new FixedByteBuf(sealed.memory().asSlice(0, Records.MAX_BYTES)).clear());
        this.opened = new ReceiveBuffer(capacity, arena);
    }

    /** Records as they have come from a socket. */
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

    /** The content of the records of {@link #sealed()}. */
    ReceiveBuffer opened() {
        return opened;
    }

    byte[] content() {
        return content;
    }
}

package org.tributary.client.connection;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import org.tributary.wire.record.EncryptedChannel;

/**
 * Both directions in records over one non-blocking socket. Written bytes may wait here until they are flushed, and
 * bytes to be read may have been here already: {@link SendBuffer} and {@link ReplyReader} ask for that.
 */
public final class RecordTransport extends SocketTransport {
    private final EncryptedChannel records;

    public RecordTransport(SocketChannel socket, EncryptedChannel records) {
        super(socket, records, records);
        this.records = records;
    }

    /** That transport if it is encrypted, otherwise null. */
    static RecordTransport of(Object transport) {
        return transport instanceof RecordTransport encrypted ? encrypted : null;
    }

    /** Whether bytes that were written wait for the socket. */
    boolean hasPending() {
        return records.hasPending();
    }

    /** Hands what waits to the socket; whether nothing waits any more. */
    boolean flush() throws IOException {
        return records.flush();
    }

    /** Whether more can be read, which is not in the socket any more and so wakes nobody. */
    boolean hasReadable() {
        return records.hasReadable();
    }

    @Override
    public void endStream() throws IOException {
        records.end();
    }

    @Override
    public boolean drain() throws IOException {
        return flush();
    }
}

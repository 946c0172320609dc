package org.tributary.server.connection;

import io.netty.channel.EventLoop;
import org.tributary.server.io.SpinThenBlock;
import org.tributary.server.observe.ServerMetrics;
import org.tributary.wire.shm.MemoryFaults;
import org.tributary.wire.shm.RequestRing;
import org.tributary.wire.shm.RingFile;
import org.tributary.wire.shm.ServerBell;

/**
 * The rings through which ranks of the node hand over requests, as the server reads them: all of them, in a task of the
 * event loop, when the bell has been rung. Owned by the event loop.
 */
public final class Rings implements SpinThenBlock.Bell {
    private final RingFile file;
    private final ServerBell bell;
    private final EventLoop loop;
    private final RequestReader[] readers;
    private final Runnable read = this::read;
    private int seen;
    private boolean readDue;
    private long bytes;
    private long wakes;

    public Rings(RingFile file, EventLoop loop, ServerMetrics metrics) {
        this.file = file;
        this.bell = file.bell();
        this.loop = loop;
        this.readers = new RequestReader[file.localRankCount()];
        metrics.gauge("tributary.rings.memory.bytes", "Shared memory of rings", file, RingFile::sizeInBytes);
        metrics.counter("tributary.ring.bytes", "Requests taken from rings of ranks", this, self -> self.bytes);
        metrics.counter("tributary.ring.wakes", "Times a rank woke this server", this, self -> self.wakes);
    }

    /** A rank hands over what follows in its ring. */
    RequestRing.Reader open(RequestReader reader, int localIndex) {
        readers[localIndex] = reader;
        readSoon();
        return file.reader(localIndex);
    }

    /** The connection has closed; a rank that tries again may have another one by now. */
    void close(RequestReader reader, int localIndex) {
        if (readers[localIndex] == reader) {
            readers[localIndex] = null;
        }
    }

    void taken(int count) {
        bytes += count;
    }

    /** A rank has found the server asleep, or has waited for long: looks without asking the bell. */
    void woken() {
        wakes++;
        readSoon();
    }

    @Override
    public boolean takeRing() {
        int rings = bell.rings();
        if (rings == seen) {
            return false;
        }
        seen = rings;
        readSoon();
        return true;
    }

    @Override
    public boolean sleep() {
        return bell.sleep(seen);
    }

    @Override
    public void awake() {
        bell.awake();
        MemoryFaults.surface();
    }

    /** Looks into all rings once what is at hand has been dealt with. */
    void readSoon() {
        if (!readDue) {
            MemoryFaults.surface(); // what was read may be no count, and the loop's queue must not be left half-changed
            readDue = true;
            loop.execute(read);
        }
    }

    private void read() {
        readDue = false;
        boolean more = false;
        for (RequestReader reader : readers) {
            more |= reader != null && reader.readRequests() == RequestReader.Left.MORE;
        }
        if (more) {
            readSoon();
        }
    }
}

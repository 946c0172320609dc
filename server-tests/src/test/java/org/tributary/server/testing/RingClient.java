package org.tributary.server.testing;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.tributary.wire.shm.RequestRing;
import org.tributary.wire.shm.RingFile;
import org.tributary.wire.shm.ServerBell;
import org.tributary.wire.shm.SharedFile;

/** A rank that puts into its ring what it is told, well-formed or not. Whatever it waits for has a deadline. */
public final class RingClient implements AutoCloseable {
    private static final long DEADLINE_S = 200;

    private final Arena arena = Arena.ofShared();
    private final RawClient socket;
    private final RequestRing.Writer ring;
    private final MemorySegment memory;
    private final ServerBell bell;

    private RingClient(RawClient socket, Path directory, int localIndex, int localRanks) throws IOException {
        this.socket = socket;
        Path file = directory.resolve("rings");
        RingFile rings = RingFile.open(file, arena);
        this.ring = rings.writer(localIndex);
        this.bell = rings.bell();
        MemorySegment all = SharedFile.map(file, arena);
        long ringBytes = (all.byteSize() - 256) / localRanks;
        this.memory = all.asSlice(256 + localIndex * ringBytes, ringBytes);
    }

    /** The rank uses its ring from now on. */
    public static RingClient rank(TestServers job, int rank, int node, int localIndex, int localRanks)
        throws IOException {
        RingClient client = new RingClient(job.rank(rank), job.directory(node), localIndex, localRanks);
        client.socket.send(Requests.wake());
        return client;
    }

    /** The connection, on which answers come. */
    public RawClient socket() {
        return socket;
    }

    /** Puts in as much as there is room for; returns how much that was. */
    public int offer(byte[] bytes, int from) throws IOException {
        int written = ring.write(ByteBuffer.wrap(bytes, from, bytes.length - from));
        if (written > 0) {
            announce();
        }
        return written;
    }

    private void announce() throws IOException {
        ring.publish();
        if (bell.ring()) {
            socket.send(Requests.wake());
        }
    }

    /** Puts in everything. */
    public RingClient send(byte... bytes) throws IOException {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        for (int sent = 0; sent < bytes.length; sent += offer(bytes, sent)) {
            if (System.nanoTime() > deadlineNs) {
                throw new AssertionError("no room within " + DEADLINE_S + " s");
            }
        }
        return this;
    }

    /** Puts in a request and receives its answer. */
    public Reply ask(byte... request) throws IOException {
        send(request);
        Reply reply = socket.receive();
        if (reply == null) {
            throw new AssertionError("the server closed the connection");
        }
        return reply;
    }

    /** Waits until the server blocks. */
    public void awaitAsleep() {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        while (!bell.isAsleep()) {
            if (System.nanoTime() > deadlineNs) {
                throw new AssertionError("the server does not sleep");
            }
            Thread.yield();
        }
    }

    /** Stores a tail, whatever it may be, and tells the server. */
    public void forgeTail(long tail) throws IOException {
        memory.set(ValueLayout.JAVA_LONG, 0, tail);
        bell.ring();
        socket.send(Requests.wake());
    }

    @Override
    public void close() throws IOException {
        socket.close();
        arena.close();
    }
}
